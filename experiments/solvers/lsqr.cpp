// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/solvers/series.hpp"

namespace gossamer::experiments::solvers {

experiment lsqr() {
  experiment e = of_method("lsqr", "lsqr", "LSQR: an iteration with the matrix of a linear program");
  e.matrices = matrices_of_programs();
  add_loops(e);
  return e;
}

}  // namespace gossamer::experiments::solvers
