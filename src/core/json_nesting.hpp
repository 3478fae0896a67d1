// SPDX-License-Identifier: BSD-3-Clause
// A bound on the nesting of JSON texts, checked before they are parsed: copying and printing a JSON value
// recurse.
#pragma once

#include <string_view>

namespace gossamer::inline v0 {

/// Whether arrays and objects are nested in more than `most` levels. Of a text that is not JSON: before its
/// first error.
constexpr bool is_nested_deeper(std::string_view text, int most) noexcept {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string) {
      if (c == '\\') ++i;
      continue;
    }
    if ((c == '[' || c == '{') && ++depth > most) return true;
    if (c == ']' || c == '}') --depth;
  }
  return false;
}

}  // namespace gossamer::inline v0
