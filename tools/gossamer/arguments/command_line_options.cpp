// SPDX-License-Identifier: BSD-3-Clause
// Subcommands and their options. Parsing is in a file of its own, since each takes seconds to compile.
#include "arguments/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace gossamer::cli {

validator range(std::int64_t low, std::int64_t high) {
  const CLI::Range within(low, high);
  return {[within](std::string& text) { return within(text); }, within.get_description()};
}

validator is_member(const std::vector<std::string>& words) {
  const std::string set = "{" + CLI::detail::join(words) + "}";
  return {[words, set](std::string& text) {
            const bool known = std::find(words.begin(), words.end(), text) != words.end();
            return known ? std::string() : text + " not in " + set;
          },
          set};
}

option option::required() {
  option_->required();
  return *this;
}

option option::check(const validator& valid) {
  option_->check(CLI::Validator(valid.check, valid.description));
  return *this;
}

option option::transform(const validator& change) {
  option_->transform(CLI::Validator(change.check, change.description));
  return *this;
}

option option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

option option::envname(const std::string& variable) {
  option_->envname(variable);
  return *this;
}

option option::delimiter(char between) {
  option_->delimiter(between);
  return *this;
}

option option::allow_extra_args(bool allowed) {
  option_->allow_extra_args(allowed);
  return *this;
}

option option::excludes(option other) {
  option_->excludes(other.option_);
  return *this;
}

option option::capture_default_str() {
  option_->capture_default_str();
  return *this;
}

bool option::empty() const {
  return option_->empty();
}

int option::as_int() const {
  return option_->as<int>();
}

std::string subcommand::get_name() const {
  return app_->get_name();
}

template <class T>
option subcommand::add_option(const std::string& name, T& target, const std::string& help) {
  return option(*app_->add_option(name, target, help));
}

option subcommand::add_flag(const std::string& name, bool& target, const std::string& help) {
  return option(*app_->add_flag(name, target, help));
}

option subcommand::get_option(const std::string& name) const {
  return option(*app_->get_option(name));
}

void subcommand::callback(const std::function<void()>& chosen) {
  app_->callback(chosen);
}

template option subcommand::add_option(const std::string&, int&, const std::string&);
template option subcommand::add_option(const std::string&, std::int64_t&, const std::string&);
template option subcommand::add_option(const std::string&, double&, const std::string&);
template option subcommand::add_option(const std::string&, std::string&, const std::string&);
template option subcommand::add_option(const std::string&, std::optional<int>&, const std::string&);
template option subcommand::add_option(const std::string&, std::optional<std::int64_t>&, const std::string&);
template option subcommand::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template option subcommand::add_option(const std::string&, std::vector<std::int64_t>&, const std::string&);

}  // namespace gossamer::cli
