// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/solvers/series.hpp"

namespace gossamer::experiments::solvers {

experiment pdhg() {
  experiment e = of_method("pdhg", "pdhg", "primal-dual hybrid gradient: a step of a linear program");
  e.matrices = {"sparse_lp(rows=100k,cols=200k)", "like(rail4284)"};
  e.all_series.push_back({.label = "cuSPARSE + cuBLAS", .peer = "cusparse_cublas"});
  e.all_series.push_back({.label = std::string(graph), .peer = "cusparse_cublas_graph"});
  e.all_series.push_back({.label = "MKL + cblas", .peer = "mkl_cblas"});
  return e;
}

}  // namespace gossamer::experiments::solvers
