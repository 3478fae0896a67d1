// SPDX-License-Identifier: BSD-3-Clause
// Tiles on diagonals: eight consecutive rows that share most of their diagonals (column minus row), stored
// once more diagonal by diagonal. A product needs neither a gather nor a sum across lanes there, and a mask
// keeps it from places without an entry.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/entry_number.hpp"
#include "formats/pattern_csr/step_after.hpp"
#include "gossamer/matrix.hpp"

namespace gossamer::inline v0::formats {

/// Where the diagonals of a tile begin, and the masks of those that not all of its rows have. Those that all
/// have come first; what begins after a tile is the next one's.
struct diagonal_tile {
  std::int32_t first = 0;
  std::int32_t mask = 0;

  friend bool operator==(const diagonal_tile&, const diagonal_tile&) = default;
};

struct diagonal_list {
  std::vector<diagonal_tile> tile;
  std::vector<std::int32_t> column;  ///< of each diagonal in the tile's first row: below 0, or past the last
                                     ///< one, where only others have it
  std::vector<std::uint8_t> mask;    ///< a bit for each row
  std::vector<std::int32_t> masked_column;  ///< of the tile that is being listed

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
/// Places of a tile, entries and the zeros between, for each four entries. With more of them the zeros cost
/// more than they save.
inline constexpr std::int64_t most_places_of_four = 9;

/// Whether a matrix stays near the cores. In a larger one rows with the same columns as their neighbours are
/// in no tile: a run reads few of their columns and asks for the values ahead. And tiles are not looked for
/// everywhere: most rows of a large matrix share no diagonals, and counting these takes as long as several
/// products.
template <class V>
constexpr bool stays_near(std::int64_t nnz) noexcept {
  constexpr std::int64_t most_bytes = 16 << 20;
  return nnz * static_cast<std::int64_t>(value_bytes<V>) <= most_bytes;
}

/// Whether the places of a tile that have no entry are stored, as zeros. Where the values are more than the
/// second-level caches of some cores hold, reading zeros takes longer than spreading the entries out.
template <class V>
constexpr bool stores_zeros(std::int64_t nnz) noexcept {
  constexpr std::int64_t most_bytes = 16 << 20;
  return nnz * static_cast<std::int64_t>(value_bytes<V>) <= most_bytes;
}

/// Diagonals that a tile of so many entries may have.
constexpr std::int64_t most_diagonals(std::int64_t entries) noexcept {
  return entries * most_places_of_four / (std::int64_t{4} * diagonal_rows);
}

/// f(column in the first row, mask) for the diagonals of the eight rows from `row` on, in ascending order,
/// while it returns true. Whether it always did, and the columns of each row are in strictly ascending order.
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
    if (!f(here, static_cast<std::uint8_t>(mask))) return false;
    for (unsigned left = mask; left != 0; left &= left - 1) {
      const int r = __builtin_ctz(left);
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

/// Whether the eight rows from `row` on are worth counting their diagonals: neighbours are a step of 1 apart,
/// or share diagonals.
template <class V, offset O>
bool may_share_diagonals(const csr_view<V, O>& a, std::int64_t row) {
  if (stays_near<V>(a.nnz()) || share_diagonals(a, row + diagonal_rows / 2)) return true;
  int shifted = 0;
  for (int r = 0; r + 1 < diagonal_rows; ++r) shifted += step_after(a, row + r) == 1 ? 1 : 0;
  return 2 * shifted >= diagonal_rows;
}

/// How many diagonals a tile has, and how many of these not in all rows.
struct diagonal_count {
  std::int64_t all = 0;
  std::int64_t masked = 0;
};

/// f(column in the first row, mask) for the diagonals of the eight rows from `row` on, in ascending order, up
/// to the first that makes them not worth a tile: whether they are worth one.
template <class V, offset O, class F>
bool diagonals_of_tile(const csr_view<V, O>& a, std::int64_t row, F&& f) {
  if (!may_share_diagonals(a, row)) return false;
  const std::int64_t most = most_diagonals(a.row_ptr.data()[row + diagonal_rows] - a.row_ptr.data()[row]);
  std::int64_t all = 0;
  return for_each_diagonal(a, row,
                           [&](std::int32_t column, std::uint8_t mask) {
                             f(column, mask);
                             return ++all <= most;
                           }) &&
         all > 0;
}

/// Whether the eight rows from `row` on are worth a tile.
template <class V, offset O>
bool worth_a_tile(const csr_view<V, O>& a, std::int64_t row) {
  return diagonals_of_tile(a, row, [](std::int32_t, std::uint8_t) {});
}

/// Appends the eight rows from `row` on where they are worth a tile: whether they are.
template <class V, offset O>
bool list_diagonals(const csr_view<V, O>& a, std::int64_t row, diagonal_list& found) {
  const diagonal_tile begin{.first = static_cast<std::int32_t>(found.column.size()),
                            .mask = static_cast<std::int32_t>(found.mask.size())};
  found.masked_column.clear();
  const bool worthy = diagonals_of_tile(a, row, [&](std::int32_t column, std::uint8_t mask) {
    if (mask == all_diagonal_rows) {
      found.column.push_back(column);
    } else {
      found.masked_column.push_back(column);
      found.mask.push_back(mask);
    }
  });
  if (worthy) {
    found.tile.push_back(begin);
    found.column.insert(found.column.end(), found.masked_column.begin(), found.masked_column.end());
  } else {
    found.column.resize(static_cast<std::size_t>(begin.first));
    found.mask.resize(static_cast<std::size_t>(begin.mask));
  }
  return worthy;
}

/// Writes the values of a tile with the diagonals at `column`, those that all rows have first, and the masks
/// at `mask`: what comes behind them. Places without an entry are zeros, or left out.
template <class T, offset O>
T* write_diagonals(const csr_view<T, O>& a, std::int64_t row, diagonal_count count,
                   const std::int32_t* column, const std::uint8_t* mask, T* to) {
  const bool padded = stores_zeros<T>(a.nnz());
  const std::int32_t* const first_masked = column + (count.all - count.masked);
  const std::int32_t* const end = column + count.all;
  const std::int32_t* whole = column;
  T* masked_to = to + (count.all - count.masked) * diagonal_rows;
  const T* next[diagonal_rows];
  for (int r = 0; r < diagonal_rows; ++r) next[r] = a.val.data() + a.row_ptr.data()[row + r];
  // The two lists ascend, and so do the columns of each row.
  for (const std::int32_t* masked = first_masked; whole != first_masked || masked != end;) {
    if (masked == end || (whole != first_masked && *whole < *masked)) {
      ++whole;
      for (const T*& value : next) *to++ = *value++;
      continue;
    }
    ++masked;
    const unsigned bits = *mask++;
    for (int r = 0; r < diagonal_rows; ++r) {
      const bool has = (bits >> r & 1u) != 0;
      if (has || padded) *masked_to++ = has ? *next[r]++ : T{};
    }
  }
  return masked_to;
}

}  // namespace gossamer::inline v0::formats
