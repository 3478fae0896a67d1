// SPDX-License-Identifier: BSD-3-Clause
// A length that many rows reach: the CUSP library's rule for how wide a table of rows to make (paper 000,
// section 2.4).
#pragma once

#include <algorithm>
#include <cstdint>

#include "gossamer/statistics.hpp"

namespace gossamer::inline v0 {

/// The largest length that at least max(4096, rows / 3) rows have or exceed; 0 where there is none. The
/// paper's text has the number of nonzeros instead of the rows; but the widths in its Table 1 follow from the
/// rows, and from the nonzeros none could.
inline std::int64_t common_length(const row_length_distribution& lengths) {
  constexpr std::int64_t least_rows = 4096;
  std::int64_t rows = 0;
  for (const auto& [length, count] : lengths) rows += count;
  const std::int64_t enough = std::max(least_rows, (rows + 2) / 3);
  std::int64_t reaching = 0;  // rows of this length or more
  // Views are beyond clang 14. NOLINTNEXTLINE(modernize-loop-convert)
  for (auto each = lengths.rbegin(); each != lengths.rend(); ++each) {
    reaching += each->second;
    if (reaching >= enough) return each->first;
  }
  return 0;
}

}  // namespace gossamer::inline v0
