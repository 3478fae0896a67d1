// SPDX-License-Identifier: BSD-3-Clause
// Rows by length, for formats that store rows of about one length side by side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/memory.hpp"

namespace gossamer::inline v0::formats {

template <class V, offset O>
std::int64_t row_length(const csr_view<V, O>& a, std::int64_t row) {
  const O* row_ptr = a.row_ptr.data();
  return static_cast<std::int64_t>(row_ptr[row + 1] - row_ptr[row]);
}

/// The longest row of each group of so many positions. row_of[p] is the row at position p, sorted within
/// windows of whole groups; null: p itself.
template <class V, offset O>
std::vector<std::int64_t> longest_of_groups(const csr_view<V, O>& a, const std::int32_t* row_of,
                                            std::int64_t group_rows) {
  const std::int64_t groups = (a.rows + group_rows - 1) / group_rows;
  std::vector<std::int64_t> width(static_cast<std::size_t>(groups));
  core::parallel_for(groups, 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t g = begin; g < end; ++g) {
      const std::int64_t first = g * group_rows;
      std::int64_t longest = row_length(a, row_of != nullptr ? row_of[first] : first);
      for (std::int64_t i = first + 1; row_of == nullptr && i < std::min(a.rows, first + group_rows); ++i)
        longest = std::max(longest, row_length(a, i));
      width[static_cast<std::size_t>(g)] = longest;
    }
  });
  return width;
}

/// Rows first ... last - 1 into order[0] ... : the longest first, rows of one length in their own order.
template <class V, offset O>
void order_by_length(const csr_view<V, O>& a, std::int64_t first, std::int64_t last, std::int32_t* order) {
  std::int64_t shortest = last > first ? row_length(a, first) : 0;
  std::int64_t longest = shortest;
  for (std::int64_t i = first; i < last; ++i) {
    shortest = std::min(shortest, row_length(a, i));
    longest = std::max(longest, row_length(a, i));
  }
  // Counting is linear, but one huge row would make more counters than rows.
  constexpr std::int64_t counters_per_row = 4;
  if (longest - shortest <= counters_per_row * (last - first)) {
    std::vector<std::int64_t> next(static_cast<std::size_t>(longest - shortest) + 2);
    for (std::int64_t i = first; i < last; ++i)
      ++next[static_cast<std::size_t>(longest - row_length(a, i)) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (std::int64_t i = first; i < last; ++i)
      order[next[static_cast<std::size_t>(longest - row_length(a, i))]++] = static_cast<std::int32_t>(i);
    return;
  }
  std::iota(order, order + (last - first), static_cast<std::int32_t>(first));
  std::stable_sort(order, order + (last - first),
                   [&](std::int32_t i, std::int32_t j) { return row_length(a, i) > row_length(a, j); });
}

/// Rows that are counted by length in a segment; longer ones are few, or have so many entries that sorting
/// them is nothing beside storing them.
inline constexpr std::int64_t most_counted_length = 4095;

/// The same order, for one large window: rows are cut into segments, which are counted and put in their
/// places in parallel.
template <class V, offset O>
void order_in_segments(const csr_view<V, O>& a, std::int64_t first, std::int64_t last, std::int64_t segments,
                       std::int32_t* order) {
  // Key 0 is all longer rows, and key k rows of most_counted_length + 1 - k entries.
  constexpr auto keys = static_cast<std::size_t>(most_counted_length) + 2;
  const auto key_of = [&](std::int64_t row) {
    return static_cast<std::size_t>(most_counted_length + 1 -
                                    std::min(row_length(a, row), most_counted_length + 1));
  };
  const auto for_each_segment = [&](auto&& body) {
    core::parallel_for(segments, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t s = begin; s < end; ++s)
        body(static_cast<std::size_t>(s), first + (last - first) * s / segments,
             first + (last - first) * (s + 1) / segments);
    });
  };
  std::vector<std::vector<std::int64_t>> next(static_cast<std::size_t>(segments));
  for_each_segment([&](std::size_t s, std::int64_t begin, std::int64_t end) {
    next[s].resize(keys);
    for (std::int64_t i = begin; i < end; ++i) ++next[s][key_of(i)];
  });
  std::int64_t at = 0;
  std::int64_t longer = 0;
  for (std::size_t key = 0; key < keys; ++key) {
    for (auto& of_segment : next) at += std::exchange(of_segment[key], at);
    if (key == 0) longer = at;
  }
  for_each_segment([&](std::size_t s, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) order[next[s][key_of(i)]++] = static_cast<std::int32_t>(i);
  });
  std::stable_sort(order, order + longer,
                   [&](std::int32_t i, std::int32_t j) { return row_length(a, i) > row_length(a, j); });
}

/// All rows into order[0] ... order[rows - 1], sorted within consecutive windows of that many rows.
template <class V, offset O>
void order_rows(const csr_view<V, O>& a, std::int64_t window, std::int32_t* order) {
  const std::int64_t windows = (a.rows + window - 1) / window;
  // So many rows that counting them takes longer than adding up a segment's counts.
  constexpr std::int64_t rows_of_a_segment = 1 << 14;
  const std::int64_t segments =
      std::min<std::int64_t>(core::default_threads(), std::min(window, a.rows) / rows_of_a_segment);
  if (windows < segments) {
    for (std::int64_t first = 0; first < a.rows; first += window)
      order_in_segments(a, first, std::min(a.rows, first + window), segments, order + first);
    return;
  }
  core::parallel_for(windows, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t w = begin; w < end; ++w)
      order_by_length(a, w * window, std::min(a.rows, (w + 1) * window), order + w * window);
  });
}
template <class V, offset O>
host_buffer<std::int32_t> order_rows(const csr_view<V, O>& a, std::int64_t window) {
  host_buffer<std::int32_t> order(static_cast<std::size_t>(a.rows));
  order_rows(a, window, order.data());
  return order;
}

}  // namespace gossamer::inline v0::formats
