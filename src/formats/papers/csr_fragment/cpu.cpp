// SPDX-License-Identifier: BSD-3-Clause
#include "formats/papers/csr_fragment/format.hpp"
#define GOSSAMER_KERNELS "formats/papers/csr_fragment/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <value V, offset O>
cpu_passes<csr_fragment_pointers<V, O>, V> csr_fragment::passes(const csr_fragment_pointers<V, O>& a,
                                                                isa level) {
  using pass = cpu_pass<csr_fragment_pointers<V, O>, V>;
  const std::int64_t units = a.meta.fragments + a.meta.gaps;
  return {pass{.run = GOSSAMER_SELECT_ISA(level, csr_fragment_kernels, (fragments<V, O>)),
               .units = units,
               .carries = a.carries,
               .min_units_per_thread = min_units_to_wake_thread(a.meta.rows + a.meta.nnz, units)}};
}

template cpu_passes<csr_fragment_pointers<float, std::int32_t>, float> csr_fragment::passes(
    const csr_fragment_pointers<float, std::int32_t>&, isa);
template cpu_passes<csr_fragment_pointers<float, std::int64_t>, float> csr_fragment::passes(
    const csr_fragment_pointers<float, std::int64_t>&, isa);
template cpu_passes<csr_fragment_pointers<double, std::int32_t>, double> csr_fragment::passes(
    const csr_fragment_pointers<double, std::int32_t>&, isa);
template cpu_passes<csr_fragment_pointers<double, std::int64_t>, double> csr_fragment::passes(
    const csr_fragment_pointers<double, std::int64_t>&, isa);

}  // namespace gossamer::inline v0::formats
