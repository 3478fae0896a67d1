// SPDX-License-Identifier: BSD-3-Clause
// Up to four columns of X and Y, which a thread multiplies together.
#pragma once

#include <cstdint>

#include "exec/cuda/kernel/predicated_loads.cuh"
#include "exec/product.hpp"

namespace gossamer::inline v0::exec {

/// The element `number` steps after `from`. One multiply-add.
template <class V, class Number>
__device__ __forceinline__ const V* element_after(const V* from, Number number, std::int32_t step_bytes) {
  return reinterpret_cast<const V*>(reinterpret_cast<const char*>(from) +
                                    static_cast<std::int64_t>(number) * step_bytes);
}

/// Loads four adjacent elements at a multiple of 16 bytes; leaves zeros where they are not wanted. As
/// load_vector_if().
__device__ __forceinline__ void load_adjacent_if(bool wanted, const double* from, double (&x)[4]) {
#pragma unroll
  for (int i = 0; i < 4; i += 2) {
    x[i] = 0;
    x[i + 1] = 0;
    asm volatile("{.reg .pred p; setp.ne.s32 p, %3, 0; @p ld.global.v2.f64 {%0, %1}, [%2];}"
                 : "+d"(x[i]), "+d"(x[i + 1])
                 : "l"(from + i), "r"(static_cast<int>(wanted)));
  }
}
__device__ __forceinline__ void load_adjacent_if(bool wanted, const float* from, float (&x)[4]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) x[i] = 0;
  asm volatile("{.reg .pred p; setp.ne.s32 p, %5, 0; @p ld.global.v4.f32 {%0, %1, %2, %3}, [%4];}"
               : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3])
               : "l"(from), "r"(static_cast<int>(wanted)));
}
__device__ __forceinline__ void store_adjacent(double* to, const double (&y)[4]) {
  reinterpret_cast<double2*>(to)[0] = make_double2(y[0], y[1]);
  reinterpret_cast<double2*>(to)[1] = make_double2(y[2], y[3]);
}
__device__ __forceinline__ void store_adjacent(float* to, const float (&y)[4]) {
  *reinterpret_cast<float4*>(to) = make_float4(y[0], y[1], y[2], y[3]);
}

/// A column of Y, for code that finishes rows of one vector.
template <class S>
struct column_of_y {
  sum_t<S> alpha;
  sum_t<S> beta;
  vector_t<S>* y;
  std::int64_t step;
  __device__ __forceinline__ void finish_row(std::int64_t row, sum_t<S> sum) const {
    const product<S> single{.alpha = alpha, .x = nullptr, .beta = beta, .y = y};
    single.finish_row(row * step, sum);
  }
};

/// The columns of a product by several vectors, as a kernel argument; and those that pack() selects. Step and
/// next are those of columns_product.
template <class S>
struct vector_pack {
  static constexpr int most = 4;
  sum_t<S> alpha;
  sum_t<S> beta;
  const vector_t<S>* x;
  vector_t<S>* y;
  std::int64_t x_next;
  std::int64_t y_step;
  std::int64_t y_next;
  std::int32_t x_step_bytes;
  int count;  ///< columns; at most `most` in a pack

  /// Pack `number` of the columns, each of `most` columns; the last one may have fewer.
  [[nodiscard]] __device__ __forceinline__ vector_pack pack(int number) const {
    vector_pack one = *this;
    one.x += number * most * x_next;
    one.y += number * most * y_next;
    one.count = min(most, count - number * most);
    return one;
  }
  [[nodiscard]] __device__ __forceinline__ column_of_y<S> column(int j) const {
    return {.alpha = alpha, .beta = beta, .y = y + j * y_next, .step = y_step};
  }
  /// Adjacent: the elements of a row are next to each other (next = 1), there are `most` columns, and every
  /// row of X and Y begins at a multiple of 16 bytes.
  template <bool Adjacent>
  __device__ __forceinline__ void finish_row(std::int64_t row, const sum_t<S> (&sum)[most]) const {
    if constexpr (Adjacent) {
      vector_t<S>* const to = y + row * y_step;
      vector_t<S> values[most];
      load_adjacent_if(beta != sum_t<S>{0}, to, values);
      const product<S> single{.alpha = alpha, .x = nullptr, .beta = beta, .y = values};
#pragma unroll
      for (int j = 0; j < most; ++j) single.finish_row(j, sum[j]);
      store_adjacent(to, values);
    } else {
#pragma unroll
      for (int j = 0; j < most; ++j)
        if (j < count) column(j).finish_row(row, sum[j]);
    }
  }
};

/// All columns of `p`, not yet divided into packs. x_step must be less than 2^31 bytes.
template <class S>
vector_pack<S> packs_of(const columns_product<S>& p) {
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

/// Whether the code for adjacent columns may run.
template <class S>
bool is_adjacent(const columns_product<S>& p) {
  constexpr std::uintptr_t piece = 16;
  const auto fits = [](const vector_t<S>* data, std::int64_t step, std::int64_t next) {
    return next == 1 && reinterpret_cast<std::uintptr_t>(data) % piece == 0 &&
           static_cast<std::uint64_t>(step) * sizeof(*data) % piece == 0;
  };
  return p.columns % vector_pack<S>::most == 0 && fits(p.x, p.x_step, p.x_next) &&
         fits(p.y, p.y_step, p.y_next);
}

}  // namespace gossamer::inline v0::exec
