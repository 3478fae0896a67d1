// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/arg_csr/series.hpp"

namespace gossamer::experiments::arg_csr {

experiment fig_formats() {
  experiment e = of_formats("fig_formats", "Figure argcsr-comparison", "ARG-CSR against the other formats");
  e.compared = comparison::of_subject;
  e.subject = "ARG-CSR";
  return e;
}

}  // namespace gossamer::experiments::arg_csr
