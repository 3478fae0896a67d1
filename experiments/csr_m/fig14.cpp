// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/csr_m/series.hpp"

namespace gossamer::experiments::csr_m {

experiment fig14() {
  return of_csr("fig14", "Figure 14", "time of the CSR kernels", quantity::seconds, true);
}

}  // namespace gossamer::experiments::csr_m
