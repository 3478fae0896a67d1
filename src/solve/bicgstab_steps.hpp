// SPDX-License-Identifier: BSD-3-Clause
// The steps of stabilized biconjugate gradients with a preconditioner from the right.
#pragma once

#include <cmath>
#include <cstdint>

#include "solve/start_steps.hpp"

namespace gossamer::inline v0::solve {

struct bicgstab_scalar {
  enum : int {
    shadow = scalar::own,  ///< r0 . A p
    t_s,                   ///< t . s
    t_t,                   ///< t . t, the next one
    rho,                   ///< r0 . r
    alpha,
    beta,
    omega,
    s_s,         ///< s . s
    norm_start,  ///< norm of r0
    half         ///< 1: the first half of the iteration has met the stopping test
  };
};

/// r0 = r, p = r.
template <class V, preconditioning M>
struct bicgstab_start {
  static constexpr int sums = 1;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const V* r;
  const V* d;
  V* r0;
  V* p;
  V* mp;  ///< M p
  GOSSAMER_HOST_DEVICE bool begin(const double*) { return true; }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[1]) const {
    const V v = r[i];
    r0[i] = v;
    p[i] = v;
    if constexpr (M == preconditioning::diagonal) mp[i] = d[i] * v;
    dots[0] += static_cast<double>(v) * static_cast<double>(v);
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[1]) const {
    s[bicgstab_scalar::rho] = dots[0];
    s[bicgstab_scalar::norm_start] = std::sqrt(dots[0]);
  }
};

/// s = r - alpha A M p, in the memory of r, and its norm.
template <class V, preconditioning M>
struct bicgstab_half {
  static constexpr int sums = 1;
  static constexpr bool ends = true;
  static constexpr bool opens = true;
  const V* v;  ///< A M p
  const V* d;
  V* r;
  V* ms;  ///< M s
  double alpha = 0;
  GOSSAMER_HOST_DEVICE bool begin(const double* s) {
    const double shadow = s[bicgstab_scalar::shadow];
    alpha = s[bicgstab_scalar::rho] / shadow;
    return shadow != 0 && is_finite(shadow) && is_finite(alpha);
  }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[1]) const {
    const V next = static_cast<V>(r[i] - alpha * v[i]);
    r[i] = next;
    if constexpr (M == preconditioning::diagonal) ms[i] = d[i] * next;
    dots[0] += static_cast<double>(next) * static_cast<double>(next);
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[1]) const {
    const double shadow = s[bicgstab_scalar::shadow];
    const double step = s[bicgstab_scalar::rho] / shadow;
    if (shadow == 0) return abandon(s, status::breakdown_omega);
    if (!is_finite(shadow) || !is_finite(step) || !is_finite(dots[0])) return abandon(s, status::not_finite);
    s[bicgstab_scalar::alpha] = step;
    s[bicgstab_scalar::s_s] = dots[0];
    const double norm = std::sqrt(dots[0]);
    if (norm <= s[scalar::tolerance]) {
      s[bicgstab_scalar::half] = 1;
      finish_iteration(s, norm);
    }
  }
};

/// x = x + alpha M p + omega M s, r = s - omega A M s, and the test of convergence.
template <class V>
struct bicgstab_solution {
  static constexpr int sums = 2;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const V* mp;
  const V* ms;
  const V* t;  ///< A M s
  const V* r0;
  V* r;
  V* x;
  double alpha = 0;
  double omega = 0;
  GOSSAMER_HOST_DEVICE bool begin(const double* s) {
    alpha = s[bicgstab_scalar::alpha];
    omega = omega_of(s);
    return is_finite(omega);
  }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[2]) const {
    x[i] = static_cast<V>(omega == 0 ? x[i] + alpha * mp[i] : x[i] + alpha * mp[i] + omega * ms[i]);
    const V next = omega == 0 ? r[i] : static_cast<V>(r[i] - omega * t[i]);
    r[i] = next;
    dots[0] += static_cast<double>(next) * static_cast<double>(next);
    dots[1] += static_cast<double>(next) * static_cast<double>(r0[i]);
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[2]) const {
    if (s[bicgstab_scalar::half] != 0) return;
    const double chosen = omega_of(s);
    if (!is_finite(chosen) || !is_finite(dots[0]) || !is_finite(dots[1]))
      return abandon(s, status::not_finite);
    const double norm = std::sqrt(dots[0]);
    finish_iteration(s, norm);
    const double rho = dots[1];
    s[bicgstab_scalar::beta] = rho / s[bicgstab_scalar::rho] * (s[bicgstab_scalar::alpha] / chosen);
    s[bicgstab_scalar::rho] = rho;
    s[bicgstab_scalar::omega] = chosen;
    if (s[scalar::verdict] != 0) return;
    // Two vectors count as orthogonal if their dot product is at most this times their norms.
    constexpr double eps = epsilon_of<V>;
    constexpr double orthogonal = eps * eps;
    const double t_s = s[bicgstab_scalar::t_s];
    const double most = orthogonal * std::sqrt(s[bicgstab_scalar::t_t] * s[bicgstab_scalar::s_s]);
    if ((rho < 0 ? -rho : rho) <= orthogonal * s[bicgstab_scalar::norm_start] * norm)
      s[scalar::verdict] = verdict_of(status::breakdown_rho);
    else if (chosen == 0 || (t_s < 0 ? -t_s : t_s) <= most)
      s[scalar::verdict] = verdict_of(status::breakdown_omega);
  }

 private:
  GOSSAMER_HOST_DEVICE static double omega_of(const double* s) {
    const double t_t = s[bicgstab_scalar::t_t];
    if (s[bicgstab_scalar::half] != 0 || t_t == 0) return 0;
    return s[bicgstab_scalar::t_s] / t_t;
  }
};

/// p = r + beta (p - omega A M p).
template <class V, preconditioning M>
struct bicgstab_direction {
  static constexpr int sums = 0;
  static constexpr bool ends = false;
  static constexpr bool opens = false;
  const V* r;
  const V* v;
  const V* d;
  V* p;
  V* mp;
  double beta = 0;
  double omega = 0;
  GOSSAMER_HOST_DEVICE bool begin(const double* s) {
    beta = s[bicgstab_scalar::beta];
    omega = s[bicgstab_scalar::omega];
    return s[scalar::verdict] == 0;
  }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&)[1]) const {
    const V next = static_cast<V>(r[i] + beta * (p[i] - omega * v[i]));
    p[i] = next;
    if constexpr (M == preconditioning::diagonal) mp[i] = d[i] * next;
  }
};

}  // namespace gossamer::inline v0::solve
