// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/bccoo/series.hpp"

namespace gossamer::experiments::bccoo {

experiment fig2() {
  return on_gpu("fig2", "Figure 2", "speed of BCCOO and of cuSPARSE's CSR and COO");
}

}  // namespace gossamer::experiments::bccoo
