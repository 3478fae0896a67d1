// SPDX-License-Identifier: BSD-3-Clause
// Picks the kernel of one instruction set among those that foreach_isa.inl compiled.
#pragma once

#include "gossamer/resource.hpp"

namespace gossamer::inline v0::simd {

/// level is never automatic here; a level that this architecture does not have cannot have passed
/// runs_here().
template <class Function>
constexpr Function select(isa level, Function baseline, Function avx2, Function avx512) {
  if (level == isa::avx512) return avx512;
  return level == isa::avx2 ? avx2 : baseline;
}

}  // namespace gossamer::inline v0::simd

#define GOSSAMER_UNPACK(...) __VA_ARGS__

/// GOSSAMER_SELECT_ISA(level, kernels, (f<V, O>)): kernels::<isa>::f<V, O> of that level.
#if defined(__x86_64__)
#define GOSSAMER_SELECT_ISA(level, kernels, function)               \
  simd::select(level, &kernels::baseline::GOSSAMER_UNPACK function, \
               &kernels::avx2::GOSSAMER_UNPACK function, &kernels::avx512::GOSSAMER_UNPACK function)
#else
#define GOSSAMER_SELECT_ISA(level, kernels, function) (&kernels::baseline::GOSSAMER_UNPACK function)
#endif
