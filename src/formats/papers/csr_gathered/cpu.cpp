// SPDX-License-Identifier: BSD-3-Clause
#include "formats/papers/csr_gathered/format.hpp"
#define GOSSAMER_KERNELS "formats/papers/csr_gathered/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <scalar_types S, offset O>
cpu_passes<csr_gathered_pointers<matrix_t<S>, O>, S> csr_gathered::passes(
    const csr_gathered_pointers<matrix_t<S>, O>& a, isa level) {
  return {{.run = GOSSAMER_SELECT_ISA(level, csr_gathered_kernels, (gather_entries<S, O>)),
           .units = a.meta.gather.units,
           .carries = {},
           .min_units_per_thread = min_units_to_wake_thread(a.meta.nnz, a.meta.gather.units),
           .writes_rows = false},
          {.run = GOSSAMER_SELECT_ISA(level, csr_gathered_kernels, (rows_in_equal_units<S, O>)),
           .units = a.meta.units,
           .carries = a.carries,
           .min_units_per_thread = min_units_to_wake_thread(a.meta.rows + a.meta.nnz, a.meta.units)}};
}

GOSSAMER_INSTANTIATE_PASSES(csr_gathered, std::int32_t)
GOSSAMER_INSTANTIATE_PASSES(csr_gathered, std::int64_t)

}  // namespace gossamer::inline v0::formats
