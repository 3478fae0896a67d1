// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/csr_m/series.hpp"

namespace gossamer::experiments::csr_m {

experiment fig13() {
  return of_csr("fig13", "Figure 13", "bandwidth of the CSR kernels, by formulas (2) and (3)",
                quantity::paper_bandwidth, false);
}

}  // namespace gossamer::experiments::csr_m
