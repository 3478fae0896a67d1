// SPDX-License-Identifier: BSD-3-Clause
// Chunks of sorted coordinates on one core, compiled once for each instruction set
// (exec/cpu/simd/foreach_isa.inl).
#include "formats/common/sorted_entries.inl"

namespace gossamer::inline v0::formats::bcoo_kernels::GOSSAMER_ISA {

template <class S>
void whole_chunks(const bcoo_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first,
                  std::int64_t last, sum_t<S>* slots) {
  sorted_entries::GOSSAMER_ISA::sum_units(a, p, a.meta.chunks, a.meta.chunk, first, last, slots);
}

}  // namespace gossamer::inline v0::formats::bcoo_kernels::GOSSAMER_ISA
