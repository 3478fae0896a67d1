// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/partition/block_density.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/all_experiments.hpp"
#include "experiments/conclude.hpp"
#include "experiments/draw/charts.hpp"
#include "experiments/partition/printed.hpp"

namespace gossamer::experiments::partition {
namespace {

constexpr const char* one_core = "CSR, one CPU core";
constexpr const char* ell = "ELLPACK";
constexpr const char* ell_r = "ELLPACK-R";
constexpr const char* csr = "CSR";

std::string block_density_report(const experiment& e, const rows& all) {
  std::string text = table_of(e, all, quantity::gflops);
  for (const char* label : {ell, ell_r, csr}) {
    const std::vector<density_power> powers = powers_by_density(all, label);
    text += fmt::format("{}, power over one core's at the block's density (paper, above {:.0f} %: {:.0f}):",
                        label, 100 * printed_stable_from, printed_power);
    if (powers.empty()) text += " not measured";
    double least = 0;
    double most = 0;
    for (const density_power& each : powers) {
      text += fmt::format(" {:.0f} %: {:.3g}", 100 * each.density, each.ratio);
      // Generated rows miss what was asked by a little.
      if (each.density < printed_stable_from + 0.005) continue;
      least = least > 0 ? std::min(least, each.ratio) : each.ratio;
      most = std::max(most, each.ratio);
    }
    text += "\n";
    if (least > 0)
      text += fmt::format("{}, above {:.0f} %: {:.3g} to {:.3g}\n", label, 100 * printed_stable_from, least,
                          most);
  }
  return text;
}

std::string draw_block_density(const experiment& e, const rows& all) {
  point_chart chart{.text = {.title = e.name + ": " + e.shows,
                             .x_title = "density of the block, %",
                             .y_title = "computing power over one core's",
                             .footnote = {}},
                    .logarithmic_x = false,
                    .logarithmic_y = true,
                    .joined = true,
                    .sets = {}};
  for (const char* label : {ell, ell_r, csr}) {
    point_set set{.label = label, .points = {}, .titles = {}};
    for (const density_power& each : powers_by_density(all, label)) {
      set.points.push_back({100 * each.density, each.ratio});
      set.titles.push_back(each.matrix);
    }
    chart.sets.push_back(std::move(set));
  }
  return draw(chart);
}

}  // namespace

std::vector<density_power> powers_by_density(const rows& all, std::string_view series) {
  std::vector<density_power> powers;
  for (const std::string& matrix : matrices_of(all)) {
    const json* row = find_row(all, matrix, series);
    const auto ratio = speed_up(row);
    const auto mean = member(row, "row_mean");
    const auto width = member(row, "row_max");
    if (ratio && mean && width && *width > 0) powers.push_back({matrix, *mean / *width, *ratio});
  }
  std::stable_sort(powers.begin(), powers.end(),
                   [](const density_power& a, const density_power& b) { return a.density < b.density; });
  return powers;
}

experiment block_density() {
  experiment e{.name = "partition/block_density",
               .source = "paper 004, section 5.3",
               .shows = "a device's power over one core's by the density of a block of rows",
               .value = "f32",
               .compared = comparison::over_subject,
               .subject = one_core};
  // A block of 64 slots a row, of which on the average so many hold an entry; shorter rows before longer
  // ones, as Algorithm 3 makes the paper's blocks.
  for (const int percent : {5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100})
    e.matrices.push_back(fmt::format("power_law(rows=200k,mean={:.1f},max=64,sorted=1)", 0.64 * percent));
  e.all_series = {{.label = ell, .format = "ellpack", .options = {{"max_padding", "1000"}}},
                  {.label = ell_r, .format = "ellpack_r", .options = {{"max_padding", "1000"}}},
                  {.label = csr, .format = "csr"},
                  {.label = one_core, .format = "pattern_csr", .where = place::one_cpu_core}};
  e.report = block_density_report;
  e.draw = draw_block_density;
  return e;
}

}  // namespace gossamer::experiments::partition
