// SPDX-License-Identifier: BSD-3-Clause
#include "formats/dia/format.hpp"
#define GOSSAMER_KERNELS "formats/dia/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <scalar_types S>
cpu_passes<dia_pointers<matrix_t<S>>, S> dia::passes(const dia_pointers<matrix_t<S>>& a, isa level) {
  return {{.run = GOSSAMER_SELECT_ISA(level, dia_kernels, (blocks_by_lanes<S>)),
           .units = a.meta.blocks,
           .carries = {},
           .min_units_per_thread =
               min_units_to_wake_thread(a.meta.stride() * (a.meta.diagonals + 1), a.meta.blocks)}};
}

GOSSAMER_INSTANTIATE_PASSES(dia, std::int64_t)

}  // namespace gossamer::inline v0::formats
