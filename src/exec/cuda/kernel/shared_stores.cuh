// SPDX-License-Identifier: BSD-3-Clause
// A store to shared memory where a condition holds, in PTX: of `if (p) *to = v` nvcc makes a branch, and of
// several a chain of them.
#pragma once

#include <cstdint>

#include "exec/cuda/kernel/launch.cuh"

namespace gossamer::inline v0::exec {

__device__ __forceinline__ void store_shared_if(bool wanted, double* to, double v) {
  asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p st.shared.f64 [%0], %1;}" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "d"(v), "r"(static_cast<int>(wanted))
               : "memory");
}
__device__ __forceinline__ void store_shared_if(bool wanted, float* to, float v) {
  asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p st.shared.f32 [%0], %1;}" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "f"(v), "r"(static_cast<int>(wanted))
               : "memory");
}

}  // namespace gossamer::inline v0::exec
