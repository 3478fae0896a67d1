// SPDX-License-Identifier: BSD-3-Clause
// Slots in device memory through which warps of one running kernel give each other sums, without a fence: a
// slot says alone whether it has been filled.
#pragma once

#include "exec/cuda/kernel/launch.cuh"

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

template <class V>
__device__ __forceinline__ void fill_slot(V* slot, V sum) {
  store_relaxed(slot, is_empty_slot(sum) ? -V{0} : sum);
}

/// Waits until the slot is filled, empties it, and returns its sum. `seen`: what a load of it gave before.
template <class V>
__device__ __forceinline__ V take_slot(V* slot, V seen) {
  while (is_empty_slot(seen)) seen = load_relaxed(slot);
  store_relaxed(slot, V{0});
  return seen;
}

}  // namespace gossamer::inline v0::exec
