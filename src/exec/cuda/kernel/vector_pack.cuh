// SPDX-License-Identifier: BSD-3-Clause
// Columns of X and Y that a thread multiplies together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "exec/cuda/kernel/predicated_loads.cuh"
#include "exec/product.hpp"

namespace gossamer::inline v0::exec {

/// The element `number` steps after `from`, by one multiply-add. In loops the compiler needs five
/// instructions, since it extends `step_bytes` to 64 bits before them.
template <class V>
__device__ __forceinline__ const V* element_after(const V* from, std::int32_t number,
                                                  std::int32_t step_bytes) {
  const V* to = nullptr;
  asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(to) : "r"(number), "r"(step_bytes), "l"(from));
  return to;
}

/// Loads adjacent elements from a multiple of their total size, or of 16 bytes if that is less. Leaves zeros
/// where they are not wanted, as load_vector_if() does.
__device__ __forceinline__ void load_adjacent_if(bool wanted, const double* from, double (&x)[2]) {
  x[0] = 0;
  x[1] = 0;
  asm volatile("{.reg .pred p; setp.ne.s32 p, %3, 0; @p ld.global.v2.f64 {%0, %1}, [%2];}"
               : "+d"(x[0]), "+d"(x[1])
               : "l"(from), "r"(static_cast<int>(wanted)));
}
__device__ __forceinline__ void load_adjacent_if(bool wanted, const float* from, float (&x)[2]) {
  x[0] = 0;
  x[1] = 0;
  asm volatile("{.reg .pred p; setp.ne.s32 p, %3, 0; @p ld.global.v2.f32 {%0, %1}, [%2];}"
               : "+f"(x[0]), "+f"(x[1])
               : "l"(from), "r"(static_cast<int>(wanted)));
}
__device__ __forceinline__ void load_adjacent_if(bool wanted, const float* from, float (&x)[4]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) x[i] = 0;
  asm volatile("{.reg .pred p; setp.ne.s32 p, %5, 0; @p ld.global.v4.f32 {%0, %1, %2, %3}, [%4];}"
               : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3])
               : "l"(from), "r"(static_cast<int>(wanted)));
}
__device__ __forceinline__ void load_adjacent_if(bool wanted, const double* from, double (&x)[4]) {
#pragma unroll
  for (int i = 0; i < 4; i += 2) {
    double two[2];
    load_adjacent_if(wanted, from + i, two);
    x[i] = two[0];
    x[i + 1] = two[1];
  }
}
/// What one load or store moves at most.
inline constexpr std::size_t most_adjacent_bytes = 16;

template <class V, int Width>
struct alignas(std::min(most_adjacent_bytes, Width * sizeof(V))) adjacent {
  V v[Width];
};
template <class V, int Width>
__device__ __forceinline__ void load_adjacent(const V* from, V (&v)[Width]) {
  const auto all = *reinterpret_cast<const adjacent<V, Width>*>(from);
#pragma unroll
  for (int j = 0; j < Width; ++j) v[j] = all.v[j];
}
template <class V, int Width>
__device__ __forceinline__ void store_adjacent(V* to, const V (&v)[Width]) {
  adjacent<V, Width> all;
#pragma unroll
  for (int j = 0; j < Width; ++j) all.v[j] = v[j];
  *reinterpret_cast<adjacent<V, Width>*>(to) = all;
}

/// Columns of X and Y, as a kernel argument: all of them, or the pack of a thread. x_step_bytes and y_step
/// lead to the next row, in bytes and in elements; x_next and y_next to the next column, in elements.
template <class S, int Width>
struct vector_pack {
  static constexpr bool takes_one_load = Width * sizeof(vector_t<S>) <= most_adjacent_bytes;

  sum_t<S> alpha;
  sum_t<S> beta;
  const vector_t<S>* x;
  vector_t<S>* y;
  std::int64_t x_next;
  std::int64_t y_step;
  std::int64_t y_next;
  std::int32_t x_step_bytes;
  int count;  ///< columns; in a pack at most Width, and 0 or less where there are none

  /// At most `number` columns from `first` on.
  [[nodiscard]] __device__ __forceinline__ vector_pack columns(int first, int number) const {
    vector_pack some = *this;
    some.x += first * x_next;
    some.y += first * y_next;
    some.count = min(number, count - first);
    return some;
  }
  [[nodiscard]] __device__ __forceinline__ vector_pack pack(int number) const {
    return columns(number * Width, Width);
  }
  /// Writes the finished sum of column j in a row of Y.
  __device__ __forceinline__ void finish_element(std::int64_t row, std::int64_t j, sum_t<S> sum) const {
    const product<S> single{.alpha = alpha, .x = nullptr, .beta = beta, .y = y};
    single.finish_row(row * y_step + j * y_next, sum);
  }
  /// The elements of a pack in one row of X. `from` is that row. Adjacent: they are contiguous, there are
  /// Width or none, and each row of both matrices begins at a multiple of their bytes, or of 16.
  template <bool Adjacent>
  __device__ __forceinline__ void load(bool wanted, const vector_t<S>* from, vector_t<S> (&to)[Width]) const {
    if constexpr (Adjacent) {
      load_adjacent_if(wanted && count > 0, from, to);
    } else {
#pragma unroll
      for (int j = 0; j < Width; ++j)
        to[j] = load_vector_if(wanted && j < count, from + j * x_next, vector_t<S>{0});
    }
  }
  template <bool Adjacent>
  __device__ __forceinline__ void finish_row(std::int64_t row, const sum_t<S> (&sum)[Width]) const {
    if constexpr (Adjacent) {
      if (count <= 0) return;
      vector_t<S>* const to = y + row * y_step;
      vector_t<S> values[Width];
      load_adjacent_if(beta != sum_t<S>{0}, to, values);
      const product<S> single{.alpha = alpha, .x = nullptr, .beta = beta, .y = values};
#pragma unroll
      for (int j = 0; j < Width; ++j) single.finish_row(j, sum[j]);
      store_adjacent(to, values);
    } else {
#pragma unroll
      for (int j = 0; j < Width; ++j)
        if (j < count) finish_element(row, j, sum[j]);
    }
  }
};

/// All columns of `p`, not yet divided into packs. x_step must be less than 2^31 bytes.
template <int Width, class S>
vector_pack<S, Width> packs_of(const columns_product<S>& p) {
  return {.alpha = p.alpha,
          .beta = p.beta,
          .x = p.x,
          .y = p.y,
          .x_next = p.x_next,
          .y_step = p.y_step,
          .y_next = p.y_next,
          .x_step_bytes = static_cast<std::int32_t>(p.x_step * static_cast<std::int64_t>(sizeof(*p.x))),
          .count = static_cast<int>(p.columns)};
}

/// Whether the code for adjacent columns may run, for packs of `width` columns.
template <class S>
bool is_adjacent(const columns_product<S>& p, int width) {
  const std::uint64_t bytes =
      std::min(most_adjacent_bytes, static_cast<std::size_t>(width) * sizeof(vector_t<S>));
  const auto fits = [&](const vector_t<S>* data, std::int64_t step, std::int64_t next) {
    return next == 1 && reinterpret_cast<std::uintptr_t>(data) % bytes == 0 &&
           static_cast<std::uint64_t>(step) * sizeof(*data) % bytes == 0;
  };
  return p.columns % width == 0 && fits(p.x, p.x_step, p.x_next) && fits(p.y, p.y_step, p.y_next);
}

}  // namespace gossamer::inline v0::exec
