// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/bccoo/series.hpp"

namespace gossamer::experiments::bccoo {

experiment fig5() {
  experiment e = on_cpu("fig5", "Figure 5", "speed on one core and on all (the paper: 20 of two Xeons)");
  e.drawn_from = {"bccoo/fig4"};  // the same measurement, next to the paper's of another machine
  return e;
}

}  // namespace gossamer::experiments::bccoo
