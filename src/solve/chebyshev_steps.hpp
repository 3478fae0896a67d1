// SPDX-License-Identifier: BSD-3-Clause
// The steps of Chebyshev iteration. With center c and half width h of the interval and q_0 = h / c, the
// coefficients are q_k = h / (2 c - h q_(k-1)), and the next direction is q_k q_(k-1) d + 2 q_k / h z.
#pragma once

#include <cmath>
#include <cstdint>

#include "solve/start_steps.hpp"

namespace gossamer::inline v0::solve {

struct chebyshev_scalar {
  enum : int {
    center = scalar::own,
    half_width,
    quotient,  ///< q_k
    keep,      ///< factor of the last direction in the next one
    add        ///< factor of z
  };
};

/// The coefficients of the next direction.
GOSSAMER_HOST_DEVICE inline void next_chebyshev(double* s) {
  using at = chebyshev_scalar;
  const double divisor = 2 * s[at::center] - s[at::half_width] * s[at::quotient];
  const double next = s[at::half_width] / divisor;
  s[at::keep] = next * s[at::quotient];
  s[at::add] = 2 / divisor;
  s[at::quotient] = next;
}

/// The first direction z / c.
template <class V, preconditioning M>
struct chebyshev_start {
  static constexpr int sums = 0;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const V* z;  ///< none and diagonal: r
  const V* d;
  V* direction;
  double factor = 0;
  GOSSAMER_HOST_DEVICE bool begin(const double* s) {
    factor = 1 / s[chebyshev_scalar::center];
    return true;
  }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&)[1]) const {
    V v = z[i];
    if constexpr (M == preconditioning::diagonal) v *= d[i];
    direction[i] = static_cast<V>(factor * v);
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&)[1]) const {
    s[chebyshev_scalar::quotient] = s[chebyshev_scalar::half_width] / s[chebyshev_scalar::center];
    next_chebyshev(s);
  }
};

/// x = x + direction, r = r - A direction, the test of convergence. Unless z is stored, the next direction.
template <class V, preconditioning M>
struct chebyshev_step {
  static constexpr int sums = 1;
  static constexpr bool ends = true;
  static constexpr bool opens = true;
  const V* q;  ///< A direction
  const V* d;
  V* x;
  V* r;
  V* direction;
  double keep = 0;
  double add = 0;
  GOSSAMER_HOST_DEVICE bool begin(const double* s) {
    keep = s[chebyshev_scalar::keep];
    add = s[chebyshev_scalar::add];
    return true;
  }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[1]) const {
    const V before = direction[i];
    x[i] += before;
    const V next = r[i] - q[i];
    r[i] = next;
    dots[0] += static_cast<double>(next) * static_cast<double>(next);
    if constexpr (M != preconditioning::stored) {
      const V z = M == preconditioning::diagonal ? next * d[i] : next;
      direction[i] = static_cast<V>(keep * before + add * z);
    }
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[1]) const {
    if (!is_finite(dots[0])) return abandon(s, status::not_finite);
    finish_iteration(s, std::sqrt(dots[0]));
    if constexpr (M != preconditioning::stored) next_chebyshev(s);
  }
};

/// The next direction for a vector z.
template <class V>
struct chebyshev_direction {
  static constexpr int sums = 0;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const V* z;
  V* direction;
  double keep = 0;
  double add = 0;
  GOSSAMER_HOST_DEVICE bool begin(const double* s) {
    keep = s[chebyshev_scalar::keep];
    add = s[chebyshev_scalar::add];
    return true;
  }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&)[1]) const {
    direction[i] = static_cast<V>(keep * direction[i] + add * z[i]);
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&)[1]) const { next_chebyshev(s); }
};

}  // namespace gossamer::inline v0::solve
