// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/brc/printed.hpp"
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
                   .format = "pattern_csr",
                   .where = place::all_of_cpu,
                   .how = effort::searched}};
  e.compared = comparison::of_subject;
  e.subject = "BRC";
  const std::vector<std::string> of_esb = {"circuit5M", "rail4284", "spal_004"};
  e.claims = {
      {.statement =
           "BRC is faster on the average than a CPU's sliced ELLPACK, which stands in for ESB, of those of "
           "ESB's matrices that the text names, which are its exceptions (section 5, Figure 8; the paper, "
           "of all of ESB's: 1.27)",
       .faster = "BRC",
       .slower = "SELL on the CPU, best window",
       .on = extent::average,
       .about = of_esb},
      {.statement = "the same of the matrices of Table 1, of which the paper says nothing",
       .faster = "BRC",
       .slower = "SELL on the CPU, best window",
       .on = extent::average,
       .about = printed_names()},
      {.statement =
           "BRC is faster than the stand-in for ESB but on circuit5M, rail4284 and spal_004 (section 5, "
           "Figure 8)",
       .faster = "BRC",
       .slower = "SELL on the CPU, best window",
       .except = of_esb}};
  e.report = [](const experiment& self, const rows& all) {
    return table_of(self, all, quantity::gflops) + speed_ups(self, all) + claims_of(self, all);
  };
  e.draw = [](const experiment& self, const rows& all) { return bars(self, all, quantity::gflops, false); };
  return e;
}

}  // namespace gossamer::experiments::brc
