// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/bccoo/series.hpp"

namespace gossamer::experiments::bccoo {

experiment fig4() {
  return on_cpu("fig4", "Figure 4", "speed on one core and on all (the paper: 16 of an EPYC)");
}

}  // namespace gossamer::experiments::bccoo
