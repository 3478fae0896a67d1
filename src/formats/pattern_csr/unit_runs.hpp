// SPDX-License-Identifier: BSD-3-Clause
// The runs and tiles of each unit of work, and where units are cut so that they fit in.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "formats/pattern_csr/runs.hpp"
#include "gossamer/memory.hpp"

namespace gossamer::inline v0::formats {

struct pattern_runs {
  host_buffer<pattern_run> run;       ///< ascending, disjoint
  host_buffer<std::int32_t> of_unit;  ///< units + 1: unit u has the runs of_unit[u] ... of_unit[u + 1] - 1
  host_buffer<column_piece> piece;    ///< of all runs that list them, one run after the other
  host_buffer<std::int64_t> unit_pieces;    ///< units + 1: the first piece of each unit
  host_buffer<std::int32_t> node_col;       ///< the columns of all repeated patterns that list no pieces
  host_buffer<std::int64_t> unit_node_col;  ///< units + 1: the first of these of each unit
  host_buffer<std::int64_t> unit_tiled;     ///< units + 1: the first tiled entry of each unit
  host_buffer<masked_tile> masked_tiles;    ///< of all runs that have some
  host_buffer<std::uint8_t> mask;           ///< of all of these
  host_buffer<extra_entry> extra;           ///< of all of these
  host_buffer<std::int64_t> extra_at;       ///< the number of each of these entries
  host_buffer<diagonal_tile>
      diagonal_tiles;  ///< of all runs on diagonals, one for each in slices, and one that begins behind them
  host_buffer<std::int32_t>
      diagonal;  ///< the column of each diagonal, see diagonal_list, and of each entry in slices
  host_buffer<std::uint8_t> diagonal_mask;  ///< and the slice_bytes

  /// As write_diagonals(), of a tile by its number.
  template <class T, offset O>
  T* write_tile(const csr_view<T, O>& a, std::int64_t row, std::int64_t tile, T* to) const {
    const diagonal_tile* const here = diagonal_tiles.data() + tile;
    return write_diagonals(a, row,
                           {.all = here[1].first - here[0].first, .masked = here[1].mask - here[0].mask},
                           diagonal.data() + here->first, diagonal_mask.data() + here->mask, to);
  }
};

/// Moves cuts between rows back to where a tile on diagonals may begin, or the columns change so that the
/// rows of a node stay together: cut_row, and cut_entry where it is not empty. Cuts inside of rows stay, and
/// no unit becomes empty that was not.
template <class V, offset O>
void cut_between_nodes(const csr_view<V, O>& a, host_buffer<std::int32_t>& cut_row,
                       host_buffer<std::int64_t>& cut_entry) {
  constexpr std::int64_t rows_of_node = 8;
  const auto units = static_cast<std::int64_t>(cut_row.size()) - 1;
  const auto row_at = [&](std::int64_t u) {
    return std::int64_t{std::as_const(cut_row)[static_cast<std::size_t>(u)]};
  };
  host_buffer<std::int32_t> moved(cut_row.size());
  core::parallel_for(units + 1, 256, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t u = begin; u < end; ++u) {
      std::int64_t row = row_at(u);
      const bool between =
          cut_entry.empty() || (row < a.rows && std::as_const(cut_entry)[static_cast<std::size_t>(u)] ==
                                                    std::int64_t{a.row_ptr[static_cast<std::size_t>(row)]});
      if (u > 0 && u < units && row < a.rows && between) {
        const std::int64_t tile = row - row % diagonal_rows;
        const std::int64_t of_node = first_of_same_columns(a, row, rows_of_node);
        const bool in_tile = (of_node == row || stays_near<V>(a.nnz())) && tile + diagonal_rows <= a.rows &&
                             worth_a_tile(a, tile);
        const std::int64_t first = in_tile ? tile : of_node;
        if (first > row_at(u - 1)) row = first;
      }
      moved.data()[u] = static_cast<std::int32_t>(row);
    }
  });
  if (!cut_entry.empty())
    for (std::int64_t u = 1; u < units; ++u)
      if (moved.data()[u] != cut_row.data()[u])
        cut_entry.data()[u] = static_cast<std::int64_t>(a.row_ptr[static_cast<std::size_t>(moved.data()[u])]);
  cut_row = std::move(moved);
}

template <class T>
host_buffer<T> copied(const std::vector<T>& from) {
  host_buffer<T> to(from.size());
  std::copy(from.begin(), from.end(), to.data());
  return to;
}

/// Entries of the tiles on diagonals, and of what is neither in these nor in another run that is tiled.
struct shared_entries {
  std::atomic<std::int64_t> in_tiles{0};
  std::atomic<std::int64_t> elsewhere{0};

  /// Counts the rows [first, last) with the runs at [run, last_run); none where a unit lies inside of one
  /// row.
  template <class V, offset O>
  void count(const csr_view<V, O>& a, std::int64_t first, std::int64_t last, const pattern_run* run,
             const pattern_run* last_run) {
    const auto entries = [&](std::int64_t from, std::int64_t to) {
      return static_cast<std::int64_t>(a.row_ptr.data()[to] - a.row_ptr.data()[from]);
    };
    if (last <= first) return;
    std::int64_t tiles = 0;
    std::int64_t rest = entries(first, last);
    for (; run != last_run; ++run) {
      const std::int64_t here = entries(run->first, run->last);
      if (run->kind == pattern_kind::diagonal_tiles) tiles += here;
      if (run->kind == pattern_kind::diagonal_tiles || run->kind == pattern_kind::tiles) rest -= here;
    }
    in_tiles += tiles;
    elsewhere += rest;
  }
  /// Tiles here and there lie between rows that are multiplied together, and what they hold once more is
  /// fetched with these anyway.
  [[nodiscard]] bool tiles_are_few() const { return in_tiles > 0 && in_tiles < elsewhere; }
};

/// Appends the runs among the rows [first, last), and diagonal tiles of the rows that are in no other tile.
/// In a large matrix rows of repeated patterns are left out too.
template <class V, offset O>
void find_runs_and_diagonals(const csr_view<V, O>& a, std::int64_t first, std::int64_t last,
                             found_runs& found) {
  const std::size_t runs = found.run.size();
  const std::size_t pieces = found.piece.size();
  const std::size_t node_cols = found.node_col.size();
  const std::size_t tiles = found.diagonals.tile.size();
  const bool sliced = has_slices<V>(a.cols, a.nnz());
  find_runs(a, first, last, found, true, sliced);
  std::vector<pattern_run> stays;
  const auto tile_rows = [&](std::int64_t row, std::int64_t end) {
    pattern_run run{.kind = pattern_kind::diagonal_tiles};
    for (; end - row >= diagonal_rows; row += diagonal_rows) {
      if (!list_diagonals(a, row, found.diagonals)) continue;
      if (run.parts == 0 || run.last != row) {
        if (run.parts > 0) stays.push_back(run);
        run.first = static_cast<std::int32_t>(row);
        run.parts = 0;
        run.first_tile = static_cast<std::int32_t>(found.diagonals.tile.size() - 1);
      }
      run.last = static_cast<std::int32_t>(row + diagonal_rows);
      ++run.parts;
    }
    if (run.parts > 0) stays.push_back(run);
  };
  std::int64_t row = first;
  for (std::size_t r = runs; r < found.run.size(); ++r) {
    const pattern_run run = found.run[r];
    const bool tiled = run.kind == pattern_kind::tiles;
    if (!tiled && (run.kind == pattern_kind::shifted || stays_near<V>(a.nnz()))) continue;
    tile_rows(row, run.first);
    if (tiled) stays.push_back(run);
    row = run.last;
  }
  tile_rows(row, last);
  if (found.diagonals.tile.size() == tiles) return;
  // The other runs once more, among what is left.
  found.run.resize(runs);
  found.piece.resize(pieces);
  found.node_col.resize(node_cols);
  row = first;
  for (const pattern_run& run : stays) {
    find_runs(a, row, run.first, found, true, sliced);
    found.run.push_back(run);
    row = run.last;
  }
  find_runs(a, row, last, found, true, sliced);
}

/// Adds slices of the rows [first, last) that lie between the runs from number `runs` on.
template <class V, offset O>
void slice_rows_between(const csr_view<V, O>& a, std::int64_t first, std::int64_t last, std::size_t runs,
                        found_runs& found) {
  std::vector<pattern_run> all;
  const auto slice = [&](std::int64_t row, std::int64_t end) {
    while (end - row >= rows_of_slice) {
      pattern_run run{.first = static_cast<std::int32_t>(row),
                      .kind = pattern_kind::lane_slices,
                      .first_tile = static_cast<std::int32_t>(found.diagonals.tile.size())};
      found.diagonals.end();
      std::int64_t rows = 0;
      for (; end - row >= rows_of_slice;
           row += rows, run.parts += static_cast<std::int32_t>(rows / rows_of_slice)) {
        rows = std::min(window_rows, (end - row) / rows_of_slice * rows_of_slice);
        if (!list_window(a, row, rows, found.diagonals)) break;
      }
      run.last = static_cast<std::int32_t>(row);
      if (run.parts > 0) {
        all.push_back(run);
        // A step reads eight columns, however many it has, and uses x at them: those of a tile may lie before
        // x.
        found.diagonals.column.insert(found.diagonals.column.end(), rows_of_slice, 0);
      } else {
        found.diagonals.tile.pop_back();
      }
      row += rows;  // what is not worth it, if there is more
    }
  };
  std::int64_t row = first;
  for (std::size_t r = runs; r < found.run.size(); ++r) {
    const pattern_run run = found.run[r];
    slice(row, run.first);
    all.push_back(run);
    row = run.last;
  }
  slice(row, last);
  found.run.resize(runs);
  found.run.insert(found.run.end(), all.begin(), all.end());
}

/// The runs of each unit u among its whole rows, [first_row(u), last_row(u)).
template <class V, offset O, class First, class Last>
pattern_runs find_runs_of_units(const csr_view<V, O>& a, std::int64_t units, First&& first_row,
                                Last&& last_row, std::int64_t most = most_tiled) {
  constexpr std::int64_t units_at_once = 16;
  const std::int64_t parts = (units + units_at_once - 1) / units_at_once;
  const auto ends = static_cast<std::size_t>(units) + 1;
  pattern_runs runs{.of_unit = host_buffer<std::int32_t>(ends),
                    .unit_pieces = host_buffer<std::int64_t>(ends),
                    .unit_node_col = host_buffer<std::int64_t>(ends),
                    .unit_tiled = host_buffer<std::int64_t>(ends)};
  std::vector<found_runs> found;
  std::atomic<std::int64_t> entries{0};
  shared_entries shared;
  const bool sliced = has_slices<V>(a.cols, a.nnz());
  const auto find = [&](bool tiled, bool on_diagonals_too) {
    found = std::vector<found_runs>(static_cast<std::size_t>(parts));
    entries = 0;
    core::parallel_for(parts, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t part = begin; part < end && entries <= most; ++part) {
        found_runs& here = found[static_cast<std::size_t>(part)];
        for (std::int64_t u = part * units_at_once; u < std::min(units, (part + 1) * units_at_once); ++u) {
          const std::size_t runs_before = here.run.size();
          const std::size_t pieces_before = here.piece.size();
          const std::size_t node_cols_before = here.node_col.size();
          const std::size_t diagonals_before = here.diagonals.column.size();
          if (on_diagonals_too)
            find_runs_and_diagonals(a, first_row(u), last_row(u), here);
          else
            find_runs(a, first_row(u), last_row(u), here, tiled, sliced);
          const std::int64_t on_diagonals_here =
              stores_zeros<V>(a.nnz())
                  ? diagonal_rows * static_cast<std::int64_t>(here.diagonals.column.size() - diagonals_before)
                  : 0;
          if (sliced) slice_rows_between(a, first_row(u), last_row(u), runs_before, here);
          const pattern_run* const run = here.run.data();
          if (on_diagonals_too)
            shared.count(a, first_row(u), last_row(u), run + runs_before, run + here.run.size());
          runs.of_unit.data()[u + 1] = static_cast<std::int32_t>(here.run.size() - runs_before);
          runs.unit_pieces.data()[u + 1] = static_cast<std::int64_t>(here.piece.size() - pieces_before);
          runs.unit_node_col.data()[u + 1] =
              static_cast<std::int64_t>(here.node_col.size() - node_cols_before);
          runs.unit_tiled.data()[u + 1] =
              tiled_entries(a, run + runs_before, run + here.run.size()) + on_diagonals_here;
          entries += runs.unit_tiled.data()[u + 1];
        }
      }
    });
  };
  find(true, true);
  if (entries > most)
    find(false, false);
  else if (shared.tiles_are_few())
    find(true, false);
  runs.of_unit[0] = 0;
  runs.unit_pieces[0] = 0;
  runs.unit_node_col[0] = 0;
  runs.unit_tiled[0] = 0;
  for (std::int64_t u = 0; u < units; ++u) {
    runs.of_unit.data()[u + 1] += runs.of_unit.data()[u];
    runs.unit_pieces.data()[u + 1] += runs.unit_pieces.data()[u];
    runs.unit_node_col.data()[u + 1] += runs.unit_node_col.data()[u];
    runs.unit_tiled.data()[u + 1] += runs.unit_tiled.data()[u];
  }
  std::size_t masked_tiles = 0;
  std::size_t masks = 0;
  std::size_t extra = 0;
  diagonal_list all;
  for (found_runs& part : found) {
    for (pattern_run& run : part.run) {
      if (run.kind == pattern_kind::diagonal_tiles || run.kind == pattern_kind::lane_slices)
        run.first_tile += static_cast<std::int32_t>(all.tile.size());
      else if (run.first_tile >= 0)
        run.first_tile += static_cast<std::int32_t>(masked_tiles);
    }
    for (masked_tile& tile : part.masked_tiles) {
      tile.mask += static_cast<std::int32_t>(masks);
      tile.extra += static_cast<std::int32_t>(extra);
    }
    masked_tiles += part.masked_tiles.size();
    masks += part.mask.size();
    extra += part.extra.size();
    all.append(part.diagonals);
  }
  const auto last_unit = static_cast<std::size_t>(units);
  runs.run = host_buffer<pattern_run>(static_cast<std::size_t>(std::as_const(runs.of_unit)[last_unit]));
  runs.piece =
      host_buffer<column_piece>(static_cast<std::size_t>(std::as_const(runs.unit_pieces)[last_unit]));
  runs.node_col =
      host_buffer<std::int32_t>(static_cast<std::size_t>(std::as_const(runs.unit_node_col)[last_unit]));
  runs.masked_tiles = host_buffer<masked_tile>(masked_tiles);
  runs.mask = host_buffer<std::uint8_t>(masks);
  runs.extra = host_buffer<extra_entry>(extra);
  runs.extra_at = host_buffer<std::int64_t>(extra);
  pattern_run* to_run = runs.run.data();
  column_piece* to_piece = runs.piece.data();
  std::int32_t* to_node_col = runs.node_col.data();
  masked_tile* to_masked_tiles = runs.masked_tiles.data();
  std::uint8_t* to_mask = runs.mask.data();
  extra_entry* to_extra = runs.extra.data();
  std::int64_t* to_extra_at = runs.extra_at.data();
  for (const found_runs& part : found) {
    to_run = std::copy(part.run.begin(), part.run.end(), to_run);
    to_piece = std::copy(part.piece.begin(), part.piece.end(), to_piece);
    to_node_col = std::copy(part.node_col.begin(), part.node_col.end(), to_node_col);
    to_masked_tiles = std::copy(part.masked_tiles.begin(), part.masked_tiles.end(), to_masked_tiles);
    to_mask = std::copy(part.mask.begin(), part.mask.end(), to_mask);
    to_extra = std::copy(part.extra.begin(), part.extra.end(), to_extra);
    to_extra_at = std::copy(part.extra_at.begin(), part.extra_at.end(), to_extra_at);
  }
  if (!all.tile.empty()) all.end();
  runs.diagonal_tiles = copied(all.tile);
  runs.diagonal = copied(all.column);
  runs.diagonal_mask = copied(all.mask);
  return runs;
}

/// The values of runs.beside.
template <class T, offset O>
host_buffer<T> values_of_extra_entries(const csr_view<T, O>& a, const pattern_runs& runs) {
  host_buffer<T> values(runs.extra_at.size());
  std::transform(runs.extra_at.data(), runs.extra_at.data() + runs.extra_at.size(), values.data(),
                 [&](std::int64_t e) { return a.val.data()[e]; });
  return values;
}

/// The values of the tiles, in the order of runs.unit_tiled.
template <class T, offset O>
host_buffer<T> tile_values(const csr_view<T, O>& a, const pattern_runs& runs) {
  const auto units = static_cast<std::int64_t>(runs.of_unit.size()) - 1;
  const auto last_unit = static_cast<std::size_t>(units);
  const std::int64_t values = runs.unit_tiled[last_unit];
  if (values == 0) return host_buffer<T>(0);
  const std::int64_t read_behind =
      runs.diagonal_tiles.empty() || stores_zeros<T>(a.nnz()) ? 0 : diagonal_rows;
  host_buffer<T> tiled(static_cast<std::size_t>(values + read_behind));
  std::fill(tiled.data() + values, tiled.data() + values + read_behind, T{});
  core::parallel_for(units, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t u = begin; u < end; ++u) {
      T* to = tiled.data() + runs.unit_tiled.data()[u];
      const auto end_line = [&] {
        T* const next = tiled.data() + whole_tile_rows(to - tiled.data());
        std::fill(to, next, T{});
        to = next;
      };
      for (std::int64_t r = runs.of_unit.data()[u]; r < runs.of_unit.data()[u + 1]; ++r) {
        const pattern_run run = runs.run.data()[r];
        if (run.kind == pattern_kind::repeated) continue;
        if (run.kind == pattern_kind::lane_slices) {
          to = write_slices(a, run.first, run.last,
                            runs.diagonal_mask.data() + runs.diagonal_tiles.data()[run.first_tile].mask, to);
          end_line();
          continue;
        }
        if (run.kind == pattern_kind::diagonal_tiles) {
          for (std::int64_t t = 0; t < run.parts; ++t)
            to = runs.write_tile(a, run.first + t * diagonal_rows, run.first_tile + t, to);
          end_line();
          continue;
        }
        const std::int64_t length = length_of(a, run);
        const masked_tile* masked_tiles =
            run.first_tile < 0 ? nullptr : runs.masked_tiles.data() + run.first_tile;
        for (std::int64_t t = 0; t < run.parts; ++t, to += tiled_rows * length) {
          const std::int64_t row = first_of_tile(run, t);
          if (masked_tiles != nullptr && masked_tiles->tile == t) {
            std::fill(to, to + tiled_rows * length, T{});
            for (std::int64_t i = 0; i < tiled_rows; ++i)
              for_each_entry(
                  a, row + i, run.first + run.model,
                  [&](std::int64_t k, O e) { to[k * tiled_rows + i] = a.val.data()[e]; }, [](O) {});
            ++masked_tiles;
            continue;
          }
          const T* const from = a.val.data() + a.row_ptr[static_cast<std::size_t>(row)];
          for (std::int64_t k = 0; k < length; ++k)
            for (std::int64_t i = 0; i < tiled_rows; ++i) to[k * tiled_rows + i] = from[i * length + k];
        }
      }
    }
  });
  return tiled;
}

}  // namespace gossamer::inline v0::formats
