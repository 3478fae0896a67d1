// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/csr_m/series.hpp"

namespace gossamer::experiments::csr_m {

experiment fig16() {
  return of_ellpack("fig16", "Figure 16", "bandwidth of the ELLPACK kernels, by formulas (4) and (5)",
                    quantity::paper_bandwidth, false);
}

}  // namespace gossamer::experiments::csr_m
