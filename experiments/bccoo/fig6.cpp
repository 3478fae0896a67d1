// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/bccoo/series.hpp"

namespace gossamer::experiments::bccoo {

experiment fig6() {
  experiment e = on_gpu("fig6", "Figure 6", "speed-up of BCCOO over cuSPARSE's CSR and COO");
  e.drawn_from = {"bccoo/fig2"};
  e.draw = speed_up_bars;
  return e;
}

}  // namespace gossamer::experiments::bccoo
