// SPDX-License-Identifier: BSD-3-Clause
// Rows whose parts several warps of one kernel have: the warp that arrives last at a row adds its parts, in a
// fixed order, so that the bits do not depend on who was last. No second kernel, and no fence: a slot says
// alone whether it has been filled.
#pragma once

#include "exec/cuda/kernel/finished_rows.cuh"
#include "exec/cuda/kernel/prefetch.cuh"
#include "exec/reduction/carries.cuh"

namespace gossamer::inline v0::exec {

/// Loads and stores that other warps of the running kernel see in finite time, in no order with others.
__device__ __forceinline__ double load_relaxed(const double* from) {
  double v = 0;
  asm volatile("ld.relaxed.gpu.global.f64 %0, [%1];" : "=d"(v) : "l"(from) : "memory");
  return v;
}
__device__ __forceinline__ float load_relaxed(const float* from) {
  float v = 0;
  asm volatile("ld.relaxed.gpu.global.f32 %0, [%1];" : "=f"(v) : "l"(from) : "memory");
  return v;
}
__device__ __forceinline__ void store_relaxed(double* to, double v) {
  asm volatile("st.relaxed.gpu.global.f64 [%0], %1;" : : "l"(to), "d"(v) : "memory");
}
__device__ __forceinline__ void store_relaxed(float* to, float v) {
  asm volatile("st.relaxed.gpu.global.f32 [%0], %1;" : : "l"(to), "f"(v) : "memory");
}

/// A slot is empty while all of its bits are 0. A sum of +0.0 is left as -0.0, which adds the same to
/// anything that began as +0.0.
__device__ __forceinline__ bool is_empty_slot(double v) {
  return __double_as_longlong(v) == 0;
}
__device__ __forceinline__ bool is_empty_slot(float v) {
  return __float_as_int(v) == 0;
}

/// How many parts of run `run` have arrived. All scratch is zero before and after a product.
template <class V>
__device__ __forceinline__ unsigned* arrived_parts(const carry_view& carries, V* scratch, std::uint32_t run) {
  return carry_room<V>{scratch}.arrivals(carries) + run * part_counts_apart;
}

/// Of a part of run `run`, in slot `slot`: asks for all that finish_part() will wait for, once one lane is
/// known to come to that.
template <class V>
__device__ __forceinline__ void expect_part(const carry_view& carries, std::uint32_t run, std::int32_t slot,
                                            V* scratch) {
  prefetch(carries.row + run);
  prefetch(carries.first + run);
  prefetch(carries.last + run);
  prefetch(arrived_parts(carries, scratch, run));
  prefetch(scratch + slot);
}

/// What the first warp of a part ends with; a whole warp calls it, `sum` is that of its first lane. `scratch`
/// is all zero before and after a product. That one is the last to arrive means that all others have begun to
/// store their sums; these are waited for, which takes as long as they are under way, whatever else the
/// device runs or does not run. `part`: of dot products, for the row (exec/cuda/kernel/finished_rows.cuh).
template <class S>
__device__ __forceinline__ void finish_part(const carry_view& carries, std::uint32_t run, std::int32_t slot,
                                            sum_t<S> sum, sum_t<S>* scratch, finished_rows<S>& rows,
                                            std::int64_t part) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const std::int64_t first = carries.first[run];
  const std::int64_t last = carries.last[run];
  int is_last = 0;
  if (lane == 0) {
    store_relaxed(scratch + slot, is_empty_slot(sum) ? -sum_t<S>{0} : sum);
    const auto others = static_cast<unsigned>(last - first) - 1;
    // Wraps to zero at the last arrival, so that the next product finds it so.
    is_last = atomicInc(arrived_parts(carries, scratch, run), others) == others ? 1 : 0;
  }
  if (__shfl_sync(0xffffffffu, is_last, 0) == 0) return;
  sum_t<S> total{0};
  for (std::int64_t s = first + lane; s < last; s += warp_size) {
    sum_t<S> of_part = load_relaxed(scratch + s);
    while (is_empty_slot(of_part)) of_part = load_relaxed(scratch + s);
    store_relaxed(scratch + s, sum_t<S>{0});
    total += of_part;
  }
  total = sum_lanes<warp_size>(total);
  if (lane == 0) rows.finish(carries.row[run], total);
  rows.leave(part);
}

}  // namespace gossamer::inline v0::exec
