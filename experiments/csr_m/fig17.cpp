// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/csr_m/series.hpp"

namespace gossamer::experiments::csr_m {

experiment fig17() {
  return of_ellpack("fig17", "Figure 17", "time of the ELLPACK kernels", quantity::seconds, true);
}

}  // namespace gossamer::experiments::csr_m
