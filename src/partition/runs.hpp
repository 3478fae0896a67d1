// SPDX-License-Identifier: BSD-3-Clause
// Algorithms 1 and 2 of paper 004: sets that are runs of consecutive rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "gossamer/partition.hpp"
#include "partition/targets.hpp"

namespace gossamer::inline v0::partition {

/// Sets + 1 boundaries: Algorithm 1. Its line 7 multiplies by NNZ; only the number of rows makes sense there.
inline std::vector<std::int64_t> cut_by_rows(std::int64_t rows, const targets& t) {
  std::vector<std::int64_t> first{0};
  for (std::size_t k = 0; k + 1 < t.sets(); ++k) {
    const auto wanted = static_cast<std::int64_t>(std::floor(std::max(0.0L, t.goal(k, rows, first.back()))));
    first.push_back(std::min(rows, first.back() + wanted));
  }
  first.push_back(rows);
  return first;
}

/// Sets + 1 boundaries: Algorithm 2. Where its inner loop goes on until the target is reached or passed, a
/// set ends before the row with which it would pass it; so do the sets that the paper prints.
template <class O>
std::vector<std::int64_t> cut_by_nonzeros(std::span<const O> row_ptr, const targets& t) {
  const auto rows = static_cast<std::int64_t>(row_ptr.size()) - 1;
  const auto nnz = static_cast<std::int64_t>(row_ptr.back());
  std::vector<std::int64_t> first{0};
  for (std::size_t k = 0; k + 1 < t.sets(); ++k) {
    const auto begin = row_ptr.begin() + first.back();
    const auto taken = static_cast<std::int64_t>(*begin);
    const long double most = static_cast<long double>(taken) + t.goal(k, nnz, taken);
    const auto past = std::upper_bound(begin + 1, row_ptr.end(), most, [](long double limit, O offset) {
      return limit < static_cast<long double>(offset);
    });
    first.push_back(past - row_ptr.begin() - 1);
  }
  first.push_back(rows);
  return first;
}

/// The sets that such boundaries make.
template <class O>
std::vector<row_set> measure_runs(std::span<const O> row_ptr, const std::vector<std::int64_t>& first) {
  std::vector<row_set> sets;
  std::vector<std::int64_t> longest;
  for (std::size_t k = 0; k + 1 < first.size(); ++k) {
    const O* const offset = row_ptr.data() + first[k];
    const std::int64_t rows = first[k + 1] - first[k];
    longest.assign(rows <= core::default_grain ? 1 : static_cast<std::size_t>(core::default_threads()), 0);
    core::parallel(static_cast<int>(longest.size()), [&](int thread, int team) {
      const core::range r = core::share(rows, thread, team);
      O most = 0;
      for (std::int64_t i = r.begin; i < r.end; ++i) most = std::max<O>(most, offset[i + 1] - offset[i]);
      longest[static_cast<std::size_t>(thread)] = static_cast<std::int64_t>(most);
    });
    sets.push_back({.rows = rows,
                    .nnz = static_cast<std::int64_t>(offset[rows] - offset[0]),
                    .width = *std::max_element(longest.begin(), longest.end())});
  }
  return sets;
}

}  // namespace gossamer::inline v0::partition
