// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/arg_csr/series.hpp"

namespace gossamer::experiments::arg_csr {

experiment fig_csr() {
  experiment e = of_formats("fig_csr", "Figure csr-comparison", "formats against CSR on one CPU core");
  e.all_series.insert(e.all_series.begin(),
                      {.label = "CSR, one CPU core", .format = "pattern_csr", .where = place::one_cpu_core});
  e.compared = comparison::over_subject;
  e.subject = "CSR, one CPU core";
  return e;
}

}  // namespace gossamer::experiments::arg_csr
