// SPDX-License-Identifier: BSD-3-Clause
// Loads that happen only where a condition holds, in PTX: of `if (p) v = *q` in an unrolled loop nvcc makes
// branches, and then each load waits for the one before; predicated instructions all leave at once. For data
// that no running kernel writes, except for load_vector_if().
#pragma once

#include <cstdint>

#include "exec/cuda/kernel/l2_share.cuh"

namespace gossamer::inline v0::exec {

/// *from, or `otherwise` where `wanted` is false; then the address is not touched. Through the caches: for
/// what is read again.
__device__ __forceinline__ std::int32_t load_if(bool wanted, const std::int32_t* from,
                                                std::int32_t otherwise) {
  asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.nc.s32 %0, [%1];}"
               : "+r"(otherwise)
               : "l"(from), "r"(static_cast<int>(wanted)));
  return otherwise;
}
__device__ __forceinline__ std::int64_t load_if(bool wanted, const std::int64_t* from,
                                                std::int64_t otherwise) {
  asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.nc.s64 %0, [%1];}"
               : "+l"(otherwise)
               : "l"(from), "r"(static_cast<int>(wanted)));
  return otherwise;
}
__device__ __forceinline__ std::uint32_t load_if(bool wanted, const std::uint32_t* from,
                                                 std::uint32_t otherwise) {
  asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.nc.u32 %0, [%1];}"
               : "+r"(otherwise)
               : "l"(from), "r"(static_cast<int>(wanted)));
  return otherwise;
}
__device__ __forceinline__ float load_if(bool wanted, const float* from, float otherwise) {
  asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.nc.f32 %0, [%1];}"
               : "+f"(otherwise)
               : "l"(from), "r"(static_cast<int>(wanted)));
  return otherwise;
}
__device__ __forceinline__ double load_if(bool wanted, const double* from, double otherwise) {
  asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.nc.f64 %0, [%1];}"
               : "+d"(otherwise)
               : "l"(from), "r"(static_cast<int>(wanted)));
  return otherwise;
}

/// The same of a vector, which the kernel before may still be writing when this one begins
/// (exec/cuda/kernel/dependent_launch.cuh): not through the read-only cache, whose loads ptxas moves before
/// the wait.
__device__ __forceinline__ float load_vector_if(bool wanted, const float* from, float otherwise) {
  asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.f32 %0, [%1];}"
               : "+f"(otherwise)
               : "l"(from), "r"(static_cast<int>(wanted)));
  return otherwise;
}
__device__ __forceinline__ double load_vector_if(bool wanted, const double* from, double otherwise) {
  asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.f64 %0, [%1];}"
               : "+d"(otherwise)
               : "l"(from), "r"(static_cast<int>(wanted)));
  return otherwise;
}

#if __CUDA_ARCH__ >= 800
#define GOSSAMER_ONCE(type) ".L1::no_allocate.L2::cache_hint" type " %0, [%1], %3"
#else
#define GOSSAMER_ONCE(type) ".L1::no_allocate" type " %0, [%1]"
#endif

/// The same for what a product reads once (values, columns): it takes no room in the L1 cache, which is left
/// to x, and stays in the L2 cache as the policy says. Without a policy, no_allocate also makes it the first
/// to leave the L2 cache.
__device__ __forceinline__ std::int32_t load_once_if(bool wanted, const std::int32_t* from,
                                                     std::int32_t otherwise, l2_policy policy) {
  asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.nc" GOSSAMER_ONCE(".s32") ";}"
               : "+r"(otherwise)
               : "l"(from), "r"(static_cast<int>(wanted)), "l"(policy.bits()));
  return otherwise;
}
__device__ __forceinline__ float load_once_if(bool wanted, const float* from, float otherwise,
                                              l2_policy policy) {
  asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.nc" GOSSAMER_ONCE(".f32") ";}"
               : "+f"(otherwise)
               : "l"(from), "r"(static_cast<int>(wanted)), "l"(policy.bits()));
  return otherwise;
}
__device__ __forceinline__ double load_once_if(bool wanted, const double* from, double otherwise,
                                               l2_policy policy) {
  asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.nc" GOSSAMER_ONCE(".f64") ";}"
               : "+d"(otherwise)
               : "l"(from), "r"(static_cast<int>(wanted)), "l"(policy.bits()));
  return otherwise;
}

#undef GOSSAMER_ONCE

}  // namespace gossamer::inline v0::exec
