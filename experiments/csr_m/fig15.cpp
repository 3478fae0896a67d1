// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/csr_m/series.hpp"

namespace gossamer::experiments::csr_m {

experiment fig15() {
  return of_ellpack("fig15", "Figure 15", "speed of the ELLPACK kernels", quantity::gflops, false);
}

}  // namespace gossamer::experiments::csr_m
