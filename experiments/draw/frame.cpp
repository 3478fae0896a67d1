// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/draw/frame.hpp"

#include <algorithm>
#include <array>

namespace gossamer::experiments {
namespace {

constexpr std::array<std::string_view, 7> colours = {"#0072b2", "#e69f00", "#009e73", "#d55e00",
                                                     "#cc79a7", "#56b4e9", "#000000"};
constexpr std::array<std::string_view, 3> dash_patterns = {"", "6 3", "2 2"};
constexpr std::string_view grid = "#dddddd";
constexpr double right = 24;
constexpr double title_height = 34;
constexpr double legend_line = 18;
constexpr double letter = 6.6;        // of 12 pixels, about
constexpr double title_letter = 8.8;  // of 15, bold

/// Where each entry of the legend begins: x, and which line.
std::vector<point> legend_places(const std::vector<std::string>& legend, double width) {
  std::vector<point> places;
  point next;
  for (const std::string& label : legend) {
    const double wide = 30 + letter * static_cast<double>(label.size()) + 14;
    if (next.x > 0 && next.x + wide > width) next = {0, next.y + 1};
    places.push_back(next);
    next.x += wide;
  }
  return places;
}

double legend_height(const std::vector<std::string>& legend, double width) {
  const std::vector<point> places = legend_places(legend, width);
  return places.empty() ? 0 : (places.back().y + 1) * legend_line;
}

}  // namespace

std::string_view colour_of(std::size_t series) {
  return colours[series % colours.size()];
}

std::string_view dashes_of(std::size_t series) {
  return dash_patterns[series / colours.size() % dash_patterns.size()];
}

frame::frame(const chart_text& text, const std::vector<std::string>& legend, double plot_width, double bottom,
             bool lines)
    : width_(plot_width),
      top_(title_height + legend_height(legend, plot_width) + 12),
      paper_(left_ + std::max(width_ + right, title_letter * static_cast<double>(text.title.size())),
             top_ + height_ + bottom + (text.footnote.empty() ? 0 : 20)) {
  paper_.text({left_, 22}, text.title, {.size = 15, .bold = true});
  const std::vector<point> places = legend_places(legend, plot_width);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double x = left_ + places[i].x;
    const double y = title_height + places[i].y * legend_line + 12;
    if (lines)
      paper_.line({x, y - 4}, {x + 22, y - 4},
                  {.colour = colour_of(i), .width = 2.5, .dashes = dashes_of(i)});
    else
      paper_.circle({x + 12, y - 4}, 5, colour_of(i), {});
    paper_.text({x + 28, y}, legend[i]);
  }
  paper_.text({18, top_ + height_ / 2}, text.y_title, {.at = anchor::middle, .rotated = -90});
  paper_.text({left_ + width_ / 2, top_ + height_ + bottom - 10}, text.x_title, {.at = anchor::middle});
  if (!text.footnote.empty()) paper_.text({left_, top_ + height_ + bottom + 10}, text.footnote, {.size = 11});
}

point frame::at(double x, double y) const {
  return {left_ + x * width_, top_ + (1 - y) * height_};
}

void frame::draw_y(const axis& y) {
  for (const double tick : y.ticks) {
    const double place = y.place_of(tick);
    paper_.line(at(0, place), at(1, place), {.colour = grid});
    const point end = at(0, place);
    paper_.text({end.x - 6, end.y + 4}, tick_text(tick), {.at = anchor::end, .size = 11});
  }
  paper_.line(at(0, 0), at(0, 1));
  paper_.line(at(0, 0), at(1, 0));
}

void frame::draw_x(const axis& x) {
  for (const double tick : x.ticks) {
    const point end = at(x.place_of(tick), 0);
    paper_.line(end, {end.x, end.y + 4});
    paper_.text({end.x, end.y + 18}, tick_text(tick), {.at = anchor::middle, .size = 11});
  }
}

}  // namespace gossamer::experiments
