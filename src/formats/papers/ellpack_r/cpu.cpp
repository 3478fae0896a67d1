// SPDX-License-Identifier: BSD-3-Clause
#include "formats/papers/ellpack_r/format.hpp"
#define GOSSAMER_KERNELS "formats/papers/ellpack_r/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <value V>
cpu_passes<ellpack_r_pointers<V>, V> ellpack_r::passes(const ellpack_r_pointers<V>& a, isa level) {
  using pass = cpu_pass<ellpack_r_pointers<V>, V>;
  return {pass{.run = GOSSAMER_SELECT_ISA(level, ellpack_r_kernels, (rows_by_lanes<V>)),
               .units = (a.meta.stride + ellpack_r_unit_rows - 1) / ellpack_r_unit_rows,
               .carries = {}}};
}

template cpu_passes<ellpack_r_pointers<float>, float> ellpack_r::passes(const ellpack_r_pointers<float>&,
                                                                        isa);
template cpu_passes<ellpack_r_pointers<double>, double> ellpack_r::passes(const ellpack_r_pointers<double>&,
                                                                          isa);

}  // namespace gossamer::inline v0::formats
