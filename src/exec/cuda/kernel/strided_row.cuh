// SPDX-License-Identifier: BSD-3-Clause
// One thread's row of a padded table that is stored by columns.
#pragma once

#include "core/scalars.hpp"
#include "exec/cuda/kernel/pack_loads.cuh"

namespace gossamer::inline v0::exec {

/// sum + the products of `Batch` slots that are `step` apart. Their columns and values are loaded together,
/// then their x; if x are large packs (elements_at_once()), for four slots at a time. If not All, only `here`
/// of them exist. Column -1 is padding. Slots that are padding or do not exist add +0 to the sum, also of
/// packs: it turns the -0 of an underflow to +0.
template <int Batch, bool All, class S, class Step>
__device__ __forceinline__ sum_t<S> add_slots(const std::int32_t* col, const matrix_t<S>* val, Step step,
                                              int here, x_rows_t<S> x, l2_policy policy, sum_t<S> sum) {
  constexpr int together = elements_at_once<vector_t<S>>(Batch);
#pragma unroll
  for (int first = 0; first < Batch; first += together) {
    std::int32_t c[together];
    matrix_t<S> v[together];
    vector_t<S> xs[together];
#pragma unroll
    for (int i = 0; i < together; ++i) {
      const int k = first + i;
      c[i] = load_once_if(All || k < here, col + k * step, -1, policy);
      v[i] = load_once_if(All || k < here, val + k * step, matrix_t<S>{0}, policy);
    }
#pragma unroll
    for (int i = 0; i < together; ++i) xs[i] = load_if(c[i] >= 0, x + c[i], vector_t<S>{0});
#pragma unroll
    for (int i = 0; i < together; ++i) sum += v[i] * xs[i];
  }
  return sum;
}

/// The same for `count` slots, in their order: whole batches, then one that is not whole. One loop for both
/// took up to 1.8 times as long (27-point 28^3 with three unknowns, f64: 34.6 against 19.2 microseconds on an
/// H200), because ptxas then leaves it fewer registers and fewer loads under way.
template <int Batch, class S, class Step>
__device__ __forceinline__ sum_t<S> multiply_strided(const std::int32_t* col, const matrix_t<S>* val,
                                                     Step step, std::int64_t count, x_rows_t<S> x,
                                                     l2_policy policy) {
  sum_t<S> sum{0};
  for (; count >= Batch; count -= Batch) {
    sum = add_slots<Batch, true, S>(col, val, step, Batch, x, policy, sum);
    col += Batch * step;
    val += Batch * step;
  }
  // A batch of which less than half is there would ask for nothing with the rest of its instructions.
  if (count > Batch / 2)
    sum = add_slots<Batch, false, S>(col, val, step, static_cast<int>(count), x, policy, sum);
  else if (count > 0)
    sum = add_slots<Batch / 2, false, S>(col, val, step, static_cast<int>(count), x, policy, sum);
  return sum;
}

}  // namespace gossamer::inline v0::exec
