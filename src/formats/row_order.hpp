// SPDX-License-Identifier: BSD-3-Clause
// Rows by length, for formats that store rows of about one length side by side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/parallel.hpp"
#include "gossamer/csr_view.hpp"
#include "gossamer/host_buffer.hpp"

namespace gossamer::inline v0::formats {

template <class V, offset O>
std::int64_t row_length(const csr_view<V, O>& a, std::int64_t row) {
  const O* row_ptr = a.row_ptr.data();
  return static_cast<std::int64_t>(row_ptr[row + 1] - row_ptr[row]);
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

/// All rows into order[0] ... order[rows - 1], sorted within consecutive windows of that many rows.
template <class V, offset O>
void order_rows(const csr_view<V, O>& a, std::int64_t window, std::int32_t* order) {
  exec::parallel_for((a.rows + window - 1) / window, 1, [&](std::int64_t begin, std::int64_t end) {
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
