// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "experiments/draw/frame.hpp"

namespace gossamer::experiments {
namespace {

constexpr std::size_t longest_name = 40;

bool can_be_drawn(const std::optional<double>& value, bool logarithmic) {
  return value && std::isfinite(*value) && (logarithmic ? *value > 0 : *value >= 0);
}

axis y_axis(const bar_chart& chart) {
  double least = 0;
  double most = 0;
  for (const auto& group : chart.values) {
    for (const std::optional<double>& value : group) {
      if (!can_be_drawn(value, chart.logarithmic)) continue;
      least = least > 0 ? std::min(least, *value) : *value;
      most = std::max(most, *value);
    }
  }
  if (!chart.logarithmic) return linear_axis(most);
  return most > 0 ? logarithmic_axis(least, most) : logarithmic_axis(1, 10);
}

void check(const bar_chart& chart) {
  const auto right_size = [&](const auto& group) { return group.size() == chart.series.size(); };
  if (chart.values.size() != chart.groups.size() ||
      !std::all_of(chart.values.begin(), chart.values.end(), right_size))
    throw std::invalid_argument("bar_chart: values are not groups times series");
}

}  // namespace

std::string draw(const bar_chart& chart) {
  check(chart);
  const auto groups = static_cast<double>(std::max<std::size_t>(1, chart.groups.size()));
  const auto each = static_cast<double>(std::max<std::size_t>(1, chart.series.size()));
  const double plot_width = std::clamp(groups * (each * 16 + 20), 420.0, 4000.0);
  // Names stand aslant, so the longest decides the room.
  std::size_t longest = 0;
  for (const std::string& group : chart.groups) longest = std::max(longest, group.size());
  frame all(chart.text, chart.series, plot_width,
            46 + 3.2 * static_cast<double>(std::min(longest, longest_name)), false);
  const axis y = y_axis(chart);
  all.draw_y(y);
  const double bar = 1 / groups / (each + 1.2);
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    const double begin = (static_cast<double>(g) + 0.6 / (each + 1.2)) / groups;
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
      const std::optional<double>& value = chart.values[g][s];
      const double x = begin + static_cast<double>(s) * bar;
      if (!can_be_drawn(value, chart.logarithmic)) {
        const point middle = all.at(x + bar / 2, 0);
        all.paper().text({middle.x, middle.y - 3}, "\u00d7", {.at = anchor::middle, .size = 11});
        continue;
      }
      const double top = y.place_of(*value);
      all.paper().rectangle(all.at(x, top), bar * all.width() * 0.92, top * all.height(), colour_of(s),
                            fmt::format("{}, {}: {:.4g}", chart.groups[g], chart.series[s], *value));
    }
    const point below = all.at((static_cast<double>(g) + 0.5) / groups, 0);
    all.paper().text({below.x, below.y + 14}, shortened(chart.groups[g], longest_name),
                     {.at = anchor::end, .size = 11, .rotated = -30});
  }
  return all.finish();
}

}  // namespace gossamer::experiments
