// SPDX-License-Identifier: BSD-3-Clause
// Few combinations of many axes in which every pair of settings of two axes still meets.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <vector>

namespace gossamer::testing_support {

/// Each row has one index an axis, below the axis' size. With GOSSAMER_TEST_FULL set, every combination
/// instead.
inline std::vector<std::vector<std::size_t>> combinations(const std::vector<std::size_t>& sizes) {
  std::vector<std::vector<std::size_t>> all{{}};
  for (const std::size_t size : sizes) {
    std::vector<std::vector<std::size_t>> longer;
    for (const auto& row : all) {
      for (std::size_t i = 0; i < size; ++i) {
        longer.push_back(row);
        longer.back().push_back(i);
      }
    }
    all = std::move(longer);
  }
  if (std::getenv("GOSSAMER_TEST_FULL") != nullptr) return all;

  // Greedy: always the combination that covers most pairs not covered yet.
  const std::size_t axes = sizes.size();
  std::vector<std::vector<bool>> covered(axes * axes);
  for (std::size_t a = 0; a < axes; ++a) {
    for (std::size_t b = a + 1; b < axes; ++b) covered[a * axes + b].assign(sizes[a] * sizes[b], false);
  }
  std::vector<std::vector<std::size_t>> chosen;
  while (true) {
    std::size_t best = 0;
    std::size_t most = 0;
    for (std::size_t r = 0; r < all.size(); ++r) {
      std::size_t fresh = 0;
      for (std::size_t a = 0; a < axes; ++a) {
        for (std::size_t b = a + 1; b < axes; ++b)
          fresh += covered[a * axes + b][all[r][a] * sizes[b] + all[r][b]] ? 0 : 1;
      }
      if (fresh > most) {
        most = fresh;
        best = r;
      }
    }
    if (most == 0) break;
    for (std::size_t a = 0; a < axes; ++a) {
      for (std::size_t b = a + 1; b < axes; ++b)
        covered[a * axes + b][all[best][a] * sizes[b] + all[best][b]] = true;
    }
    chosen.push_back(all[best]);
  }
  return chosen.empty() ? all : chosen;
}

}  // namespace gossamer::testing_support
