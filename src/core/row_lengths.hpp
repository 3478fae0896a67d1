// SPDX-License-Identifier: BSD-3-Clause
// What follows from the distribution of row lengths alone; and the distributions of a matrix whose rows are
// cut in two.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/common_length.hpp"
#include "gossamer/statistics.hpp"

namespace gossamer::inline v0 {

/// All but what the lengths alone do not tell, which stays 0: the spread, which is about columns, and
/// sliced_slots, about neighbours.
inline row_statistics statistics_of(const row_length_distribution& lengths, std::int64_t cols) {
  row_statistics s{.cols = cols};
  long double squares = 0;  // a row of 10^9 squared passes 2^63 within ten rows
  for (const auto& [length, count] : lengths) {
    s.rows += count;
    s.nnz += length * count;
    squares +=
        static_cast<long double>(length) * static_cast<long double>(length) * static_cast<long double>(count);
  }
  if (s.rows == 0) return s;
  const auto rows = static_cast<long double>(s.rows);
  const long double mean = static_cast<long double>(s.nnz) / rows;
  s.mean = static_cast<double>(mean);
  s.standard_deviation = static_cast<double>(std::sqrt(std::max(0.0L, squares / rows - mean * mean)));
  s.min = lengths.front().first;
  s.max = lengths.back().first;
  s.empty = s.min == 0 ? lengths.front().second : 0;
  s.common_length = common_length(lengths);
  return s;
}

namespace detail {

/// change(length) must not decrease with the length.
template <class Change>
row_length_distribution changed_lengths(const row_length_distribution& lengths, Change&& change) {
  row_length_distribution result;
  for (const auto& [length, count] : lengths) {
    const std::int64_t now = change(length);
    if (!result.empty() && result.back().first == now)
      result.back().second += count;
    else
      result.emplace_back(now, count);
  }
  return result;
}

}  // namespace detail

/// Of rows of which only the first `width` entries are kept.
inline row_length_distribution lengths_up_to(const row_length_distribution& lengths, std::int64_t width) {
  return detail::changed_lengths(lengths, [&](std::int64_t length) { return std::min(length, width); });
}

/// Of what that leaves.
inline row_length_distribution lengths_beyond(const row_length_distribution& lengths, std::int64_t width) {
  return detail::changed_lengths(
      lengths, [&](std::int64_t length) { return std::max<std::int64_t>(length - width, 0); });
}

}  // namespace gossamer::inline v0
