// SPDX-License-Identifier: BSD-3-Clause
// rank^-s for ranks 0 ... size - 1 (counted from 1), as steps: one per rank up to 256, then 128 an octave.
#pragma once

#include <cstdint>
#include <vector>

#include "bench_support/generate/random.hpp"

namespace gossamer::bench_support::generation {

/// x^-s for x >= 1 and 0 < s <= 16, the same bits everywhere. libm's pow differs between libraries in the
/// last bit, which could move a rounded length; this uses products, comparisons and sqrt alone, which IEEE
/// 754 fixes (and no sum of products, which a compiler may fuse).
double negative_power(double x, double s);

/// Groups of consecutive ranks that share one height.
class zipf_steps {
 public:
  zipf_steps(std::int64_t size, double s);

  struct step {
    std::int64_t first;  ///< the lowest rank, from 0
    std::int64_t count;
    double height;  ///< (first + (count + 1) / 2)^-s: the middle of the step
  };
  [[nodiscard]] const std::vector<step>& all() const noexcept { return steps_; }
  /// The number of the step that holds a rank.
  [[nodiscard]] std::size_t index_of(std::int64_t rank) const noexcept;

 private:
  std::vector<step> steps_;
};

/// Draws a rank with a probability in proportion to its height.
class zipf_draw {
 public:
  explicit zipf_draw(const zipf_steps& steps);
  [[nodiscard]] std::int64_t operator()(std::uint64_t bits) const noexcept;

 private:
  const zipf_steps& steps_;
  std::vector<std::int64_t> ends_;  ///< running sums of the steps' weights, in whole numbers
};

}  // namespace gossamer::bench_support::generation
