// SPDX-License-Identifier: BSD-3-Clause
// pattern_csr on one core, compiled once for each instruction set (exec/cpu/simd/foreach_isa.inl): units of
// rows, and the kernel that each kind of run in them calls.
#include "formats/pattern_csr/reading.inl"
// The kernels of each kind.
#include "formats/pattern_csr/diagonals.inl"
#include "formats/pattern_csr/same_columns.inl"
#include "formats/pattern_csr/slices.inl"
#include "formats/pattern_csr/tiles.inl"
// After them, since it overloads them.
#include "formats/pattern_csr/packs.inl"
#include "formats/pattern_csr/packs_of_same_columns.inl"

namespace gossamer::inline v0::formats::pattern_csr_kernels::GOSSAMER_ISA {

/// Asks for the row behind a run: nothing that the run reads lies near it.
template <class V, class O>
inline void prefetch_after(const pattern_csr_pointers<V, O>& a, const pattern_run& run) {
  const std::int64_t begin = a.row_ptr[run.first];
  const O* const model = a.row_ptr + run.first + run.model;
  // Without holes this takes no number from where the run ends, which is not in any cache yet.
  const std::int64_t behind = run.first_tile < 0 ? begin + (run.last - run.first) * (model[1] - model[0])
                                                 : static_cast<std::int64_t>(a.row_ptr[run.last]);
  constexpr std::int64_t entries = 32;  // two short rows and the first of the next run
  prefetch<3>(a.row_ptr + run.last, 4, 0);
  prefetch<3>(a.col + behind, entries, 0);
  prefetch<3>(a.val + behind, entries, 0);
}

template <class S, class O>
inline void tiled_run(const pattern_csr_pointers<matrix_t<S>, O>& a, const product<S>& p,
                      const pattern_run& run, const matrix_t<S>* val, bool ahead) {
  const O* const model = a.row_ptr + run.first + run.model;
  const std::int64_t length = model[1] - model[0];
  const std::int32_t* const col = a.col + model[0];
  const vector_t<S>* const x = p.x - run.model;
  const auto multiply = [&](auto known) {
    if (run.first_tile < 0)
      tiled_rows_of_length<known()>(val, col, x, run.first, run.last, p, length, ahead);
    else
      tiled_rows_with_masks<known()>(
          val, col, x, run, p, length,
          masked_tile_arrays<S>{
              .tile = a.masked_tiles + run.first_tile, .mask = a.mask, .extra = a.extra, .val = a.extra_val},
          ahead);
  };
  switch (length) {
    case 5:
      return multiply(std::integral_constant<int, 5>());
    case 6:
      return multiply(std::integral_constant<int, 6>());
    case 7:
      return multiply(std::integral_constant<int, 7>());
    case 9:
      return multiply(std::integral_constant<int, 9>());
    default:
      return multiply(std::integral_constant<int, 0>());
  }
}

/// The rows [first, last) of unit u, each of which lies in that unit as a whole.
template <class S, class O, bool Gathers>
inline void rows_of_unit(const pattern_csr_pointers<matrix_t<S>, O>& a, const product<S>& p, std::int64_t u,
                         std::int64_t first, std::int64_t last, prefetch_policy ahead) {
  std::int64_t i = first;
  const column_piece* piece = a.piece + a.unit_piece[u];
  const std::int32_t* node_col = a.unit_node_col == nullptr ? nullptr : a.node_col + a.unit_node_col[u];
  const matrix_t<S>* tiled = a.tiled + a.unit_tiled[u];
  for (std::int64_t r = a.unit_run[u]; r < a.unit_run[u + 1]; ++r) {
    const pattern_run run = a.run[r];
    if (i < run.first) separate_rows<Gathers>(a, p, i, run.first, ahead);
    if (run.kind == pattern_kind::repeated) {
      same_columns<Gathers>(a, p, run, piece, node_col, ahead.rows);
      piece += run.parts;
      if (run.parts == 0) node_col += a.row_ptr[run.first + 1] - a.row_ptr[run.first];
    } else if (run.kind == pattern_kind::diagonal_tiles) {
      tiled = stores_zeros<matrix_t<S>>(a.meta.nnz) ? rows_on_diagonals<false>(a, p, run, tiled)
                                                    : rows_on_diagonals<true>(a, p, run, tiled);
      tiled = a.tiled + whole_tile_rows(tiled - a.tiled);
    } else if (run.kind == pattern_kind::lane_slices) {
      tiled = ahead.slices ? rows_in_slices<Gathers, true>(a, p, run, tiled)
                           : rows_in_slices<Gathers, false>(a, p, run, tiled);
      tiled = a.tiled + whole_tile_rows(tiled - a.tiled);
    } else if (run.kind == pattern_kind::tiles) {
      prefetch_after(a, run);
      tiled_run(a, p, run, tiled, ahead.tiles);
      const O* const model = a.row_ptr + run.first + run.model;
      tiled += run.parts * tiled_rows * (model[1] - model[0]);
    } else {
      shifted_columns(a, p, run.first, run.last, ahead.rows);
    }
    i = run.last;
  }
  if (i < last) separate_rows<Gathers>(a, p, i, last, ahead);
}

/// Behind the units from u on whose rows are all in tiles on diagonals; u where that one has others. Where
/// zeros are stored, the tiles of such units follow each other as those of one run.
template <class V, class O>
inline std::int64_t behind_tiles(const pattern_csr_pointers<V, O>& a, std::int64_t u,
                                 std::int64_t last_unit) {
  if (!stores_zeros<V>(a.meta.nnz)) return u;
  const auto only_tiles = [&](std::int64_t unit) {
    const std::int64_t r = a.unit_run[unit];
    return a.unit_run[unit + 1] == r + 1 && a.run[r].kind == pattern_kind::diagonal_tiles &&
           a.run[r].first == a.cut_row[unit] && a.run[r].last == a.cut_row[unit + 1];
  };
  while (u < last_unit && only_tiles(u)) ++u;
  return u;
}

template <class S, class O, bool Gathers>
void whole_rows(const pattern_csr_pointers<matrix_t<S>, O>& a, const product<S>& p, std::int64_t first_unit,
                std::int64_t last_unit, sum_t<S>* /*scratch*/) {
  const prefetch_policy ahead = choose_prefetch<Gathers, S>(a);
  for (std::int64_t u = first_unit; u < last_unit;) {
    const std::int64_t behind = behind_tiles(a, u, last_unit);
    if (behind == u) {
      rows_of_unit<S, O, Gathers>(a, p, u, a.cut_row[u], a.cut_row[u + 1], ahead);
      ++u;
      continue;
    }
    pattern_run tiles = a.run[a.unit_run[u]];
    tiles.last = a.cut_row[behind];
    rows_on_diagonals<false>(a, p, tiles, a.tiled + a.unit_tiled[u]);
    u = behind;
  }
}

template <class S, class O, bool Gathers>
void balanced(const pattern_csr_pointers<matrix_t<S>, O>& a, const product<S>& p, std::int64_t first_unit,
              std::int64_t last_unit, sum_t<S>* slots) {
  const prefetch_policy ahead = choose_prefetch<Gathers, S>(a);
  for (std::int64_t u = first_unit; u < last_unit; ++u)
    balanced_unit<Gathers>(a, p, u, slots, ahead, [&](std::int64_t first, std::int64_t last) {
      rows_of_unit<S, O, Gathers>(a, p, u, first, last, ahead);
    });
}

}  // namespace gossamer::inline v0::formats::pattern_csr_kernels::GOSSAMER_ISA
