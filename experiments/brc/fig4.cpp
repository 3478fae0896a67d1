// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/brc/printed.hpp"
#include "experiments/brc/series.hpp"

namespace gossamer::experiments::brc {

experiment fig4() {
  experiment e = of_formats("fig4", "Figures 4 and 5", "speed of BRC and of the other formats");
  e.drawn_from = {"brc/table3"};  // which has other matrices besides
  e.report = [](const experiment& self, const rows& all) {
    return table_of(self, divided(all).of_table, quantity::gflops);
  };
  e.draw = [](const experiment& self, const rows& all) {
    return bars(self, divided(all).of_table, quantity::gflops, false);
  };
  return e;
}

}  // namespace gossamer::experiments::brc
