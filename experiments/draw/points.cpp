// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "experiments/draw/frame.hpp"

namespace gossamer::experiments {
namespace {

axis around(const point_chart& chart, double point::*coordinate, bool logarithmic) {
  double least = 0;
  double most = 0;
  for (const point_set& set : chart.sets) {
    for (const point& each : set.points) {
      least = least > 0 ? std::min(least, each.*coordinate) : each.*coordinate;
      most = std::max(most, each.*coordinate);
    }
  }
  if (!logarithmic) return linear_axis(most);
  return most > 0 ? logarithmic_axis(least, most) : logarithmic_axis(1, 10);
}

}  // namespace

std::string draw(const point_chart& chart) {
  std::vector<std::string> legend;
  for (const point_set& set : chart.sets) legend.push_back(set.label);
  frame all(chart.text, legend, 640, 52, chart.joined);
  const axis x = around(chart, &point::x, chart.logarithmic_x);
  const axis y = around(chart, &point::y, chart.logarithmic_y);
  all.draw_y(y);
  all.draw_x(x);
  for (std::size_t s = 0; s < chart.sets.size(); ++s) {
    const point_set& set = chart.sets[s];
    // Later sets are smaller, so that equal points stay visible.
    const double radius = chart.joined ? 2.5 : std::max(2.0, 5.5 - 1.5 * static_cast<double>(s));
    std::vector<point> through;
    for (const point& each : set.points) through.push_back(all.at(x.place_of(each.x), y.place_of(each.y)));
    if (chart.joined && through.size() > 1)
      all.paper().path(through, {.colour = colour_of(s), .width = 1.5, .dashes = dashes_of(s)}, set.label);
    for (std::size_t i = 0; i < through.size(); ++i)
      all.paper().circle(through[i], radius, colour_of(s),
                         i < set.titles.size() ? set.titles[i] : std::string());
  }
  return all.finish();
}

}  // namespace gossamer::experiments
