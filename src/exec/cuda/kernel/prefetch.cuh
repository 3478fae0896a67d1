// SPDX-License-Identifier: BSD-3-Clause
// Asking for an array ahead of its loads, each block for a share of it.
#pragma once

#include "exec/cuda/block_partition.hpp"
#include "exec/cuda/kernel/launch.cuh"

namespace gossamer::inline v0::exec {

/// Asks the L2 cache for the share of the block of that number: one instruction of the thread that calls it,
/// which waits for nothing (compute capability 9.0 and newer; else it does nothing).
__device__ __forceinline__ void prefetch(const block_partition& shares, unsigned block) {
#if __CUDA_ARCH__ >= 900
  const std::uint64_t first = std::uint64_t{shares.each} * block;
  if (first >= shares.bytes) return;
  const auto size = static_cast<std::uint32_t>(min(std::uint64_t{shares.each}, shares.bytes - first));
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" : : "l"(shares.from + first), "r"(size));
#endif
}

/// Asks the L2 cache for the sector at `from`. Nothing waits for it.
__device__ __forceinline__ void prefetch(const void* from) {
  asm volatile("prefetch.global.L2 [%0];" : : "l"(from));
}

}  // namespace gossamer::inline v0::exec
