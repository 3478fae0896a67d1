// SPDX-License-Identifier: BSD-3-Clause
// Whether a matrix has patterns, by a sample of its rows.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "core/parallel.hpp"
#include "formats/pattern_csr/run_bounds.hpp"
#include "formats/pattern_csr/unit_runs.hpp"

namespace gossamer::inline v0::formats {

constexpr bool may_have_patterns(const run_bounds& bound) noexcept {
  return bound.runs > 0 || bound.diagonal_tiles > 0 || bound.slices > 0;
}

/// Whether the rows of a sample have runs: of all rows where there are few, else of windows spread evenly.
template <class V, offset O>
bool has_patterns_by_sample(const csr_view<V, O>& a) {
  constexpr std::int64_t window = 1024;
  constexpr std::int64_t most_windows = 64;
  const std::int64_t all = (a.rows + window - 1) / window;
  const std::int64_t taken = std::min(all, most_windows);
  std::atomic<bool> found{false};
  core::parallel_for(taken, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t w = begin; w < end && !found; ++w) {
      const std::int64_t first = all * w / taken * window;
      const std::int64_t last = std::min(a.rows, first + window);
      found_runs here;
      find_runs_and_diagonals(a, first, last, here);
      if (has_slices<V>(a.cols, a.nnz())) slice_rows_between(a, first, last, 0, here);
      if (!here.run.empty()) found = true;
    }
  });
  return found;
}

}  // namespace gossamer::inline v0::formats
