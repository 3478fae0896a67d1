// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/cumulative.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace gossamer::experiments {

std::vector<double> descending(std::vector<double> ratios) {
  std::sort(ratios.begin(), ratios.end(), std::greater<>());
  return ratios;
}

std::size_t reaching(std::span<const double> ratios, double at_least) {
  return static_cast<std::size_t>(
      std::count_if(ratios.begin(), ratios.end(), [&](double each) { return each >= at_least; }));
}

double geometric_mean(std::span<const double> numbers) {
  if (numbers.empty()) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (const double each : numbers) sum += std::log(each);
  return std::exp(sum / static_cast<double>(numbers.size()));
}

}  // namespace gossamer::experiments
