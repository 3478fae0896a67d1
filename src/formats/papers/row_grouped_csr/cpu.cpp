// SPDX-License-Identifier: BSD-3-Clause
#include "formats/papers/row_grouped_csr/format.hpp"
#define GOSSAMER_KERNELS "formats/papers/row_grouped_csr/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <scalar_types S>
cpu_passes<row_grouped_csr_pointers<matrix_t<S>>, S> row_grouped_csr::passes(
    const row_grouped_csr_pointers<matrix_t<S>>& a, isa level) {
  const std::int64_t units = cpu_units(a.weight()).units;
  return {{.run = GOSSAMER_SELECT_ISA(level, row_grouped_csr_kernels, (groups_by_lanes<S>)),
           .units = units,
           .carries = {},
           .min_units_per_thread = min_units_to_wake_thread(a.weight(), units)}};
}

GOSSAMER_INSTANTIATE_PASSES(row_grouped_csr, std::int64_t)

}  // namespace gossamer::inline v0::formats
