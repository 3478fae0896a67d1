// SPDX-License-Identifier: BSD-3-Clause
// Shapes and text to one SVG document.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gossamer::experiments {

struct point {
  double x = 0;
  double y = 0;
};

enum class anchor { start, middle, end };

struct text_style {
  anchor at = anchor::start;
  double size = 12;
  bool bold = false;
  double rotated = 0;  ///< degrees, clockwise, about the text's own place
};

struct line_style {
  std::string_view colour = "#000000";
  double width = 1;
  std::string_view dashes = {};  ///< as SVG's stroke-dasharray
};

/// Pixels, y downwards. Every number must be finite: throws std::invalid_argument, for an SVG with "nan"
/// shows nothing.
class svg {
 public:
  svg(double width, double height);

  /// `title` is what a viewer shows when pointed at; may be empty.
  void rectangle(point corner, double width, double height, std::string_view colour, std::string_view title);
  void circle(point centre, double radius, std::string_view colour, std::string_view title);
  void line(point from, point to, const line_style& style = {});
  void path(const std::vector<point>& through, const line_style& style, std::string_view title);
  void text(point at, std::string_view words, const text_style& style = {});

  /// The whole document.
  [[nodiscard]] std::string finish() const;

 private:
  double width_;
  double height_;
  std::string body_;
};

/// The text with &, <, >, " as XML wants them; control characters become blanks and bytes that are no UTF-8
/// question marks, since XML has no way to write them.
std::string escaped(std::string_view text);

/// At most so many characters, and an ellipsis where there are more.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace gossamer::experiments
