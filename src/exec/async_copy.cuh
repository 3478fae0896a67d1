// SPDX-License-Identifier: BSD-3-Clause
// Copies from memory to shared memory that take no registers while they are under way. Each thread waits for its own; what others copied is
// there after a barrier behind that.
#pragma once

#include <cstdint>

#include "exec/l2_share.cuh"

namespace gossamer::inline v0::exec {

/// *from; zero where it is not wanted, and then the address is not touched.
template <class V>
__device__ __forceinline__ void copy_async(bool wanted, const V* from, V* to) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "n"(sizeof(V)), "r"(wanted ? static_cast<int>(sizeof(V)) : 0)
               : "memory");
#else
  *to = wanted ? *from : V{0};
#endif
}
template <class V>
__device__ __forceinline__ void copy_async(const V* from, V* to) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "n"(sizeof(V))
               : "memory");
#else
  *to = *from;
#endif
}

/// 16 bytes, past the L1 cache.
template <class V>
__device__ __forceinline__ void copy_piece_async(bool wanted, const V* from, V* to, l2_policy policy) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2, %3;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "r"(wanted ? 16 : 0), "l"(policy.bits())
               : "memory");
#else
  for (unsigned i = 0; i < 16 / sizeof(V); ++i) to[i] = wanted ? from[i] : V{0};
#endif
}
template <class V>
__device__ __forceinline__ void copy_piece_async(const V* from, V* to, l2_policy policy) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "l"(policy.bits())
               : "memory");
#else
  for (unsigned i = 0; i < 16 / sizeof(V); ++i) to[i] = from[i];
#endif
}

/// The thread's copies since the last call are a group of their own.
__device__ __forceinline__ void end_of_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until at most so many of the thread's groups are under way.
template <int Groups>
__device__ __forceinline__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
#endif
}

}  // namespace gossamer::inline v0::exec
