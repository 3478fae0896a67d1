// SPDX-License-Identifier: BSD-3-Clause
// Paper 002's reduction in shared memory (section 5.1): half a warp sums a row, and nothing in it branches.
#pragma once

#include "exec/cuda/kernel/launch.cuh"

namespace gossamer::inline v0::exec {

inline constexpr int half_warp_size = 16;

/// The sum over each 16 consecutive threads of a block, in the first of them; a fixed tree. Every thread adds
/// in every step, as the places behind a half-warp's own hold zeros: those are what saves the branch. 48
/// places a half-warp (the paper asks for a multiple of 16) put the two of a warp into different banks. Every
/// thread of a warp has to call it.
template <int Threads, class V>
__device__ __forceinline__ V sum_half_warps_in_shared(V v) {
  constexpr int places = 3 * half_warp_size;
  __shared__ V partial[Threads / half_warp_size * places];
  const int tid = static_cast<int>(threadIdx.x);
  V* mine = partial + tid / half_warp_size * places + tid % half_warp_size;
  mine[half_warp_size] = V{0};
  mine[0] = v;
#pragma unroll
  for (int distance = half_warp_size / 2; distance > 0; distance /= 2) {
    __syncwarp();
    v += mine[distance];
    __syncwarp();
    mine[0] = v;
  }
  return v;
}

}  // namespace gossamer::inline v0::exec
