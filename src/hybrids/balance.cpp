// SPDX-License-Identifier: BSD-3-Clause
#include "hybrids/balance.hpp"

#include <algorithm>
#include <cmath>

namespace gossamer::inline v0::hybrids {
namespace {

bool worked(const part_work& part) {
  return part.nnz > 0 && part.seconds > 0;
}

}  // namespace

double power_of(double nonzeros_a_second) {
  const double millions = nonzeros_a_second * 1e-6;
  if (!(millions > 0)) return 0;
  const double digits = 3 - std::floor(std::log10(millions));
  const double scale = std::pow(10.0, std::abs(digits));  // exact, as its reciprocal is not
  return digits > 0 ? std::round(millions * scale) / scale : std::round(millions / scale) * scale;
}

std::vector<double> corrected_powers(const std::vector<part_work>& parts) {
  double before = 0;
  double after = 0;
  for (const part_work& each : parts) {
    if (!worked(each)) continue;
    before += each.power;
    after += static_cast<double>(each.nnz) / each.seconds;
  }
  std::vector<double> powers;
  for (const part_work& each : parts) {
    if (worked(each))
      powers.push_back(power_of(static_cast<double>(each.nnz) / each.seconds));
    else
      powers.push_back(before > 0 ? power_of(each.power / before * after) : each.power);
  }
  return powers;
}

double unevenness(const std::vector<part_work>& parts) {
  double sum = 0;
  int count = 0;
  for (const part_work& each : parts) {
    if (!worked(each)) continue;
    sum += each.seconds;
    ++count;
  }
  double most = 0;
  for (const part_work& each : parts) {
    if (worked(each)) most = std::max(most, std::abs(each.seconds * count / sum - 1));
  }
  return most;
}

bool is_gain(std::span<const double> alone, std::span<const double> together, double tolerance) {
  const paired_ratio times = ratio_of(alone, together);
  // like(nlpkkt120) on an H100 and ten threads gained 5 % in the median of its trials and lost 6 to 10 %
  // afterwards, in two of six processes.
  return times.low > 1 + tolerance;
}

}  // namespace gossamer::inline v0::hybrids
