// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/bccoo/series.hpp"

namespace gossamer::experiments::bccoo {

experiment fig7() {
  experiment e = on_cpu("fig7", "Figure 7", "speed-up of BCCOO on one core and on all (the paper: an EPYC)");
  e.drawn_from = {"bccoo/fig4", "bccoo/fig5"};
  e.draw = cpu_speed_up_bars;
  return e;
}

}  // namespace gossamer::experiments::bccoo
