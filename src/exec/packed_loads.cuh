// SPDX-License-Identifier: BSD-3-Clause
// Some neighbouring numbers of a thread in one load of 2 to 16 bytes. In PTX and predicated, as exec/loads.cuh, so that all leave at once.
#pragma once

#include "exec/loads.cuh"

namespace gossamer::inline v0::exec {

/// Count numbers of at most 4 bytes, as they lie in memory.
template <int Count>
struct packed {
  std::uint32_t word[Count] = {};
};

/// A width beside 0, 1 and 2: nothing is read.
inline constexpr int no_numbers = 3;

#if __CUDA_ARCH__ >= 800
#define GOSSAMER_HINT(type) ".L2::cache_hint" type
#define GOSSAMER_POLICY(operand) ", " operand
#else
#define GOSSAMER_HINT(type) type
#define GOSSAMER_POLICY(operand) ""
#endif

/// Numbers of 1, 2 or 4 bytes (width 0, 1, 2) at an address that is a multiple of the bytes of all of them. They are not kept out of the L1
/// cache: a further load takes the rest of their sectors.
__device__ __forceinline__ packed<4> load_packed(packed<4> otherwise, int width, const void* from,
                                                 l2_policy policy) {
  std::uint32_t(&w)[4] = otherwise.word;
  asm volatile(
      "{.reg .pred a, b, c; setp.eq.s32 a, %4, 0; setp.eq.s32 b, %4, 1; setp.eq.s32 c, %4, 2;\n\t"
      "@a ld.global.nc" GOSSAMER_HINT(".u32") " %0, [%5]" GOSSAMER_POLICY("%6") ";\n\t"
      "@b ld.global.nc" GOSSAMER_HINT(".v2.u32") " {%0, %1}, [%5]" GOSSAMER_POLICY("%6") ";\n\t"
      "@c ld.global.nc" GOSSAMER_HINT(".v4.u32") " {%0, %1, %2, %3}, [%5]" GOSSAMER_POLICY("%6") ";}"
      : "+r"(w[0]), "+r"(w[1]), "+r"(w[2]), "+r"(w[3])
      : "r"(width), "l"(from), "l"(policy.bits()));
  return otherwise;
}
__device__ __forceinline__ packed<2> load_packed(packed<2> otherwise, int width, const void* from,
                                                 l2_policy policy) {
  std::uint32_t(&w)[2] = otherwise.word;
  asm volatile(
      "{.reg .pred a, b, c; setp.eq.s32 a, %2, 0; setp.eq.s32 b, %2, 1; setp.eq.s32 c, %2, 2;\n\t"
      "@a ld.global.nc" GOSSAMER_HINT(".u16") " %0, [%3]" GOSSAMER_POLICY("%4") ";\n\t"
      "@b ld.global.nc" GOSSAMER_HINT(".u32") " %0, [%3]" GOSSAMER_POLICY("%4") ";\n\t"
      "@c ld.global.nc" GOSSAMER_HINT(".v2.u32") " {%0, %1}, [%3]" GOSSAMER_POLICY("%4") ";}"
      : "+r"(w[0]), "+r"(w[1])
      : "r"(width), "l"(from), "l"(policy.bits()));
  return otherwise;
}
/// A number alone.
__device__ __forceinline__ std::uint32_t load_number(std::uint32_t otherwise, int width, const void* from) {
  asm volatile(
      "{.reg .pred a, b, c; setp.eq.s32 a, %1, 0; setp.eq.s32 b, %1, 1; setp.eq.s32 c, %1, 2;\n\t"
      "@a ld.global.nc.u8 %0, [%2];\n\t@b ld.global.nc.u16 %0, [%2];\n\t@c ld.global.nc.u32 %0, [%2];}"
      : "+r"(otherwise)
      : "r"(width), "l"(from));
  return otherwise;
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

/// Count values from an address that is a multiple of what one load takes. Of those behind the first `here` some are read too, as far as a
/// multiple of 16 bytes; where `here` is not positive none are.
template <int Count, class V>
__device__ __forceinline__ void load_values(int here, const V* from, V (&v)[Count], l2_policy policy) {
  constexpr int piece = Count * static_cast<int>(sizeof(V)) <= 16 ? Count : 16 / static_cast<int>(sizeof(V));
#pragma unroll
  for (int i = 0; i < Count; i += piece) {
    V part[piece] = {};
    load_piece(here > i, from + i, part, policy);
#pragma unroll
    for (int k = 0; k < piece; ++k) v[i + k] = part[k];
  }
}

/// The same of eight.
__device__ __forceinline__ packed<8> load_packed(packed<8> otherwise, int width, const void* from,
                                                 l2_policy policy) {
  std::uint32_t(&w)[8] = otherwise.word;
  asm volatile(
      "{.reg .pred a, b, c; setp.eq.s32 a, %8, 0; setp.eq.s32 b, %8, 1; setp.eq.s32 c, %8, 2;\n\t"
      "@a ld.global.nc" GOSSAMER_HINT(".v2.u32") " {%0, %1}, [%9]" GOSSAMER_POLICY("%10") ";\n\t"
      "@b ld.global.nc" GOSSAMER_HINT(".v4.u32") " {%0, %1, %2, %3}, [%9]" GOSSAMER_POLICY("%10") ";\n\t"
      "@c ld.global.nc" GOSSAMER_HINT(".v4.u32") " {%0, %1, %2, %3}, [%9]" GOSSAMER_POLICY("%10") ";\n\t"
      "@c ld.global.nc" GOSSAMER_HINT(".v4.u32") " {%4, %5, %6, %7}, [%9 + 16]" GOSSAMER_POLICY("%10") ";}"
      : "+r"(w[0]), "+r"(w[1]), "+r"(w[2]), "+r"(w[3]), "+r"(w[4]), "+r"(w[5]), "+r"(w[6]), "+r"(w[7])
      : "r"(width), "l"(from), "l"(policy.bits()));
  return otherwise;
}

/// The same where the width is known: one load. Of those with a width ptxas makes three that wait for each other, as all write one register
/// and it does not see that two are off.
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
template <int Width>
__device__ __forceinline__ std::uint32_t load_number_if(bool wanted, const void* from) {
  std::uint32_t to = 0;
  const int some = static_cast<int>(wanted);
  if constexpr (Width == 0)
    asm volatile("{.reg .pred p; setp.ne.s32 p, %1, 0; @p ld.global.nc.u8 %0, [%2];}" : "+r"(to) : "r"(some), "l"(from));
  else if constexpr (Width == 1)
    asm volatile("{.reg .pred p; setp.ne.s32 p, %1, 0; @p ld.global.nc.u16 %0, [%2];}" : "+r"(to) : "r"(some), "l"(from));
  else
    asm volatile("{.reg .pred p; setp.ne.s32 p, %1, 0; @p ld.global.nc.u32 %0, [%2];}" : "+r"(to) : "r"(some), "l"(from));
  return to;
}

#undef GOSSAMER_HINT
#undef GOSSAMER_POLICY

/// The numbers as numbers; width is the same for a whole block. Bytes are selected: of a mask the compiler would make three more instructions
/// where the number is multiplied for an address.
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
