// SPDX-License-Identifier: BSD-3-Clause
// Slices: eight short rows of about one length, taken from 128 neighbours by their lengths, whose entries are
// stored once more column by column. A product needs no sum across lanes there, and no place without an entry
// is stored.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/entry_number.hpp"
#include "formats/pattern_csr/diagonal_tiles.hpp"
#include "gossamer/matrix.hpp"

namespace gossamer::inline v0::formats {

/// Rows that are sorted by length together, and rows of a slice.
inline constexpr std::int64_t window_rows = 128;
inline constexpr int rows_of_slice = 8;
/// Longer rows have loads enough under way alone: of one row, and of a window's in the mean.
inline constexpr std::int64_t longest_sliced = 128;
inline constexpr std::int64_t sliced_mean = 32;
/// Whether rows are sliced: where the entries, which are duplicated then, stay near the cores (in larger
/// matrices other things take the time), and x too, since slices do not ask for it.
template <class V>
constexpr bool has_slices(std::int64_t cols, std::int64_t nnz) noexcept {
  constexpr std::int64_t most_bytes = 16 << 20;
  constexpr std::int64_t most_bytes_of_x = 6 << 20;
  return nnz * static_cast<std::int64_t>(value_bytes<V> + sizeof(std::int32_t)) <= most_bytes &&
         cols * static_cast<std::int64_t>(value_bytes<V>) <= most_bytes_of_x;
}
/// Steps of eight entries that a window may take for eight entries that it has.
inline constexpr std::int64_t most_steps_of_entry = 2;

/// What is stored of each slice: bytes for its shortest row's length, its longest one's, the places of its
/// rows among the window's, the longest first, and for each step behind the shortest length how many rows
/// have an entry.
struct slice_bytes {
  static constexpr int shortest = 0;
  static constexpr int longest = 1;
  static constexpr int place = 2;
  static constexpr int rows_of_step = 2 + rows_of_slice;

  static constexpr std::int64_t count(const std::uint8_t* slice) noexcept {
    return rows_of_step + slice[longest] - slice[shortest];
  }
};

/// The rows of a window, at most window_rows of them, the longest first; rows of one length in their order.
struct sorted_window {
  std::array<std::uint8_t, window_rows> place;
  std::array<std::int64_t, window_rows> length;  ///< of the row at this place of the window
  bool worthy = false;

  template <class V, offset O>
  sorted_window(const csr_view<V, O>& a, std::int64_t row, std::int64_t rows) {
    const O* const begin = a.row_ptr.data() + row;
    const auto entries = static_cast<std::int64_t>(begin[rows] - begin[0]);
    if (entries == 0 || entries > sliced_mean * rows) return;
    for (std::int64_t r = 0; r < rows; ++r) {
      place[static_cast<std::size_t>(r)] = static_cast<std::uint8_t>(r);
      length[static_cast<std::size_t>(r)] = static_cast<std::int64_t>(begin[r + 1] - begin[r]);
      if (begin[r + 1] - begin[r] > longest_sliced) return;
    }
    std::stable_sort(place.begin(), place.begin() + rows,
                     [&](std::uint8_t p, std::uint8_t q) { return length[p] > length[q]; });
    std::int64_t steps = 0;
    for (std::int64_t r = 0; r < rows; r += rows_of_slice) steps += length_of(r);
    worthy = steps * rows_of_slice <= most_steps_of_entry * entries;
  }
  /// Of the row that is number r by length.
  [[nodiscard]] std::int64_t length_of(std::int64_t r) const {
    return length[place[static_cast<std::size_t>(r)]];
  }
};

/// f(entry) for the entries of a slice of the window from `row` on, in the order in which they are stored.
template <class V, offset O, class F>
void for_each_of_slice(const csr_view<V, O>& a, std::int64_t row, const std::uint8_t* slice, F&& f) {
  for (std::int64_t k = 0; k < slice[slice_bytes::longest]; ++k) {
    const std::int64_t rows = k < slice[slice_bytes::shortest]
                                  ? rows_of_slice
                                  : slice[slice_bytes::rows_of_step + k - slice[slice_bytes::shortest]];
    for (std::int64_t r = 0; r < rows; ++r)
      f(static_cast<std::int64_t>(a.row_ptr.data()[row + slice[slice_bytes::place + r]]) + k);
  }
}

/// Appends the slices of so many rows, a multiple of rows_of_slice, where that is worth it: whether it is.
template <class V, offset O>
bool list_window(const csr_view<V, O>& a, std::int64_t row, std::int64_t rows, diagonal_list& found) {
  const sorted_window window(a, row, rows);
  if (!window.worthy) return false;
  for (std::int64_t first = 0; first < rows; first += rows_of_slice) {
    const auto slice = static_cast<std::ptrdiff_t>(found.mask.size());
    const std::int64_t longest = window.length_of(first);
    const std::int64_t shortest = window.length_of(first + rows_of_slice - 1);
    found.mask.push_back(static_cast<std::uint8_t>(shortest));
    found.mask.push_back(static_cast<std::uint8_t>(longest));
    const auto place = window.place.begin() + first;
    found.mask.insert(found.mask.end(), place, place + rows_of_slice);
    int left = rows_of_slice;
    for (std::int64_t k = shortest; k < longest; ++k) {
      while (window.length_of(first + left - 1) <= k) --left;
      found.mask.push_back(static_cast<std::uint8_t>(left));
    }
    for_each_of_slice(a, row, found.mask.data() + slice, [&](std::int64_t entry) {
      found.column.push_back(a.col.data()[static_cast<std::size_t>(entry)]);
    });
  }
  return true;
}

/// As list_window, the values of a run's slices: what comes behind them.
template <class T, offset O>
T* write_slices(const csr_view<T, O>& a, std::int64_t first, std::int64_t last, const std::uint8_t* slice,
                T* to) {
  for (std::int64_t row = first; row < last; row += window_rows) {
    for (std::int64_t r = row; r < std::min(last, row + window_rows); r += rows_of_slice) {
      for_each_of_slice(a, row, slice, [&](std::int64_t entry) { *to++ = a.val.data()[entry]; });
      slice += slice_bytes::count(slice);
    }
  }
  return to;
}

}  // namespace gossamer::inline v0::formats
