// SPDX-License-Identifier: BSD-3-Clause
// Paper 000, Equation (3): how many entries of a row a block holds at most.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace gossamer::inline v0::formats {

/// The paper's own: C = 1, and 200 "by a simple search", so that no thread works long after the others
/// (section 3.3).
inline constexpr double brc_width_factor = 1;
inline constexpr std::int64_t brc_widest_block = 200;

/// min(C round(mean + deviation), longest row, the cap), in entries. At least 1, where the paper's could be
/// 0: rows of less than half an entry in the mean.
inline std::int64_t brc_block_width(double mean, double standard_deviation, std::int64_t longest,
                                    double factor = brc_width_factor, std::int64_t cap = brc_widest_block) {
  const double wanted = factor * std::round(mean + standard_deviation);
  const std::int64_t most = std::max<std::int64_t>(1, std::min(longest, cap));
  if (!(wanted < static_cast<double>(most))) return most;  // also keeps the cast in range
  return std::max<std::int64_t>(1, std::llround(wanted));
}

}  // namespace gossamer::inline v0::formats
