// SPDX-License-Identifier: BSD-3-Clause
// The steps of linear_program_loop at the ends of its rounds: the fixed-point error, and the test.
//
// python/gossamer/linalg/program.py computes the same relative errors for the result. The absolute errors of
// the public class pdhg are in solve/pdhg_steps.hpp.
#pragma once

#include <cmath>
#include <cstdint>

#include "solve/primal_dual_steps.hpp"

namespace gossamer::inline v0::solve {

/// An epoch is the steps between two restarts. since_restart is the number of its steps before this round.
/// The length of a step is the fixed-point error ||T(z) - z||.
struct lp_scalar {
  enum : int {
    norm = primal_dual_scalar::own,  ///< a lower bound of the matrix's 2-norm, close to it
    weight,                          ///< square root of the ratio of the step sizes, sigma to tau
    steps,                           ///< steps of all epochs, before this round
    in_round,                        ///< steps of a round
    restarts,
    first_length,  ///< length of the epoch's first step
    last_length,   ///< length of the step before the last test
    length,
    norm_was_small,  ///< 1 if a step has shown that `norm` was too small
    restarts_now,    ///< 1 if T(z) becomes the anchor after this round
    size_of_sides,   ///< 1 + the norm of lb and ub
    size_of_c,       ///< 1 + the norm of c
    primal_error,
    dual_error,
    gap,
    objective,
    of_bounds,      ///< part of the dual objective
    from_anchor_x,  ///< squared distance of T(z) from the anchor, the part of x
  };
};

/// Share of the largest step size for which the method converges.
inline constexpr double lp_step_safety = 0.99;
/// An epoch ends if a step is shorter than the first factor times the epoch's first step; or shorter than the
/// second one, if steps grow again; or if the epoch has this share of all steps.
inline constexpr double lp_sufficient_decay = 0.2;
inline constexpr double lp_necessary_decay = 0.8;
inline constexpr double lp_longest_epoch = 0.36;

/// The part of a multiplier that finite bounds allow: a positive one of `low`, a negative one of `high`.
GOSSAMER_HOST_DEVICE inline double held_by(double multiplier, double low, double high) {
  if (multiplier > 0) return is_finite(low) ? multiplier : 0;
  return is_finite(high) ? multiplier : 0;
}

/// The least value of multiplier v for v from `low` to `high`. The multiplier is held by them.
GOSSAMER_HOST_DEVICE inline double least_product(double multiplier, double low, double high) {
  if (multiplier == 0) return 0;
  return multiplier * (multiplier > 0 ? low : high);
}

/// The step sizes for the norm and the weight.
GOSSAMER_HOST_DEVICE inline void set_lp_sizes(const double* s, const step_sizes<double>& sizes) {
  const double step = lp_step_safety / s[lp_scalar::norm];
  sizes.set(step / s[lp_scalar::weight], step * s[lp_scalar::weight]);
}

/// The length of a step, ||T(z) - z||, in the norm in which the method contracts. It needs
/// (y' - y) . A (x' - x), which also shows whether the estimate of the norm was too small.
struct lp_length {
  static constexpr int sums = 1;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const double* moved_y;
  const double* product;  ///< A (x' - x)
  step_sizes<double> sizes;
  bool is_first;  ///< of a round
  GOSSAMER_HOST_DEVICE bool begin(const double*) { return true; }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[1]) const {
    dots[0] += moved_y[i] * product[i];
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[1]) const {
    const double coupling = std::abs(dots[0]);
    const double x = s[primal_dual_scalar::moved_x];
    const double y = s[primal_dual_scalar::moved_y];
    const double norms = std::sqrt(x) * std::sqrt(y);
    if (is_finite(coupling) && lp_step_safety * coupling > s[lp_scalar::norm] * norms && norms > 0) {
      s[lp_scalar::norm] = coupling / norms;
      s[lp_scalar::norm_was_small] = 1;
      set_lp_sizes(s, sizes);
    }
    const double step = lp_step_safety / s[lp_scalar::norm];
    const double weight = s[lp_scalar::weight];
    const double squared = weight * x / step - 2 * dots[0] + y / (weight * step);
    const double length = squared < 0 ? 0 : std::sqrt(squared);
    s[lp_scalar::length] = length;
    if (is_first && s[primal_dual_scalar::since_restart] == 0) {
      s[lp_scalar::first_length] = length;
      s[lp_scalar::last_length] = length;
    }
  }
};

/// Sums over columns for the test of T(z): of dual residuals, of c x and of the dual objective.
struct lp_test_columns {
  static constexpr int sums = 4;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const double* product;  ///< A^T y'
  const double* c;
  const double* lower;
  const double* upper;
  const double* scale;  ///< factors of the columns
  const double* x;      ///< x'
  const double* anchor;
  GOSSAMER_HOST_DEVICE bool begin(const double*) { return true; }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[4]) const {
    const double free = c[i] - product[i];
    const double reduced = held_by(free, lower[i], upper[i]);
    const double residual = (free - reduced) / scale[i];
    const double distance = x[i] - anchor[i];
    dots[0] += residual * residual;
    dots[1] += c[i] * x[i];
    dots[2] += least_product(reduced, lower[i], upper[i]);
    dots[3] += distance * distance;
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[4]) const {
    s[lp_scalar::dual_error] = std::sqrt(dots[0]) / s[lp_scalar::size_of_c];
    s[lp_scalar::objective] = dots[1];
    s[lp_scalar::of_bounds] = dots[2];
    s[lp_scalar::from_anchor_x] = dots[3];
  }
};

/// The same over rows. Then it ends the round: the test of convergence, and whether the epoch ends.
struct lp_test_rows {
  static constexpr int sums = 3;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const double* product;  ///< A x'
  const double* lb;
  const double* ub;
  const double* scale;  ///< factors of the rows
  const double* y;      ///< y'
  const double* anchor;
  step_sizes<double> sizes;
  GOSSAMER_HOST_DEVICE bool begin(const double*) { return true; }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[3]) const {
    const double violation = (product[i] - clamped(product[i], lb[i], ub[i])) / scale[i];
    const double distance = y[i] - anchor[i];
    dots[0] += violation * violation;
    dots[1] += least_product(held_by(y[i], lb[i], ub[i]), lb[i], ub[i]);
    dots[2] += distance * distance;
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[3]) const {
    s[primal_dual_scalar::since_restart] += s[lp_scalar::in_round];
    s[lp_scalar::steps] += s[lp_scalar::in_round];
    const double objective = s[lp_scalar::objective];
    const double dual = s[lp_scalar::of_bounds] + dots[1];
    const double primal_error = std::sqrt(dots[0]) / s[lp_scalar::size_of_sides];
    const double size = 1 + std::abs(objective) + std::abs(dual);
    const double gap = is_finite(size) ? std::abs(objective - dual) / size : size;
    s[lp_scalar::primal_error] = primal_error;
    s[lp_scalar::gap] = gap;
    const double dual_error = s[lp_scalar::dual_error];
    const double limit = s[scalar::relative];
    if (primal_error <= limit && dual_error <= limit && gap <= limit) return abandon(s, status::converged);
    if (!is_finite(primal_error + dual_error + gap) || !is_finite(s[lp_scalar::length]))
      return abandon(s, status::not_finite);
    end_epoch_if_due(s, dots[2]);
  }

 private:
  GOSSAMER_HOST_DEVICE void end_epoch_if_due(double* s, double from_anchor_y) const {
    const double length = s[lp_scalar::length];
    const double first = s[lp_scalar::first_length];
    const bool is_due = length <= lp_sufficient_decay * first ||
                        (length <= lp_necessary_decay * first && length > s[lp_scalar::last_length]) ||
                        s[primal_dual_scalar::since_restart] >= lp_longest_epoch * s[lp_scalar::steps] ||
                        s[lp_scalar::norm_was_small] != 0;
    s[lp_scalar::last_length] = length;
    s[lp_scalar::restarts_now] = is_due ? 1 : 0;
    if (!is_due) return;
    const double x = s[lp_scalar::from_anchor_x];
    // The weight follows the ratio of the distances, smoothed in the logarithm by a half.
    if (x > 0 && from_anchor_y > 0)
      s[lp_scalar::weight] = std::sqrt(s[lp_scalar::weight] * std::sqrt(from_anchor_y) / std::sqrt(x));
    set_lp_sizes(s, sizes);
    s[lp_scalar::norm_was_small] = 0;
    s[primal_dual_scalar::since_restart] = 0;
    s[lp_scalar::restarts] += 1;
  }
};

}  // namespace gossamer::inline v0::solve
