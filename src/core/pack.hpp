// SPDX-License-Identifier: BSD-3-Clause
// Numbers of adjacent columns in a row of a row-major matrix.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/host_device.hpp"
#include "gossamer/types.hpp"

namespace gossamer::inline v0 {

/// K numbers: those of K adjacent columns in one row. On a CPU they are aligned as T.
template <value T, int K, std::size_t Alignment = alignof(T)>
struct alignas(Alignment) pack {
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
  /// a * b + c, rounded once.
  GOSSAMER_HOST_DEVICE friend pack fma(T a, const pack& b, pack c) {
    for (int j = 0; j < K; ++j) c.v[j] = std::fma(a, b.v[j], c.v[j]);
    return c;
  }
};

template <class T>
inline constexpr bool is_pack = false;
template <class T, int K, std::size_t A>
inline constexpr bool is_pack<pack<T, K, A>> = true;

/// Stands for a pointer to packs that lie `step` elements of type T apart: K columns of a row-major matrix. T
/// may be const.
template <class T, int K, std::size_t Alignment = alignof(T)>
struct pack_rows {
  using columns = pack<std::remove_const_t<T>, K, Alignment>;
  using row = std::conditional_t<std::is_const_v<T>, const columns, columns>;
  T* first = nullptr;
  std::int64_t step = K;

  GOSSAMER_HOST_DEVICE row* operator+(std::int64_t i) const {
    return reinterpret_cast<row*>(first + i * step);
  }
  GOSSAMER_HOST_DEVICE row& operator[](std::int64_t i) const { return *(*this + i); }
  /// The rows from i on.
  [[nodiscard]] GOSSAMER_HOST_DEVICE pack_rows from(std::int64_t i) const { return {first + i * step, step}; }
};

/// T*, or pack_rows if T is a pack.
template <class T>
struct rows_of {
  using type = T*;
};
template <class T, int K, std::size_t A>
struct rows_of<pack<T, K, A>> {
  using type = pack_rows<T, K, A>;
};
template <class T, int K, std::size_t A>
struct rows_of<const pack<T, K, A>> {
  using type = pack_rows<const T, K, A>;
};

/// The same rows, n elements further on; of packs, n columns further right.
template <class T>
constexpr T* further(T* rows, std::int64_t n) {
  return rows + n;
}
template <class T, int K, std::size_t A>
constexpr pack_rows<T, K, A> further(pack_rows<T, K, A> rows, std::int64_t n) {
  return {rows.first + n, rows.step};
}

/// The type of a pack's numbers; a number's is its own.
template <class T>
struct number_of {
  using type = T;
};
template <class T, int K, std::size_t A>
struct number_of<pack<T, K, A>> {
  using type = T;
};

}  // namespace gossamer::inline v0
