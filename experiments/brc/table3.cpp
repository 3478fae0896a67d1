// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "experiments/all_experiments.hpp"
#include "experiments/brc/averages.hpp"
#include "experiments/brc/printed.hpp"
#include "experiments/brc/series.hpp"
#include "experiments/cumulative.hpp"

namespace gossamer::experiments::brc {
namespace {

std::string printed_cells(std::string_view over) {
  for (const printed_speed_up& each : printed_speed_ups()) {
    if (each.over == over)
      return fmt::format("{:>10.2f}  {:>10.2f}  {:>9.2f}  {:>9.2f}", each.kepler_f32, each.kepler_f64,
                         each.fermi_f32, each.fermi_f64);
  }
  return fmt::format("{:>10}  {:>10}  {:>9}  {:>9}", "-", "-", "-", "-");
}

std::string averages_text(const experiment& e, const rows& all) {
  std::string text =
      fmt::format("{:<20}  {:>10}  {:>9}  {:>8}  {:>10}  {:>10}  {:>9}  {:>9}\n", "BRC over", "arithmetic",
                  "geometric", "matrices", "Kepler f32", "Kepler f64", "Fermi f32", "Fermi f64");
  for (const average_speed_up& each : average_speed_ups(e, all)) {
    text += fmt::format("{:<20}  ", each.over);
    text += each.matrices == 0 ? fmt::format("{:>10}  {:>9}", "-", "-")
                               : fmt::format("{:>10.3f}  {:>9.3f}", each.arithmetic, each.geometric);
    text += fmt::format("  {:>8}  {}\n", each.matrices, printed_cells(each.over));
  }
  return text;
}

std::string table3_report(const experiment& e, const rows& all) {
  const auto [of_table, others] = divided(all);
  std::string text = averages_text(e, of_table) +
                     "Kepler and Fermi: as Table 3 prints them, of a GTX Titan and a GTX 580\n" +
                     speed_ups(e, of_table);
  if (others.empty()) return text;
  return text + "\napart from these, the matrices that are not Table 1's; the paper has none of them\n" +
         averages_text(e, others) + speed_ups(e, others);
}

}  // namespace

std::vector<average_speed_up> average_speed_ups(const experiment& e, const rows& all) {
  std::vector<average_speed_up> averages;
  for (const series& each : e.all_series) {
    if (each.label == e.subject || !each.drawn) continue;
    std::vector<double> ratios;
    for (const json& row : all) {
      if (row.at("series") != each.label) continue;
      if (const auto ratio = speed_up(&row)) ratios.push_back(*ratio);
    }
    averages.push_back({.over = each.label,
                        .arithmetic = arithmetic_mean(ratios),
                        .geometric = geometric_mean(ratios),
                        .matrices = ratios.size()});
  }
  return averages;
}

experiment table3() {
  experiment e = of_formats("table3", "Table 3", "average speed-up of BRC over the other formats");
  e.matrices = {"@brc", "@headline"};
  e.report = table3_report;
  e.draw = [](const experiment& self, const rows& all) { return speed_up_bars(self, divided(all).of_table); };
  return e;
}

}  // namespace gossamer::experiments::brc
