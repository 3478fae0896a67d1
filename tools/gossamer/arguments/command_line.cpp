// SPDX-License-Identifier: BSD-3-Clause
#include "arguments/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "arguments/usage_error.hpp"
#include "output/wrap.hpp"

namespace gossamer::cli {
namespace {

constexpr std::size_t help_column = 26;

/// CLI11's types "TEXT:{f32,f64}" and "INT:INT in [1 - 9]" in fewer characters: "f32|f64" and "N".
std::string type_text(const CLI::Option& option) {
  std::string text = option.get_type_name();
  if (const std::size_t words = text.find(":{"); words != std::string::npos) {
    text = text.substr(words + 2, text.size() - words - 3);
    std::replace(text.begin(), text.end(), ',', '|');
  }
  text = text.substr(0, text.find(':'));
  if (text == "INT") text = "N";
  if (text == "FLOAT") text = "X";
  if (text == "TEXT") text = "NAME";
  return option.get_expected_max() > 1 ? text + ",..." : text;
}

std::string default_text(const CLI::Option& option) {
  std::string text = option.get_default_str();
  if (text.size() > 1 && text.front() == '[') text = text.substr(1, text.size() - 2);
  return text;
}

/// Help of at most 100 columns: "  -o, --option TYPE   What it does (default: VALUE)".
class help_formatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* each, bool is_positional) const override {
    std::string left = "  " + (is_positional ? each->get_name(true, false) : each->get_name(false, true));
    if (const std::size_t comma = left.find(','); comma != std::string::npos) left.insert(comma + 1, " ");
    if (!is_positional && each->get_type_size() != 0) left += " " + type_text(*each);
    if (is_positional && each->get_expected_max() > 1) left += "...";
    std::string right = each->get_description();
    std::string more;
    const auto add = [&](const std::string& text) { more.append(more.empty() ? "" : "; ").append(text); };
    if (!is_positional && each->get_required()) add("required");
    if (!default_text(*each).empty()) add("default: " + default_text(*each));
    if (!each->get_envname().empty()) add("or set " + each->get_envname());
    if (!more.empty()) right.append(right.empty() ? "(" : " (").append(more).append(")");
    const bool has_room = left.size() + 2 <= help_column;
    left += has_room ? std::string(help_column - left.size(), ' ') : "\n" + std::string(help_column, ' ');
    return wrapped(left + right + "\n", help_column);
  }
  std::string make_subcommand(const CLI::App* sub) const override {
    return fmt::format("  {:<{}}{}\n", sub->get_name(), help_column - 2, sub->get_description());
  }
};

}  // namespace

command_line::command_line(const std::string& description, const std::string& name)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->require_subcommand(1);
  app_->formatter(std::make_shared<help_formatter>());
  app_->set_help_flag("-h,--help", "Print this help and exit");
}

command_line::~command_line() = default;

void command_line::set_version_flag(const std::string& name, const std::string& version) {
  app_->set_version_flag(name, version, "Print the version and exit");
}

subcommand command_line::add_subcommand(const std::string& name, const std::string& help) {
  return subcommand(*app_->add_subcommand(name, help));
}

void command_line::set_footer(const std::string& text) {
  app_->footer(text);
}

std::vector<subcommand> command_line::get_subcommands() const {
  std::vector<subcommand> all;
  for (CLI::App* each : app_->get_subcommands({})) all.emplace_back(*each);
  return all;
}

std::optional<std::string> command_line::parse(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& problem) {
    std::ostringstream text;
    if (problem.get_exit_code() == 0) {
      app_->exit(problem, text, text);
      return text.str();
    }
    for (const CLI::App* each : app_->get_subcommands()) text << each->get_name() << ": ";
    text << problem.what();
    throw usage_error(text.str());
  }
}

}  // namespace gossamer::cli
