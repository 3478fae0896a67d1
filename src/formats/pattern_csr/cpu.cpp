// SPDX-License-Identifier: BSD-3-Clause
#include "formats/pattern_csr/format.hpp"
#define GOSSAMER_KERNELS "formats/pattern_csr/kernels.inl"
#include "exec/cpu/cpu_features.hpp"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

namespace {

template <class S, class O, bool Gathers>
auto kernel_of(pattern_csr_kernel kernel, isa level) {
  return kernel == pattern_csr_kernel::balanced
             ? GOSSAMER_SELECT_ISA(level, pattern_csr_kernels, (balanced<S, O, Gathers>))
             : GOSSAMER_SELECT_ISA(level, pattern_csr_kernels, (whole_rows<S, O, Gathers>));
}

}  // namespace

template <scalar_types S, offset O>
cpu_passes<pattern_csr_pointers<matrix_t<S>, O>, S> pattern_csr::passes(
    const pattern_csr_pointers<matrix_t<S>, O>& a, isa level) {
  constexpr bool may_gather = !is_pack<vector_t<S>>;  // packs are loaded one by one in either case
  return {csr_pass<S>(a, exec::has_fast_gathers() ? kernel_of<S, O, may_gather>(a.meta.kernel, level)
                                                  : kernel_of<S, O, false>(a.meta.kernel, level))};
}

GOSSAMER_INSTANTIATE_PASSES(pattern_csr, std::int32_t)
GOSSAMER_INSTANTIATE_PASSES(pattern_csr, std::int64_t)
GOSSAMER_FOR_EACH_PACKS(GOSSAMER_PASSES_INSTANCE, pattern_csr, std::int32_t)
GOSSAMER_FOR_EACH_PACKS(GOSSAMER_PASSES_INSTANCE, pattern_csr, std::int64_t)

}  // namespace gossamer::inline v0::formats
