// SPDX-License-Identifier: BSD-3-Clause
// Figures are well-formed, show every number once, and never a number that is none.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "experiments/draw/axis.hpp"
#include "experiments/draw/charts.hpp"
#include "experiments/xml.hpp"

namespace {

using namespace gossamer::experiments;
using gossamer_test::xml_document;
using gossamer_test::xml_element;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Well-formed, and without a word that is no number.
xml_document checked(const std::string& text) {
  xml_document document(text);
  EXPECT_EQ(document.problem(), "");
  for (const xml_element& each : document.elements()) {
    for (const auto& [name, value] : each.attributes) {
      if (name == "font-family") continue;
      EXPECT_THAT(value, Not(HasSubstr("nan"))) << each.name << " " << name;
      EXPECT_THAT(value, Not(HasSubstr("inf"))) << each.name << " " << name;
    }
  }
  return document;
}

std::vector<std::string> words(const xml_document& document) {
  std::vector<std::string> all;
  for (const xml_element& each : document.named("text")) all.push_back(each.text);
  return all;
}

double number(const xml_element& element, const char* attribute) {
  return std::stod(element.attributes.at(attribute));
}

/// Without the paper's own.
std::vector<xml_element> bars_of(const xml_document& document) {
  auto all = document.named("rect");
  all.erase(all.begin());
  return all;
}

bar_chart two_by_three() {
  return {.text = {.title = "speed", .x_title = {}, .y_title = "GFLOP/s", .footnote = "* made"},
          .logarithmic = false,
          .groups = {"a<b", "c & d"},
          .series = {"one", "two", "three"},
          .values = {{{1.0, 2.0, 3.0}}, {{4.0, std::nullopt, 8.0}}}};
}

TEST(xml, rejects_malformed_documents) {
  EXPECT_EQ(xml_document("<a><b x=\"1\"/>t</a>").problem(), "");
  for (const char* wrong : {"<a>", "<a></b>", "<a/><b/>", "<a x=1/>", "<a>&nbsp;</a>", "<a>a&b</a>",
                            "<a x=\"<\"/>", "words", "", "<a x=\"1\" x=\"2\"/>", "<a><</a>"})
    EXPECT_NE(xml_document(wrong).problem(), "") << wrong;
}

TEST(bars, one_rectangle_a_number_and_a_cross_where_there_is_none) {
  const xml_document document = checked(draw(two_by_three()));
  const auto bars = bars_of(document);
  ASSERT_EQ(bars.size(), 5u);
  // The axis begins at 0, so heights are in proportion.
  const double unit = number(bars[0], "height");
  EXPECT_NEAR(number(bars[1], "height"), 2 * unit, 0.2);
  EXPECT_NEAR(number(bars[4], "height"), 8 * unit, 0.5);
  for (const xml_element& bar : bars)
    EXPECT_NEAR(number(bar, "y") + number(bar, "height"), number(bars[0], "y") + unit, 0.2);
  EXPECT_EQ(bars[0].attributes.at("fill"), bars[3].attributes.at("fill"));
  EXPECT_NE(bars[0].attributes.at("fill"), bars[1].attributes.at("fill"));
  const auto all = words(document);
  EXPECT_EQ(std::count(all.begin(), all.end(), "\u00d7"), 1);
  for (const char* word : {"a&lt;b", "c &amp; d", "one", "two", "three", "speed", "GFLOP/s", "* made"})
    EXPECT_THAT(all, Contains(word));
  EXPECT_THAT(document.named("title").back().text, "c &amp; d, three: 8");
}

TEST(bars, do_not_overlap) {
  const auto bars = bars_of(checked(draw(two_by_three())));
  for (std::size_t i = 1; i < bars.size(); ++i)
    EXPECT_GE(number(bars[i], "x"), number(bars[i - 1], "x") + number(bars[i - 1], "width"));
}

TEST(bars, what_is_no_number_is_a_cross) {
  bar_chart chart = two_by_three();
  chart.values = {{{nan, infinity, -1.0}}, {{0.0, 1e-3, 1e3}}};
  EXPECT_EQ(bars_of(checked(draw(chart))).size(), 3u);  // 0 has a bar without height
  chart.logarithmic = true;
  EXPECT_EQ(bars_of(checked(draw(chart))).size(), 2u);
}

TEST(bars, nothing_at_all_is_still_a_figure) {
  bar_chart chart = two_by_three();
  chart.groups.clear();
  chart.values.clear();
  EXPECT_EQ(bars_of(checked(draw(chart))).size(), 0u);
  chart.logarithmic = true;
  chart.series.clear();
  EXPECT_EQ(bars_of(checked(draw(chart))).size(), 0u);
}

TEST(bars, values_of_another_shape_are_refused) {
  bar_chart chart = two_by_three();
  chart.values[1].pop_back();
  EXPECT_THROW(draw(chart), std::invalid_argument);
  chart.values.pop_back();
  EXPECT_THROW(draw(chart), std::invalid_argument);
}

TEST(bars, names_from_files_may_hold_anything) {
  bar_chart chart = two_by_three();
  chart.groups = {"\xff\xfe\x01\"", std::string(39, 'x') + "\u00e9\u00e9"};
  const auto all = words(checked(draw(chart)));
  EXPECT_THAT(all, Contains("?? &quot;"));
  EXPECT_THAT(all, Contains(std::string(39, 'x') + "\u00e9\u2026"));
}

TEST(curves, one_line_each_and_a_point_for_each_number) {
  const curve_chart chart{.text = {.title = "t", .x_title = "n", .y_title = "s", .footnote = {}},
                          .curves = {{"fast", {100, 10, 1, 0.1}}, {"none", {}}, {"one", {3}}}};
  const xml_document document = checked(draw(chart));
  const auto lines = document.named("polyline");
  ASSERT_EQ(lines.size(), 2u);
  const std::string points = lines[0].attributes.at("points");
  EXPECT_EQ(std::count(points.begin(), points.end(), ','), 4);
  EXPECT_EQ(std::count(points.begin(), points.end(), ' '), 3);
  // On a logarithmic axis equal ratios are equal steps, and x rises by one a matrix.
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t at = 0; at < points.size();) {
    x.push_back(std::stod(points.substr(at)));
    at = points.find(',', at) + 1;
    y.push_back(std::stod(points.substr(at)));
    at = std::min(points.find(' ', at), points.size() - 1) + 1;
  }
  ASSERT_EQ(y.size(), 4u);
  EXPECT_NEAR(y[1] - y[0], y[2] - y[1], 0.2);
  EXPECT_NEAR(y[2] - y[1], y[3] - y[2], 0.2);
  EXPECT_LT(y[0], y[1]);
  EXPECT_NEAR(x[1] - x[0], x[3] - x[2], 0.2);
  EXPECT_THAT(words(document), Contains("none (no data)"));
}

TEST(points, are_joined_by_a_line_a_set) {
  point_chart chart{.text = {.title = "t", .x_title = "x", .y_title = "y", .footnote = {}},
                    .joined = true,
                    .sets = {{"a", {{0, 1}, {1, 32}}, {"m", "n"}}, {"one", {{0.5, 4}}, {}}}};
  const xml_document document = checked(draw(chart));
  EXPECT_EQ(document.named("circle").size(), 3u);
  ASSERT_EQ(document.named("polyline").size(), 1u);
  const std::string points = document.named("polyline")[0].attributes.at("points");
  EXPECT_EQ(std::count(points.begin(), points.end(), ','), 2);
  chart.joined = false;
  EXPECT_EQ(checked(draw(chart)).named("polyline").size(), 0u);
}

TEST(points, draws_one_circle_each_and_the_legend) {
  const point_chart chart{.text = {.title = "t", .x_title = "x", .y_title = "y", .footnote = {}},
                          .logarithmic_x = false,
                          .logarithmic_y = true,
                          .sets = {{"a", {{0, 1}, {1, 32}}, {"m", "n"}}, {"b", {{0.5, 4}}, {}}}};
  EXPECT_EQ(checked(draw(chart)).named("circle").size(), 3u + 2u);
  EXPECT_EQ(checked(draw(point_chart{})).named("circle").size(), 0u);
}

TEST(axis, linear_ends_at_a_tick) {
  const axis a = linear_axis(73);
  EXPECT_THAT(a.ticks, ElementsAre(0, 20, 40, 60, 80));
  EXPECT_EQ(a.high, 80);
  EXPECT_DOUBLE_EQ(a.place_of(20), 0.25);
  EXPECT_EQ(a.place_of(-5), 0);
  EXPECT_EQ(a.place_of(500), 1);
  for (const double most : {1e-12, 0.3, 1.0, 6.0, 6.1, 99.0, 1e15}) {
    const axis each = linear_axis(most);
    EXPECT_GE(each.high, most * (1 - 1e-9)) << most;
    EXPECT_LE(each.high, most * 2) << most;
    EXPECT_GE(each.ticks.size(), 4u) << most;
    EXPECT_LE(each.ticks.size(), 11u) << most;
  }
  EXPECT_GT(linear_axis(0).high, 0);
}

TEST(axis, logarithmic_has_round_ends) {
  const axis a = logarithmic_axis(0.3, 40);
  EXPECT_DOUBLE_EQ(a.low, 0.2);
  EXPECT_DOUBLE_EQ(a.high, 50);
  EXPECT_EQ(a.ticks.size(), 8u);  // 0.2 0.5 1 2 5 10 20 50
  EXPECT_DOUBLE_EQ(a.place_of(std::sqrt(0.2 * 50)), 0.5);
  EXPECT_EQ(logarithmic_axis(1e-3, 1e6).ticks.size(), 10u);
  for (const double only : {1.0, 0.7, 1e-9, 2e7}) {
    const axis same = logarithmic_axis(only, only);
    EXPECT_LT(same.low, same.high) << only;
    EXPECT_GE(same.ticks.size(), 2u) << only;
  }
}

}  // namespace
