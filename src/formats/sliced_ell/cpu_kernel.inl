// SPDX-License-Identifier: BSD-3-Clause
// Sliced ELLPACK on one core, compiled once for each instruction set (exec/cpu/simd/foreach_isa.inl): a lane
// a row; of several columns, a pack a row.
#include "exec/cpu/simd/vec_pack.inl"

namespace gossamer::inline v0::formats::sliced_ell_kernels::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::vec;

template <class S>
void finish(const sliced_ell_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t position,
            sum_t<S> sum) {
  if (position < a.meta.rows) p.finish_row(a.meta.sorted ? a.row_perm[position] : position, sum);
}

/// Vectors * lanes neighbouring positions of a slice, whose first column's slots begin at `first`; sums stay
/// in registers.
template <int Vectors, class S>
void rows_by_lanes(const sliced_ell_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first,
                   std::int64_t end, std::int64_t position) {
  using lanes = vec<sum_t<S>>;
  lanes sum[Vectors];
  for (int v = 0; v < Vectors; ++v) sum[v] = lanes::zero();
  for (std::int64_t slot = first; slot < end; slot += a.meta.slice_rows) {
    for (int v = 0; v < Vectors; ++v) {
      const std::int64_t at = slot + v * lanes::lanes;
      sum[v] = lanes::multiply_add(lanes::load(a.val + at), lanes::gather_if_valid(p.x, a.col + at), sum[v]);
    }
  }
  sum_t<S> sums[Vectors * lanes::lanes];
  for (int v = 0; v < Vectors; ++v) sum[v].store(sums + v * lanes::lanes);
  for (int r = 0; r < Vectors * lanes::lanes; ++r) finish(a, p, position + r, sums[r]);
}

/// Slices of fewer rows than there are lanes: row by row.
template <class S>
void row_alone(const sliced_ell_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first,
               std::int64_t end, std::int64_t position) {
  sum_t<S> sum{0};
  for (std::int64_t slot = first; slot < end && a.col[slot] >= 0; slot += a.meta.slice_rows)
    sum += a.val[slot] * p.x[a.col[slot]];
  finish(a, p, position, sum);
}

/// A row of packs, as the two above add a row of numbers. ByLanes: with the roundings of rows_by_lanes().
template <bool ByLanes, class S>
void row_of_packs(const sliced_ell_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first,
                  std::int64_t end, std::int64_t position) {
  using columns = typename vec<sum_t<S>>::lane;
  columns sum = columns::zero();
  std::int64_t slot = first;
  for (; slot < end && a.col[slot] >= 0; slot += a.meta.slice_rows) {
    const columns value = columns::all(a.val[slot]);
    const columns x = columns::load(p.x + a.col[slot]);
    sum = ByLanes ? columns::multiply_add(value, x, sum) : sum + value * x;
  }
  if (ByLanes && slot < end) sum = sum + columns::zero();  // padding turns -0.0 into 0.0
  sum_t<S> stored;
  sum.store(&stored);
  finish(a, p, position, stored);
}

template <class S>
void slices_of_packs(const sliced_ell_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first_unit,
                     std::int64_t last_unit, sum_t<S>* /*scratch*/) {
  const int rows = a.meta.slice_rows;
  const bool by_lanes = rows >= vec<sum_t<S>>::lanes;
  for (std::int64_t s = a.unit_slice[first_unit]; s < a.unit_slice[last_unit]; ++s) {
    const std::int64_t first = a.slice_ptr[s];
    const std::int64_t end = a.slice_ptr[s + 1];
    for (int r = 0; r < rows; ++r) {
      if (by_lanes)
        row_of_packs<true>(a, p, first + r, end, s * rows + r);
      else
        row_of_packs<false>(a, p, first + r, end, s * rows + r);
    }
  }
}

template <class S>
void slices_by_lanes(const sliced_ell_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first_unit,
                     std::int64_t last_unit, sum_t<S>* /*scratch*/) {
  constexpr int lanes = vec<sum_t<S>>::lanes;
  constexpr int usual = 32;  // positions at a time, where a slice has them
  const int rows = a.meta.slice_rows;
  const std::int64_t last = a.unit_slice[last_unit];
  for (std::int64_t s = a.unit_slice[first_unit]; s < last; ++s) {
    const std::int64_t first = a.slice_ptr[s];
    const std::int64_t end = a.slice_ptr[s + 1];
    const std::int64_t position = s * rows;
    if (rows >= usual) {
      for (int r = 0; r < rows; r += usual) rows_by_lanes<usual / lanes>(a, p, first + r, end, position + r);
    } else if (rows >= lanes) {
      for (int r = 0; r < rows; r += lanes) rows_by_lanes<1>(a, p, first + r, end, position + r);
    } else {
      for (int r = 0; r < rows; ++r) row_alone(a, p, first + r, end, position + r);
    }
  }
}

}  // namespace gossamer::inline v0::formats::sliced_ell_kernels::GOSSAMER_ISA
