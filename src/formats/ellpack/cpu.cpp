// SPDX-License-Identifier: BSD-3-Clause
#include "formats/ellpack/format.hpp"
#define GOSSAMER_KERNELS "formats/ellpack/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <scalar_types S>
cpu_passes<ellpack_pointers<matrix_t<S>>, S> ellpack::passes(const ellpack_pointers<matrix_t<S>>& a,
                                                             isa level) {
  return {{.run = GOSSAMER_SELECT_ISA(level, ellpack_kernels, (rows_by_lanes<S>)),
           .units = a.meta.stride / ellpack_row_multiple,
           .carries = {},
           .units_together = ellpack_units_together}};
}

GOSSAMER_INSTANTIATE_PASSES(ellpack, std::int64_t)

}  // namespace gossamer::inline v0::formats
