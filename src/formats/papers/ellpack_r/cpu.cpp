// SPDX-License-Identifier: BSD-3-Clause
#include "formats/papers/ellpack_r/format.hpp"
#define GOSSAMER_KERNELS "formats/papers/ellpack_r/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <scalar_types S>
cpu_passes<ellpack_r_pointers<matrix_t<S>>, S> ellpack_r::passes(const ellpack_r_pointers<matrix_t<S>>& a,
                                                                 isa level) {
  return {{.run = GOSSAMER_SELECT_ISA(level, ellpack_r_kernels, (rows_by_lanes<S>)),
           .units = (a.meta.stride + ellpack_r_unit_rows - 1) / ellpack_r_unit_rows,
           .carries = {}}};
}

GOSSAMER_INSTANTIATE_PASSES(ellpack_r, std::int64_t)

}  // namespace gossamer::inline v0::formats
