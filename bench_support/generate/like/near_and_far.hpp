// SPDX-License-Identifier: BSD-3-Clause
// Columns as circuits and graphs have them: most near the diagonal, the others anywhere, some in columns that
// many rows share.
#pragma once

#include <cstdint>
#include <span>

#include "bench_support/generate/like/column_rule.hpp"
#include "bench_support/generate/random.hpp"
#include "bench_support/generate/zipf.hpp"

namespace gossamer::bench_support::generation {

struct near_and_far_shape {
  /// Near: at most so far from the diagonal, or a window a quarter longer than the near part
  std::int64_t half_window;
  std::int64_t far_percent;   ///< of a row's entries
  std::int64_t popular_half;  ///< 0, 1 or 2 halves of the far ones go to popular columns
};

class near_and_far final : public column_rule {
 public:
  near_and_far(std::int64_t rows, std::int64_t cols, const near_and_far_shape& shape, std::uint64_t key,
               std::uint64_t order_key);

  void fill(std::int64_t row, std::span<std::int32_t> columns) const override;

 private:
  std::int64_t rows_;
  std::int64_t cols_;
  near_and_far_shape shape_;
  std::uint64_t key_;
  permutation order_;
  zipf_steps ranks_;
  zipf_draw popularity_;
};

}  // namespace gossamer::bench_support::generation
