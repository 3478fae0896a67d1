// SPDX-License-Identifier: BSD-3-Clause
#include "exec/cpu/cpu_features.hpp"
#include "formats/common/equal_cuts.hpp"
#include "formats/papers/bccoo/format.hpp"
#define GOSSAMER_KERNELS "formats/papers/bccoo/kernels.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <value V>
cpu_passes<bccoo_pointers<V>, V> bccoo::passes(const bccoo_pointers<V>& a, isa level) {
  using pass = cpu_pass<bccoo_pointers<V>, V>;
  const auto run = a.meta.codes == bccoo_codes::tuples
                       ? GOSSAMER_SELECT_ISA(level, bccoo_kernels, (whole_chunks<V>))
                   : exec::has_fast_gathers()
                       ? GOSSAMER_SELECT_ISA(level, bccoo_uniform_kernels, (whole_chunks<V, true>))
                       : GOSSAMER_SELECT_ISA(level, bccoo_uniform_kernels, (whole_chunks<V, false>));
  return {pass{.run = run,
               .units = a.meta.chunks,
               .carries = a.carries,
               .min_units_per_thread = min_units_to_wake_thread(a.meta.rows + a.meta.nnz, a.meta.chunks)}};
}

template cpu_passes<bccoo_pointers<float>, float> bccoo::passes(const bccoo_pointers<float>&, isa);
template cpu_passes<bccoo_pointers<double>, double> bccoo::passes(const bccoo_pointers<double>&, isa);

}  // namespace gossamer::inline v0::formats
