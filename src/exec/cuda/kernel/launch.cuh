// SPDX-License-Identifier: BSD-3-Clause
// What every .cu file needs to start a kernel: grid sizes, launch checks, warp sums.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "core/pack.hpp"
#include "exec/cuda/device.hpp"

namespace gossamer::inline v0::exec {

inline constexpr int warp_size = 32;

/// Blocks for `work` items at `per_block` each. A grid's first dimension holds 2^31 - 1 blocks, and every
/// format's units are at least a row or some hundred entries, so the cast cannot lose anything for matrices
/// that fit in memory.
inline unsigned blocks_for(std::int64_t work, std::int64_t per_block) {
  return static_cast<unsigned>(std::max<std::int64_t>(1, (work + per_block - 1) / per_block));
}

/// Every launch is followed by this, except for those that return a status
/// (exec/cuda/kernel/dependent_launch.cuh).
inline void check_launch(const char* kernel) {
  check_cuda(static_cast<int>(cudaGetLastError()), kernel);
}

/// What lane ^ distance has, among each `width` consecutive lanes; of a pack, number by number.
template <class V>
__device__ __forceinline__ V shuffle_xor(V v, int distance, int width = warp_size) {
  constexpr unsigned everyone = 0xffffffffu;
  if constexpr (is_pack<V>) {
#pragma unroll
    for (auto& each : v.v) each = __shfl_xor_sync(everyone, each, distance, width);
    return v;
  } else {
    return __shfl_xor_sync(everyone, v, distance, width);
  }
}

/// What lane - distance has; of a pack, number by number. The first lanes keep their own.
template <class V>
__device__ __forceinline__ V shuffle_up(V v, int distance) {
  constexpr unsigned everyone = 0xffffffffu;
  if constexpr (is_pack<V>) {
#pragma unroll
    for (auto& each : v.v) each = __shfl_up_sync(everyone, each, distance);
    return v;
  } else {
    return __shfl_up_sync(everyone, v, distance);
  }
}

/// What that lane has; of a pack, number by number.
template <class V>
__device__ __forceinline__ V shuffle_from(V v, int lane) {
  constexpr unsigned everyone = 0xffffffffu;
  if constexpr (is_pack<V>) {
#pragma unroll
    for (auto& each : v.v) each = __shfl_sync(everyone, each, lane);
    return v;
  } else {
    return __shfl_sync(everyone, v, lane);
  }
}

/// The sum over `Width` consecutive lanes, in every one of them; a fixed tree, so the bits do not vary.
template <int Width, class V>
__device__ __forceinline__ V sum_lanes(V v) {
#pragma unroll
  for (int distance = Width / 2; distance > 0; distance /= 2) v += shuffle_xor(v, distance, Width);
  return v;
}

}  // namespace gossamer::inline v0::exec
