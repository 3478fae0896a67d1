// SPDX-License-Identifier: BSD-3-Clause
// The scalar types that matrices are made of, and their names as text.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

namespace gossamer::inline v0 {

/// Values of A, x and y: f32 or f64.
template <class T>
concept value = std::same_as<T, float> || std::same_as<T, double>;

/// Row offsets: int32 or int64. Columns are always int32.
template <class T>
concept offset = std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t>;

/// The largest number of rows or columns: indices are int32.
inline constexpr std::int64_t max_dimension = 0x7fffffff;

/// op(A) in y = alpha op(A) x + beta y.
enum class operation : std::int32_t { none, transpose };

template <value V>
constexpr std::string_view value_name() {
  return sizeof(V) == 4 ? "f32" : "f64";
}

template <offset O>
constexpr std::string_view offset_name() {
  return sizeof(O) == 4 ? "int32" : "int64";
}

}  // namespace gossamer::inline v0
