// SPDX-License-Identifier: BSD-3-Clause
#include "exec/cpu/cpu_features.hpp"
#include "formats/common/equal_cuts.hpp"
#include "formats/papers/bccoo/format.hpp"
#define GOSSAMER_KERNELS "formats/papers/bccoo/kernels.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <scalar_types S>
cpu_passes<bccoo_pointers<matrix_t<S>>, S> bccoo::passes(const bccoo_pointers<matrix_t<S>>& a, isa level) {
  const auto run = a.meta.codes == bccoo_codes::tuples
                       ? GOSSAMER_SELECT_ISA(level, bccoo_kernels, (whole_chunks<S>))
                   : exec::has_fast_gathers()
                       ? GOSSAMER_SELECT_ISA(level, bccoo_uniform_kernels, (whole_chunks<S, true>))
                       : GOSSAMER_SELECT_ISA(level, bccoo_uniform_kernels, (whole_chunks<S, false>));
  return {{.run = run,
           .units = a.meta.chunks,
           .carries = a.carries,
           .min_units_per_thread = min_units_to_wake_thread(a.meta.rows + a.meta.nnz, a.meta.chunks)}};
}

GOSSAMER_INSTANTIATE_PASSES(bccoo, std::int64_t)

}  // namespace gossamer::inline v0::formats
