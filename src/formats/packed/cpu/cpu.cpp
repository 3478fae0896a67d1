// SPDX-License-Identifier: BSD-3-Clause
#include "formats/packed/format.hpp"
#define GOSSAMER_KERNELS "formats/packed/cpu/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <scalar_types S>
cpu_passes<packed_pointers<matrix_t<S>>, S> packed::passes(const packed_pointers<matrix_t<S>>& a, isa level) {
  const auto run = [&] {
    if constexpr (is_pack<vector_t<S>>)
      return GOSSAMER_SELECT_ISA(level, packed_kernels, (slices_of_packs<S>));
    else
      return GOSSAMER_SELECT_ISA(level, packed_kernels, (whole_slices<S>));
  };
  return {{.run = run(),
           .units = a.meta.units,
           .carries = a.carries,
           .min_units_per_thread = min_units_to_wake_thread(a.meta.rows + a.meta.nnz, a.meta.units),
           .first_row = a.meta.units_have_rows ? a.unit_row : nullptr}};
}

GOSSAMER_INSTANTIATE_PASSES(packed, std::int64_t)
GOSSAMER_FOR_EACH_PACKS(GOSSAMER_PASSES_INSTANCE, packed, std::int64_t)

}  // namespace gossamer::inline v0::formats
