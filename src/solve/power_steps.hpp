// SPDX-License-Identifier: BSD-3-Clause
// The steps of power iteration.
#pragma once

#include <cmath>
#include <cstdint>

#include "solve/start_steps.hpp"

namespace gossamer::inline v0::solve {

struct power_scalar {
  enum : int {
    x_q = scalar::own,  ///< x . A x
    q_q,                ///< A x . A x, the next one
    x_x,                ///< x . x of the current x
    eigenvalue
  };
};

/// x . x of the initial guess.
template <class V>
struct power_start {
  static constexpr int sums = 1;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const V* x;
  GOSSAMER_HOST_DEVICE bool begin(const double*) { return true; }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[1]) const {
    dots[0] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[1]) const {
    s[power_scalar::x_x] = dots[0];
    if (!is_finite(dots[0]))
      abandon(s, status::not_finite);
    else if (dots[0] == 0)
      abandon(s, status::breakdown);
    else if (s[scalar::limit] <= 0)
      s[scalar::verdict] = verdict_of(status::maxiter);
  }
};

/// x = x / ||x||, and x . x as it is then, after rounding.
template <class V>
struct power_normalize {
  static constexpr int sums = 1;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  V* x;
  double factor = 0;
  GOSSAMER_HOST_DEVICE bool begin(const double* s) {
    factor = 1 / std::sqrt(s[power_scalar::x_x]);
    return true;
  }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[1]) const {
    const V v = static_cast<V>(factor * x[i]);
    x[i] = v;
    dots[0] += static_cast<double>(v) * static_cast<double>(v);
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[1]) const { s[power_scalar::x_x] = dots[0]; }
};

/// The norm of A x - eigenvalue x, and the test of convergence.
template <class V>
struct power_residual {
  static constexpr int sums = 1;
  static constexpr bool ends = true;
  static constexpr bool opens = true;
  const V* q;  ///< A x
  const V* x;
  double eigenvalue = 0;
  GOSSAMER_HOST_DEVICE bool begin(const double* s) {
    eigenvalue = s[power_scalar::x_q] / s[power_scalar::x_x];
    return is_finite(eigenvalue);
  }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[1]) const {
    const double v = q[i] - eigenvalue * x[i];
    dots[0] += v * v;
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[1]) const {
    const double found = s[power_scalar::x_q] / s[power_scalar::x_x];
    if (!is_finite(found) || !is_finite(dots[0]) || !is_finite(s[power_scalar::q_q]))
      return abandon(s, status::not_finite);
    s[power_scalar::eigenvalue] = found;
    set_tolerance(s, found < 0 ? -found : found);
    finish_iteration(s, std::sqrt(dots[0]));
  }
};

/// x = A x / ||A x||, unless the iterations have ended: the residual is that of the last x.
template <class V>
struct power_next {
  static constexpr int sums = 1;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const V* q;
  V* x;
  double factor = 0;
  GOSSAMER_HOST_DEVICE bool begin(const double* s) {
    factor = 1 / std::sqrt(s[power_scalar::q_q]);
    return s[scalar::verdict] == 0;
  }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[1]) const {
    const V v = static_cast<V>(factor * q[i]);
    x[i] = v;
    dots[0] += static_cast<double>(v) * static_cast<double>(v);
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[1]) const {
    if (s[scalar::verdict] == 0) s[power_scalar::x_x] = dots[0];
  }
};

}  // namespace gossamer::inline v0::solve
