// SPDX-License-Identifier: BSD-3-Clause
// The three kinds of figure: grouped bars, cumulative curves, points. Each function returns an SVG document.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/draw/svg.hpp"

namespace gossamer::experiments {

struct chart_text {
  std::string title;
  std::string x_title;
  std::string y_title;
  std::string footnote;  ///< may be empty
};

struct bar_chart {
  chart_text text;
  bool logarithmic = false;
  std::vector<std::string> groups;
  std::vector<std::string> series;
  /// [group][series]; nothing where there is no number, which is drawn as a cross. Negative numbers, Inf and
  /// NaN, and 0 on a logarithmic axis, count as nothing.
  std::vector<std::vector<std::optional<double>>> values;
};

/// Throws std::invalid_argument where values are not groups times series.
std::string draw(const bar_chart& chart);

struct curve {
  std::string label;
  std::vector<double> descending;  ///< element k - 1 is what k reach; positive and finite
};

/// On a logarithmic y; x is 1, 2, ... A line marks y = 1.
struct curve_chart {
  chart_text text;
  std::vector<curve> curves;  ///< one without elements has only its line in the legend, which says so
};
std::string draw(const curve_chart& chart);

struct point_set {
  std::string label;
  std::vector<point> points;        ///< positive and finite where the axis is logarithmic
  std::vector<std::string> titles;  ///< one each, or none at all
};

struct point_chart {
  chart_text text;
  bool logarithmic_x = false;
  bool logarithmic_y = false;
  bool joined = false;  ///< a line through each set's points, in their order
  std::vector<point_set> sets;
};
std::string draw(const point_chart& chart);

}  // namespace gossamer::experiments
