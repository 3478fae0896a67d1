// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "experiments/all_experiments.hpp"
#include "experiments/brc/series.hpp"
#include "experiments/draw/charts.hpp"

namespace gossamer::experiments::brc {
namespace {

struct printed_run {
  const char* preconditioner;  ///< as the record has it
  const char* series;          ///< that of ours which stands for it
  const char* label;
  double spmv;  ///< seconds of both solves on Kepler
  double total;
};

constexpr std::array<printed_run, 6> printed = {{{"ilu", "aij", "AIJ", 6.762, 27.600},
                                                 {"ilu", "aijcusparse", "CUSP", 2.645, 15.143},
                                                 {"ilu", "brc", "BRC", 0.538, 12.683},
                                                 {"polynomial", "aij", "AIJ", 3.105, 94.639},
                                                 {"polynomial", "aijcusparse", "CUSP", 1.045, 24.831},
                                                 {"polynomial", "brc", "BRC", 0.233, 7.540}}};

const json* run_of(const rows& all, const printed_run& p) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const json& row) {
    return row.at("preconditioner") == p.preconditioner && row.at("series") == p.series;
  });
  return found == all.end() ? nullptr : &*found;
}

std::string text_of(const std::optional<double>& seconds) {
  return seconds ? fmt::format("{:.3f}", *seconds) : std::string("-");
}

std::string table5_report(const experiment&, const rows& all) {
  std::string text = fmt::format("{:<12}  {:<20}  {:>10}  {:>8}  {:>8}  {:>8}\n", "", "seconds", "conversion",
                                 "SpMV", "PC", "total");
  for (const json& row : all)
    text += fmt::format("{:<12}  {:<20}  {:>10}  {:>8}  {:>8}  {:>8}\n",
                        row.at("preconditioner").get<std::string>(), row.at("series").get<std::string>(),
                        text_of(member(&row, "inspect")), text_of(member(&row, "spmv")),
                        text_of(member(&row, "pc")), text_of(member(&row, "total")));
  for (const printed_run& p : printed) {
    const json* run = run_of(all, p);
    text += fmt::format("{}, {} (the paper's {} on Kepler): total {} ({:.3f}), SpMV {} ({:.3f})\n",
                        p.preconditioner, p.series, p.label, text_of(member(run, "total")), p.total,
                        text_of(member(run, "spmv")), p.spmv);
  }
  return text;
}

std::string draw_totals(const experiment& e, const rows& all) {
  bar_chart chart{
      .text = {.title = e.name + ": " + e.shows, .x_title = {}, .y_title = "seconds, total", .footnote = {}},
      .logarithmic = true,
      .groups = {},
      .series = {"here", "the paper, Kepler"},
      .values = {}};
  for (const printed_run& p : printed) {
    chart.groups.push_back(fmt::format("{} {}", p.preconditioner, p.series));
    chart.values.push_back({member(run_of(all, p), "total"), p.total});
  }
  return draw(chart);
}

}  // namespace

experiment table5() {
  experiment e = over_the_table("table5", "Table 5", "PETSc's ex19 with AIJ and with BRC");
  e.matrices = {};
  e.made_by = "bench/petsc/table5.sh and table5.py";
  e.report = table5_report;
  e.draw = draw_totals;
  return e;
}

}  // namespace gossamer::experiments::brc
