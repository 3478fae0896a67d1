// SPDX-License-Identifier: BSD-3-Clause
#include "formats/packed/format.hpp"
#define GOSSAMER_KERNELS "formats/packed/cpu/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <value V>
cpu_passes<packed_pointers<V>, V> packed::passes(const packed_pointers<V>& a, isa level) {
  using pass = cpu_pass<packed_pointers<V>, V>;
  return {pass{.run = GOSSAMER_SELECT_ISA(level, packed_kernels, (whole_slices<V>)),
               .units = a.meta.units,
               .carries = a.carries,
               .min_units_per_thread = min_units_to_wake_thread(a.meta.rows + a.meta.nnz, a.meta.units)}};
}

template cpu_passes<packed_pointers<float>, float> packed::passes(const packed_pointers<float>&, isa);
template cpu_passes<packed_pointers<double>, double> packed::passes(const packed_pointers<double>&, isa);

}  // namespace gossamer::inline v0::formats
