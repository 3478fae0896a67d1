// SPDX-License-Identifier: BSD-3-Clause
// CSR on one core, compiled once for each instruction set (exec/cpu/simd/foreach_isa.inl).
#include "exec/cpu/simd/vec_pack.inl"
#include "formats/common/csr_rows.inl"

namespace gossamer::inline v0::formats::csr_kernels::GOSSAMER_ISA {

using csr_rows::GOSSAMER_ISA::balanced_unit;
using csr_rows::GOSSAMER_ISA::choose_prefetch;
using csr_rows::GOSSAMER_ISA::prefetch_policy;
using csr_rows::GOSSAMER_ISA::separate_rows;

template <class S, class O, bool Gathers>
void whole_rows(const csr_pointers<matrix_t<S>, O>& a, const product<S>& p, std::int64_t first_unit,
                std::int64_t last_unit, sum_t<S>* /*scratch*/) {
  const prefetch_policy ahead = choose_prefetch<Gathers, S>(a);
  for (std::int64_t u = first_unit; u < last_unit; ++u)
    separate_rows<Gathers>(a, p, a.cut_row[u], a.cut_row[u + 1], ahead);
}

template <class S, class O, bool Gathers>
void balanced(const csr_pointers<matrix_t<S>, O>& a, const product<S>& p, std::int64_t first_unit,
              std::int64_t last_unit, sum_t<S>* slots) {
  const prefetch_policy ahead = choose_prefetch<Gathers, S>(a);
  for (std::int64_t u = first_unit; u < last_unit; ++u)
    balanced_unit<Gathers>(a, p, u, slots, ahead, [&](std::int64_t first, std::int64_t last) {
      separate_rows<Gathers>(a, p, first, last, ahead);
    });
}

}  // namespace gossamer::inline v0::formats::csr_kernels::GOSSAMER_ISA
