// SPDX-License-Identifier: BSD-3-Clause
// The steps of the primal-dual hybrid gradient method, and of the errors of its iterates.
#pragma once

#include <cmath>
#include <cstdint>

#include "solve/step.hpp"

namespace gossamer::inline v0::solve {

struct pdhg_scalar {
  enum : int {
    primal_step = scalar::own,
    dual_step,
    reflection,
    halpern,
    average,
    since_restart,
    primal_change,
    dual_change,
    primal_objective,
    dual_objective,
    column_objective,  ///< part of the dual objective
    primal_squares,    ///< squared residual of the bounds of x
    dual_squares,      ///< squared residual of the reduced costs
    primal_residual,
    dual_residual
  };
};

/// The nearest number within bounds. A NaN stays.
template <class V>
GOSSAMER_HOST_DEVICE inline V clamped(V v, V lower, V upper) {
  if (v < lower) return lower;
  return v > upper ? upper : v;
}

/// The new iterate for a step from `from` to `to`.
struct pdhg_update {
  double reflection = 0;
  double anchor = 0;  ///< weight of the iterate at the restart
  double mean = 0;    ///< weight of this step in the mean; 0: there is no mean
  GOSSAMER_HOST_DEVICE void begin(const double* s) {
    const double k = s[pdhg_scalar::since_restart];
    reflection = s[pdhg_scalar::reflection];
    anchor = s[pdhg_scalar::halpern] != 0 ? 1 / (k + 2) : 0;
    mean = s[pdhg_scalar::average] != 0 ? 1 / (k + 1) : 0;
  }
  template <class V>
  GOSSAMER_HOST_DEVICE void apply(std::int64_t i, V from, V to, V* z, const V* start, V* average) const {
    double next = to + reflection * (static_cast<double>(to) - from);
    if (anchor != 0) next += anchor * (start[i] - next);
    z[i] = static_cast<V>(next);
    if (mean != 0) average[i] = static_cast<V>(average[i] + mean * (static_cast<double>(to) - average[i]));
  }
};

/// z = start = average = from, for a restart. For columns, moved into bounds if they are given.
template <class V>
struct pdhg_restart {
  static constexpr int sums = 0;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const V* from;  ///< null: 0
  const V* lower;
  const V* upper;
  V* z;
  V* start;
  V* average;
  GOSSAMER_HOST_DEVICE bool begin(const double*) { return true; }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&)[1]) const {
    V v = from == nullptr ? V{0} : from[i];
    if (lower != nullptr) v = clamped(v, lower[i], upper[i]);
    z[i] = v;
    start[i] = v;
    average[i] = v;
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&)[1]) const { s[pdhg_scalar::since_restart] = 0; }
};

/// x' = x - tau (cost - A^T y) within its bounds, and 2 x' - x.
template <class V>
struct pdhg_primal {
  static constexpr int sums = 1;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const V* g;  ///< A^T y
  const V* cost;
  const V* lower;
  const V* upper;
  const V* start;
  V* x;
  V* average;
  V* extrapolated;
  double tau = 0;
  pdhg_update update = {};
  GOSSAMER_HOST_DEVICE bool begin(const double* s) {
    tau = s[pdhg_scalar::primal_step];
    update.begin(s);
    return true;
  }
  GOSSAMER_HOST_DEVICE void element(std::int64_t j, double (&dots)[1]) const {
    const V before = x[j];
    const double moved = before - tau * (static_cast<double>(cost[j]) - g[j]);
    const V after = clamped(static_cast<V>(moved), lower[j], upper[j]);
    const double change = static_cast<double>(after) - before;
    extrapolated[j] = static_cast<V>(after + change);
    update.apply(j, before, after, x, start, average);
    dots[0] += change * change;
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[1]) const {
    s[pdhg_scalar::primal_change] = std::sqrt(dots[0]);
  }
};

/// y' = y - sigma (q - a) for q = A (2 x' - x). A row whose a is q - y / sigma has y' = 0.
template <class V>
struct pdhg_dual {
  static constexpr int sums = 1;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const V* q;
  const V* lower;
  const V* upper;
  const V* start;
  V* y;
  V* average;
  double sigma = 0;
  pdhg_update update = {};
  GOSSAMER_HOST_DEVICE bool begin(const double* s) {
    sigma = s[pdhg_scalar::dual_step];
    update.begin(s);
    return true;
  }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[1]) const {
    const V before = y[i];
    const double row = q[i];
    const double point = row - before / sigma;
    double next = 0;
    if (point < lower[i])
      next = before - sigma * (row - lower[i]);
    else if (point > upper[i])
      next = before - sigma * (row - upper[i]);
    else if (point != point)
      next = point;
    const V after = static_cast<V>(next);
    const double change = static_cast<double>(after) - before;
    update.apply(i, before, after, y, start, average);
    dots[0] += change * change;
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[1]) const {
    s[pdhg_scalar::dual_change] = std::sqrt(dots[0]);
    s[pdhg_scalar::since_restart] += 1;
    if (!is_finite(dots[0]) || !is_finite(s[pdhg_scalar::primal_change])) abandon(s, status::not_finite);
  }
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
