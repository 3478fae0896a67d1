// SPDX-License-Identifier: BSD-3-Clause
// Places in a text, what counts as a space, and how a word of the file is shown in a message.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "core/fail.hpp"

namespace gossamer::inline v0::io {

/// Line and column count from 1; columns count bytes.
struct place {
  std::int64_t line = 1;
  std::int64_t column = 1;
};

/// Throws with the message "FILE:LINE:COLUMN: reason".
template <class... Args>
[[noreturn]] void fail_at(errc code, std::string_view name, place at, fmt::format_string<Args...> text,
                          Args&&... args) {
  fail(code, "{}:{}:{}: {}", name, at.line, at.column, fmt::format(text, std::forward<Args>(args)...));
}

/// A carriage return is a space, which is all that CRLF needs.
constexpr bool is_space(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\r';
}

inline const char* skip_spaces(const char* p, const char* end) noexcept {
  while (p != end && is_space(*p)) ++p;
  return p;
}

inline const char* skip_word(const char* p, const char* end) noexcept {
  while (p != end && !is_space(*p) && *p != '\n') ++p;
  return p;
}

/// The word in quotes, on one line and of bounded length whatever bytes it holds.
std::string quoted(std::string_view word);

}  // namespace gossamer::inline v0::io
