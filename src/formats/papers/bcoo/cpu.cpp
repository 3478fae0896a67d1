// SPDX-License-Identifier: BSD-3-Clause
#include "formats/common/equal_cuts.hpp"
#include "formats/papers/bcoo/format.hpp"
#define GOSSAMER_KERNELS "formats/papers/bcoo/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <scalar_types S>
cpu_passes<bcoo_pointers<matrix_t<S>>, S> bcoo::passes(const bcoo_pointers<matrix_t<S>>& a, isa level) {
  return {{.run = GOSSAMER_SELECT_ISA(level, bcoo_kernels, (whole_chunks<S>)),
           .units = a.meta.chunks,
           .carries = a.carries,
           .min_units_per_thread = min_units_to_wake_thread(a.meta.rows + a.meta.nnz, a.meta.chunks)}};
}

GOSSAMER_INSTANTIATE_PASSES(bcoo, std::int64_t)

}  // namespace gossamer::inline v0::formats
