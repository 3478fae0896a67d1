// SPDX-License-Identifier: BSD-3-Clause
// Numbers as text, into memory that the caller has made large enough.
#pragma once

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gossamer::inline v0::io {

/// Bytes that one number takes at most: 20 digits of an integer, or -2.2250738585072014e-308.
inline constexpr std::size_t longest_number = 32;

inline char* format_integer(char* out, std::int64_t number) noexcept {
  const fmt::format_int text(number);
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

/// The shortest decimal that reads back to the same bits. The sign and payload of a NaN are lost.
template <class V>
char* format_value(char* out, V value) {
  if (std::isnan(value)) {
    std::memcpy(out, "nan", 3);
    return out + 3;
  }
  return fmt::format_to(out, FMT_COMPILE("{}"), value);
}

}  // namespace gossamer::inline v0::io
