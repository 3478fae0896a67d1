// SPDX-License-Identifier: BSD-3-Clause
// gossamer formats: what this build can store matrices in.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "gossamer/formats.hpp"
#include "output/output.hpp"
#include "output/wrap.hpp"

namespace gossamer::cli {
namespace {

using json = nlohmann::ordered_json;

std::vector<std::string> device_names(device_set devices) {
  std::vector<std::string> names;
  if (contains(devices, device_set::cpu)) names.emplace_back("cpu");
  if (contains(devices, device_set::cuda)) names.emplace_back("cuda");
  return names;
}

json to_json(const option_info& option) {
  json object = {{"name", option.name}, {"help", option.help}, {"devices", device_names(option.devices)}};
  if (option.choices.empty()) {
    object["min"] = option.min;
    object["max"] = option.max;
  } else {
    json& choices = object["choices"] = json::array();
    for (const option_choice& choice : option.choices)
      choices.push_back(
          {{"name", choice.name}, {"help", choice.help}, {"devices", device_names(choice.devices)}});
  }
  object["default"] = option.default_text;
  return object;
}

json to_json(const format_info& format) {
  json object = {{"name", format.name},
                 {"source", format.source},
                 {"help", format.help},
                 {"devices", device_names(format.devices)},
                 {"keeps",
                  {{"order", format.keeps.order},
                   {"explicit_zeros", format.keeps.explicit_zeros},
                   {"duplicates", format.keeps.duplicates}}}};
  json& options = object["options"] = json::array();
  for (const option_info& option : format.options) options.push_back(to_json(option));
  return object;
}

/// " [cuda only]" behind what one kind of device does not have.
std::string restriction(device_set devices) {
  if (devices == device_set::both) return {};
  return fmt::format(" [{} only]", fmt::join(device_names(devices), ", "));
}

void print_option(const option_info& option) {
  const std::string range =
      fmt::format("{} to {}{}{}, ", option.min, option.max, option.has_published ? " or published" : "",
                  option.has_unbounded ? " or unbounded" : "");
  print(wrapped(
      fmt::format("    {}: {} ({}default: {}){}\n", option.name, option.help,
                  option.choices.empty() ? range : "", option.default_text, restriction(option.devices)),
      6));
  for (const option_choice& choice : option.choices)
    print(wrapped(fmt::format("      {:<15} {}{}\n", choice.name, choice.help, restriction(choice.devices)),
                  22));
}

void print_format(const format_info& format) {
  print(wrapped(fmt::format("{}  [{}]\n    {}\n    source: {}\n", format.name,
                            fmt::join(device_names(format.devices), ", "), format.help, format.source),
                6));
  for (const option_info& option : format.options) print_option(option);
}

int formats(bool as_json) {
  json all = json::array();
  for (const format_info& format : list_formats()) {
    if (as_json)
      all.push_back(to_json(format));
    else
      print_format(format);
  }
  if (as_json)
    print(to_line(all));
  else
    print("\n[cpu, cuda]: the devices that a format runs on. Papers 000 to 004: docs/papers.md\n");
  return 0;
}

}  // namespace

void add_formats(command_line& line, action& chosen) {
  subcommand command = line.add_subcommand("formats", "List the storage formats and their options");
  const auto as_json = std::make_shared<bool>(false);
  command.add_flag("--json", *as_json, "Print one JSON array");
  command.callback([&chosen, as_json] { chosen = [as_json] { return formats(*as_json); }; });
}

}  // namespace gossamer::cli
