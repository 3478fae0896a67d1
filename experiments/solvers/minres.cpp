// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/solvers/series.hpp"

namespace gossamer::experiments::solvers {

experiment minres() {
  experiment e = of_method("minres", "minres", "MINRES: an iteration");
  e.matrices = matrices_of_systems();
  add_loops(e);
  return e;
}

}  // namespace gossamer::experiments::solvers
