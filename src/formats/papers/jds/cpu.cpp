// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "formats/papers/jds/format.hpp"
#define GOSSAMER_KERNELS "formats/papers/jds/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <value V>
cpu_passes<jds_pointers<V>, V> jds::passes(const jds_pointers<V>& a, isa level) {
  using pass = cpu_pass<jds_pointers<V>, V>;
  const std::int64_t blocks = std::max<std::int64_t>(1, a.unit_block[a.meta.units]);
  return {pass{.run = GOSSAMER_SELECT_ISA(level, jds_kernels, (blocks_by_lanes<V>)),
               .units = a.meta.units,
               .carries = {},
               .units_together = (jds_blocks_together * a.meta.units + blocks - 1) / blocks,
               .min_units_per_thread = min_units_to_wake_thread(a.meta.rows + a.meta.nnz, a.meta.units)}};
}

template cpu_passes<jds_pointers<float>, float> jds::passes(const jds_pointers<float>&, isa);
template cpu_passes<jds_pointers<double>, double> jds::passes(const jds_pointers<double>&, isa);

}  // namespace gossamer::inline v0::formats
