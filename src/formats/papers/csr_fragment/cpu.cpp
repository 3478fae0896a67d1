// SPDX-License-Identifier: BSD-3-Clause
#include "formats/papers/csr_fragment/format.hpp"
#define GOSSAMER_KERNELS "formats/papers/csr_fragment/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <scalar_types S, offset O>
cpu_passes<csr_fragment_pointers<matrix_t<S>, O>, S> csr_fragment::passes(
    const csr_fragment_pointers<matrix_t<S>, O>& a, isa level) {
  const std::int64_t units = a.meta.fragments + a.meta.gaps;
  return {{.run = GOSSAMER_SELECT_ISA(level, csr_fragment_kernels, (fragments<S, O>)),
           .units = units,
           .carries = a.carries,
           .min_units_per_thread = min_units_to_wake_thread(a.meta.rows + a.meta.nnz, units)}};
}

GOSSAMER_INSTANTIATE_PASSES(csr_fragment, std::int32_t)
GOSSAMER_INSTANTIATE_PASSES(csr_fragment, std::int64_t)

}  // namespace gossamer::inline v0::formats
