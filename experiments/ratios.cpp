// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/ratios.hpp"

#include <limits>
#include <numeric>

namespace gossamer::experiments {

std::vector<named_ratio> time_ratios(const rows& all, std::string_view faster, std::string_view slower) {
  std::vector<named_ratio> ratios;
  for (const std::string& matrix : matrices_of(all)) {
    const auto fast = number(find_row(all, matrix, faster), quantity::seconds);
    const auto slow = number(find_row(all, matrix, slower), quantity::seconds);
    if (fast && slow) ratios.push_back({matrix, *slow / *fast});
  }
  return ratios;
}

std::vector<double> numbers_of(const std::vector<named_ratio>& named) {
  std::vector<double> numbers;
  numbers.reserve(named.size());
  for (const named_ratio& each : named) numbers.push_back(each.ratio);
  return numbers;
}

double arithmetic_mean(const std::vector<double>& numbers) {
  if (numbers.empty()) return std::numeric_limits<double>::quiet_NaN();
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

}  // namespace gossamer::experiments
