// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/bccoo/series.hpp"

namespace gossamer::experiments::bccoo {

experiment fig8() {
  experiment e =
      on_cpu("fig8", "Figure 8", "speed-up of BCCOO on one core and on all (the paper: two Xeons)");
  e.drawn_from = {"bccoo/fig4", "bccoo/fig5"};
  e.draw = cpu_speed_up_bars;
  return e;
}

}  // namespace gossamer::experiments::bccoo
