// SPDX-License-Identifier: BSD-3-Clause
#include "formats/brc/format.hpp"
#define GOSSAMER_KERNELS "formats/brc/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <value V>
cpu_passes<brc_pointers<V>, V> brc::passes(const brc_pointers<V>& a, isa level) {
  using pass = cpu_pass<brc_pointers<V>, V>;
  const std::int64_t weight = a.block_offset[a.meta.blocks] + a.meta.blocks * a.meta.block_rows;
  return {pass{.run = GOSSAMER_SELECT_ISA(level, brc_kernels, (blocks_by_lanes<V>)),
               .units = a.meta.units,
               .carries = a.carries,
               .min_units_per_thread = min_units_to_wake_thread(weight, a.meta.units)}};
}

template cpu_passes<brc_pointers<float>, float> brc::passes(const brc_pointers<float>&, isa);
template cpu_passes<brc_pointers<double>, double> brc::passes(const brc_pointers<double>&, isa);

}  // namespace gossamer::inline v0::formats
