// SPDX-License-Identifier: BSD-3-Clause
// Loads of packs: load_if() of exec/cuda/kernel/predicated_loads.cuh, up to 16 bytes at once.
#pragma once

#include <cstddef>

#include "core/pack.hpp"
#include "exec/cuda/kernel/predicated_loads.cuh"

namespace gossamer::inline v0::exec {

template <int K, std::size_t A>
__device__ __forceinline__ pack<double, K, A> load_if(bool wanted, const pack<double, K, A>* from,
                                                      pack<double, K, A> otherwise) {
  if constexpr (K == 1) {
    otherwise.v[0] = load_if(wanted, from->v, otherwise.v[0]);
  } else {
    static_assert(K % 2 == 0 && A == 16);
#pragma unroll
    for (int j = 0; j < K; j += 2)
      asm volatile("{.reg .pred p; setp.ne.s32 p, %3, 0; @p ld.global.nc.v2.f64 {%0, %1}, [%2];}"
                   : "+d"(otherwise.v[j]), "+d"(otherwise.v[j + 1])
                   : "l"(from->v + j), "r"(static_cast<int>(wanted)));
  }
  return otherwise;
}
template <int K, std::size_t A>
__device__ __forceinline__ pack<float, K, A> load_if(bool wanted, const pack<float, K, A>* from,
                                                     pack<float, K, A> otherwise) {
  if constexpr (K == 1) {
    otherwise.v[0] = load_if(wanted, from->v, otherwise.v[0]);
  } else if constexpr (K == 2) {
    static_assert(A == 8);
    asm volatile("{.reg .pred p; setp.ne.s32 p, %3, 0; @p ld.global.nc.v2.f32 {%0, %1}, [%2];}"
                 : "+f"(otherwise.v[0]), "+f"(otherwise.v[1])
                 : "l"(from->v), "r"(static_cast<int>(wanted)));
  } else {
    static_assert(K == 4 && A == 16);
    asm volatile("{.reg .pred p; setp.ne.s32 p, %5, 0; @p ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];}"
                 : "+f"(otherwise.v[0]), "+f"(otherwise.v[1]), "+f"(otherwise.v[2]), "+f"(otherwise.v[3])
                 : "l"(from->v), "r"(static_cast<int>(wanted)));
  }
  return otherwise;
}

/// How many elements of x a thread loads before it multiplies them, in a batch of `batch` entries. Of large
/// packs, those of more than 8 bytes, it is at most four, which saves registers.
template <class V>
constexpr int elements_at_once(int batch) {
  return sizeof(V) <= 8 || batch < 4 ? batch : 4;
}

}  // namespace gossamer::inline v0::exec
