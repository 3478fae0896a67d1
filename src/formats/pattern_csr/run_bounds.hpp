// SPDX-License-Identifier: BSD-3-Clause
// What the runs and tiles of a matrix can take at most, said before they are looked for.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "core/parallel.hpp"
#include "formats/pattern_csr/runs.hpp"

namespace gossamer::inline v0::formats {

/// What the runs of a matrix can take at most.
struct run_bounds {
  std::int64_t runs = 0;
  std::int64_t pieces = 0;
  std::int64_t node_cols = 0;
  std::int64_t tiled = 0;
  std::int64_t masked_tiles = 0;
  std::int64_t extra = 0;
  std::int64_t diagonal_tiles = 0;  ///< and one behind them; each may be a run
  std::int64_t diagonals = 0;
  std::int64_t diagonal_values = 0;
  std::int64_t slices = 0;  ///< of rows that are sorted by length; each may be a run
  std::int64_t sliced = 0;  ///< entries of these
  std::int64_t sliced_values = 0;
};

/// From row lengths alone: the diagonals of a tile are as many as its longest row has entries, or more. The
/// values of tiles that are more than most_tiled are not stored.
template <class V, offset O>
void bound_diagonals(const csr_view<V, O>& a, run_bounds& most) {
  if (a.rows < diagonal_rows) return;
  const O* const begin = a.row_ptr.data();
  std::atomic<std::int64_t> may_be{0};  // rows that may be a tile's first
  core::parallel_for(a.rows - diagonal_rows + 1, core::default_grain,
                     [&](std::int64_t first, std::int64_t last) {
                       std::int64_t here = 0;
                       for (std::int64_t i = first; i < last; ++i) {
                         const auto entries = static_cast<std::int64_t>(begin[i + diagonal_rows] - begin[i]);
                         std::int64_t longest = 0;
                         for (std::int64_t r = i; r < i + diagonal_rows; ++r)
                           longest = std::max<std::int64_t>(longest, begin[r + 1] - begin[r]);
                         here += longest > 0 && longest <= most_diagonals(entries) ? 1 : 0;
                       }
                       may_be += here;
                     });
  if (may_be == 0) return;
  most.diagonal_tiles = std::min(may_be.load(), a.rows / diagonal_rows) + 1;
  most.diagonals = most_diagonals(a.nnz());
  if (stores_zeros<V>(a.nnz())) {
    most.diagonals = std::min(most.diagonals, most_tiled / diagonal_rows);
    most.diagonal_values = diagonal_rows * most.diagonals;
  } else {
    most.diagonal_values = std::min(a.nnz(), most_tiled) + diagonal_rows * (1 + most.diagonal_tiles);
  }
}

/// From row lengths and first columns alone: rows of a run have one length, and their first columns are 0 or
/// 1 apart.
template <class V, offset O>
run_bounds bound_runs(const csr_view<V, O>& a) {
  const auto length = [&](std::int64_t i) {
    return static_cast<std::int64_t>(a.row_ptr.data()[i + 1] - a.row_ptr.data()[i]);
  };
  const auto step = [&](std::int64_t i) -> std::int64_t {  // from row i to the next; -1: they are in no run
    if (i < 0 || i + 1 >= a.rows || length(i) == 0 || length(i) != length(i + 1)) return -1;
    const std::int64_t apart =
        std::int64_t{a.col.data()[a.row_ptr.data()[i + 1]]} - a.col.data()[a.row_ptr.data()[i]];
    return apart == 0 || apart == 1 ? apart : -1;
  };
  std::atomic<std::int64_t> of_nodes{0};  // entries of rows in repeated patterns
  std::atomic<std::int64_t> of_grids{0};  // and in shifted ones
  std::atomic<std::int64_t> grid_rows{0};
  std::atomic<std::int64_t> of_long{0};  // of rows that may be runs alone
  core::parallel_for(a.rows, core::default_grain, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t nodes = 0;
    std::int64_t grids = 0;
    std::int64_t rows = 0;
    std::int64_t alone = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t n = length(i);
      if (n >= least_run_entries) alone += n;
      const std::int64_t before = step(i - 1);
      const std::int64_t after = step(i);
      if (before == 0 || after == 0) nodes += n;
      if (before == 1 || after == 1) {
        grids += n;
        ++rows;
      }
    }
    of_nodes += nodes;
    of_grids += grids;
    grid_rows += rows;
    of_long += alone;
  });
  const std::int64_t runs_of_grids = of_grids / least_run_entries;
  const std::int64_t runs =
      std::min(a.rows, of_nodes / least_node_entries + runs_of_grids + of_long / least_run_entries);
  run_bounds most;
  bound_diagonals(a, most);
  if (has_slices<V>(a.cols, a.nnz()) && a.nnz() > 0) {
    most.slices = a.rows / rows_of_slice;
    most.sliced = most.slices > 0 ? a.nnz() : 0;
    most.sliced_values = most.sliced + tiled_rows * most.slices;
  }
  if (runs == 0) return most;
  most.runs = runs;
  most.pieces = of_nodes / (2 * least_piece_mean) + of_long / least_piece_mean_alone;
  most.node_cols = of_nodes / 2;  // a run has two rows or more
  if (runs_of_grids == 0 || a.rows < least_rows_tiled) return most;
  // A run of 16 rows or more has up to 7 rows twice and up to a third more than are counted here: less than
  // twice as many.
  static_assert(least_rows_tiled == 16 && min_rows_per_masked_row == 4 && tiled_rows == 8);
  most.tiled = std::min<std::int64_t>(2 * of_grids, most_tiled);
  most.masked_tiles = 2 * grid_rows / tiled_rows + runs_of_grids;
  static_assert(max_extra_entries < min_rows_per_masked_row);
  most.extra = grid_rows;
  return most;
}

}  // namespace gossamer::inline v0::formats
