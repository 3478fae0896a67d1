// SPDX-License-Identifier: BSD-3-Clause
// The part of CLI11 that the tool uses, in CLI11's words. CLI11's own header takes seconds to compile in each
// file that includes it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gossamer::cli {

/// Checks or changes one value as it was typed.
struct validator {
  /// Returns what is wrong; an empty text if the value is valid.
  std::function<std::string(std::string& text)> check;
  /// Follows the option's type in --help.
  std::string description = {};
};

validator range(std::int64_t low, std::int64_t high);
validator is_member(const std::vector<std::string>& words);

/// A handle of an option, which its command owns. Each call returns the same option.
class option {
 public:
  explicit option(CLI::Option& given) : option_(&given) {}

  option required();
  option check(const validator& valid);
  option transform(const validator& change);
  option type_name(const std::string& name);
  option envname(const std::string& variable);
  option delimiter(char between);
  option allow_extra_args(bool allowed);
  option excludes(option other);
  option capture_default_str();

  /// Whether the command line lacks it.
  [[nodiscard]] bool empty() const;
  [[nodiscard]] int as_int() const;

 private:
  CLI::Option* option_;
};

/// A handle of a subcommand, which its command line owns.
class subcommand {
 public:
  explicit subcommand(CLI::App& given) : app_(&given) {}

  [[nodiscard]] std::string get_name() const;
  /// `T` is one of the types at the end of command_line_options.cpp.
  template <class T>
  option add_option(const std::string& name, T& target, const std::string& help = {});
  option add_flag(const std::string& name, bool& target, const std::string& help);
  [[nodiscard]] option get_option(const std::string& name) const;
  /// Calls `chosen` if the command line names this subcommand.
  void callback(const std::function<void()>& chosen);

 private:
  CLI::App* app_;
};

class command_line {
 public:
  command_line(const std::string& description, const std::string& name);
  ~command_line();
  command_line(const command_line&) = delete;
  command_line& operator=(const command_line&) = delete;

  void set_version_flag(const std::string& name, const std::string& version);
  /// The last line of --help, not of the subcommands that exist already.
  void set_footer(const std::string& text);
  subcommand add_subcommand(const std::string& name, const std::string& help);
  [[nodiscard]] std::vector<subcommand> get_subcommands() const;

  /// Returns the text of --help or --version if the command line has one of them. Throws usage_error.
  [[nodiscard]] std::optional<std::string> parse(int argc, const char* const* argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace gossamer::cli
