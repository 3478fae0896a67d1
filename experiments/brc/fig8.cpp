// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/brc/series.hpp"

namespace gossamer::experiments::brc {

experiment fig8() {
  experiment e =
      over_the_table("fig8", "Figure 8", "BRC against sorted sliced ELLPACK on a CPU, in place of ESB");
  e.matrices = {"@esb", "@brc"};
  e.all_series = {of_brc(),
                  {.label = "SELL on the CPU, best window",
                   .format = "sliced_ell",
                   .where = place::all_of_cpu,
                   .how = effort::searched},
                  {.label = "CSR on the CPU, best kernel",
                   .format = "csr",
                   .where = place::all_of_cpu,
                   .how = effort::searched}};
  e.compared = comparison::of_subject;
  e.subject = "BRC";
  e.claims = {
      {.says = "BRC is 1.27 times as fast as ESB on the average (section 5, Figure 8), of ESB's own "
               "matrices; here of what is measured, and by a sliced ELLPACK that stands in for ESB",
       .faster = "BRC",
       .slower = "SELL on the CPU, best window",
       .on = extent::average},
      {.says = "BRC is faster than ESB but on circuit5M, rail4284 and spal_004 (section 5, Figure 8); the "
               "same",
       .faster = "BRC",
       .slower = "SELL on the CPU, best window",
       .except = {"circuit5M", "rail4284", "spal_004"}}};
  e.report = [](const experiment& self, const rows& all) {
    return table_of(self, all, quantity::gflops) + speed_ups(self, all) + claims_of(self, all);
  };
  e.draw = [](const experiment& self, const rows& all) { return bars(self, all, quantity::gflops, false); };
  return e;
}

}  // namespace gossamer::experiments::brc
