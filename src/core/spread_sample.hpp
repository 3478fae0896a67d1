// SPDX-License-Identifier: BSD-3-Clause
// The sample of rows that row_statistics::spread is taken from: at most so many groups, evenly apart, and of
// each at most so many entries.
#pragma once

#include <cstdint>

namespace gossamer::inline v0 {

struct spread_sample {
  static constexpr std::int64_t groups = 32;
  static constexpr std::int64_t rows_of_a_group = 32;
  static constexpr std::int64_t entries_of_a_group = 1024;
  static constexpr std::int32_t columns_together = 4;
};

}  // namespace gossamer::inline v0
