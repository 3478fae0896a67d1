// SPDX-License-Identifier: BSD-3-Clause
#include "formats/papers/csr_gathered/format.hpp"
#define GOSSAMER_KERNELS "formats/papers/csr_gathered/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <value V, offset O>
cpu_passes<csr_gathered_pointers<V, O>, V> csr_gathered::passes(const csr_gathered_pointers<V, O>& a,
                                                                isa level) {
  using pass = cpu_pass<csr_gathered_pointers<V, O>, V>;
  return {pass{.run = GOSSAMER_SELECT_ISA(level, csr_gathered_kernels, (gather_entries<V, O>)),
               .units = a.meta.gather.units,
               .carries = {},
               .min_units_per_thread = min_units_to_wake_thread(a.meta.nnz, a.meta.gather.units),
               .writes_rows = false},
          pass{.run = GOSSAMER_SELECT_ISA(level, csr_gathered_kernels, (rows_in_equal_units<V, O>)),
               .units = a.meta.units,
               .carries = a.carries,
               .min_units_per_thread = min_units_to_wake_thread(a.meta.rows + a.meta.nnz, a.meta.units)}};
}

template cpu_passes<csr_gathered_pointers<float, std::int32_t>, float> csr_gathered::passes(
    const csr_gathered_pointers<float, std::int32_t>&, isa);
template cpu_passes<csr_gathered_pointers<float, std::int64_t>, float> csr_gathered::passes(
    const csr_gathered_pointers<float, std::int64_t>&, isa);
template cpu_passes<csr_gathered_pointers<double, std::int32_t>, double> csr_gathered::passes(
    const csr_gathered_pointers<double, std::int32_t>&, isa);
template cpu_passes<csr_gathered_pointers<double, std::int64_t>, double> csr_gathered::passes(
    const csr_gathered_pointers<double, std::int64_t>&, isa);

}  // namespace gossamer::inline v0::formats
