// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "experiments/all_experiments.hpp"
#include "experiments/conclude.hpp"
#include "experiments/partition/series.hpp"
#include "experiments/ratios.hpp"
#include "experiments/rows.hpp"

namespace gossamer::experiments::partition {
namespace {

std::string densities_of(const experiment&, const rows& all) {
  std::string text = "mean density in % (printed average)\n";
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    std::vector<double> densities;
    std::string each;
    for (const std::string& matrix : matrices_of(all)) {
      const std::optional<double> percent = density_percent(find_row(all, matrix, algorithms[i]));
      if (!percent) continue;
      densities.push_back(*percent);
      each += fmt::format(" {} {:.1f}", matrix, *percent);
    }
    const std::string average =
        densities.empty() ? std::string("-") : fmt::format("{:.1f}", arithmetic_mean(densities));
    text += fmt::format("{}: {} ({:.0f}) over {} matrices:{}\n", algorithms[i], average, printed_densities[i],
                        densities.size(), each);
  }
  return text;
}

std::string draw_densities(const experiment& e, const rows& all) {
  return grouped_bars(e, all, "mean density, %", false, {algorithms.begin(), algorithms.end()},
                      [&](const std::string& matrix, const std::string& label) {
                        return density_percent(find_row(all, matrix, label));
                      });
}

}  // namespace

experiment fig10() {
  experiment e = of_partitions("fig10", "Figure 10", "densities of the sets of Table 2", powers_of_test2());
  e.drawn_from = {"partition/table2"};
  e.report = densities_of;
  e.draw = draw_densities;
  return e;
}

}  // namespace gossamer::experiments::partition
