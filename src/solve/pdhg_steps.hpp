// SPDX-License-Identifier: BSD-3-Clause
// The absolute errors of the iterates of the primal-dual hybrid gradient method, for the public class pdhg.
// Relative errors are in solve/linear_program_steps.hpp and python/gossamer/linalg/program.py.
#pragma once

#include <cmath>
#include <cstdint>

#include "solve/primal_dual_steps.hpp"

namespace gossamer::inline v0::solve {

struct pdhg_scalar {
  enum : int {
    primal_objective = primal_dual_scalar::own,
    dual_objective,
    column_objective,  ///< part of the dual objective
    primal_squares,    ///< squared residual of the bounds of x
    dual_squares,      ///< squared residual of the reduced costs
    primal_residual,
    dual_residual
  };
};

/// Adds what a multiplier contributes to the dual: its bound times it, or its square to the residual if that
/// bound is infinite.
template <class V>
GOSSAMER_HOST_DEVICE inline void add_multiplier(double multiplier, V lower, V upper, double& objective,
                                                double& squares) {
  if (multiplier == 0) return;
  const double bound = multiplier > 0 ? lower : upper;
  if (is_finite(bound))
    objective += bound * multiplier;
  else
    squares += multiplier * multiplier;
}

/// What the columns contribute to the errors.
template <class V>
struct pdhg_column_errors {
  static constexpr int sums = 4;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const V* g;  ///< A^T y
  const V* x;
  const V* cost;
  const V* lower;
  const V* upper;
  GOSSAMER_HOST_DEVICE bool begin(const double*) { return true; }
  GOSSAMER_HOST_DEVICE void element(std::int64_t j, double (&dots)[4]) const {
    const double c = cost[j];
    const double distance = static_cast<double>(x[j]) - clamped(x[j], lower[j], upper[j]);
    dots[0] += c * x[j];
    add_multiplier(c - g[j], lower[j], upper[j], dots[1], dots[2]);
    dots[3] += distance * distance;
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[4]) const {
    s[pdhg_scalar::primal_objective] = dots[0];
    s[pdhg_scalar::column_objective] = dots[1];
    s[pdhg_scalar::dual_squares] = dots[2];
    s[pdhg_scalar::primal_squares] = dots[3];
  }
};

/// What the rows contribute, and the sums.
template <class V>
struct pdhg_row_errors {
  static constexpr int sums = 3;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const V* q;  ///< A x
  const V* y;
  const V* lower;
  const V* upper;
  GOSSAMER_HOST_DEVICE bool begin(const double*) { return true; }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[3]) const {
    const double distance = static_cast<double>(q[i]) - clamped(q[i], lower[i], upper[i]);
    add_multiplier(static_cast<double>(y[i]), lower[i], upper[i], dots[0], dots[1]);
    dots[2] += distance * distance;
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[3]) const {
    s[pdhg_scalar::dual_objective] = s[pdhg_scalar::column_objective] + dots[0];
    s[pdhg_scalar::dual_residual] = std::sqrt(s[pdhg_scalar::dual_squares] + dots[1]);
    s[pdhg_scalar::primal_residual] = std::sqrt(s[pdhg_scalar::primal_squares] + dots[2]);
  }
};

}  // namespace gossamer::inline v0::solve
