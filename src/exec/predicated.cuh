// SPDX-License-Identifier: BSD-3-Clause
// One instruction where a condition holds, in PTX: of `if (p) sum += v` in an unrolled loop nvcc makes an addition and two selections, and of
// a store to shared memory a branch.
#pragma once

#include <cstdint>

#include "exec/launch.cuh"

namespace gossamer::inline v0::exec {

__device__ __forceinline__ void add_if(bool wanted, double& sum, double v) {
  asm("{.reg .pred p; setp.ne.s32 p, %1, 0; @p add.rn.f64 %0, %0, %2;}"
      : "+d"(sum)
      : "r"(static_cast<int>(wanted)), "d"(v));
}
__device__ __forceinline__ void add_if(bool wanted, float& sum, float v) {
  asm("{.reg .pred p; setp.ne.s32 p, %1, 0; @p add.rn.f32 %0, %0, %2;}"
      : "+f"(sum)
      : "r"(static_cast<int>(wanted)), "f"(v));
}

/// To shared memory.
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
