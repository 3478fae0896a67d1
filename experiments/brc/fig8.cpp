// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/brc/series.hpp"

namespace gossamer::experiments::brc {

experiment fig8() {
  experiment e =
      over_the_table("fig8", "Figure 8", "BRC against sorted sliced ELLPACK on a CPU instead of ESB");
  e.matrices = {"@esb", "@brc"};
  e.all_series = {of_brc(),
                  {.label = "SELL on the CPU, best window",
                   .format = "sliced_ell",
                   .where = place::all_of_cpu,
                   .how = effort::searched},
                  {.label = "CSR on the CPU, best kernel",
                   .format = "pattern_csr",
                   .where = place::all_of_cpu,
                   .how = effort::searched}};
  e.compared = comparison::of_subject;
  e.subject = "BRC";
  e.report = [](const experiment& self, const rows& all) {
    return table_of(self, all, quantity::gflops) + speed_ups(self, all);
  };
  e.draw = [](const experiment& self, const rows& all) { return bars(self, all, quantity::gflops, false); };
  return e;
}

}  // namespace gossamer::experiments::brc
