// SPDX-License-Identifier: BSD-3-Clause
// Distinct, ascending columns drawn at random, in the row's own memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>

#include "bench_support/generate/random.hpp"

namespace gossamer::bench_support::generation {

/// Fills `columns` with the first distinct numbers of next(0), next(1), ..., sorted; at most `most` are
/// drawn. Returns how many columns that gave. A batch is as long as the gap, so none is ever thrown away.
template <class Next>
std::size_t draw_distinct(std::span<std::int32_t> columns, std::int64_t most, Next&& next) {
  std::size_t have = 0;
  std::int64_t drawn = 0;
  while (have < columns.size()) {
    const std::int64_t batch = std::min(static_cast<std::int64_t>(columns.size() - have), most - drawn);
    if (batch <= 0) break;
    for (std::int64_t k = 0; k < batch; ++k)
      columns[have + static_cast<std::size_t>(k)] = static_cast<std::int32_t>(next(drawn + k));
    drawn += batch;
    const auto end = columns.begin() + static_cast<std::ptrdiff_t>(have) + batch;
    std::sort(columns.begin(), end);
    have = static_cast<std::size_t>(std::unique(columns.begin(), end) - columns.begin());
  }
  return have;
}

/// A uniformly chosen subset of [0, cols) of the size of `columns`, which is at most cols.
inline void choose_uniform(std::span<std::int32_t> columns, std::int64_t cols, std::uint64_t key) {
  const auto count = static_cast<std::int64_t>(columns.size());
  if (count == cols) {
    std::iota(columns.begin(), columns.end(), 0);
    return;
  }
  // Sorting takes log(count) steps an entry, each about as long as looking at two columns.
  if (cols / 2 >= count * static_cast<std::int64_t>(std::bit_width(columns.size()))) {
    draw_distinct(columns, INT64_MAX, [&](std::int64_t k) { return below(draw(key, k), cols); });
    return;
  }
  // Knuth's Algorithm S: one pass over the columns, which does not slow down as the row fills.
  std::int64_t wanted = count;
  for (std::int64_t j = 0; wanted > 0; ++j) {
    if (below(draw(key, j), cols - j) >= wanted) continue;
    columns[static_cast<std::size_t>(count - wanted)] = static_cast<std::int32_t>(j);
    --wanted;
  }
}

}  // namespace gossamer::bench_support::generation
