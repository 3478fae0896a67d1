// SPDX-License-Identifier: BSD-3-Clause
#include "formats/pattern_csr/format.hpp"
#define GOSSAMER_KERNELS "formats/pattern_csr/kernels.inl"
#include "exec/cpu/cpu_features.hpp"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

namespace {

template <class V, class O, bool Gathers>
auto kernel_of(pattern_csr_kernel kernel, isa level) {
  return kernel == pattern_csr_kernel::balanced
             ? GOSSAMER_SELECT_ISA(level, pattern_csr_kernels, (balanced<V, O, Gathers>))
             : GOSSAMER_SELECT_ISA(level, pattern_csr_kernels, (whole_rows<V, O, Gathers>));
}

}  // namespace

template <value V, offset O>
cpu_passes<pattern_csr_pointers<V, O>, V> pattern_csr::passes(const pattern_csr_pointers<V, O>& a,
                                                              isa level) {
  return {csr_pass<V>(a, exec::has_fast_gathers() ? kernel_of<V, O, true>(a.meta.kernel, level)
                                                  : kernel_of<V, O, false>(a.meta.kernel, level))};
}

template cpu_passes<pattern_csr_pointers<float, std::int32_t>, float> pattern_csr::passes(
    const pattern_csr_pointers<float, std::int32_t>&, isa);
template cpu_passes<pattern_csr_pointers<float, std::int64_t>, float> pattern_csr::passes(
    const pattern_csr_pointers<float, std::int64_t>&, isa);
template cpu_passes<pattern_csr_pointers<double, std::int32_t>, double> pattern_csr::passes(
    const pattern_csr_pointers<double, std::int32_t>&, isa);
template cpu_passes<pattern_csr_pointers<double, std::int64_t>, double> pattern_csr::passes(
    const pattern_csr_pointers<double, std::int64_t>&, isa);

}  // namespace gossamer::inline v0::formats
