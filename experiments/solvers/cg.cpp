// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/all_experiments.hpp"
#include "experiments/solvers/series.hpp"

namespace gossamer::experiments::solvers {

experiment cg() {
  experiment e = of_method("cg", "cg", "conjugate gradients: an iteration, and the whole solution");
  // Poisson's equation has constant coefficients; those of the other matrices vary.
  e.matrices = {"stencil(nx=40,ny=40,nz=40,points=7,values=constant)",
                "stencil(nx=100,ny=100,nz=100,points=7)",
                "stencil(nx=160,ny=160,nz=160,points=7,values=constant)",
                "stencil(nx=1000,ny=1000,points=5)",
                "stencil(nx=100,ny=100,nz=100,points=27)",
                "fem(nx=28,dof=3)",
                "like(shipsec1)",
                "like(scircuit)",
                "like(thermal2)",
                "like(G3_circuit)"};
  e.all_series.push_back({.label = "cuSPARSE + cuBLAS", .peer = "cusparse_cublas"});
  e.all_series.push_back({.label = std::string(graph), .peer = "cusparse_cublas_graph"});
  e.all_series.push_back(
      {.label = "sliced ELLPACK + cuBLAS, graph", .peer = "cusparse_sliced_ell_cublas_graph"});
  e.all_series.push_back({.label = "MKL + cblas", .peer = "mkl_cblas"});
  e.all_series.push_back({.label = "Eigen", .peer = "eigen_cg"});
  return e;
}

}  // namespace gossamer::experiments::solvers
