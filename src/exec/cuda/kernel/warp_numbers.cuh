// SPDX-License-Identifier: BSD-3-Clause
// Whole numbers of a warp's lanes, all 32 of which take part: their sum, least and greatest, in every lane.
// In one instruction where the device has it.
#pragma once

#include "exec/cuda/kernel/launch.cuh"

namespace gossamer::inline v0::exec {

template <class T, class Join>
__device__ __forceinline__ T join_lanes(T mine, Join&& join) {
#pragma unroll
  for (int distance = warp_size / 2; distance > 0; distance /= 2)
    mine = join(mine, __shfl_xor_sync(0xffffffffu, mine, distance));
  return mine;
}

__device__ __forceinline__ int sum_of_warp(int mine) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_add_sync(0xffffffffu, mine);
#else
  return join_lanes(mine, [](int a, int b) { return a + b; });
#endif
}
__device__ __forceinline__ int least_of_warp(int mine) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_min_sync(0xffffffffu, mine);
#else
  return join_lanes(mine, [](int a, int b) { return a < b ? a : b; });
#endif
}
__device__ __forceinline__ int greatest_of_warp(int mine) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_max_sync(0xffffffffu, mine);
#else
  return join_lanes(mine, [](int a, int b) { return a > b ? a : b; });
#endif
}
__device__ __forceinline__ std::int64_t greatest_of_warp(std::int64_t mine) {
  return join_lanes(mine, [](std::int64_t a, std::int64_t b) { return a > b ? a : b; });
}

}  // namespace gossamer::inline v0::exec
