// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/solvers/series.hpp"

namespace gossamer::experiments::solvers {

experiment pdhg() {
  experiment e = of_method("pdhg", "pdhg", "primal-dual hybrid gradient: a step of a linear program");
  e.matrices = matrices_of_programs();
  add_loops(e);
  return e;
}

}  // namespace gossamer::experiments::solvers
