// SPDX-License-Identifier: BSD-3-Clause
// Tiles on diagonals: eight consecutive rows that share most of their diagonals (column minus row), stored once more diagonal by
// diagonal. A product needs neither a gather nor a sum across lanes there, and a mask keeps it from places without an entry.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "gossamer/csr_view.hpp"

namespace gossamer::inline v0::formats {

/// Where the diagonals of a tile begin, and the masks of those that not all of its rows have. Those that all have come first; what
/// begins after a tile is the next one's.
struct diagonal_tile {
  std::int32_t first = 0;
  std::int32_t mask = 0;

  friend bool operator==(const diagonal_tile&, const diagonal_tile&) = default;
};

struct diagonal_list {
  std::vector<diagonal_tile> tile;
  std::vector<std::int32_t>
      column;  ///< of each diagonal in the tile's first row: below 0, or past the last one, where only others have it
  std::vector<std::uint8_t> mask;  ///< a bit for each row

  void append(const diagonal_list& more) {
    for (const diagonal_tile& each : more.tile)
      tile.push_back({.first = each.first + static_cast<std::int32_t>(column.size()),
                      .mask = each.mask + static_cast<std::int32_t>(mask.size())});
    column.insert(column.end(), more.column.begin(), more.column.end());
    mask.insert(mask.end(), more.mask.begin(), more.mask.end());
  }
  /// Where the last tile ends.
  void end() {
    tile.push_back(
        {.first = static_cast<std::int32_t>(column.size()), .mask = static_cast<std::int32_t>(mask.size())});
  }
};

/// Rows of a tile.
inline constexpr int diagonal_rows = 8;
inline constexpr std::uint8_t all_diagonal_rows = 0xff;
/// Which rows of a matrix may be tiles on diagonals.
struct diagonal_rule {
  std::int64_t places_of_four =
      0;                  ///< places of a tile, entries and the zeros between, for each four entries, at most
  bool of_nodes = false;  ///< also rows that have the same columns as their neighbours
};

/// Up to so many entries a matrix is read from near caches, where zeros cost little.
inline constexpr std::int64_t most_entries_near = 500'000;

/// Beyond, a tile may not take many more bytes than the entries and columns it stands for, and rows of nodes, of whose columns few are
/// read, are better left alone.
constexpr diagonal_rule diagonal_rule_of(std::int64_t nnz) noexcept {
  return nnz <= most_entries_near ? diagonal_rule{.places_of_four = 9, .of_nodes = true}
                                  : diagonal_rule{.places_of_four = 7, .of_nodes = false};
}

/// Diagonals that a tile of so many entries may have.
constexpr std::int64_t most_diagonals(std::int64_t entries, diagonal_rule rule) noexcept {
  return entries * rule.places_of_four / (4 * diagonal_rows);
}

/// f(column in the first row, mask, the number of the next entry of each row) for the diagonals of the eight rows from `row` on, in
/// ascending order, while it returns true. Whether it always did, and the columns of each row are in strictly ascending order.
template <class V, offset O, class F>
bool for_each_diagonal(const csr_view<V, O>& a, std::int64_t row, F&& f) {
  constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();  // no column is as large
  const O* const begin = a.row_ptr.data() + row;
  O entry[diagonal_rows];
  std::int32_t next[diagonal_rows];  // the diagonal that the row is at
  const auto look = [&](int r) { next[r] = entry[r] < begin[r + 1] ? a.col.data()[entry[r]] - r : none; };
  for (int r = 0; r < diagonal_rows; ++r) {
    entry[r] = begin[r];
    look(r);
  }
  for (;;) {
    std::int32_t here = none;
    for (const std::int32_t each : next) here = std::min(here, each);
    if (here == none) return true;
    unsigned mask = 0;
    for (int r = 0; r < diagonal_rows; ++r) mask |= (next[r] == here ? 1u : 0u) << r;
    if (!f(here, static_cast<std::uint8_t>(mask), entry)) return false;
    for (int r = 0; r < diagonal_rows; ++r) {
      if (next[r] != here) continue;
      ++entry[r];
      look(r);
      if (next[r] <= here) return false;
    }
  }
}

/// Whether two neighbouring rows share half of the longer one's diagonals, or more.
template <class V, offset O>
bool share_diagonals(const csr_view<V, O>& a, std::int64_t row) {
  const O* const begin = a.row_ptr.data() + row;
  const std::int32_t* const col = a.col.data();
  std::int64_t shared = 0;
  O above = begin[0];
  O below = begin[1];
  while (above < begin[1] && below < begin[2]) {
    const std::int32_t here = col[above];
    const std::int32_t there = col[below] - 1;
    shared += here == there ? 1 : 0;
    above += here <= there ? 1 : 0;
    below += there <= here ? 1 : 0;
  }
  return 2 * shared >= std::max<std::int64_t>(begin[1] - begin[0], begin[2] - begin[1]);
}

/// How many diagonals the eight rows from `row` on have, and how many of these not in all rows.
struct diagonal_count {
  std::int64_t all = 0;  ///< 0 where they are not worth a tile
  std::int64_t masked = 0;
};

template <class V, offset O>
diagonal_count count_diagonals(const csr_view<V, O>& a, std::int64_t row) {
  const diagonal_rule rule = diagonal_rule_of(a.nnz());
  // Of a large matrix most rows share none, and counting all eight rows' takes as long as several products.
  if (!rule.of_nodes && !share_diagonals(a, row + diagonal_rows / 2)) return {};
  const std::int64_t most =
      most_diagonals(a.row_ptr.data()[row + diagonal_rows] - a.row_ptr.data()[row], rule);
  diagonal_count count;
  const bool worthy = for_each_diagonal(a, row, [&](std::int32_t, std::uint8_t mask, const O*) {
    count.masked += mask != all_diagonal_rows ? 1 : 0;
    return ++count.all <= most;
  });
  return worthy ? count : diagonal_count{};
}

/// f(place in the tile, column, mask, entries) for each diagonal of a tile of that many.
template <class V, offset O, class F>
void for_each_place(const csr_view<V, O>& a, std::int64_t row, diagonal_count count, F&& f) {
  std::int64_t whole = 0;
  std::int64_t masked = count.all - count.masked;
  for_each_diagonal(a, row, [&](std::int32_t column, std::uint8_t mask, const O* entry) {
    f(mask == all_diagonal_rows ? whole++ : masked++, column, mask, entry);
    return true;
  });
}

/// Appends the eight rows from `row` on where they are worth a tile: whether they are.
template <class V, offset O>
bool list_diagonals(const csr_view<V, O>& a, std::int64_t row, diagonal_list& found) {
  const diagonal_count count = count_diagonals(a, row);
  if (count.all == 0) return false;
  const std::size_t columns = found.column.size();
  found.tile.push_back(
      {.first = static_cast<std::int32_t>(columns), .mask = static_cast<std::int32_t>(found.mask.size())});
  found.column.resize(columns + static_cast<std::size_t>(count.all));
  for_each_place(a, row, count, [&](std::int64_t place, std::int32_t column, std::uint8_t mask, const O*) {
    found.column[columns + static_cast<std::size_t>(place)] = column;
    if (mask != all_diagonal_rows) found.mask.push_back(mask);
  });
  return true;
}

/// Writes the values of a tile, eight for each diagonal: what comes behind them.
template <class T, offset O>
T* write_diagonals(const csr_view<T, O>& a, std::int64_t row, diagonal_count count, T* to) {
  for_each_place(a, row, count, [&](std::int64_t place, std::int32_t, std::uint8_t mask, const O* entry) {
    for (int r = 0; r < diagonal_rows; ++r)
      to[place * diagonal_rows + r] = (mask >> r & 1) != 0 ? a.val.data()[entry[r]] : T{};
  });
  return to + count.all * diagonal_rows;
}

}  // namespace gossamer::inline v0::formats
