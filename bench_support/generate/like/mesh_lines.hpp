// SPDX-License-Identifier: BSD-3-Clause
// Columns as an assembled mesh has them: a few lines of neighbours that move along with the row.
#pragma once

#include <cstdint>
#include <span>

#include "bench_support/generate/like/column_rule.hpp"

namespace gossamer::bench_support::generation {

/// A row's columns are runs of consecutive ones, one in each of `lines` equal strata of a window around the
/// diagonal. A run's place in its stratum is drawn once for a block of rows and then moves with the row's
/// node, so that 32 rows of length l touch about l / run * (32 + run) / 4 sectors of 4 columns. One run holds
/// the diagonal.
class mesh_lines final : public column_rule {
 public:
  /// `dof` unknowns a node; rows have `mean` entries on average and `longest` at most.
  mesh_lines(std::int64_t rows, std::int64_t cols, std::int64_t mean, std::int64_t longest, std::int64_t dof,
             std::uint64_t key);

  void fill(std::int64_t row, std::span<std::int32_t> columns) const override;

 private:
  std::int64_t rows_;
  std::int64_t cols_;
  std::int64_t dof_;
  std::int64_t lines_;
  std::int64_t block_;   ///< rows that share the runs' places
  std::int64_t window_;  ///< columns
  std::uint64_t key_;
};

}  // namespace gossamer::bench_support::generation
