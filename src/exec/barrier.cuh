// SPDX-License-Identifier: BSD-3-Clause
// Barriers for some of a block's warps, where the others go another way.
#pragma once

#include "exec/launch.cuh"

namespace gossamer::inline v0::exec {

/// Waits until `warps` warps of the block have called it with this number, from 0 to 14; what they stored before, to shared memory too, is
/// then seen by all of them. As with __syncthreads(), a warp calls it as a whole. A kernel takes as many of the multiprocessor's barriers as its
/// greatest number says, and all of them were it not known to the compiler.
template <int Number>
__device__ __forceinline__ void sync_warps(int warps) {
  static_assert(Number >= 0 && Number < 15);
  // Barrier 0 is that of __syncthreads().
  asm volatile("bar.sync %0, %1;" ::"n"(Number + 1), "r"(warps * warp_size) : "memory");
}

}  // namespace gossamer::inline v0::exec
