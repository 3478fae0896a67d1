// SPDX-License-Identifier: BSD-3-Clause
// Medians and what is known of them without assuming a distribution.
#pragma once

#include <cstddef>
#include <span>

namespace gossamer::inline v0::timer {

/// Of sorted numbers, at least one.
double median_of_sorted(std::span<const double> sorted);

/// The element a fraction of the way along, between two neighbours in proportion.
double quantile_of_sorted(std::span<const double> sorted, double fraction);

/// [sorted[rank], sorted[n - 1 - rank]] holds the median of what was sampled with this confidence.
struct median_ranks {
  std::size_t rank = 0;
  double confidence = 0;
};

/// The narrowest interval of at least 95 %; rank 0, the whole range, where none is (n < 6).
median_ranks ranks_of_median(std::size_t n);

}  // namespace gossamer::inline v0::timer
