// SPDX-License-Identifier: BSD-3-Clause
// Some neighbouring numbers of a thread in one load of 2 to 16 bytes. In PTX and predicated, as
// exec/cuda/kernel/predicated_loads.cuh, so that all leave at once.
#pragma once

#include "exec/cuda/kernel/predicated_loads.cuh"

namespace gossamer::inline v0::exec {

/// Count numbers of at most 4 bytes, as they lie in memory.
template <int Count>
struct packed {
  std::uint32_t word[Count] = {};
};

#if __CUDA_ARCH__ >= 800
#define GOSSAMER_HINT(type) ".L2::cache_hint" type
#define GOSSAMER_POLICY(operand) ", " operand
#else
#define GOSSAMER_HINT(type) type
#define GOSSAMER_POLICY(operand) ""
#endif

/// Numbers of 1, 2 or 4 bytes (Width 0, 1, 2) at an address that is a multiple of the bytes of all of them,
/// or of 16. They are not kept out of the L1 cache: a further load takes the rest of their sectors. The width
/// is no argument, since of a predicated load for each width, into one register, ptxas makes each wait for
/// the one before: it does not see that two are off.
template <int Width, int Count>
__device__ __forceinline__ packed<Count> load_packed_if(bool wanted, const void* from, l2_policy policy) {
  constexpr int bytes = Count << Width;
  packed<Count> to;
  std::uint32_t(&w)[Count] = to.word;
  const int some = static_cast<int>(wanted);
  if constexpr (bytes == 2)
    asm volatile("{.reg .pred p; setp.ne.s32 p, %1, 0; @p ld.global.nc" GOSSAMER_HINT(
                     ".u16") " %0, [%2]" GOSSAMER_POLICY("%3") ";}"
                 : "+r"(w[0])
                 : "r"(some), "l"(from), "l"(policy.bits()));
  else if constexpr (bytes == 4)
    asm volatile("{.reg .pred p; setp.ne.s32 p, %1, 0; @p ld.global.nc" GOSSAMER_HINT(
                     ".u32") " %0, [%2]" GOSSAMER_POLICY("%3") ";}"
                 : "+r"(w[0])
                 : "r"(some), "l"(from), "l"(policy.bits()));
  else if constexpr (bytes == 8)
    asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.nc" GOSSAMER_HINT(
                     ".v2.u32") " {%0, %1}, [%3]" GOSSAMER_POLICY("%4") ";}"
                 : "+r"(w[0]), "+r"(w[1])
                 : "r"(some), "l"(from), "l"(policy.bits()));
  else
#pragma unroll
    for (int i = 0; i < bytes / 16; ++i)
      asm volatile("{.reg .pred p; setp.ne.s32 p, %4, 0; @p ld.global.nc" GOSSAMER_HINT(
                       ".v4.u32") " {%0, %1, %2, %3}, [%5]" GOSSAMER_POLICY("%6") ";}"
                   : "+r"(w[4 * i]), "+r"(w[4 * i + 1]), "+r"(w[4 * i + 2]), "+r"(w[4 * i + 3])
                   : "r"(some), "l"(static_cast<const std::uint8_t*>(from) + 16 * i), "l"(policy.bits()));
  return to;
}

/// A number alone; 0 where it is not wanted.
template <int Width>
__device__ __forceinline__ std::uint32_t load_number_if(bool wanted, const void* from) {
  std::uint32_t to = 0;
  const int some = static_cast<int>(wanted);
  if constexpr (Width == 0)
    asm volatile("{.reg .pred p; setp.ne.s32 p, %1, 0; @p ld.global.nc.u8 %0, [%2];}"
                 : "+r"(to)
                 : "r"(some), "l"(from));
  else if constexpr (Width == 1)
    asm volatile("{.reg .pred p; setp.ne.s32 p, %1, 0; @p ld.global.nc.u16 %0, [%2];}"
                 : "+r"(to)
                 : "r"(some), "l"(from));
  else
    asm volatile("{.reg .pred p; setp.ne.s32 p, %1, 0; @p ld.global.nc.u32 %0, [%2];}"
                 : "+r"(to)
                 : "r"(some), "l"(from));
  return to;
}

/// The 16 bytes at `from`, a multiple of 16, where they are wanted.
__device__ __forceinline__ void load_piece(bool wanted, const double* from, double (&v)[2],
                                           l2_policy policy) {
  asm volatile("{.reg .pred p; setp.ne.s32 p, %3, 0; @p ld.global.nc" GOSSAMER_HINT(
                   ".v2.f64") " {%0, %1}, [%2]" GOSSAMER_POLICY("%4") ";}"
               : "+d"(v[0]), "+d"(v[1])
               : "l"(from), "r"(static_cast<int>(wanted)), "l"(policy.bits()));
}
__device__ __forceinline__ void load_piece(bool wanted, const float* from, float (&v)[4], l2_policy policy) {
  asm volatile("{.reg .pred p; setp.ne.s32 p, %5, 0; @p ld.global.nc" GOSSAMER_HINT(
                   ".v4.f32") " {%0, %1, %2, %3}, [%4]" GOSSAMER_POLICY("%6") ";}"
               : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3])
               : "l"(from), "r"(static_cast<int>(wanted)), "l"(policy.bits()));
}
/// 8 bytes.
__device__ __forceinline__ void load_piece(bool wanted, const float* from, float (&v)[2], l2_policy policy) {
  asm volatile("{.reg .pred p; setp.ne.s32 p, %3, 0; @p ld.global.nc" GOSSAMER_HINT(
                   ".v2.f32") " {%0, %1}, [%2]" GOSSAMER_POLICY("%4") ";}"
               : "+f"(v[0]), "+f"(v[1])
               : "l"(from), "r"(static_cast<int>(wanted)), "l"(policy.bits()));
}

#undef GOSSAMER_HINT
#undef GOSSAMER_POLICY

/// The numbers as numbers; width is the same for a whole block. Bytes are selected: of a mask the compiler
/// would make three more instructions where the number is multiplied for an address.
template <int Count>
__device__ __forceinline__ void unpack(const packed<Count>& from, int width, std::uint32_t (&number)[Count]) {
  if (width == 0) {
#pragma unroll
    for (int i = 0; i < Count; ++i) number[i] = __byte_perm(from.word[i / 4], 0, 0x4440u + i % 4);
  } else if (width == 1) {
#pragma unroll
    for (int i = 0; i < Count; ++i)
      number[i] = __byte_perm(from.word[i / 2], 0, i % 2 == 0 ? 0x4410u : 0x4432u);
  } else {
#pragma unroll
    for (int i = 0; i < Count; ++i) number[i] = from.word[i];
  }
}

}  // namespace gossamer::inline v0::exec
