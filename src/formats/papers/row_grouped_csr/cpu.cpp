// SPDX-License-Identifier: BSD-3-Clause
#include "formats/papers/row_grouped_csr/format.hpp"
#define GOSSAMER_KERNELS "formats/papers/row_grouped_csr/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <value V>
cpu_passes<row_grouped_csr_pointers<V>, V> row_grouped_csr::passes(const row_grouped_csr_pointers<V>& a,
                                                                   isa level) {
  using pass = cpu_pass<row_grouped_csr_pointers<V>, V>;
  const std::int64_t units = cpu_units(a.weight()).units;
  return {pass{.run = GOSSAMER_SELECT_ISA(level, row_grouped_csr_kernels, (groups_by_lanes<V>)),
               .units = units,
               .carries = {},
               .min_units_per_thread = min_units_to_wake_thread(a.weight(), units)}};
}

template cpu_passes<row_grouped_csr_pointers<float>, float> row_grouped_csr::passes(
    const row_grouped_csr_pointers<float>&, isa);
template cpu_passes<row_grouped_csr_pointers<double>, double> row_grouped_csr::passes(
    const row_grouped_csr_pointers<double>&, isa);

}  // namespace gossamer::inline v0::formats
