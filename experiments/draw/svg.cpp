// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/draw/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace gossamer::experiments {
namespace {

/// A tenth of a pixel is finer than screens show.
std::string number(double value) {
  if (!std::isfinite(value)) throw std::invalid_argument("svg: a coordinate is not finite");
  std::string text = fmt::format("{:.1f}", value);
  if (text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string closed(std::string_view element, std::string_view title) {
  if (title.empty()) return "/>\n";
  return fmt::format("><title>{}</title></{}>\n", escaped(title), element);
}

std::string stroke(const line_style& style) {
  std::string text = fmt::format(R"(stroke="{}" stroke-width="{}")", style.colour, number(style.width));
  if (!style.dashes.empty()) text += fmt::format(R"( stroke-dasharray="{}")", style.dashes);
  return text;
}

/// Bytes of the UTF-8 character that begins `text`; 0 where none does.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i) { return byte(i) >= 0x80 && byte(i) < 0xc0; };
  if (byte(0) < 0x80) return 1;
  if (byte(0) >= 0xc2 && byte(0) < 0xe0) return follows(1) ? 2 : 0;
  // Overlong forms, surrogates and what lies beyond Unicode are no characters either.
  if (byte(0) >= 0xe0 && byte(0) < 0xf0) {
    const bool bad = (byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xed && byte(1) >= 0xa0);
    return !bad && follows(1) && follows(2) ? 3 : 0;
  }
  if (byte(0) >= 0xf0 && byte(0) < 0xf5) {
    const bool bad = (byte(0) == 0xf0 && byte(1) < 0x90) || (byte(0) == 0xf4 && byte(1) >= 0x90);
    return !bad && follows(1) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

constexpr std::string_view anchor_words[] = {"start", "middle", "end"};

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t bytes = character(text);
    const std::string_view next = text.substr(0, std::max<std::size_t>(1, bytes));
    const auto first = static_cast<unsigned char>(next[0]);
    if (bytes == 0)
      out += '?';
    else if (next == "&")
      out += "&amp;";
    else if (next == "<")
      out += "&lt;";
    else if (next == ">")
      out += "&gt;";
    else if (next == "\"")
      out += "&quot;";
    else if (first < 0x20 || first == 0x7f)
      out += ' ';
    else
      out += next;
    text.remove_prefix(next.size());
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t most) {
  std::size_t kept = 0;
  for (std::size_t characters = 0; kept < text.size(); ++characters) {
    if (characters == most) return std::string(text.substr(0, kept)) + "\u2026";
    kept += std::max<std::size_t>(1, character(text.substr(kept)));
  }
  return std::string(text);
}

svg::svg(double width, double height) : width_(width), height_(height) {}

void svg::rectangle(point corner, double width, double height, std::string_view colour,
                    std::string_view title) {
  body_ += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="{}")", number(corner.x),
                       number(corner.y), number(width), number(height), colour);
  body_ += closed("rect", title);
}

void svg::circle(point centre, double radius, std::string_view colour, std::string_view title) {
  body_ += fmt::format(R"(<circle cx="{}" cy="{}" r="{}" fill="{}" stroke="#ffffff" stroke-width="0.5")",
                       number(centre.x), number(centre.y), number(radius), colour);
  body_ += closed("circle", title);
}

void svg::line(point from, point to, const line_style& style) {
  body_ += fmt::format(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" {}/>)", number(from.x), number(from.y),
                       number(to.x), number(to.y), stroke(style));
  body_ += '\n';
}

void svg::path(const std::vector<point>& through, const line_style& style, std::string_view title) {
  std::string points;
  for (const point& each : through)
    points += fmt::format("{}{},{}", points.empty() ? "" : " ", number(each.x), number(each.y));
  body_ += fmt::format(R"(<polyline points="{}" fill="none" {})", points, stroke(style));
  body_ += closed("polyline", title);
}

void svg::text(point at, std::string_view words, const text_style& style) {
  body_ += fmt::format(R"(<text x="{}" y="{}" font-size="{}" text-anchor="{}")", number(at.x), number(at.y),
                       number(style.size), anchor_words[static_cast<int>(style.at)]);
  if (style.bold) body_ += R"( font-weight="bold")";
  if (style.rotated != 0)
    body_ +=
        fmt::format(" transform=\"rotate({} {} {})\"", number(style.rotated), number(at.x), number(at.y));
  body_ += fmt::format(">{}</text>\n", escaped(words));
}

std::string svg::finish() const {
  return fmt::format(
      R"(<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" font-family="sans-serif">
<rect width="{0}" height="{1}" fill="#ffffff"/>
{2}</svg>
)",
      number(width_), number(height_), body_);
}

}  // namespace gossamer::experiments
