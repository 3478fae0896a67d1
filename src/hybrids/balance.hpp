// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of rebalancing, without a clock: tests give it times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gossamer/error.hpp"
#include "gossamer/timer.hpp"

namespace gossamer::inline v0::hybrids {

/// What a part of some power did in one product.
struct part_work {
  double power = 0;
  std::int64_t nnz = 0;
  double seconds = 0;
};

/// In the unit of powers here, millions of nonzeros a second, to four digits: more say nothing, and would be
/// in every description.
double power_of(double nonzeros_a_second);

/// Of each part nonzeros / seconds. A part that had no nonzeros keeps its power beside the sum of the
/// others'.
std::vector<double> corrected_powers(const std::vector<part_work>& parts);

/// The largest distance of a part's time from the mean of those that had nonzeros, as a share of it; 0 where
/// none had.
double unevenness(const std::vector<part_work>& parts);

/// Samples of one part alone and of all together, in turns: whether sharing is faster by more than the
/// tolerance beyond doubt (the whole 95 % interval of the pairs' median).
bool is_gain(std::span<const double> alone, std::span<const double> together, double tolerance);

/// An error of shares, or of memory for them, which others may not meet.
constexpr bool is_refusal(errc code) noexcept {
  return code == errc::unsupported || code == errc::out_of_memory;
}

}  // namespace gossamer::inline v0::hybrids
