// SPDX-License-Identifier: BSD-3-Clause
#include "core/fail.hpp"

#include <fmt/args.h>

#include <iterator>
#include <new>
#include <type_traits>

#include "core/without_memory.hpp"

namespace gossamer::inline v0 {
namespace {

constexpr std::size_t longest_text = 4096;  // as long as the system lets a path be

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
}

/// A message is one line, whatever an argument holds: control characters as \xNN, and of a long text its
/// beginning.
std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text.substr(0, longest_text)) {
    if (is_control(c))
      fmt::format_to(std::back_inserter(line), "\\x{:02x}", static_cast<unsigned char>(c));
    else
      line += c;
  }
  if (text.size() > longest_text) line += "...";
  return line;
}

}  // namespace

std::string message(std::string_view text, std::initializer_list<message_argument> arguments) {
  const auto shown = [](const auto& value) -> decltype(auto) {
    using type = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<type, std::string_view>)
      return on_one_line(value);
    else if constexpr (std::is_same_v<type, char>)
      return on_one_line({&value, 1});
    else
      return type(value);
  };
  try {
    fmt::dynamic_format_arg_store<fmt::format_context> store;
    for (const message_argument& argument : arguments)
      std::visit([&](const auto& value) { store.push_back(shown(value)); }, argument.get());
    return fmt::vformat(text, store);
  } catch (const std::bad_alloc&) {
    fail_without_memory();
  }
}

}  // namespace gossamer::inline v0
