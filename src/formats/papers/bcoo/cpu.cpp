// SPDX-License-Identifier: BSD-3-Clause
#include "formats/common/equal_cuts.hpp"
#include "formats/papers/bcoo/format.hpp"
#define GOSSAMER_KERNELS "formats/papers/bcoo/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <value V>
cpu_passes<bcoo_pointers<V>, V> bcoo::passes(const bcoo_pointers<V>& a, isa level) {
  using pass = cpu_pass<bcoo_pointers<V>, V>;
  return {pass{.run = GOSSAMER_SELECT_ISA(level, bcoo_kernels, (whole_chunks<V>)),
               .units = a.meta.chunks,
               .carries = a.carries,
               .min_units_per_thread = min_units_to_wake_thread(a.meta.rows + a.meta.nnz, a.meta.chunks)}};
}

template cpu_passes<bcoo_pointers<float>, float> bcoo::passes(const bcoo_pointers<float>&, isa);
template cpu_passes<bcoo_pointers<double>, double> bcoo::passes(const bcoo_pointers<double>&, isa);

}  // namespace gossamer::inline v0::formats
