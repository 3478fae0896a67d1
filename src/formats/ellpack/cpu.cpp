// SPDX-License-Identifier: BSD-3-Clause
#include "formats/ellpack/format.hpp"
#define GOSSAMER_KERNELS "formats/ellpack/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <value V>
cpu_passes<ellpack_pointers<V>, V> ellpack::passes(const ellpack_pointers<V>& a, isa level) {
  using pass = cpu_pass<ellpack_pointers<V>, V>;
  return {pass{.run = GOSSAMER_SELECT_ISA(level, ellpack_kernels, (rows_by_lanes<V>)),
               .units = a.meta.stride / ellpack_row_multiple,
               .carries = {},
               .units_together = ellpack_units_together}};
}

template cpu_passes<ellpack_pointers<float>, float> ellpack::passes(const ellpack_pointers<float>&, isa);
template cpu_passes<ellpack_pointers<double>, double> ellpack::passes(const ellpack_pointers<double>&, isa);

}  // namespace gossamer::inline v0::formats
