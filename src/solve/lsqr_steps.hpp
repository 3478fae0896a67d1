// SPDX-License-Identifier: BSD-3-Clause
// The steps of LSQR: the bidiagonalization of A by Golub and Kahan, and the QR factors of the bidiagonal
// matrix (Paige and Saunders, 1982, sections 4 and 5). The vectors of the bidiagonalization are stored
// without normalization, as beta u and alpha v.
#pragma once

#include <cmath>
#include <cstdint>

#include "solve/start_steps.hpp"

namespace gossamer::inline v0::solve {

struct lsqr_scalar {
  enum : int {
    damp = scalar::own,
    atol,
    btol,
    ctol,  ///< 1 / conlim, or 0
    alpha,
    beta,
    rho_bar,
    phi_bar,
    z,
    c2,  ///< the last rotation from the right
    s2,
    along,   ///< step along w
    remain,  ///< part of w that stays in the next one
    w_w,     ///< w . w
    r1norm,  ///< names as in lsqr_result
    r2norm,
    anorm,
    acond,
    arnorm,
    xnorm,
    damped,     ///< sum of psi^2
    x_squares,  ///< sum of z^2
    d_squares,  ///< squared Frobenius norm of the directions
    istop
  };
};

/// beta = ||u||, the norm of the first residual.
template <class V>
struct lsqr_first_left {
  static constexpr int sums = 1;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const V* u;
  GOSSAMER_HOST_DEVICE bool begin(const double* s) { return s[scalar::right_is_zero] == 0; }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[1]) const {
    dots[0] += static_cast<double>(u[i]) * static_cast<double>(u[i]);
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[1]) const {
    const double beta = std::sqrt(dots[0]);
    s[lsqr_scalar::beta] = beta;
    s[lsqr_scalar::phi_bar] = beta;
    s[lsqr_scalar::r1norm] = beta;
    s[lsqr_scalar::r2norm] = beta;
    s[scalar::residual] = beta;
    if (!is_finite(beta)) return abandon(s, status::not_finite);
    if (beta == 0) s[scalar::verdict] = verdict_of(status::converged);
  }
};

/// alpha v = A^T u, w = v.
template <class V>
struct lsqr_first_right {
  static constexpr int sums = 1;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const V* t;  ///< A^T beta u
  V* v;
  double inverse = 0;
  GOSSAMER_HOST_DEVICE bool begin(const double* s) {
    inverse = s[lsqr_scalar::beta] > 0 ? 1 / s[lsqr_scalar::beta] : 0;
    return inverse > 0;
  }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[1]) const {
    const V next = static_cast<V>(t[i] * inverse);
    v[i] = next;
    dots[0] += static_cast<double>(next) * static_cast<double>(next);
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[1]) const {
    const double alpha = std::sqrt(dots[0]);
    s[lsqr_scalar::alpha] = alpha;
    s[lsqr_scalar::rho_bar] = alpha;
    s[lsqr_scalar::w_w] = 1;
    s[lsqr_scalar::c2] = -1;
    s[lsqr_scalar::arnorm] = alpha * s[lsqr_scalar::beta];
    if (s[scalar::verdict] != 0) return;
    if (!is_finite(alpha))
      abandon(s, status::not_finite);
    else if (s[lsqr_scalar::arnorm] == 0)
      s[scalar::verdict] = verdict_of(status::converged);
    else if (s[scalar::limit] <= 0)
      s[scalar::verdict] = verdict_of(status::maxiter);
  }
};

/// w = v.
template <class V>
struct lsqr_first_direction {
  static constexpr int sums = 0;
  static constexpr bool ends = false;
  static constexpr bool opens = false;
  const V* v;
  V* w;
  double inverse = 0;
  GOSSAMER_HOST_DEVICE bool begin(const double* s) {
    inverse = 1 / s[lsqr_scalar::alpha];
    return s[scalar::verdict] == 0;
  }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&)[1]) const {
    w[i] = static_cast<V>(v[i] * inverse);
  }
};

/// The next beta u = A v - alpha u.
template <class V>
struct lsqr_left {
  static constexpr int sums = 1;
  static constexpr bool ends = true;
  static constexpr bool opens = true;
  const V* t;  ///< A alpha v
  V* u;
  double inverse = 0;
  double before = 0;
  GOSSAMER_HOST_DEVICE bool begin(const double* s) {
    inverse = 1 / s[lsqr_scalar::alpha];
    before = s[lsqr_scalar::alpha] / s[lsqr_scalar::beta];
    return true;
  }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[1]) const {
    const V next = static_cast<V>(t[i] * inverse - before * u[i]);
    u[i] = next;
    dots[0] += static_cast<double>(next) * static_cast<double>(next);
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[1]) const {
    s[lsqr_scalar::beta] = std::sqrt(dots[0]);
    if (!is_finite(dots[0])) abandon(s, status::not_finite);
  }
};

/// The rotations of an iteration, given the next alpha, and the stopping tests. Names as in the paper.
template <class V>
GOSSAMER_HOST_DEVICE inline void extend_lsqr(double* s, double last_alpha, double alpha) {
  using at = lsqr_scalar;
  constexpr double eps = epsilon_of<V>;
  const double beta = s[at::beta];
  const double damp = s[at::damp];
  if (beta > 0)
    s[at::anorm] =
        std::sqrt(s[at::anorm] * s[at::anorm] + last_alpha * last_alpha + beta * beta + damp * damp);
  s[at::alpha] = alpha;
  double rho_bar = s[at::rho_bar];
  double psi = 0;
  if (damp > 0) {
    const double damped = std::sqrt(rho_bar * rho_bar + damp * damp);
    psi = damp / damped * s[at::phi_bar];
    s[at::phi_bar] *= rho_bar / damped;
    rho_bar = damped;
  }
  const double rho = std::sqrt(rho_bar * rho_bar + beta * beta);
  const double c = rho_bar / rho;
  const double sine = beta / rho;
  const double theta = sine * alpha;
  s[at::rho_bar] = -c * alpha;
  const double phi = c * s[at::phi_bar];
  s[at::phi_bar] *= sine;
  const double tau = sine * phi;
  s[at::along] = phi / rho;
  s[at::remain] = -theta / rho;
  s[at::d_squares] += s[at::w_w] / (rho * rho);

  const double delta = s[at::s2] * rho;
  const double gamma_bar = -s[at::c2] * rho;
  const double right = phi - delta * s[at::z];
  const double z_bar = right / gamma_bar;
  s[at::xnorm] = std::sqrt(s[at::x_squares] + z_bar * z_bar);
  const double gamma = std::sqrt(gamma_bar * gamma_bar + theta * theta);
  s[at::c2] = gamma_bar / gamma;
  s[at::s2] = theta / gamma;
  s[at::z] = right / gamma;
  s[at::x_squares] += s[at::z] * s[at::z];

  s[at::acond] = s[at::anorm] * std::sqrt(s[at::d_squares]);
  s[at::damped] += psi * psi;
  const double rnorm = std::sqrt(s[at::phi_bar] * s[at::phi_bar] + s[at::damped]);
  s[at::arnorm] = alpha * (tau < 0 ? -tau : tau);
  // Without the part of the damping, whose estimate may exceed the whole by rounding: then it is negative.
  const double own = rnorm * rnorm - damp * damp * s[at::xnorm] * s[at::xnorm];
  s[at::r1norm] = own < 0 ? -std::sqrt(-own) : std::sqrt(own);
  s[at::r2norm] = rnorm;
  const double finished = s[scalar::iterations] + 1;
  s[scalar::iterations] = finished;
  s[scalar::residual] = rnorm;
  if (!is_finite(rnorm) || !is_finite(s[at::along]) || !is_finite(s[at::acond]))
    return abandon(s, status::not_finite);

  const double norm_b = s[scalar::norm_b];
  const double scale = s[at::anorm] * s[at::xnorm];
  int istop = 0;
  if (finished >= s[scalar::limit]) istop = 7;
  if (s[at::acond] * eps >= 2) istop = 6;
  if (s[at::arnorm] <= eps / 2 * s[at::anorm] * rnorm) istop = 5;
  if (rnorm <= eps / 2 * (norm_b + scale)) istop = 4;
  if (s[at::ctol] * s[at::acond] >= 1) istop = 3;
  if (s[at::arnorm] <= s[at::atol] * s[at::anorm] * rnorm) istop = 2;
  if (rnorm <= s[at::btol] * norm_b + s[at::atol] * scale) istop = 1;
  s[at::istop] = istop;
  if (istop == 7)
    s[scalar::verdict] = verdict_of(status::maxiter);
  else if (istop == 3 || istop == 6)
    s[scalar::verdict] = verdict_of(status::stagnation);
  else if (istop != 0)
    s[scalar::verdict] = verdict_of(status::converged);
}

/// The next alpha v = A^T u - beta v. If u is 0, v stays.
template <class V>
struct lsqr_right {
  static constexpr int sums = 1;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const V* t;  ///< A^T beta u
  V* v;
  double inverse = 0;
  double before = 0;
  GOSSAMER_HOST_DEVICE bool begin(const double* s) {
    const double beta = s[lsqr_scalar::beta];
    inverse = 1 / beta;
    before = beta / s[lsqr_scalar::alpha];
    return beta > 0;
  }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[1]) const {
    const V next = static_cast<V>(t[i] * inverse - before * v[i]);
    v[i] = next;
    dots[0] += static_cast<double>(next) * static_cast<double>(next);
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[1]) const {
    const double alpha = s[lsqr_scalar::alpha];
    if (!is_finite(dots[0])) return abandon(s, status::not_finite);
    extend_lsqr<V>(s, alpha, s[lsqr_scalar::beta] > 0 ? std::sqrt(dots[0]) : alpha);
  }
};

/// x = x + along w, w = v + remain w, and w . w.
template <class V>
struct lsqr_solution {
  static constexpr int sums = 1;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const V* v;
  V* w;
  V* x;
  double along = 0;
  double remain = 0;
  double inverse = 0;
  GOSSAMER_HOST_DEVICE bool begin(const double* s) {
    const double alpha = s[lsqr_scalar::alpha];
    along = s[lsqr_scalar::along];
    remain = s[lsqr_scalar::remain];
    inverse = alpha > 0 ? 1 / alpha : 0;
    return true;
  }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[1]) const {
    const double direction = w[i];
    x[i] = static_cast<V>(x[i] + along * direction);
    const V next = static_cast<V>(inverse * v[i] + remain * direction);
    w[i] = next;
    dots[0] += static_cast<double>(next) * static_cast<double>(next);
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[1]) const { s[lsqr_scalar::w_w] = dots[0]; }
};

}  // namespace gossamer::inline v0::solve
