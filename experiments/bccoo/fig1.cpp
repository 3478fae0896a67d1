// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/bccoo/footprint.hpp"

namespace gossamer::experiments::bccoo {

experiment fig1() {
  experiment e = of_footprint("fig1", "Figure 1", "bytes of the layout for GPUs over those of CSR");
  e.all_series = {{.label = "COO", .format = "coo", .how = effort::forecast},
                  {.label = "BCCOO",
                   .format = "bccoo",
                   .options = {{"codes", "chunk_published"}},
                   .how = effort::forecast}};
  return e;
}

}  // namespace gossamer::experiments::bccoo
