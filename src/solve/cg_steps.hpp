// SPDX-License-Identifier: BSD-3-Clause
// The steps of conjugate gradients.
#pragma once

#include <cmath>
#include <cstdint>

#include "solve/start_steps.hpp"

namespace gossamer::inline v0::solve {

struct cg_scalar {
  enum : int {
    curvature = scalar::own,  ///< p . A p
    rho,                      ///< r . z
    alpha,
    beta
  };
};

/// Sets rho, and beta from the one before it. A rho of 0 ends the iterations unless they have ended.
GOSSAMER_HOST_DEVICE inline void next_rho(double* s, double rho) {
  s[cg_scalar::beta] = rho / s[cg_scalar::rho];
  s[cg_scalar::rho] = rho;
  if (s[scalar::verdict] != 0) return;
  if (rho == 0) s[scalar::verdict] = verdict_of(status::breakdown);
  if (!is_finite(rho)) s[scalar::verdict] = verdict_of(status::not_finite);
}

/// p = z, and rho.
template <class V, preconditioning M>
struct cg_start {
  static constexpr int sums = 1;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const V* r;
  const V* z;  ///< diagonal: d; stored: z
  V* p;
  GOSSAMER_HOST_DEVICE bool begin(const double*) { return true; }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[1]) const {
    V v = r[i];
    if constexpr (M == preconditioning::diagonal) v *= z[i];
    if constexpr (M == preconditioning::stored) v = z[i];
    p[i] = v;
    dots[0] += static_cast<double>(r[i]) * static_cast<double>(v);
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[1]) const { next_rho(s, dots[0]); }
};

/// r = r - alpha A p, its norm, and the test of convergence. Unless z is a vector, also rho = r . z.
template <class V, preconditioning M>
struct cg_residual {
  static constexpr int sums = M == preconditioning::diagonal ? 2 : 1;
  static constexpr bool ends = true;
  static constexpr bool opens = true;
  const V* q;  ///< A p
  const V* d;
  V* r;
  double alpha = 0;
  GOSSAMER_HOST_DEVICE bool begin(const double* s) {
    const double curvature = s[cg_scalar::curvature];
    alpha = s[cg_scalar::rho] / curvature;
    return curvature != 0 && is_finite(curvature) && is_finite(alpha);
  }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[sums]) const {
    const V v = static_cast<V>(r[i] - alpha * q[i]);
    r[i] = v;
    dots[0] += static_cast<double>(v) * static_cast<double>(v);
    if constexpr (M == preconditioning::diagonal)
      dots[1] += static_cast<double>(v) * static_cast<double>(v * d[i]);
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[sums]) const {
    const double curvature = s[cg_scalar::curvature];
    const double step = s[cg_scalar::rho] / curvature;
    if (curvature == 0) return abandon(s, status::breakdown);
    if (!is_finite(curvature) || !is_finite(step) || !is_finite(dots[0]))
      return abandon(s, status::not_finite);
    s[cg_scalar::alpha] = step;
    finish_iteration(s, std::sqrt(dots[0]));
    if constexpr (M == preconditioning::none) next_rho(s, dots[0]);
    if constexpr (M == preconditioning::diagonal) next_rho(s, dots[1]);
  }
};

/// rho = r . z for a vector z.
template <class V>
struct cg_rho {
  static constexpr int sums = 1;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const V* r;
  const V* z;
  GOSSAMER_HOST_DEVICE bool begin(const double*) { return true; }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[1]) const {
    dots[0] += static_cast<double>(r[i]) * static_cast<double>(z[i]);
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[1]) const { next_rho(s, dots[0]); }
};

/// x = x + alpha p, p = z + beta p.
template <class V, preconditioning M>
struct cg_direction {
  static constexpr int sums = 0;
  static constexpr bool ends = false;
  static constexpr bool opens = false;
  const V* z;  ///< none and diagonal: r; stored: z
  const V* d;
  V* x;
  V* p;
  double alpha = 0;
  double beta = 0;
  GOSSAMER_HOST_DEVICE bool begin(const double* s) {
    alpha = s[cg_scalar::alpha];
    beta = s[cg_scalar::beta];
    return true;
  }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&)[1]) const {
    V v = z[i];
    if constexpr (M == preconditioning::diagonal) v *= d[i];
    const double before = p[i];
    x[i] = static_cast<V>(x[i] + alpha * before);
    p[i] = static_cast<V>(v + beta * before);
  }
};

}  // namespace gossamer::inline v0::solve
