// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/brc/fig6.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "experiments/all_experiments.hpp"
#include "experiments/brc/series.hpp"
#include "experiments/draw/charts.hpp"

namespace gossamer::experiments::brc {
namespace {

constexpr const char* equation = "Equation (3)";
constexpr const char* best = "best B2";
constexpr const char* unbounded = "unbounded";
constexpr const char* widths[] = {"1",   "2",   "4",   "8",    "16",   "32",  "64",
                                  "128", "256", "512", "1024", "2048", "4096"};

std::int64_t width_of(const json& row) {
  const std::string text = option_of(&row, "block_width");
  std::int64_t width = 0;
  std::from_chars(text.data(), text.data() + text.size(), width);
  return width;
}

std::string fig6_report(const experiment& e, const rows& all) {
  std::string text = table_of(e, all, quantity::gflops);
  for (const width_curve& curve : width_curves(all)) {
    text +=
        fmt::format("{}: μ + σ = {}, speed over that of B2 = {}:", curve.matrix, curve.usual, curve.equation);
    for (const auto& [width, relative] : curve.relative) text += fmt::format(" {}: {:.3f}", width, relative);
    text += "\n";
  }
  return text + orders_of(e, all);
}

std::string draw_curves(const experiment& e, const rows& all) {
  point_chart chart{.text = {.title = e.name + ": " + e.shows,
                             .x_title = "B2 (behind the names: Equation (3)'s)",
                             .y_title = "speed over that of B2 by Equation (3)",
                             .footnote = {}},
                    .logarithmic_x = true,
                    .logarithmic_y = true,
                    .joined = true,
                    .sets = {}};
  for (const width_curve& curve : width_curves(all)) {
    point_set set{
        .label = fmt::format("{} (B2 = {})", curve.matrix, curve.equation), .points = {}, .titles = {}};
    for (const auto& [width, relative] : curve.relative) {
      set.points.push_back({static_cast<double>(width), relative});
      set.titles.push_back(fmt::format("{}, B2 = {}: {:.3f}", curve.matrix, width, relative));
    }
    chart.sets.push_back(std::move(set));
  }
  return draw(chart);
}

}  // namespace

std::vector<width_curve> width_curves(const rows& all) {
  std::vector<width_curve> curves;
  for (const std::string& matrix : matrices_of(all)) {
    const json* base = find_row(all, matrix, equation);
    const auto base_speed = number(base, quantity::gflops);
    if (!base_speed || !(*base_speed > 0)) continue;
    width_curve curve{
        .matrix = matrix,
        .equation = width_of(*base),
        .usual = std::llround(base->at("row_mean").get<double>() + base->at("row_sd").get<double>()),
        .relative = {}};
    curve.relative.emplace_back(curve.equation, 1.0);
    const auto longest = static_cast<std::int64_t>(member(base, "row_max").value_or(0));
    const auto add = [&](const char* label, std::int64_t width) {
      const auto speed = number(find_row(all, matrix, label), quantity::gflops);
      if (speed && width != curve.equation) curve.relative.emplace_back(width, *speed / *base_speed);
    };
    for (const char* label : widths) {
      std::int64_t width = 0;
      const std::string_view text = label;
      std::from_chars(text.data(), text.data() + text.size(), width);
      if (width < longest) add(label, width);
    }
    add(unbounded, longest);
    std::sort(curve.relative.begin(), curve.relative.end());
    curves.push_back(std::move(curve));
  }
  return curves;
}

experiment fig6() {
  experiment e = over_the_table("fig6", "Figure 6", "speed of BRC by B2, without coarsening");
  const auto with_width = [](const char* label, const char* width) {
    return series{.label = label,
                  .format = "brc",
                  .options = {{"block_width", width}},
                  .gpu_options = {{"coarsening", "1"}, {"threads_per_row", "1"}}};
  };
  e.all_series.push_back(with_width(equation, "published"));
  series fastest{.label = best, .fastest_of = {equation}};
  for (const char* width : widths) e.all_series.push_back(with_width(width, width));
  e.all_series.push_back(with_width(unbounded, unbounded));
  for (const series& each : e.all_series) {
    if (each.label != equation) fastest.fastest_of.push_back(each.label);
  }
  e.all_series.push_back(std::move(fastest));
  e.orders = {{equation, best}};
  e.report = fig6_report;
  e.draw = draw_curves;
  return e;
}

}  // namespace gossamer::experiments::brc
