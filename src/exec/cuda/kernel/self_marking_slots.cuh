// SPDX-License-Identifier: BSD-3-Clause
// Slots in global memory through which the warps of a running kernel pass sums, without fences or flags: the
// value is its own flag. A slot is empty while all of its bits are 0.
#pragma once

#include "exec/cuda/kernel/launch.cuh"

namespace gossamer::inline v0::exec {

/// Relaxed loads and stores of device scope: other warps see them eventually, in no particular order.
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

__device__ __forceinline__ bool is_empty_slot(double v) {
  return __double_as_longlong(v) == 0;
}
__device__ __forceinline__ bool is_empty_slot(float v) {
  return __float_as_int(v) == 0;
}

/// +0.0 is stored as -0.0. That does not change a sum that begins with +0.0.
template <class V>
__device__ __forceinline__ void fill_slot(V* slot, V sum) {
  store_relaxed(slot, is_empty_slot(sum) ? -V{0} : sum);
}

/// Waits until the slot is filled, empties it, and returns its value.
template <class V>
__device__ __forceinline__ V take_slot(V* slot) {
  V value = load_relaxed(slot);
  while (is_empty_slot(value)) value = load_relaxed(slot);
  store_relaxed(slot, V{0});
  return value;
}

/// The same for pairs of slots, `apart` from each other: as many as `count`, at most N. The values of others
/// are 0. All pairs that are not filled are loaded again at once, so that waiting takes one latency.
template <int N>
__device__ __forceinline__ void take_pairs(double* first, std::int64_t apart, int count,
                                           double2 (&value)[N]) {
  const auto is_empty = [&](int i) {
    return i < count && (is_empty_slot(value[i].x) || is_empty_slot(value[i].y));
  };
#pragma unroll
  for (int i = 0; i < N; ++i) value[i] = {};
  bool waits = true;
#pragma unroll 1
  while (waits) {
#pragma unroll
    for (int i = 0; i < N; ++i)
      if (is_empty(i))
        asm volatile("ld.relaxed.gpu.global.v2.f64 {%0, %1}, [%2];"
                     : "=d"(value[i].x), "=d"(value[i].y)
                     : "l"(first + i * apart)
                     : "memory");
    waits = false;
#pragma unroll
    for (int i = 0; i < N; ++i) waits = waits || is_empty(i);
  }
#pragma unroll
  for (int i = 0; i < N; ++i)
    if (i < count) *reinterpret_cast<double2*>(first + i * apart) = {};
}

}  // namespace gossamer::inline v0::exec
