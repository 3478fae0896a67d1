// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "experiments/draw/frame.hpp"

namespace gossamer::experiments {

std::string draw(const curve_chart& chart) {
  // 1 is always in sight: it divides faster from slower.
  double least = 1;
  double most = 1;
  std::size_t matrices = 1;
  std::vector<std::string> legend;
  for (const curve& each : chart.curves) {
    legend.push_back(each.descending.empty() ? each.label + " (no data)" : each.label);
    if (each.descending.empty()) continue;
    most = std::max(most, each.descending.front());
    least = std::min(least, each.descending.back());
    matrices = std::max(matrices, each.descending.size());
  }
  frame all(chart.text, legend, 640, 52, true);
  const axis y = logarithmic_axis(least, most);
  const axis x = linear_axis(static_cast<double>(matrices));
  all.draw_y(y);
  all.draw_x(x);
  all.paper().line(all.at(0, y.place_of(1)), all.at(1, y.place_of(1)), {.colour = "#777777", .width = 1.5});
  for (std::size_t c = 0; c < chart.curves.size(); ++c) {
    std::vector<point> through;
    double number = 0;
    for (const double ratio : chart.curves[c].descending)
      through.push_back(all.at(x.place_of(++number), y.place_of(ratio)));
    if (!through.empty())
      all.paper().path(through, {.colour = colour_of(c), .width = 2, .dashes = dashes_of(c)},
                       chart.curves[c].label);
  }
  return all.finish();
}

}  // namespace gossamer::experiments
