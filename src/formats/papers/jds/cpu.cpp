// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "formats/papers/jds/format.hpp"
#define GOSSAMER_KERNELS "formats/papers/jds/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <scalar_types S>
cpu_passes<jds_pointers<matrix_t<S>>, S> jds::passes(const jds_pointers<matrix_t<S>>& a, isa level) {
  const std::int64_t blocks = std::max<std::int64_t>(1, a.unit_block[a.meta.units]);
  return {{.run = GOSSAMER_SELECT_ISA(level, jds_kernels, (blocks_by_lanes<S>)),
           .units = a.meta.units,
           .carries = {},
           .units_together = (jds_blocks_together * a.meta.units + blocks - 1) / blocks,
           .min_units_per_thread = min_units_to_wake_thread(a.meta.rows + a.meta.nnz, a.meta.units)}};
}

GOSSAMER_INSTANTIATE_PASSES(jds, std::int64_t)

}  // namespace gossamer::inline v0::formats
