// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "experiments/all_experiments.hpp"
#include "experiments/brc/series.hpp"

namespace gossamer::experiments::brc {
namespace {

/// The paper names matrices with 0 < σ <= 2/3 μ.
std::string variations(const rows& all) {
  std::string text = "σ / μ:";
  for (const std::string& matrix : matrices_of(all)) {
    const auto first =
        std::find_if(all.begin(), all.end(), [&](const json& row) { return title_of(row) == matrix; });
    text += fmt::format(" {} {:.3f}", matrix, variation_of(*first));
  }
  return text + "\n";
}

}  // namespace

experiment hybrid() {
  experiment e = of_parts("hybrid", "section 8", "BRC alone, HYB, and HYB with BRC instead of its parts");
  const auto of_part = [](const series& each) { return each.of != portion::whole; };
  e.all_series.erase(std::remove_if(e.all_series.begin(), e.all_series.end(), of_part), e.all_series.end());
  for (series& each : e.all_series) each.drawn = true;
  e.orders = {{"ELL + BRC", "BRC"}, {"ELL + BRC", "HYB"}};
  e.split = {};
  e.drawn_from = {"brc/fig9"};
  e.report = [](const experiment& self, const rows& all) {
    return table_of(self, all, quantity::gflops) + variations(all) + orders_of(self, all);
  };
  e.draw = [](const experiment& self, const rows& all) { return bars(self, all, quantity::gflops, false); };
  return e;
}

}  // namespace gossamer::experiments::brc
