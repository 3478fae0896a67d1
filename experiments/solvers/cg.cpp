// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/solvers/series.hpp"

namespace gossamer::experiments::solvers {

experiment cg() {
  experiment e = of_method("cg", "cg", "conjugate gradients: an iteration, and the whole solution");
  e.matrices = matrices_of_systems();
  add_loops(e);
  e.all_series.push_back(
      {.label = "sliced ELLPACK + cuBLAS, graph", .peer = "cusparse_sliced_ell_cublas_graph"});
  e.all_series.push_back({.label = "Eigen", .peer = "eigen_cg"});
  return e;
}

}  // namespace gossamer::experiments::solvers
