// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/csr_m/series.hpp"

namespace gossamer::experiments::csr_m {

experiment fig12() {
  return of_csr("fig12", "Figure 12", "speed of the CSR kernels", quantity::gflops, false);
}

}  // namespace gossamer::experiments::csr_m
