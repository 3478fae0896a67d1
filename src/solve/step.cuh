// SPDX-License-Identifier: BSD-3-Clause
// The kernel of a step. The sums of thread blocks are added by the last block, in a fixed order.
#pragma once

#include <algorithm>

#include "exec/cuda/kernel/dependent_launch.cuh"
#include "solve/step.hpp"

namespace gossamer::inline v0::solve {

inline constexpr int step_threads = 256;

/// The number of blocks depends on the size alone, and so does the order of the sums.
inline std::int64_t step_blocks(std::int64_t size) {
  constexpr std::int64_t one_wave = 1024;
  const std::int64_t by_element = (size + step_threads - 1) / step_threads;
  const std::int64_t by_four = (by_element + 3) / 4;
  return std::clamp<std::int64_t>(by_four, std::max<std::int64_t>(1, std::min(by_element, one_wave)),
                                  most_device_blocks);
}

/// The sums over all threads of a block, in its first thread.
template <int Count>
__device__ __forceinline__ void sum_block(double (&dots)[Count]) {
  constexpr int warps = step_threads / exec::warp_size;
  __shared__ double of_warps[Count][warps];
  const int lane = static_cast<int>(threadIdx.x) % exec::warp_size;
  const int warp = static_cast<int>(threadIdx.x) / exec::warp_size;
  __syncthreads();  // an earlier sum may still be read
#pragma unroll
  for (int k = 0; k < Count; ++k) {
    dots[k] = exec::sum_lanes<exec::warp_size>(dots[k]);
    if (lane == 0) of_warps[k][warp] = dots[k];
  }
  __syncthreads();
  if (threadIdx.x == 0) {
#pragma unroll
    for (int k = 0; k < Count; ++k) {
      dots[k] = of_warps[k][0];
#pragma unroll
      for (int w = 1; w < warps; ++w) dots[k] += of_warps[k][w];
    }
  }
}

/// The elements of a thread are gridDim.x * step_threads apart, so that neighbouring threads read neighbours.
template <class Step>
__global__ void __launch_bounds__(step_threads)
    step_elements_by_stride(Step step, std::int64_t size, device_scratch scratch) {
  exec::wait_and_trigger();
  double* const s = scratch.scalars;
  // All loads of scalars leave before the first branch.
  const double is_done = s[scalar::done];
  const double found = Step::opens ? s[scalar::verdict] : 0;
  const bool visits = step.begin(s);
  if (is_done != 0) return;
  if (Step::opens && found != 0) {
    if (blockIdx.x == 0 && threadIdx.x == 0) s[scalar::done] = 1;
    return;
  }
  constexpr int count = Step::sums > 0 ? Step::sums : 1;
  dots_of<Step> dots = {};
  if (visits) {
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * step_threads;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * step_threads + threadIdx.x; i < size;
         i += stride)
      step.element(i, dots);
  }
  if constexpr (Step::ends) {
    if constexpr (Step::sums > 0) sum_block(dots);
    if (gridDim.x > 1) {
      __shared__ bool is_last;
      if (threadIdx.x == 0) {
        if constexpr (Step::sums > 0)
          for (int k = 0; k < count; ++k) scratch.tiles[blockIdx.x * count + k] = dots[k];
        __threadfence();
        is_last = atomicAdd(scratch.arrived, 1u) == gridDim.x - 1;
      }
      __syncthreads();
      if (!is_last) return;
      if constexpr (Step::sums > 0) {
        __threadfence();
        for (double& dot : dots) dot = 0;
        for (unsigned t = threadIdx.x; t < gridDim.x; t += step_threads)
          for (int k = 0; k < count; ++k) dots[k] += __ldcg(scratch.tiles + t * count + k);
        sum_block(dots);
      }
    }
    if (threadIdx.x == 0) {
      if (gridDim.x > 1) *scratch.arrived = 0;
      step.end(s, dots);
    }
  }
}

template <class Step>
void run_on_device(const Step& step, std::int64_t size, const device_scratch& scratch, cuda_stream stream) {
  static_assert(Step::sums <= most_sums && (Step::ends || Step::sums == 0));
  exec::launch_dependent<step_elements_by_stride<Step>>(
      "solver step", static_cast<unsigned>(step_blocks(size)), step_threads, 0, stream, step, size, scratch);
}

/// Compiles the kernel of one step, for explicit instantiation.
#define GOSSAMER_STEP_INSTANCE(...)                                                                 \
  template void run_on_device<__VA_ARGS__>(const __VA_ARGS__&, std::int64_t, const device_scratch&, \
                                           cuda_stream);

}  // namespace gossamer::inline v0::solve
