// SPDX-License-Identifier: BSD-3-Clause
// Runs of rows whose columns follow from the run's first row, found once so that a product need not read
// them: the rows of a stencil (each row's columns are the last one's plus one), and those of a node of
// several unknowns (the same columns).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "formats/pattern_csr/diagonal_tiles.hpp"
#include "formats/pattern_csr/masked_tiles.hpp"
#include "formats/pattern_csr/slices.hpp"
#include "formats/pattern_csr/step_after.hpp"
#include "gossamer/matrix.hpp"

namespace gossamer::inline v0::formats {

/// How the rows of a run are stored and multiplied.
enum class pattern_kind : std::int32_t {
  repeated,        ///< equal columns; x is read once for several rows
  shifted,         ///< each row has the columns of the row before plus one
  tiles,           ///< a shifted pattern whose values are stored again, eight rows to a tile
  diagonal_tiles,  ///< see diagonal_tiles.hpp
  lane_slices      ///< see slices.hpp
};

/// Rows [first, last) that are multiplied together. In a repeated or shifted pattern they have one length,
/// and entry k of row i is in column col[first][k], plus i - first where the pattern is shifted. In tiles
/// with holes row first + model stands for the first row in this; a row may lack some of these entries, and
/// have one or two others beside. Diagonal tiles have eight rows each. Lane slices are those of windows of
/// 128 rows, the last of which may have fewer.
struct pattern_run {
  std::int32_t first = 0;
  std::int32_t last = 0;
  pattern_kind kind = pattern_kind::repeated;
  std::int32_t parts =
      0;  ///< repeated: the column_pieces of each row, if listed; otherwise the tiles or slices
  std::int32_t model = 0;
  std::int32_t first_tile =
      -1;  ///< the first of its masked_tiles; -1 where all rows are whole. Diagonal tiles and
           ///< lane slices: its first diagonal_tile

  friend bool operator==(const pattern_run&, const pattern_run&) = default;
};

/// Consecutive columns first ... first + count - 1 of a row.
struct column_piece {
  std::int32_t first = 0;
  std::int32_t count = 0;

  friend bool operator==(const column_piece&, const column_piece&) = default;
};

/// Shorter runs of that pattern cost more in branches than they save. The lesser one also bounds how many
/// there can be.
inline constexpr std::int64_t least_run_entries = 64;
inline constexpr std::int64_t least_node_entries = 32;
constexpr std::int64_t least_entries(std::int32_t step) noexcept {
  return step == 0 ? least_node_entries : least_run_entries;
}

/// Pieces are listed where they have so many entries on average: shorter ones cost more than gathering does.
inline constexpr std::int64_t least_piece_mean = 6;
/// The same for a row alone, where pieces of uneven length cost as many wrong guesses of branches as
/// gathering does time.
inline constexpr std::int64_t least_piece_mean_alone = 32;

/// Rows of a tile: a part of a shifted pattern whose values are stored a second time, column by column, so
/// that nothing has to be transposed. The last tile of a run ends with it and may repeat rows of the one
/// before.
inline constexpr int tiled_rows = 8;
inline constexpr std::int64_t least_rows_tiled = 16;
/// A matrix with more entries to tile has none tiled: the second copy of its values would take more than a
/// GiB in f64.
inline constexpr std::int64_t most_tiled = std::int64_t{1} << 27;

/// Values of what is read by whole vectors begin at multiples of eight, so that a vector of f64 is one line,
/// also behind what has no zeros.
constexpr std::int64_t whole_tile_rows(std::int64_t values) noexcept {
  return (values + tiled_rows - 1) / tiled_rows * tiled_rows;
}

/// Entries of the tiles of `rows` rows of one length.
constexpr std::int64_t tiled_entries(std::int64_t rows, std::int64_t length) noexcept {
  return (rows + tiled_rows - 1) / tiled_rows * tiled_rows * length;
}

/// The number of pieces of row i where they are worth listing, else 0.
template <class V, offset O>
std::int64_t worthy_pieces(const csr_view<V, O>& a, std::int64_t i, std::int64_t least_mean) {
  const auto row = static_cast<std::size_t>(i);
  const auto length = static_cast<std::int64_t>(a.row_ptr[row + 1] - a.row_ptr[row]);
  const std::int32_t* const col = a.col.data() + a.row_ptr[row];
  std::int64_t pieces = 1;
  for (std::int64_t k = 1; k < length; ++k) pieces += col[k] - col[k - 1] != 1 ? 1 : 0;
  return pieces * least_mean <= length ? pieces : 0;
}

/// Appends the pieces of row i.
template <class V, offset O>
void list_pieces(const csr_view<V, O>& a, std::int64_t i, std::vector<column_piece>& found) {
  const auto row = static_cast<std::size_t>(i);
  for (O k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k) {
    const std::int32_t col = a.col[static_cast<std::size_t>(k)];
    if (k > a.row_ptr[row] && col - a.col[static_cast<std::size_t>(k) - 1] == 1)
      ++found.back().count;
    else
      found.push_back({col, 1});
  }
}

/// Appends the columns of row i.
template <class V, offset O>
void list_columns(const csr_view<V, O>& a, std::int64_t i, std::vector<std::int32_t>& found) {
  const O* const row = a.row_ptr.data() + i;
  found.insert(found.end(), a.col.data() + row[0], a.col.data() + row[1]);
}

/// The first of the rows that end with row i and have its columns, of at most `most` of them.
template <class V, offset O>
std::int64_t first_of_same_columns(const csr_view<V, O>& a, std::int64_t i, std::int64_t most) {
  std::int64_t first = i;
  while (first > 0 && i - first < most - 1 && step_after(a, first - 1) == 0) --first;
  return first;
}

struct found_runs {
  std::vector<pattern_run> run;
  std::vector<column_piece> piece;
  std::vector<std::int32_t> node_col;
  std::vector<masked_tile> masked_tiles;
  std::vector<std::uint8_t> mask;
  std::vector<extra_entry> extra;
  std::vector<std::int64_t> extra_at;  ///< the number of each of these entries
  diagonal_list diagonals;
};

constexpr std::int64_t tiles_of(std::int64_t rows) noexcept {
  return rows >= least_rows_tiled ? (rows + tiled_rows - 1) / tiled_rows : 0;
}

/// The first row of a run's tile. The last tile ends with the run.
constexpr std::int64_t first_of_tile(const pattern_run& run, std::int64_t tile) noexcept {
  return std::min(run.first + tile * tiled_rows, std::int64_t{run.last} - tiled_rows);
}

/// Appends tiles with holes.
template <class V, offset O>
void list_run_with_masked_rows(const csr_view<V, O>& a, const row_range& rows, std::int64_t model,
                               found_runs& found) {
  const pattern_run run{.first = static_cast<std::int32_t>(rows.first),
                        .last = static_cast<std::int32_t>(rows.last),
                        .kind = pattern_kind::tiles,
                        .parts = static_cast<std::int32_t>(tiles_of(rows.last - rows.first)),
                        .model = static_cast<std::int32_t>(model - rows.first),
                        .first_tile = static_cast<std::int32_t>(found.masked_tiles.size())};
  const auto end_tiles_at = [&](std::int32_t tile) {
    found.masked_tiles.push_back({.tile = tile,
                                  .mask = static_cast<std::int32_t>(found.mask.size()),
                                  .extra = static_cast<std::int32_t>(found.extra.size())});
  };
  for (std::int32_t t = 0; t < run.parts; ++t) {
    const std::int64_t row = first_of_tile(run, t);
    if (are_whole(a, row, tiled_rows, model)) continue;
    end_tiles_at(t);
    list_masks(a, row, tiled_rows, run.first + t * tiled_rows, model, found.mask, [&](std::int64_t r, O e) {
      found.extra.push_back({static_cast<std::int32_t>(r), a.col.data()[e]});
      found.extra_at.push_back(static_cast<std::int64_t>(e));
    });
  }
  end_tiles_at(run.parts);
  found.run.push_back(run);
}

/// Appends the runs among the rows [first, last). A long row of few pieces makes a run of its own. Tiled:
/// with tiles, and so perhaps with holes. Beside slices: without nodes of two short rows, which would end
/// windows.
template <class V, offset O>
void find_runs(const csr_view<V, O>& a, std::int64_t first, std::int64_t last, found_runs& found,
               bool tiled = true, bool outside_slices = false) {
  const auto entries = [&](std::int64_t from, std::int64_t to) {
    return static_cast<std::int64_t>(a.row_ptr[static_cast<std::size_t>(to)] -
                                     a.row_ptr[static_cast<std::size_t>(from)]);
  };
  std::int64_t behind = first;  // the last run
  for (std::int64_t i = first; i < last;) {
    std::int32_t step = i + 1 < last ? step_after(a, i) : -1;
    std::int64_t end = i + 1;
    if (step >= 0) {
      ++end;
      while (end < last && step_after(a, end - 1) == step) ++end;
      if (step == 1 && tiled) {
        const row_range rows = extended_over_masked_rows(
            a, behind, i, end, last, [&](std::int64_t row) { return step_after(a, row); });
        const std::int64_t whole = rows.last - rows.first - rows.masked_rows;
        if (rows.masked_rows > 0 && tiles_of(rows.last - rows.first) > 0 &&
            whole * entries(i, i + 1) >= least_run_entries) {
          list_run_with_masked_rows(a, rows, i, found);
          i = behind = rows.last;
          continue;
        }
      }
      const bool sliced_instead =
          outside_slices && step == 0 && end - i == 2 && entries(i, i + 1) <= sliced_mean;
      if (entries(i, end) < least_entries(step) || sliced_instead) {
        --end;  // the last row may begin a run of the other step
        step = -1;
      }
    } else if (entries(i, end) >= least_run_entries) {
      step = 0;
    }
    if (step >= 0) {
      const std::int64_t pieces =
          step == 0 ? worthy_pieces(a, i, end > i + 1 ? least_piece_mean : least_piece_mean_alone) : 0;
      if (pieces > 0)
        list_pieces(a, i, found.piece);
      else if (step == 0 && end > i + 1)
        list_columns(a, i, found.node_col);
      const std::int64_t tiles = step == 1 && tiled ? tiles_of(end - i) : 0;
      if (pieces > 0 || end > i + 1) {
        const pattern_kind kind = step == 0    ? pattern_kind::repeated
                                  : tiles == 0 ? pattern_kind::shifted
                                               : pattern_kind::tiles;
        found.run.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(end), kind,
                             static_cast<std::int32_t>(pieces + tiles)});
        behind = end;
      }
    }
    i = end;
  }
}

/// Entries of the rows of a run that lack none.
template <class V, offset O>
std::int64_t length_of(const csr_view<V, O>& a, const pattern_run& run) {
  const auto row = static_cast<std::size_t>(std::int64_t{run.first} + run.model);
  return static_cast<std::int64_t>(a.row_ptr[row + 1] - a.row_ptr[row]);
}

/// Entries of the tiles of the runs from number `first` on.
template <class V, offset O>
std::int64_t tiled_entries(const csr_view<V, O>& a, const pattern_run* first, const pattern_run* last) {
  std::int64_t sum = 0;
  for (; first != last; ++first) {
    if (first->kind == pattern_kind::tiles) sum += first->parts * tiled_rows * length_of(a, *first);
    if (first->kind == pattern_kind::lane_slices ||
        (first->kind == pattern_kind::diagonal_tiles && !stores_zeros<V>(a.nnz())))
      sum += whole_tile_rows(static_cast<std::int64_t>(a.row_ptr[static_cast<std::size_t>(first->last)] -
                                                       a.row_ptr[static_cast<std::size_t>(first->first)]));
  }
  return sum;
}

}  // namespace gossamer::inline v0::formats
