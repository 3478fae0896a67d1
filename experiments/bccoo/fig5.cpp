// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/bccoo/series.hpp"

namespace gossamer::experiments::bccoo {

experiment fig5() {
  return on_cpu("fig5", "Figure 5", "speed on one core and on all (the paper: 20 of two Xeons)", on_xeon);
}

}  // namespace gossamer::experiments::bccoo
