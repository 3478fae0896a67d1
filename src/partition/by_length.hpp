// SPDX-License-Identifier: BSD-3-Clause
// Algorithm 3 of paper 004: sets of rows of about one length, cut from the distribution of row lengths alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gossamer/partition.hpp"
#include "gossamer/statistics.hpp"
#include "partition/targets.hpp"

namespace gossamer::inline v0::partition {

/// Whole groups of rows of one length, the shortest first, while a set's target leaves room for them, then as
/// many rows of the next group as reach it. Unlike the listing's loop a set also ends where no rows are left,
/// and rows without entries, which it leaves out, are the last set's. O(sets + lengths).
inline std::vector<row_set> cut_by_length(const row_length_distribution& lengths, const targets& t) {
  std::int64_t nnz = 0;
  for (const auto& [length, rows] : lengths) nnz += length * rows;
  auto group = lengths.begin();
  const bool any_empty = group != lengths.end() && group->first == 0;
  const std::int64_t empty = any_empty ? group++->second : 0;
  std::int64_t left = group == lengths.end() ? 0 : group->second;
  const auto take = [&](row_set& set, std::int64_t rows) {
    set.rows += rows;
    set.nnz += rows * group->first;
    set.width = group->first;
    left -= rows;
    if (left == 0 && ++group != lengths.end()) left = group->second;
  };
  std::vector<row_set> sets;
  std::int64_t taken = 0;
  for (std::size_t k = 0; k + 1 < t.sets(); ++k) {
    const long double goal = t.goal(k, nnz, taken);
    row_set set;
    while (group != lengths.end() && static_cast<long double>(set.nnz) < goal) {
      const auto needed = static_cast<std::int64_t>(
          std::ceil((goal - static_cast<long double>(set.nnz)) / static_cast<long double>(group->first)));
      take(set, std::min(left, needed));
    }
    taken += set.nnz;
    sets.push_back(set);
  }
  row_set rest{.rows = empty};
  while (group != lengths.end()) take(rest, left);
  sets.push_back(rest);
  return sets;
}

}  // namespace gossamer::inline v0::partition
