// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/arg_csr/chunk_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "experiments/all_experiments.hpp"
#include "experiments/conclude.hpp"
#include "experiments/cumulative.hpp"
#include "experiments/draw/charts.hpp"

namespace gossamer::experiments::arg_csr {
namespace {

constexpr std::string_view option = "desired_chunk_size";
constexpr std::string_view automatic_label = "auto";

/// 0 where the row has none.
std::int64_t chunk_size_of(const json& row) {
  const std::string text = option_of(&row, option);
  std::int64_t size = 0;
  std::from_chars(text.data(), text.data() + text.size(), size);
  return size;
}

std::string chunk_size_report(const experiment& e, const rows& all) {
  std::string text =
      table_of(e, all, quantity::gflops) + orders_of(e, all) + table_of(e, all, quantity::slots_per_nonzero);
  const std::vector<chunk_choice> choices = chunk_choices(all);
  text += fmt::format("{:>8}  {:>5}  {:>9}  {:>11}  {:>5}  {:>10}  matrix\n", "sd/mean", "best", "GFLOP/s",
                      "slots/nnz", "auto", "auto/best");
  std::vector<double> shares;
  for (const chunk_choice& each : choices) {
    if (each.automatic_share > 0) shares.push_back(each.automatic_share);
    text +=
        fmt::format("{:>8.3f}  {:>5}  {:>9.4g}  {:>11.3f}  {:>5}  {:>10.3f}  {}\n", each.variation, each.best,
                    each.best_gflops, each.best_slots, each.automatic, each.automatic_share, each.matrix);
  }
  if (!shares.empty())
    text +=
        fmt::format("auto against the best size: geometric mean {:.3f}, least {:.3f}, over {} matrices\n",
                    geometric_mean(shares), *std::min_element(shares.begin(), shares.end()), shares.size());
  return text;
}

std::string draw_choices(const experiment& e, const rows& all) {
  point_chart chart{.text = {.title = e.name + ": " + e.shows,
                             .x_title = "row lengths: standard deviation / mean, at least 0.01",
                             .y_title = "desired chunk size",
                             .footnote = {}},
                    .logarithmic_x = true,
                    .logarithmic_y = true,
                    .joined = false,
                    .sets = {{.label = "fastest", .points = {}, .titles = {}},
                             {.label = "auto", .points = {}, .titles = {}}}};
  for (const chunk_choice& each : chunk_choices(all)) {
    const double variation = std::max(0.01, each.variation);
    chart.sets[0].points.push_back({variation, static_cast<double>(each.best)});
    chart.sets[0].titles.push_back(each.matrix);
    if (each.automatic == 0) continue;
    chart.sets[1].points.push_back({variation, static_cast<double>(each.automatic)});
    chart.sets[1].titles.push_back(each.matrix);
  }
  return draw(chart);
}

}  // namespace

std::vector<chunk_choice> chunk_choices(const rows& all) {
  std::vector<chunk_choice> choices;
  for (const std::string& matrix : matrices_of(all)) {
    chunk_choice choice{.matrix = matrix};
    double automatic_gflops = 0;
    for (const json& row : all) {
      if (title_of(row) != matrix) continue;
      const auto speed = number(&row, quantity::gflops);
      if (!speed) continue;
      const std::int64_t size = chunk_size_of(row);
      if (row.at("series") == automatic_label) {
        choice.automatic = size;
        automatic_gflops = *speed;
        continue;
      }
      if (*speed <= choice.best_gflops) continue;
      choice.best = size;
      choice.best_gflops = *speed;
      choice.best_slots = number(&row, quantity::slots_per_nonzero).value_or(0);
      choice.variation = variation_of(row);
    }
    if (choice.best == 0) continue;
    choice.automatic_share = automatic_gflops / choice.best_gflops;
    choices.push_back(std::move(choice));
  }
  std::stable_sort(choices.begin(), choices.end(),
                   [](const chunk_choice& a, const chunk_choice& b) { return a.variation < b.variation; });
  return choices;
}

experiment chunk_size() {
  experiment e{.name = "arg_csr/chunk_size",
               .source = "paper 003, section 5",
               .shows = "which desired chunk size suits how uneven rows",
               .value = "f64",
               .matrices = {"@gallery", "@csr_m"},
               .every_file = true,
               .all_series = {},
               .compared = comparison::none,
               .subject = {},
               .orders = {{"32", "1"}},
               .report = chunk_size_report,
               .draw = draw_choices};
  for (const char* size : {"1", "2", "4", "8", "16", "32", "64"})
    e.all_series.push_back({.label = size, .format = "arg_csr", .options = {{std::string(option), size}}});
  e.all_series.push_back({.label = std::string(automatic_label), .format = "arg_csr"});
  return e;
}

}  // namespace gossamer::experiments::arg_csr
