// SPDX-License-Identifier: BSD-3-Clause
// Shifted patterns that go on over rows which lack some of the run's columns: those at the ends of a
// stencil's grid lines. Tiles have room for what such a row lacks, and a mask that says that it is not there,
// so that neither x nor a zero is multiplied. Such a row may have an entry or two beside: in a column that
// the run's rows have none in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gossamer/matrix.hpp"

namespace gossamer::inline v0::formats {

/// A tile in which rows lack columns. The list of each run that has some ends with one behind the run's last
/// tile.
struct masked_tile {
  std::int32_t tile = 0;  ///< of its run
  std::int32_t mask =
      0;  ///< its first mask: one of eight bits for each column, a bit for each row that has it
  std::int32_t extra = 0;  ///< the first of its rows' entries in other columns

  friend bool operator==(const masked_tile&, const masked_tile&) = default;
};

/// An entry of a tile's row that is in none of the run's columns.
struct extra_entry {
  std::int32_t row = 0;  ///< of the tile
  std::int32_t col = 0;

  friend bool operator==(const extra_entry&, const extra_entry&) = default;
};

/// Consecutive rows that are no whole ones of their run, at most.
inline constexpr std::int64_t max_consecutive_masked_rows = 8;
/// Of so many rows of a run one may be no whole one.
inline constexpr std::int64_t min_rows_per_masked_row = 4;
/// Entries of such a row in other columns, which are no more than those in the run's.
inline constexpr std::int64_t max_extra_entries = 2;

/// Whether row i has only columns of the row `model` plus their distance, in the same order.
template <class V, offset O>
bool has_columns_of(const csr_view<V, O>& a, std::int64_t i, std::int64_t model) {
  const O* const begin = a.row_ptr.data();
  const std::int32_t* col = a.col.data() + begin[i];
  const std::int32_t* const end = a.col.data() + begin[i + 1];
  const auto apart = static_cast<std::int32_t>(i - model);
  if (end - col > begin[model + 1] - begin[model]) return false;
  for (O k = begin[model]; k < begin[model + 1] && col < end; ++k) col += *col - a.col.data()[k] == apart;
  return col == end;
}

/// Calls in_column(k, e) for each entry e of row i that is in column k of the row `model` plus their
/// distance, and extra(e) for each other one, in order.
template <class V, offset O, class InColumn, class Extra>
void for_each_entry(const csr_view<V, O>& a, std::int64_t i, std::int64_t model, InColumn&& in_column,
                    Extra&& extra) {
  const O* const begin = a.row_ptr.data();
  const std::int32_t* const col = a.col.data();
  // Columns in no order are only found where none is beside.
  const bool in_order = !has_columns_of(a, i, model);
  O e = begin[i];
  const O end = begin[i + 1];
  for (O k = begin[model]; k < begin[model + 1]; ++k) {
    const std::int64_t here = std::int64_t{col[k]} + i - model;
    while (in_order && e < end && col[e] < here) extra(e++);
    if (e < end && col[e] == here) in_column(static_cast<std::int64_t>(k - begin[model]), e++);
  }
  while (e < end) extra(e++);
}

/// Whether row i may belong to a run whose rows have the columns of the row `model`.
template <class V, offset O>
bool fits_a_run(const csr_view<V, O>& a, std::int64_t i, std::int64_t model) {
  if (has_columns_of(a, i, model)) return true;
  const O* const begin = a.row_ptr.data();
  const std::int32_t* const col = a.col.data();
  O e = begin[i];
  const O end = begin[i + 1];
  if (end - e > begin[model + 1] - begin[model] + max_extra_entries) return false;
  std::int64_t others = 0;
  for (O k = begin[model]; k < begin[model + 1] && e < end; ++k) {
    const std::int64_t here = std::int64_t{col[k]} + i - model;
    for (; e < end && col[e] < here; ++e)
      if (++others > max_extra_entries) return false;
    if (e < end && col[e] == here) ++e;
  }
  others += static_cast<std::int64_t>(end - e);
  const std::int64_t shared = static_cast<std::int64_t>(end - begin[i]) - others;
  return others <= std::min(max_extra_entries, shared);
}

struct row_range {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t masked_rows = 0;  ///< how many of them may lack columns, or have others
};

/// The rows [first, last) of a shifted pattern, and as many of those around them in [from, to) as may belong
/// to it. All but `masked_rows` of them stand beside another row of all the columns.
template <class V, offset O, class Step>
row_range extended_over_masked_rows(const csr_view<V, O>& a, std::int64_t from, std::int64_t first,
                                    std::int64_t last, std::int64_t to, Step&& step_after) {
  const O* const begin = a.row_ptr.data();
  const auto fits = [&](std::int64_t i) { return fits_a_run(a, i, first); };
  const auto moves = [&](std::int64_t i) { return i + 1 < to && step_after(i) == 1; };
  const auto whole = [&](std::int64_t i) {
    return begin[i + 1] - begin[i] == begin[first + 1] - begin[first] && has_columns_of(a, i, first) &&
           moves(i);
  };
  row_range run{.first = first, .last = last};
  const auto room = [&](std::int64_t rows, std::int64_t masked_rows) {
    return min_rows_per_masked_row * (run.masked_rows + masked_rows) <= run.last - run.first + rows;
  };
  for (;;) {
    std::int64_t next = run.last;
    while (next < to && next - run.last < max_consecutive_masked_rows && fits(next) && !moves(next)) ++next;
    if (next >= to || !whole(next)) break;
    std::int64_t end = next + 2;
    while (end < to && step_after(end - 1) == 1) ++end;
    if (!room(end - run.last, next - run.last)) break;
    run.masked_rows += next - run.last;
    run.last = end;
  }
  // What stands before would be rows alone; what stands behind may begin another run.
  if (run.last < to && room(1, 1) && !moves(run.last) && fits(run.last)) {
    ++run.last;
    ++run.masked_rows;
  }
  while (run.first > from && first - run.first < max_consecutive_masked_rows && room(1, 1) &&
         fits(run.first - 1)) {
    --run.first;
    ++run.masked_rows;
  }
  return run;
}

/// Whether each of the rows [row, row + rows) has the columns of the row `model` plus their distance, and no
/// other.
template <class V, offset O>
bool are_whole(const csr_view<V, O>& a, std::int64_t row, std::int64_t rows, std::int64_t model) {
  const O* const begin = a.row_ptr.data();
  const std::int64_t length = begin[model + 1] - begin[model];
  if (begin[row + rows] - begin[row] != rows * length) return false;
  const std::int32_t* const col = a.col.data();
  std::int64_t differs = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    if (begin[row + r + 1] - begin[row + r] != length) return false;
    for (std::int64_t k = 0; k < length; ++k)
      differs |= std::int64_t{col[begin[row + r] + k]} - col[begin[model] + k] - (row + r - model);
  }
  return differs == 0;
}

/// The masks of the rows [row, row + tiled_rows), one a column of `model`, and what the rows from `own` on,
/// which no tile before has, have beside.
template <class V, offset O, class Extra>
void list_masks(const csr_view<V, O>& a, std::int64_t row, std::int64_t rows, std::int64_t own,
                std::int64_t model, std::vector<std::uint8_t>& mask, Extra&& extra) {
  const std::size_t before = mask.size();
  mask.resize(before + static_cast<std::size_t>(a.row_ptr.data()[model + 1] - a.row_ptr.data()[model]));
  for (std::int64_t r = 0; r < rows; ++r)
    for_each_entry(
        a, row + r, model,
        [&](std::int64_t k, O) {
          mask[before + static_cast<std::size_t>(k)] |= static_cast<std::uint8_t>(1u << r);
        },
        [&](O e) {
          if (row + r >= own) extra(r, e);
        });
}

}  // namespace gossamer::inline v0::formats
