// SPDX-License-Identifier: BSD-3-Clause
#include "formats/brc/format.hpp"
#define GOSSAMER_KERNELS "formats/brc/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <scalar_types S>
cpu_passes<brc_pointers<matrix_t<S>>, S> brc::passes(const brc_pointers<matrix_t<S>>& a, isa level) {
  const std::int64_t weight = a.block_offset[a.meta.blocks] + a.meta.blocks * a.meta.block_rows;
  return {{.run = GOSSAMER_SELECT_ISA(level, brc_kernels, (blocks_by_lanes<S>)),
           .units = a.meta.units,
           .carries = a.carries,
           .min_units_per_thread = min_units_to_wake_thread(weight, a.meta.units)}};
}

GOSSAMER_INSTANTIATE_PASSES(brc, std::int64_t)

}  // namespace gossamer::inline v0::formats
