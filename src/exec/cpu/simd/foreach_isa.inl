// SPDX-License-Identifier: BSD-3-Clause
// Includes GOSSAMER_KERNELS (a quoted path) once for each instruction set, inside a target region and a
// namespace GOSSAMER_ISA = baseline, avx2, avx512. The region, not a compiler flag: a template of a header
// that is instantiated in a file built with -mavx512f may become the whole program's copy of it. For the same
// reason hot code must stand inside the kernels' file: what was defined before the region is baseline code.
// A file includes this once; afterwards <namespace>::baseline::f, ::avx2::f and ::avx512::f exist. If it has
// defined GOSSAMER_ONLY_baseline, _avx2 or _avx512, that one alone does (see a kernel_unit.cpp.in).

#include "exec/cpu/simd/vec_baseline.hpp"

#if !defined(GOSSAMER_ONLY_avx2) && !defined(GOSSAMER_ONLY_avx512)
#define GOSSAMER_ISA baseline
#include GOSSAMER_KERNELS
#undef GOSSAMER_ISA
#endif

#if defined(__x86_64__) && !defined(GOSSAMER_ONLY_baseline)
#include "exec/cpu/simd/vec_avx2.hpp"
#include "exec/cpu/simd/vec_avx512.hpp"

#if !defined(GOSSAMER_ONLY_avx512)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#define GOSSAMER_ISA avx2
#include GOSSAMER_KERNELS
#undef GOSSAMER_ISA
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

#if !defined(GOSSAMER_ONLY_avx2)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,avx512f,avx512vl,avx512bw,avx512dq"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,avx512f,avx512vl,avx512bw,avx512dq")
#endif
#define GOSSAMER_ISA avx512
#include GOSSAMER_KERNELS
#undef GOSSAMER_ISA
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
#endif
