// SPDX-License-Identifier: BSD-3-Clause
#include "formats/papers/arg_csr/format.hpp"
#define GOSSAMER_KERNELS "formats/papers/arg_csr/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <scalar_types S>
cpu_passes<arg_csr_pointers<matrix_t<S>>, S> arg_csr::passes(const arg_csr_pointers<matrix_t<S>>& a,
                                                             isa level) {
  const std::int64_t units = cpu_units(a.weight()).units;
  return {{.run = GOSSAMER_SELECT_ISA(level, arg_csr_kernels, (groups_by_lanes<S>)),
           .units = units,
           .carries = {},
           .min_units_per_thread = min_units_to_wake_thread(a.weight(), units)}};
}

GOSSAMER_INSTANTIATE_PASSES(arg_csr, std::int64_t)

}  // namespace gossamer::inline v0::formats
