// SPDX-License-Identifier: BSD-3-Clause
// Numbers of adjacent columns in a row of a row-major matrix.
#pragma once

#include <cstdint>
#include <type_traits>

#include "gossamer/types.hpp"

namespace gossamer::inline v0 {

/// K numbers, aligned as T: those of K adjacent columns in one row.
template <value T, int K>
struct pack {
  T v[K];

  pack() = default;
  /// The same number K times.
  explicit constexpr pack(T all) {
    for (T& each : v) each = all;
  }

  constexpr pack& operator+=(const pack& b) {
    for (int j = 0; j < K; ++j) v[j] += b.v[j];
    return *this;
  }
  friend constexpr pack operator+(pack a, const pack& b) { return a += b; }
  friend constexpr pack operator*(T a, pack b) {
    for (T& each : b.v) each = a * each;
    return b;
  }
};

template <class T>
inline constexpr bool is_pack = false;
template <class T, int K>
inline constexpr bool is_pack<pack<T, K>> = true;

/// Stands for a pointer to packs that lie `step` elements of type T apart: K columns of a row-major matrix. T
/// may be const.
template <class T, int K>
struct pack_rows {
  using columns = pack<std::remove_const_t<T>, K>;
  using row = std::conditional_t<std::is_const_v<T>, const columns, columns>;
  T* first = nullptr;
  std::int64_t step = K;

  row* operator+(std::int64_t i) const { return reinterpret_cast<row*>(first + i * step); }
  row& operator[](std::int64_t i) const { return *(*this + i); }
};

/// T*, or pack_rows if T is a pack.
template <class T>
struct rows_of {
  using type = T*;
};
template <class T, int K>
struct rows_of<pack<T, K>> {
  using type = pack_rows<T, K>;
};
template <class T, int K>
struct rows_of<const pack<T, K>> {
  using type = pack_rows<const T, K>;
};

/// The same rows, n elements further on; of packs, n columns further right.
template <class T>
constexpr T* further(T* rows, std::int64_t n) {
  return rows + n;
}
template <class T, int K>
constexpr pack_rows<T, K> further(pack_rows<T, K> rows, std::int64_t n) {
  return {rows.first + n, rows.step};
}

/// The type of a pack's numbers; a number's is its own.
template <class T>
struct number_of {
  using type = T;
};
template <class T, int K>
struct number_of<pack<T, K>> {
  using type = T;
};

}  // namespace gossamer::inline v0
