// SPDX-License-Identifier: BSD-3-Clause
// Sorted coordinates on one core, compiled once for each instruction set (exec/cpu/simd/foreach_isa.inl).
#include "formats/common/sorted_entries.inl"

namespace gossamer::inline v0::formats::coo_kernels::GOSSAMER_ISA {

template <class S>
void segmented(const coo_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first_unit,
               std::int64_t last_unit, sum_t<S>* slots) {
  sorted_entries::GOSSAMER_ISA::sum_units(a, p, a.meta.units, a.meta.unit_entries, first_unit, last_unit,
                                          slots);
}

}  // namespace gossamer::inline v0::formats::coo_kernels::GOSSAMER_ISA
