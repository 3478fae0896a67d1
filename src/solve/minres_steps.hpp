// SPDX-License-Identifier: BSD-3-Clause
// The steps of the minimum residual method: the Lanczos process of A with the preconditioner M, and the QR
// factors of its tridiagonal matrix (Paige and Saunders, 1975, section 4).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "solve/start_steps.hpp"

namespace gossamer::inline v0::solve {

struct minres_scalar {
  enum : int {
    curvature = scalar::own,  ///< z . A z
    z_z,                      ///< z . z of the next z
    shift,
    beta,       ///< norm of the Lanczos vector, in the norm of M: sqrt(r . z)
    ratio,      ///< beta / the one before it; 0 in the first iteration
    last_beta,  ///< that of the vector in the product
    alpha,      ///< diagonal element of the tridiagonal matrix
    c,          ///< the last rotation
    s,
    delta_bar,  ///< element that the next rotation meets
    epsilon,    ///< element two above the diagonal of R
    last_epsilon,
    delta,    ///< element one above the diagonal of R
    gamma,    ///< diagonal element of R
    phi,      ///< step along the new direction
    phi_bar,  ///< norm of the residual
    root,     ///< ||A r|| / ||r|| of the previous residual
    squares,  ///< squared Frobenius norm of the tridiagonal matrix
    most_gamma,
    least_gamma,
    first_beta,   ///< norm of the first residual
    is_invariant  ///< 1: the right-hand side is an eigenvector
  };
};

GOSSAMER_HOST_DEVICE inline double length_of(double a, double b) {
  return std::sqrt(a * a + b * b);
}

/// z = M r and the vectors of the first iteration.
template <class V, preconditioning M>
struct minres_start {
  static constexpr int sums = 2;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const V* r;
  const V* d;
  V* z;       ///< none: r
  V* before;  ///< r of the iteration before
  V* w0;
  V* w1;
  GOSSAMER_HOST_DEVICE bool begin(const double*) { return true; }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[2]) const {
    if constexpr (M == preconditioning::diagonal) z[i] = d[i] * r[i];
    before[i] = 0;
    w0[i] = 0;
    w1[i] = 0;
    const double v = z[i];
    dots[0] += v * static_cast<double>(r[i]);
    dots[1] += v * v;
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[2]) const {
    if (s[scalar::verdict] != 0) return;
    if (!is_finite(dots[0])) return abandon(s, status::not_finite);
    if (dots[0] <= 0) return abandon(s, status::breakdown);  // M is not positive definite
    const double beta = std::sqrt(dots[0]);
    s[scalar::residual] = beta;
    s[minres_scalar::beta] = beta;
    s[minres_scalar::first_beta] = beta;
    s[minres_scalar::phi_bar] = beta;
    s[minres_scalar::z_z] = dots[1];
    s[minres_scalar::ratio] = 0;
    s[minres_scalar::c] = -1;
    s[minres_scalar::least_gamma] = std::numeric_limits<double>::max();
  }
};

/// One more row of the tridiagonal matrix and of R, once r . z of the next vectors is known.
template <class V>
GOSSAMER_HOST_DEVICE inline void extend_minres(double* s, double r_z, double z_z) {
  using at = minres_scalar;
  const double alpha = s[at::alpha];
  const double beta = s[at::beta];
  if (!is_finite(alpha) || !is_finite(r_z) || !is_finite(z_z)) return abandon(s, status::not_finite);
  if (r_z < 0) return abandon(s, status::breakdown);
  const double next = std::sqrt(r_z);
  // The first beta is no element of the tridiagonal matrix.
  s[at::squares] += alpha * alpha + next * next + (s[scalar::iterations] > 0 ? beta * beta : 0);
  if (s[scalar::iterations] == 0) s[at::is_invariant] = next <= 10 * epsilon_of<V> * beta ? 1 : 0;
  const double c = s[at::c];
  const double sine = s[at::s];
  const double delta_bar = s[at::delta_bar];
  s[at::last_epsilon] = s[at::epsilon];
  s[at::delta] = c * delta_bar + sine * alpha;
  const double gamma_bar = sine * delta_bar - c * alpha;
  s[at::epsilon] = sine * next;
  s[at::delta_bar] = -c * next;
  s[at::root] = length_of(gamma_bar, s[at::delta_bar]);
  const double length = length_of(gamma_bar, next);
  const double gamma = length > epsilon_of<V> ? length : epsilon_of<V>;
  s[at::gamma] = gamma;
  s[at::c] = gamma_bar / gamma;
  s[at::s] = length == 0 ? 1 : next / gamma;  // a column of zeros leaves the residual as it is
  s[at::phi] = s[at::c] * s[at::phi_bar];
  s[at::phi_bar] *= s[at::s];
  if (gamma > s[at::most_gamma]) s[at::most_gamma] = gamma;
  if (gamma < s[at::least_gamma]) s[at::least_gamma] = gamma;
  s[at::last_beta] = beta;
  s[at::beta] = next;
  s[at::z_z] = z_z;
  s[at::ratio] = next / beta;
}

/// The next Lanczos vector r, in the memory of the one before the last, and z = M r unless it is stored.
template <class V, preconditioning M>
struct minres_lanczos {
  static constexpr int sums = M == preconditioning::diagonal ? 2 : M == preconditioning::none ? 1 : 0;
  static constexpr bool ends = true;
  static constexpr bool opens = true;
  using dots_type = double[sums > 0 ? sums : 1];
  const V* t;  ///< A z
  const V* r;
  const V* z;
  const V* d;
  V* next;    ///< the vector before r
  V* next_z;  ///< none: next
  double inverse = 0;
  double shift = 0;
  double before = 0;
  double along = 0;
  GOSSAMER_HOST_DEVICE bool begin(const double* s) {
    inverse = 1 / s[minres_scalar::beta];
    shift = s[minres_scalar::shift] * inverse;
    before = s[minres_scalar::ratio];
    along = alpha_of(s) * inverse;
    return is_finite(along);
  }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, dots_type& dots) const {
    double v = t[i] * inverse - before * next[i] - along * r[i];
    if (shift != 0) v -= shift * z[i];
    const V rounded = static_cast<V>(v);
    next[i] = rounded;
    if constexpr (M == preconditioning::none) dots[0] += static_cast<double>(rounded) * rounded;
    if constexpr (M == preconditioning::diagonal) {
      const V scaled = d[i] * rounded;
      next_z[i] = scaled;
      dots[0] += static_cast<double>(rounded) * static_cast<double>(scaled);
      dots[1] += static_cast<double>(scaled) * static_cast<double>(scaled);
    }
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const dots_type& dots) const {
    s[minres_scalar::alpha] = alpha_of(s);
    if constexpr (M == preconditioning::none) extend_minres<V>(s, dots[0], dots[0]);
    if constexpr (M == preconditioning::diagonal) extend_minres<V>(s, dots[0], dots[1]);
  }

 private:
  GOSSAMER_HOST_DEVICE static double alpha_of(const double* s) {
    const double beta = s[minres_scalar::beta];
    return (s[minres_scalar::curvature] - s[minres_scalar::shift] * s[minres_scalar::z_z]) / (beta * beta);
  }
};

/// r . z and z . z of the next vectors, if z is stored.
template <class V>
struct minres_norm {
  static constexpr int sums = 2;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const V* r;
  const V* z;
  GOSSAMER_HOST_DEVICE bool begin(const double*) { return true; }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[2]) const {
    const double v = z[i];
    dots[0] += v * static_cast<double>(r[i]);
    dots[1] += v * v;
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[2]) const {
    extend_minres<V>(s, dots[0], dots[1]);
  }
};

/// The next direction w, in the memory of the one before the last, x = x + phi w, and the stopping tests.
template <class V>
struct minres_solution {
  static constexpr int sums = 1;
  static constexpr bool ends = true;
  static constexpr bool opens = false;
  const V* z;  ///< that of the product
  const V* w;
  V* next;  ///< the direction before w
  V* x;
  double inverse = 0;
  double delta = 0;
  double epsilon = 0;
  double phi = 0;
  GOSSAMER_HOST_DEVICE bool begin(const double* s) {
    const double gamma = 1 / s[minres_scalar::gamma];
    inverse = gamma / s[minres_scalar::last_beta];
    delta = gamma * s[minres_scalar::delta];
    epsilon = gamma * s[minres_scalar::last_epsilon];
    phi = s[minres_scalar::phi];
    return true;
  }
  GOSSAMER_HOST_DEVICE void element(std::int64_t i, double (&dots)[1]) const {
    const double direction = inverse * z[i] - epsilon * next[i] - delta * w[i];
    next[i] = static_cast<V>(direction);
    const V v = static_cast<V>(x[i] + phi * direction);
    x[i] = v;
    dots[0] += static_cast<double>(v) * static_cast<double>(v);
  }
  GOSSAMER_HOST_DEVICE void end(double* s, const double (&dots)[1]) const {
    using at = minres_scalar;
    constexpr double eps = epsilon_of<V>;
    if (!is_finite(dots[0])) return abandon(s, status::not_finite);
    const double norm_x = std::sqrt(dots[0]);
    const double norm_a = std::sqrt(s[at::squares]);
    const double residual = s[at::phi_bar];
    const double finished = s[scalar::iterations] + 1;
    s[scalar::iterations] = finished;
    s[scalar::residual] = residual;
    const double scale = norm_a * norm_x;
    const double rtol = s[scalar::relative];
    // The tests multiply: a norm may be 0.
    if (s[at::is_invariant] != 0 || s[at::beta] == 0 || residual <= rtol * scale ||
        s[at::root] <= rtol * norm_a || residual <= eps / 2 * scale || s[at::root] <= eps / 2 * norm_a)
      s[scalar::verdict] = verdict_of(status::converged);
    else if (scale * eps >= s[at::first_beta] || s[at::most_gamma] * eps >= 0.1 * s[at::least_gamma])
      s[scalar::verdict] = verdict_of(status::stagnation);
    else if (finished >= s[scalar::limit])
      s[scalar::verdict] = verdict_of(status::maxiter);
  }
};

}  // namespace gossamer::inline v0::solve
