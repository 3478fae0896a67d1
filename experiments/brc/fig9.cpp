// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/brc/series.hpp"

namespace gossamer::experiments::brc {

experiment fig9() {
  experiment e = of_parts("fig9", "Figure 9", "the parts of HYB by its own formats and by BRC");
  e.report = [](const experiment& self, const rows& all) {
    return table_of(self, all, quantity::gflops) + orders_of(self, all) + tail_note;
  };
  e.draw = [](const experiment& self, const rows& all) { return bars(self, all, quantity::gflops, false); };
  return e;
}

}  // namespace gossamer::experiments::brc
