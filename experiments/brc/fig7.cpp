// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/brc/series.hpp"

namespace gossamer::experiments::brc {

experiment fig7() {
  experiment e = of_search("fig7", "Figure 7", "speed-up of tuned BRC over RG12");
  e.drawn_from = {"brc/search"};
  e.report = [](const experiment& self, const rows& all) {
    return table_of(self, all, quantity::gflops) + speed_ups(self, all);
  };
  e.draw = speed_up_bars;
  return e;
}

}  // namespace gossamer::experiments::brc
