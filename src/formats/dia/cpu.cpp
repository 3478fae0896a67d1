// SPDX-License-Identifier: BSD-3-Clause
#include "formats/dia/format.hpp"
#define GOSSAMER_KERNELS "formats/dia/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <value V>
cpu_passes<dia_pointers<V>, V> dia::passes(const dia_pointers<V>& a, isa level) {
  using pass = cpu_pass<dia_pointers<V>, V>;
  return {pass{.run = GOSSAMER_SELECT_ISA(level, dia_kernels, (blocks_by_lanes<V>)),
               .units = a.meta.blocks,
               .carries = {},
               .min_units_per_thread =
                   min_units_to_wake_thread(a.meta.stride() * (a.meta.diagonals + 1), a.meta.blocks)}};
}

template cpu_passes<dia_pointers<float>, float> dia::passes(const dia_pointers<float>&, isa);
template cpu_passes<dia_pointers<double>, double> dia::passes(const dia_pointers<double>&, isa);

}  // namespace gossamer::inline v0::formats
