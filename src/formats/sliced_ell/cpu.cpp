// SPDX-License-Identifier: BSD-3-Clause
#include "formats/sliced_ell/format.hpp"
#define GOSSAMER_KERNELS "formats/sliced_ell/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <value V>
cpu_passes<sliced_ell_pointers<V>, V> sliced_ell::passes(const sliced_ell_pointers<V>& a, isa level) {
  using pass = cpu_pass<sliced_ell_pointers<V>, V>;
  const std::int64_t weight = a.slice_ptr[a.meta.slices] + a.meta.slices * a.meta.slice_rows;
  return {pass{.run = GOSSAMER_SELECT_ISA(level, sliced_ell_kernels, (slices_by_lanes<V>)),
               .units = a.meta.units,
               .carries = {},
               .min_units_per_thread = min_units_to_wake_thread(weight, a.meta.units)}};
}

template cpu_passes<sliced_ell_pointers<float>, float> sliced_ell::passes(const sliced_ell_pointers<float>&,
                                                                          isa);
template cpu_passes<sliced_ell_pointers<double>, double> sliced_ell::passes(
    const sliced_ell_pointers<double>&, isa);

}  // namespace gossamer::inline v0::formats
