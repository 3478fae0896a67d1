// SPDX-License-Identifier: BSD-3-Clause
#include "arguments/command_line.hpp"

#include <CLI/CLI.hpp>
#include <sstream>

#include "arguments/usage_error.hpp"

namespace gossamer::cli {

command_line::command_line(const std::string& description, const std::string& name)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->require_subcommand(1);
}

command_line::~command_line() = default;

void command_line::set_version_flag(const std::string& name, const std::string& version) {
  app_->set_version_flag(name, version);
}

subcommand command_line::add_subcommand(const std::string& name, const std::string& help) {
  return subcommand(*app_->add_subcommand(name, help));
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
