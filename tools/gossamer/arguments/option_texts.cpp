// SPDX-License-Identifier: BSD-3-Clause
// Splits and joins "name=value" texts.
#include "arguments/option_texts.hpp"

#include <algorithm>
#include <array>

#include "arguments/usage_error.hpp"

namespace gossamer::cli {

option_texts parse_option_texts(const std::vector<std::string>& arguments) {
  option_texts texts;
  for (const std::string& argument : arguments) {
    std::size_t begin = 0;
    while (begin <= argument.size()) {
      const std::size_t end = std::min(argument.find(',', begin), argument.size());
      const std::string item = argument.substr(begin, end - begin);
      const std::size_t equals = item.find('=');
      if (equals == std::string::npos || equals == 0)
        fail_usage("--option \"{}\" is not of the form name=value", argument);
      const std::string name = item.substr(0, equals);
      const auto same = [&](const auto& text) { return text.first == name; };
      if (std::any_of(texts.begin(), texts.end(), same)) fail_usage("--option {} is given twice", name);
      texts.emplace_back(name, item.substr(equals + 1));
      begin = end + 1;
    }
  }
  return texts;
}

std::string joined(const option_texts& options) {
  std::string text;
  for (const auto& [name, value] : options) {
    if (!text.empty()) text += ',';
    text.append(name).append("=").append(value);
  }
  return text;
}

std::string format_and_options(std::string_view format, const option_texts& options) {
  std::string text(format);
  if (!options.empty()) text.append(" ").append(joined(options));
  return text;
}

void check_options(std::string_view format, const option_texts& options, const resource& where) {
  const format_info& info = find_format(format);
  for (const auto& text : options) {
    const auto same = [&](const option_info& option) { return option.name == text.first; };
    if (std::any_of(info.options.begin(), info.options.end(), same)) continue;
    std::string known;
    for (const option_info& option : info.options)
      known.append(known.empty() ? "" : ", ").append(option.name);
    fail_usage("{}: unknown option \"{}\"; the options are {}", format, text.first,
               known.empty() ? "none" : known);
  }
  // Values are what they are for any matrix, so for the smallest one too.
  const std::array<std::int32_t, 1> row_ptr{};
  const csr_view<double, std::int32_t> none{.rows = 0, .cols = 0, .row_ptr = row_ptr, .col = {}, .val = {}};
  static_cast<void>(forecast(none, row_statistics{}, format, options, where));
}

}  // namespace gossamer::cli
