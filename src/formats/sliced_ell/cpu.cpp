// SPDX-License-Identifier: BSD-3-Clause
#include "formats/sliced_ell/format.hpp"
#define GOSSAMER_KERNELS "formats/sliced_ell/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <scalar_types S>
cpu_passes<sliced_ell_pointers<matrix_t<S>>, S> sliced_ell::passes(const sliced_ell_pointers<matrix_t<S>>& a,
                                                                   isa level) {
  const std::int64_t weight = a.slice_ptr[a.meta.slices] + a.meta.slices * a.meta.slice_rows;
  const auto run = [&] {
    if constexpr (is_pack<vector_t<S>>)
      return GOSSAMER_SELECT_ISA(level, sliced_ell_kernels, (slices_of_packs<S>));
    else
      return GOSSAMER_SELECT_ISA(level, sliced_ell_kernels, (slices_by_lanes<S>));
  };
  return {{.run = run(),
           .units = a.meta.units,
           .carries = {},
           .min_units_per_thread = min_units_to_wake_thread(weight, a.meta.units)}};
}

GOSSAMER_INSTANTIATE_PASSES(sliced_ell, std::int64_t)
GOSSAMER_FOR_EACH_PACKS(GOSSAMER_PASSES_INSTANCE, sliced_ell, std::int64_t)

}  // namespace gossamer::inline v0::formats
