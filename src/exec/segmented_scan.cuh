// SPDX-License-Identifier: BSD-3-Clause
// The carry into each thread of a block whose threads hold consecutive pieces of rows.
#pragma once

#include "exec/launch.cuh"

namespace gossamer::inline v0::exec {

/// Scratch of one block of Threads threads.
template <class V, int Threads>
struct carry_scan_memory {
  V sum[Threads / warp_size];
  bool closed[Threads / warp_size];
};

template <class V>
struct carry_scan_result {
  V before;  ///< the sum of what the threads before this one left open
  V total;   ///< what the whole block leaves open; the same in every thread
};

/// `open` is what this thread summed after the last row that it closed (all of it, where it closed none).
/// Every thread of the block calls it once between barriers; the order of additions is fixed.
template <int Threads, class V>
__device__ carry_scan_result<V> scan_carries(V open, bool closed, carry_scan_memory<V, Threads>& memory) {
  constexpr int warps = Threads / warp_size;
  constexpr unsigned everyone = 0xffffffffu;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;

  // Inclusive scan in the warp: a closed row stops what comes from the left.
  V sum = open;
  bool stop = closed;
#pragma unroll
  for (int distance = 1; distance < warp_size; distance *= 2) {
    const V left = __shfl_up_sync(everyone, sum, distance);
    const bool left_stop = __shfl_up_sync(everyone, stop, distance);
    if (lane >= distance && !stop) {
      sum = left + sum;
      stop = left_stop;
    }
  }
  if (lane == warp_size - 1) {
    memory.sum[warp] = sum;
    memory.closed[warp] = stop;
  }
  __syncthreads();

  // Across warps: few enough to walk.
  V warp_before{0};
  V total{0};
#pragma unroll
  for (int w = 0; w < warps; ++w) {
    if (w == warp) warp_before = total;
    total = memory.closed[w] ? memory.sum[w] : total + memory.sum[w];
  }

  V before = __shfl_up_sync(everyone, sum, 1);
  const bool before_stop = __shfl_up_sync(everyone, stop, 1);
  if (lane == 0)
    before = warp_before;
  else if (!before_stop)
    before = warp_before + before;
  return {before, total};
}

}  // namespace gossamer::inline v0::exec
