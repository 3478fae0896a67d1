// SPDX-License-Identifier: BSD-3-Clause
#include "timer/order_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/fail.hpp"
#include "core/out_of_memory.hpp"
#include "gossamer/timer.hpp"

namespace gossamer::inline v0 {
namespace timer {

double median_of_sorted(std::span<const double> sorted) {
  const std::size_t n = sorted.size();
  return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double quantile_of_sorted(std::span<const double> sorted, double fraction) {
  const double at = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

median_ranks ranks_of_median(std::size_t n) {
  // The number of samples under the true median is binomial (n, 1/2). Both ends miss it with the same
  // probability, P(under <= rank), so rank is the largest with P(under <= rank) <= 0.025. Sums of logarithms:
  // 2^-n underflows from n = 1075 on.
  constexpr double each_side = 0.025;
  const auto size = static_cast<double>(n);
  double choose = -size * std::numbers::ln2;  // log(binomial(n, k) / 2^n)
  double missed = std::exp(choose);
  median_ranks best{.rank = 0, .confidence = std::max(0.0, 1 - 2 * missed)};
  for (std::size_t rank = 1; 2 * rank + 1 <= n; ++rank) {
    const auto k = static_cast<double>(rank);
    choose += std::log((size - k + 1) / k);
    missed += std::exp(choose);
    if (missed > each_side) break;
    best = {.rank = rank, .confidence = 1 - 2 * missed};
  }
  return best;
}

namespace {

/// Sorting numbers among which there is a NaN would be undefined.
void require_numbers(std::string_view function, std::span<const double> values) {
  const auto found = std::find_if(values.begin(), values.end(), [](double v) { return std::isnan(v); });
  if (found != values.end())
    fail(errc::invalid_argument, "{}: value {} of {} is not a number", function, found - values.begin() + 1,
         values.size());
}

}  // namespace
}  // namespace timer

timing summarise(std::span<const double> samples) {
  return naming_out_of_memory("summarise", [&]() -> timing {
    if (samples.empty()) fail(errc::invalid_argument, "summarise: there are no samples");
    timer::require_numbers("summarise", samples);
    std::vector<double> sorted(samples.begin(), samples.end());
    std::sort(sorted.begin(), sorted.end());
    const std::size_t rank = timer::ranks_of_median(sorted.size()).rank;
    constexpr double quartiles_of_normal = 1.349;  // its interquartile range over its standard deviation
    const double median = timer::median_of_sorted(sorted);
    const double range = timer::quantile_of_sorted(sorted, 0.75) - timer::quantile_of_sorted(sorted, 0.25);
    return {.median = median,
            .min = sorted.front(),
            .max = sorted.back(),
            .count = static_cast<std::int64_t>(sorted.size()),
            .low = sorted[rank],
            .high = sorted[sorted.size() - 1 - rank],
            .spread = median > 0 ? range / (quartiles_of_normal * median) : 0};
  });
}

paired_ratio ratio_of(std::span<const double> numerator, std::span<const double> denominator) {
  return naming_out_of_memory("ratio_of", [&]() -> paired_ratio {
    if (numerator.size() != denominator.size())
      fail(errc::size_mismatch, "ratio_of: the numerator has {} rounds, the denominator {}", numerator.size(),
           denominator.size());
    if (numerator.empty()) fail(errc::invalid_argument, "ratio_of: there are no rounds");
    std::vector<double> sorted(numerator.size());
    std::transform(numerator.begin(), numerator.end(), denominator.begin(), sorted.begin(),
                   [](double a, double b) { return a / b; });
    timer::require_numbers("ratio_of", sorted);
    std::sort(sorted.begin(), sorted.end());
    const auto [rank, confidence] = timer::ranks_of_median(sorted.size());
    return {.ratio = timer::median_of_sorted(sorted),
            .low = sorted[rank],
            .high = sorted[sorted.size() - 1 - rank],
            .rounds = static_cast<std::int64_t>(sorted.size()),
            .confidence = confidence};
  });
}

}  // namespace gossamer::inline v0
