// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/draw/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gossamer::experiments {
namespace {

/// 1, 2 or 5 times a power of ten, not below `value`.
double round_up(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double digit : {1.0, 2.0, 5.0, 10.0}) {
    // Rounding must not push 0.3 / 0.1 past 3.
    if (digit * power >= value * (1 - 1e-9)) return digit * power;
  }
  return 10 * power;
}

double round_down(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double digit : {10.0, 5.0, 2.0}) {
    if (digit * power <= value * (1 + 1e-9)) return digit * power;
  }
  return power;
}

}  // namespace

double axis::place_of(double value) const {
  const double place =
      logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return std::clamp(place, 0.0, 1.0);
}

axis linear_axis(double most) {
  if (!(most > 0)) return {.low = 0, .high = 1, .logarithmic = false, .ticks = {0, 0.5, 1}};
  constexpr double wanted_steps = 6;
  const double step = round_up(most / wanted_steps);
  const auto steps = static_cast<int>(std::ceil(most / step * (1 - 1e-9)));
  axis all{.low = 0, .high = steps * step, .logarithmic = false, .ticks = {}};
  for (int i = 0; i <= steps; ++i) all.ticks.push_back(i * step);
  return all;
}

axis logarithmic_axis(double least, double most) {
  axis all{.low = round_down(least), .high = round_up(most), .logarithmic = true, .ticks = {}};
  if (all.high <= all.low * (1 + 1e-9)) {
    all.low = round_down(least / 2);
    all.high = round_up(most * 2);
  }
  // Over three decades, powers of ten alone.
  const bool fine = all.high / all.low < 1000;
  const auto first = static_cast<int>(std::floor(std::log10(all.low)));
  const auto last = static_cast<int>(std::ceil(std::log10(all.high)));
  for (int exponent = first; exponent <= last; ++exponent) {
    const double power = std::pow(10, exponent);
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double tick = digit * power;
      if (digit != 1 && !fine) continue;
      if (tick >= all.low * (1 - 1e-9) && tick <= all.high * (1 + 1e-9)) all.ticks.push_back(tick);
    }
  }
  return all;
}

std::string tick_text(double value) {
  return fmt::format("{:.6g}", value);
}

}  // namespace gossamer::experiments
