// SPDX-License-Identifier: BSD-3-Clause
// Tiles on diagonals: eight consecutive rows that share most of their diagonals (column minus row), stored once more diagonal by
// diagonal. A product needs neither a gather nor a sum across lanes there, and a mask keeps it from places without an entry.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "formats/csr/step_after.hpp"
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
/// Places of a tile, entries and the zeros between, for each four entries. With more of them the zeros cost more than they save.
inline constexpr std::int64_t most_places_of_four = 9;
/// The same far from a core's own cache, where zeros cost as much as entries: no more bytes in f64 than entries and columns have.
inline constexpr std::int64_t most_places_of_four_far = 6;

/// Whether a matrix stays near the cores. In a larger one rows with the same columns as their neighbours are in no tile: a run reads few of
/// their columns.
constexpr bool stays_near(std::int64_t nnz) noexcept {
  return nnz <= 500'000;
}

/// Whether the places of a tile that have no entry are stored, as zeros. Where the values are more than the second-level caches of some cores hold,
/// reading zeros takes longer than spreading the entries out.
template <class V>
constexpr bool stores_zeros(std::int64_t nnz) noexcept {
  constexpr std::int64_t most_bytes = 16 << 20;
  return nnz * static_cast<std::int64_t>(sizeof(V)) <= most_bytes;
}

/// Diagonals that a tile of so many entries may have.
constexpr std::int64_t most_diagonals(std::int64_t entries,
                                      std::int64_t places_of_four = most_places_of_four) noexcept {
  return entries * places_of_four / (4 * diagonal_rows);
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

/// Whether the first entries of two neighbouring rows share half of their diagonals, or more.
template <class V, offset O>
bool share_diagonals(const csr_view<V, O>& a, std::int64_t row) {
  constexpr std::int64_t first_entries = 8;
  const O* const begin = a.row_ptr.data() + row;
  const std::int32_t* const above = a.col.data() + begin[0];
  const std::int32_t* const below = a.col.data() + begin[1];
  const std::int64_t of_above = std::min<std::int64_t>(begin[1] - begin[0], first_entries);
  const std::int64_t of_below = std::min<std::int64_t>(begin[2] - begin[1], first_entries);
  std::int64_t shared = 0;
  for (std::int64_t i = 0, k = 0; i < of_above && k < of_below;) {
    const std::int32_t here = above[i];
    const std::int32_t there = below[k] - 1;
    shared += here == there ? 1 : 0;
    i += here <= there ? 1 : 0;
    k += there <= here ? 1 : 0;
  }
  return 2 * shared >= std::max(of_above, of_below);
}

/// Places for four entries that a tile of the eight rows from `row` on may have; 0: they are not looked at, since of a large matrix most rows
/// share no diagonals, and counting them takes as long as several products.
template <class V, offset O>
std::int64_t places_allowed(const csr_view<V, O>& a, std::int64_t row) {
  if (stays_near(a.nnz())) return most_places_of_four;
  int shifted = 0;
  for (int r = 0; r + 1 < diagonal_rows; ++r) shifted += step_after(a, row + r) == 1 ? 1 : 0;
  // Without tiles short runs of such rows take more time than their bytes do, wherever they are.
  if (2 * shifted >= diagonal_rows) return most_places_of_four;
  return share_diagonals(a, row + diagonal_rows / 2) ? most_places_of_four_far : 0;
}

/// How many diagonals the eight rows from `row` on have, and how many of these not in all rows.
struct diagonal_count {
  std::int64_t all = 0;  ///< 0 where they are not worth a tile
  std::int64_t masked = 0;
};

template <class V, offset O>
diagonal_count count_diagonals(const csr_view<V, O>& a, std::int64_t row) {
  const std::int64_t most =
      most_diagonals(a.row_ptr.data()[row + diagonal_rows] - a.row_ptr.data()[row], places_allowed(a, row));
  if (most == 0) return {};
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

/// Writes the values of a tile, diagonal by diagonal, those that all rows have first: what comes behind them. Places without an entry are zeros,
/// or left out.
template <class T, offset O>
T* write_diagonals(const csr_view<T, O>& a, std::int64_t row, diagonal_count count, T* to) {
  const bool padded = stores_zeros<T>(a.nnz());
  T* masked = to + (count.all - count.masked) * diagonal_rows;
  for_each_place(a, row, count, [&](std::int64_t, std::int32_t, std::uint8_t mask, const O* entry) {
    T*& next = mask == all_diagonal_rows ? to : masked;
    for (int r = 0; r < diagonal_rows; ++r)
      if (const bool has = (mask >> r & 1) != 0; has || padded) *next++ = has ? a.val.data()[entry[r]] : T{};
  });
  return masked;
}

}  // namespace gossamer::inline v0::formats
