// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/bccoo/footprint.hpp"

namespace gossamer::experiments::bccoo {

experiment fig3() {
  experiment e = of_footprint("fig3", "Figure 3", "bytes of the formats for CPUs over those of CSR");
  e.all_series = {
      {.label = "COO", .format = "coo", .how = effort::forecast},
      {.label = "BCOO", .format = "bcoo", .how = effort::forecast},
      {.label = "BCCOO", .format = "bccoo", .options = {{"codes", "tuples"}}, .how = effort::forecast}};
  return e;
}

}  // namespace gossamer::experiments::bccoo
