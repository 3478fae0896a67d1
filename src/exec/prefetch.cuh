// SPDX-License-Identifier: BSD-3-Clause
// Asking for an array ahead of its loads, each block for a share of it.
#pragma once

#include "exec/launch.cuh"

namespace gossamer::inline v0::exec {

/// Asks the L2 cache for the block's share of the `bytes` bytes at `from`, at most 4 GiB for each block: one instruction of one thread, which waits for
/// nothing (compute capability 9.0 and newer; else it does nothing). At either end of the array up to 15 bytes are left out.
__device__ __forceinline__ void prefetch_share(const void* from, std::int64_t bytes) {
#if __CUDA_ARCH__ >= 900
  constexpr std::uint64_t piece = 16;
  const auto begin = (reinterpret_cast<std::uint64_t>(from) + piece - 1) / piece;
  const auto end = (reinterpret_cast<std::uint64_t>(from) + static_cast<std::uint64_t>(bytes)) / piece;
  if (end <= begin) return;
  const std::uint64_t each = (end - begin + gridDim.x - 1) / gridDim.x;
  const std::uint64_t first = begin + each * blockIdx.x;
  if (first >= end) return;
  const auto size = static_cast<std::uint32_t>(min(each, end - first) * piece);
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" : : "l"(first * piece), "r"(size));
#endif
}

}  // namespace gossamer::inline v0::exec
