// SPDX-License-Identifier: BSD-3-Clause
#include "formats/csr/format.hpp"
#define GOSSAMER_KERNELS "formats/csr/cpu_kernel.inl"
#include "simd/foreach_isa.inl"
#include "simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <value V, offset O>
cpu_passes<csr_pointers<V, O>, V> csr::passes(const csr_pointers<V, O>& a, isa level) {
  using pass = cpu_pass<csr_pointers<V, O>, V>;
  const bool cut = a.meta.kernel == csr_kernel::balanced;
  const auto run = cut ? GOSSAMER_SELECT_ISA(level, csr_kernels, (balanced<V, O>))
                       : GOSSAMER_SELECT_ISA(level, csr_kernels, (whole_rows<V, O>));
  return {pass{.run = run,
               .units = a.meta.units,
               .carries = a.carries,
               .cost = a.unit_cost,
               .worth_a_thread = units_worth_a_thread(csr_cpu_weight(a.meta.rows, a.meta.nnz), a.meta.units),
               .change_hands = unequal_threads<V>(a.meta.nnz, a.unit_cost, a.meta.units)}};
}

template cpu_passes<csr_pointers<float, std::int32_t>, float> csr::passes(
    const csr_pointers<float, std::int32_t>&, isa);
template cpu_passes<csr_pointers<float, std::int64_t>, float> csr::passes(
    const csr_pointers<float, std::int64_t>&, isa);
template cpu_passes<csr_pointers<double, std::int32_t>, double> csr::passes(
    const csr_pointers<double, std::int32_t>&, isa);
template cpu_passes<csr_pointers<double, std::int64_t>, double> csr::passes(
    const csr_pointers<double, std::int64_t>&, isa);

}  // namespace gossamer::inline v0::formats
