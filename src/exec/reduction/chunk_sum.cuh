// SPDX-License-Identifier: BSD-3-Clause
// What one thread of a padded format stored by columns does: it walks down its slots until padding ends them.
#pragma once

#include <cstdint>

#include "core/scalars.hpp"

namespace gossamer::inline v0::exec {

/// The sum of val[k] x[col[k]] over k = 0, stride, 2 stride, ... while k < reach and col[k] is not negative.
/// Four slots are under way at once; the value of a padded slot is never read, nor x for it, and a warp all
/// of whose threads have ended reads nothing more.
template <class S>
__device__ __forceinline__ sum_t<S> sum_chunk(const std::int32_t* col, const matrix_t<S>* val,
                                              std::int64_t stride, std::int64_t reach, const vector_t<S>* x) {
  constexpr int batch = 4;
  sum_t<S> sum{0};
  for (std::int64_t k = 0; k < reach; k += batch * stride) {
    std::int32_t c[batch];
    matrix_t<S> v[batch];
    vector_t<S> w[batch];
#pragma unroll
    for (int step = 0; step < batch; ++step)
      c[step] = k + step * stride < reach ? col[k + step * stride] : -1;
#pragma unroll
    for (int step = 0; step < batch; ++step) {
      v[step] = c[step] >= 0 ? val[k + step * stride] : matrix_t<S>{0};
      w[step] = c[step] >= 0 ? x[c[step]] : vector_t<S>{0};
    }
#pragma unroll
    for (int step = 0; step < batch; ++step) sum += v[step] * w[step];
    if (c[batch - 1] < 0) break;
  }
  return sum;
}

}  // namespace gossamer::inline v0::exec
