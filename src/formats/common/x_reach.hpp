// SPDX-License-Identifier: BSD-3-Clause
// Where a CPU finds x: whether it is larger than the near caches, and whether entries that are multiplied one
// after another come back to what is there.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "core/parallel.hpp"
#include "formats/contract/format.hpp"

namespace gossamer::inline v0::formats {

/// An x of so many bytes is prefetched. Some three second-level caches: with half of it web graphs whose
/// x has 2.6 MB took 1.1 times as long.
inline constexpr std::int64_t x_stays_near = std::int64_t{3} << 20;

/// Whether most entries fetch a line of x that those shortly before them did not, by a sample of rows that is
/// read in a fraction of a millisecond. False where x stays near.
template <class T, offset O>
bool is_x_scattered(const csr_view<T, O>& a) {
  constexpr std::int64_t windows = 8;
  constexpr std::int64_t window = 1 << 15;  // of 0.4 MB with the lines that they fetch of a matrix whose
                                            // columns are anywhere, a second-level cache
  constexpr std::int64_t line = 64 / static_cast<std::int64_t>(value_bytes<T>);
  if (a.cols * static_cast<std::int64_t>(value_bytes<T>) <= x_stays_near) return false;
  const std::int64_t taken = std::min(windows, std::max<std::int64_t>(1, a.nnz() / window));
  std::atomic<std::int64_t> fetched{0};
  std::atomic<std::int64_t> entries{0};
  core::parallel_for(taken, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<bool> seen(static_cast<std::size_t>(a.cols / line + 1));
    std::vector<std::size_t> lines;
    for (std::int64_t w = begin; w < end; ++w) {
      const std::int64_t last_first = a.nnz() - std::min(a.nnz(), window);
      const std::int64_t first = last_first / std::max<std::int64_t>(1, taken - 1) * w;
      const std::int64_t last = std::min(a.nnz(), first + window);
      lines.clear();
      for (std::int64_t k = first; k < last; ++k) {
        const auto j = static_cast<std::size_t>(a.col[static_cast<std::size_t>(k)] / line);
        if (seen[j]) continue;
        seen[j] = true;
        lines.push_back(j);
      }
      for (const std::size_t j : lines) seen[j] = false;
      fetched += static_cast<std::int64_t>(lines.size());
      entries += last - first;
    }
  });
  return 2 * fetched > entries;
}

}  // namespace gossamer::inline v0::formats
