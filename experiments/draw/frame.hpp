// SPDX-License-Identifier: BSD-3-Clause
// What the kinds of figure share: sizes, colours, title, legend and axes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/draw/axis.hpp"
#include "experiments/draw/charts.hpp"
#include "experiments/draw/svg.hpp"

namespace gossamer::experiments {

/// Told apart also by the colour-blind (Okabe and Ito 2008), then again with dashes.
std::string_view colour_of(std::size_t series);
std::string_view dashes_of(std::size_t series);

class frame {
 public:
  /// Draws title and legend and leaves room for the axes; `bottom` is the room for what stands below the x
  /// axis.
  frame(const chart_text& text, const std::vector<std::string>& legend, double plot_width, double bottom,
        bool lines);

  void draw_y(const axis& y);
  void draw_x(const axis& x);

  /// Pixels, of places from 0 to 1 with y upwards.
  [[nodiscard]] point at(double x, double y) const;
  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] double height() const { return height_; }
  [[nodiscard]] svg& paper() { return paper_; }
  [[nodiscard]] std::string finish() const { return paper_.finish(); }

 private:
  double width_;
  double height_ = 340;
  double left_ = 72;
  double top_;
  svg paper_;
};

}  // namespace gossamer::experiments
