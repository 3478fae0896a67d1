// SPDX-License-Identifier: BSD-3-Clause
// Steps before the first iteration, and dot products.
#pragma once

#include <cmath>
#include <cstdint>

#include "solve/step.hpp"

namespace gossamer::inline v0::solve {

/// How z = M r comes about.
enum class preconditioning {
  none,      ///< z is r
  diagonal,  ///< z = d r, computed where it is needed
  stored     ///< z is a vector
};

/// r = b, and the norm of b with the tolerance that follows from it.
template <class V>
struct take_right_side {
  static constexpr int sums = 2;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const V* b;
  V* r;
  V* x;  ///< becomes 0 if zero_initial_guess is set
  bool zero_initial_guess;
  GOSSAMER_HOST_DEVICE bool begin(const double*) { return true; }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[2]) const {
    const double v = b[i];
    r[i] = b[i];
    if (zero_initial_guess) x[i] = 0;
    dots[0] += v * v;
    dots[1] += v != 0 ? 1 : 0;
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[2]) const {
    const double norm = std::sqrt(dots[0]);
    s[scalar::norm_b] = norm;
    set_tolerance(s, norm);
    s[scalar::right_is_zero] = dots[1] == 0 ? 1 : 0;
    if (!is_finite(dots[0]) || (dots[0] == 0 && dots[1] != 0)) abandon(s, status::not_finite);
  }
};

/// Whether a solve ends before its first iteration, given the norm of the first residual.
GOSSAMER_HOST_DEVICE inline void judge_start(double* s, double residual, double tolerance) {
  s[scalar::residual] = residual;
  if (!is_finite(residual))
    s[scalar::verdict] = verdict_of(status::not_finite);
  else if (residual <= tolerance)
    s[scalar::verdict] = verdict_of(status::converged);
  else if (s[scalar::limit] <= 0)
    s[scalar::verdict] = verdict_of(status::maxiter);
}

/// The norm of the first residual r. If the right-hand side is 0, x and r become 0.
template <class V>
struct measure_start {
  static constexpr int sums = 1;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  V* r;
  V* x;
  bool any_tolerance = true;  ///< false: only a residual of 0 is small enough
  bool right_is_zero = false;
  GOSSAMER_HOST_DEVICE bool begin(const double* s) {
    right_is_zero = s[scalar::right_is_zero] != 0;
    return true;
  }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[1]) const {
    if (right_is_zero) {
      r[i] = 0;
      x[i] = 0;
      return;
    }
    const double v = r[i];
    dots[0] += v * v;
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[1]) const {
    judge_start(s, std::sqrt(dots[0]), any_tolerance ? s[scalar::tolerance] : 0);
  }
};

/// x = 0.
template <class V>
struct set_zero {
  static constexpr int sums = 0;
  static constexpr bool ends = false;
  static constexpr bool opens = false;
  V* x;
  bool if_right_is_zero = false;  ///< true: only then
  GOSSAMER_HOST_DEVICE bool begin(const double* s) const {
    return !if_right_is_zero || s[scalar::right_is_zero] != 0;
  }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&)[1]) const { x[i] = 0; }
};

/// y = y + factor x
template <class V>
struct add_multiple {
  static constexpr int sums = 0;
  static constexpr bool ends = false;
  static constexpr bool opens = false;
  const V* x;
  V* y;
  double factor;
  GOSSAMER_HOST_DEVICE bool begin(const double*) { return true; }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&)[1]) const {
    y[i] = static_cast<V>(y[i] + factor * x[i]);
  }
};

/// inverse = 1 / diagonal, where an element 0 counts as 1.
template <class V>
struct invert_diagonal {
  static constexpr int sums = 0;
  static constexpr bool ends = false;
  static constexpr bool opens = false;
  const V* diagonal;
  V* inverse;
  GOSSAMER_HOST_DEVICE bool begin(const double*) { return true; }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&)[1]) const {
    inverse[i] = diagonal[i] == 0 ? V{1} : V{1} / diagonal[i];
  }
};

}  // namespace gossamer::inline v0::solve
