// SPDX-License-Identifier: BSD-3-Clause
// Runs of rows whose columns follow from the run's first row, found once so that a product need not read them: the rows of a
// stencil (each row's columns are the last one's plus one), and those of a node of several unknowns (the same columns).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "formats/csr/holes.hpp"
#include "gossamer/csr_view.hpp"
#include "gossamer/host_buffer.hpp"

namespace gossamer::inline v0::formats {

/// Rows [first, last) of one length; entry k of row i is in column col[first][k] + (i - first) step. In a run with holes row first + model
/// stands for the first row in this, and a row may lack some of these entries.
struct csr_run {
  std::int32_t first = 0;
  std::int32_t last = 0;
  std::int32_t step = 0;  ///< 0 or 1
  std::int32_t parts =
      0;  ///< step 0: the column_pieces of each row; step 1: the tiles; 0 where they are not stored
  std::int32_t model = 0;
  std::int32_t holed = -1;  ///< the first of its holed_tiles; -1 where no row lacks an entry

  friend bool operator==(const csr_run&, const csr_run&) = default;
};

/// Consecutive columns first ... first + count - 1 of a row.
struct column_piece {
  std::int32_t first = 0;
  std::int32_t count = 0;

  friend bool operator==(const column_piece&, const column_piece&) = default;
};

/// Shorter runs of that step cost more in branches than they save. The lesser one also bounds how many there can be.
inline constexpr std::int64_t least_run_entries = 64;
inline constexpr std::int64_t least_node_entries = 32;
constexpr std::int64_t least_entries(std::int32_t step) noexcept {
  return step == 0 ? least_node_entries : least_run_entries;
}

/// Pieces are listed where they have so many entries on average: shorter ones cost more than gathering does.
inline constexpr std::int64_t least_piece_mean = 6;
/// The same for a row by itself, where pieces of uneven length cost as many wrong guesses of branches as gathering does time.
inline constexpr std::int64_t least_piece_mean_alone = 32;

/// Rows of a tile: a part of a run of step 1 whose values are stored a second time, column by column, so that nothing has to be
/// transposed. The last tile of a run ends with it and may repeat rows of the one before.
inline constexpr int tiled_rows = 8;
inline constexpr std::int64_t least_rows_tiled = 16;
/// A matrix with more entries to tile has none tiled: there memory takes the time, and a second copy is much of it.
inline constexpr std::int64_t most_tiled = 10'000'000;

/// Entries of the tiles of `rows` rows of one length.
constexpr std::int64_t tiled_entries(std::int64_t rows, std::int64_t length) noexcept {
  return (rows + tiled_rows - 1) / tiled_rows * tiled_rows * length;
}

struct csr_runs {
  host_buffer<csr_run> run;           ///< ascending, disjoint
  host_buffer<std::int32_t> of_unit;  ///< units + 1: unit u has the runs of_unit[u] ... of_unit[u + 1] - 1
  host_buffer<column_piece> piece;    ///< of all runs that list them, one run after the other
  host_buffer<std::int64_t> unit_pieces;  ///< units + 1: the first piece of each unit
  host_buffer<std::int64_t> unit_tiled;   ///< units + 1: the first tiled entry of each unit
  host_buffer<holed_tile> holed;          ///< of all runs that have some
  host_buffer<std::uint8_t> mask;         ///< of all of these
};

/// The step from row i to row i + 1, or -1 where there is none (or i is empty).
template <class V, offset O>
std::int32_t step_after(const csr_view<V, O>& a, std::int64_t i) {
  const auto row = static_cast<std::size_t>(i);
  const auto length = static_cast<std::int64_t>(a.row_ptr[row + 1] - a.row_ptr[row]);
  if (length == 0 || static_cast<std::int64_t>(a.row_ptr[row + 2] - a.row_ptr[row + 1]) != length) return -1;
  const std::int32_t* const here = a.col.data() + a.row_ptr[row];
  const std::int32_t* const next = here + length;
  const std::int32_t step = next[0] - here[0];
  if (step != 0 && step != 1) return -1;
  std::int32_t differs = 0;
  for (std::int64_t k = 0; k < length; ++k) differs |= (next[k] - here[k]) ^ step;
  return differs == 0 ? step : -1;
}

/// What the runs of a matrix can take at most.
struct run_bounds {
  std::int64_t runs = 0;
  std::int64_t pieces = 0;
  std::int64_t tiled = 0;
  std::int64_t holed = 0;
};

/// From row lengths and first columns alone: rows of a run have one length, and their first columns are the run's step apart.
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
  std::atomic<std::int64_t> of_nodes{0};  // entries of rows in runs of step 0
  std::atomic<std::int64_t> of_grids{0};  // and of step 1
  std::atomic<std::int64_t> grid_rows{0};
  std::atomic<std::int64_t> of_long{0};  // of rows that may be runs by themselves
  exec::parallel_for(a.rows, exec::default_grain, [&](std::int64_t begin, std::int64_t end) {
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
  if (runs == 0) return {};
  run_bounds most{.runs = runs,
                  .pieces = of_nodes / (2 * least_piece_mean) + of_long / least_piece_mean_alone};
  if (runs_of_grids == 0 || a.rows < least_rows_tiled) return most;
  // A run of 16 rows or more has up to 7 rows twice and up to a third more than are counted here: less than twice as many.
  static_assert(least_rows_tiled == 16 && least_rows_a_row_with_holes == 4 && tiled_rows == 8);
  most.tiled = std::min<std::int64_t>(2 * of_grids, most_tiled);
  most.holed = 2 * grid_rows / tiled_rows + runs_of_grids;
  return most;
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

/// The first of the rows that end with row i and have its columns, of at most `most` of them.
template <class V, offset O>
std::int64_t first_of_same_columns(const csr_view<V, O>& a, std::int64_t i, std::int64_t most) {
  std::int64_t first = i;
  while (first > 0 && i - first < most - 1 && step_after(a, first - 1) == 0) --first;
  return first;
}

/// Moves cuts between rows back to where the columns change, so that the rows of a node stay together: cut_row, and cut_entry where
/// it is not empty. Cuts inside of rows stay, and no unit becomes empty that was not.
template <class V, offset O>
void cut_between_nodes(const csr_view<V, O>& a, host_buffer<std::int32_t>& cut_row,
                       host_buffer<std::int64_t>& cut_entry) {
  constexpr std::int64_t rows_of_node = 8;
  const auto units = static_cast<std::int64_t>(cut_row.size()) - 1;
  const auto row_at = [&](std::int64_t u) {
    return std::int64_t{std::as_const(cut_row)[static_cast<std::size_t>(u)]};
  };
  host_buffer<std::int32_t> moved(cut_row.size());
  exec::parallel_for(units + 1, 256, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t u = begin; u < end; ++u) {
      std::int64_t row = row_at(u);
      const bool between =
          cut_entry.empty() || (row < a.rows && std::as_const(cut_entry)[static_cast<std::size_t>(u)] ==
                                                    std::int64_t{a.row_ptr[static_cast<std::size_t>(row)]});
      if (u > 0 && u < units && row < a.rows && between) {
        const std::int64_t first = first_of_same_columns(a, row, rows_of_node);
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

struct found_runs {
  std::vector<csr_run> run;
  std::vector<column_piece> piece;
  std::vector<holed_tile> holed;
  std::vector<std::uint8_t> mask;
};

constexpr std::int64_t tiles_of(std::int64_t rows) noexcept {
  return rows >= least_rows_tiled ? (rows + tiled_rows - 1) / tiled_rows : 0;
}

/// The first row of a run's tile. The last tile ends with the run.
constexpr std::int64_t first_of_tile(const csr_run& run, std::int64_t tile) noexcept {
  return std::min(run.first + tile * tiled_rows, std::int64_t{run.last} - tiled_rows);
}

/// Appends a run of step 1 with holes.
template <class V, offset O>
void list_run_with_holes(const csr_view<V, O>& a, const row_range& rows, std::int64_t model,
                         found_runs& found) {
  const csr_run run{.first = static_cast<std::int32_t>(rows.first),
                    .last = static_cast<std::int32_t>(rows.last),
                    .step = 1,
                    .parts = static_cast<std::int32_t>(tiles_of(rows.last - rows.first)),
                    .model = static_cast<std::int32_t>(model - rows.first),
                    .holed = static_cast<std::int32_t>(found.holed.size())};
  for (std::int32_t t = 0; t < run.parts; ++t) {
    const auto mask = static_cast<std::int32_t>(found.mask.size());
    if (list_masks(a, first_of_tile(run, t), tiled_rows, model, found.mask))
      found.holed.push_back({.tile = t, .mask = mask});
  }
  found.holed.push_back({.tile = run.parts, .mask = static_cast<std::int32_t>(found.mask.size())});
  found.run.push_back(run);
}

/// Appends the runs among the rows [first, last). A long row of few pieces makes a run of its own. Tiled: with tiles, and so
/// perhaps with holes.
template <class V, offset O>
void find_runs(const csr_view<V, O>& a, std::int64_t first, std::int64_t last, found_runs& found,
               bool tiled = true) {
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
        const row_range rows =
            grown_over_holes(a, behind, i, end, last, [&](std::int64_t row) { return step_after(a, row); });
        const std::int64_t whole = rows.last - rows.first - rows.with_holes;
        if (rows.with_holes > 0 && tiles_of(rows.last - rows.first) > 0 &&
            whole * entries(i, i + 1) >= least_run_entries) {
          list_run_with_holes(a, rows, i, found);
          i = behind = rows.last;
          continue;
        }
      }
      if (entries(i, end) < least_entries(step)) {
        --end;  // the last row may begin a run of the other step
        step = -1;
      }
    } else if (entries(i, end) >= least_run_entries) {
      step = 0;
    }
    if (step >= 0) {
      const std::int64_t pieces =
          step == 0 ? worthy_pieces(a, i, end > i + 1 ? least_piece_mean : least_piece_mean_alone) : 0;
      if (pieces > 0) list_pieces(a, i, found.piece);
      const std::int64_t tiles = step == 1 && tiled ? tiles_of(end - i) : 0;
      if (pieces > 0 || end > i + 1) {
        found.run.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(end), step,
                             static_cast<std::int32_t>(pieces + tiles)});
        behind = end;
      }
    }
    i = end;
  }
}

/// Entries of the rows of a run that lack none.
template <class V, offset O>
std::int64_t length_of(const csr_view<V, O>& a, const csr_run& run) {
  const auto row = static_cast<std::size_t>(run.first + run.model);
  return static_cast<std::int64_t>(a.row_ptr[row + 1] - a.row_ptr[row]);
}

/// Entries of the tiles of the runs from number `first` on.
template <class V, offset O>
std::int64_t tiled_entries(const csr_view<V, O>& a, const csr_run* first, const csr_run* last) {
  std::int64_t sum = 0;
  for (; first != last; ++first)
    if (first->step == 1) sum += first->parts * tiled_rows * length_of(a, *first);
  return sum;
}

/// The runs of each unit u among its whole rows, [first_row(u), last_row(u)).
template <class V, offset O, class First, class Last>
csr_runs find_runs_of_units(const csr_view<V, O>& a, std::int64_t units, First&& first_row, Last&& last_row) {
  constexpr std::int64_t units_at_once = 16;
  const std::int64_t parts = (units + units_at_once - 1) / units_at_once;
  const auto ends = static_cast<std::size_t>(units) + 1;
  csr_runs runs{.of_unit = host_buffer<std::int32_t>(ends),
                .unit_pieces = host_buffer<std::int64_t>(ends),
                .unit_tiled = host_buffer<std::int64_t>(ends)};
  std::vector<found_runs> found;
  std::atomic<std::int64_t> entries{0};
  const auto find = [&](bool tiled) {
    found = std::vector<found_runs>(static_cast<std::size_t>(parts));
    entries = 0;
    exec::parallel_for(parts, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t part = begin; part < end && entries <= most_tiled; ++part) {
        found_runs& here = found[static_cast<std::size_t>(part)];
        for (std::int64_t u = part * units_at_once; u < std::min(units, (part + 1) * units_at_once); ++u) {
          const std::size_t runs_before = here.run.size();
          const std::size_t pieces_before = here.piece.size();
          find_runs(a, first_row(u), last_row(u), here, tiled);
          const csr_run* const run = here.run.data();
          runs.of_unit.data()[u + 1] = static_cast<std::int32_t>(here.run.size() - runs_before);
          runs.unit_pieces.data()[u + 1] = static_cast<std::int64_t>(here.piece.size() - pieces_before);
          runs.unit_tiled.data()[u + 1] = tiled_entries(a, run + runs_before, run + here.run.size());
          entries += runs.unit_tiled.data()[u + 1];
        }
      }
    });
  };
  find(true);
  if (entries > most_tiled) find(false);
  runs.of_unit[0] = 0;
  runs.unit_pieces[0] = 0;
  runs.unit_tiled[0] = 0;
  for (std::int64_t u = 0; u < units; ++u) {
    runs.of_unit.data()[u + 1] += runs.of_unit.data()[u];
    runs.unit_pieces.data()[u + 1] += runs.unit_pieces.data()[u];
    runs.unit_tiled.data()[u + 1] += runs.unit_tiled.data()[u];
  }
  std::size_t holed = 0;
  std::size_t masks = 0;
  for (found_runs& part : found) {
    for (csr_run& run : part.run)
      if (run.holed >= 0) run.holed += static_cast<std::int32_t>(holed);
    for (holed_tile& tile : part.holed) tile.mask += static_cast<std::int32_t>(masks);
    holed += part.holed.size();
    masks += part.mask.size();
  }
  const auto last_unit = static_cast<std::size_t>(units);
  runs.run = host_buffer<csr_run>(static_cast<std::size_t>(std::as_const(runs.of_unit)[last_unit]));
  runs.piece =
      host_buffer<column_piece>(static_cast<std::size_t>(std::as_const(runs.unit_pieces)[last_unit]));
  runs.holed = host_buffer<holed_tile>(holed);
  runs.mask = host_buffer<std::uint8_t>(masks);
  csr_run* to_run = runs.run.data();
  column_piece* to_piece = runs.piece.data();
  holed_tile* to_holed = runs.holed.data();
  std::uint8_t* to_mask = runs.mask.data();
  for (const found_runs& part : found) {
    to_run = std::copy(part.run.begin(), part.run.end(), to_run);
    to_piece = std::copy(part.piece.begin(), part.piece.end(), to_piece);
    to_holed = std::copy(part.holed.begin(), part.holed.end(), to_holed);
    to_mask = std::copy(part.mask.begin(), part.mask.end(), to_mask);
  }
  return runs;
}

/// The values of the tiles, in the order of runs.unit_tiled.
template <class T, offset O>
host_buffer<T> tile_values(const csr_view<T, O>& a, const csr_runs& runs) {
  const auto units = static_cast<std::int64_t>(runs.of_unit.size()) - 1;
  host_buffer<T> tiled(static_cast<std::size_t>(runs.unit_tiled[static_cast<std::size_t>(units)]));
  if (tiled.empty()) return tiled;
  exec::parallel_for(units, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t u = begin; u < end; ++u) {
      T* to = tiled.data() + runs.unit_tiled.data()[u];
      for (std::int64_t r = runs.of_unit.data()[u]; r < runs.of_unit.data()[u + 1]; ++r) {
        const csr_run run = runs.run.data()[r];
        if (run.step == 0) continue;
        const std::int64_t length = length_of(a, run);
        const holed_tile* holed = run.holed < 0 ? nullptr : runs.holed.data() + run.holed;
        for (std::int64_t t = 0; t < run.parts; ++t, to += tiled_rows * length) {
          const std::int64_t row = first_of_tile(run, t);
          if (holed != nullptr && holed->tile == t) {
            const std::uint8_t* const mask = runs.mask.data() + holed->mask;
            for (std::int64_t i = 0; i < tiled_rows; ++i) {
              const T* from = a.val.data() + a.row_ptr[static_cast<std::size_t>(row + i)];
              for (std::int64_t k = 0; k < length; ++k)
                to[k * tiled_rows + i] = (mask[k] >> i & 1) != 0 ? *from++ : T{};
            }
            ++holed;
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
