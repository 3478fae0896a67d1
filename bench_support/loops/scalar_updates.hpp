// SPDX-License-Identifier: BSD-3-Clause
// The scalars of the methods, and how they follow from dot products: compiled for the host, and for one
// thread of a device. A quotient by 0 is 0, so that iterations after an exact solution change nothing.
#pragma once

#include <cmath>

#include "core/host_device.hpp"

namespace gossamer::bench_support::loops {

template <class V>
GOSSAMER_HOST_DEVICE V quotient_or_zero(V numerator, V denominator) {
  return denominator == V{0} ? V{0} : numerator / denominator;
}

template <class V>
struct cg_scalars {
  V rr;  ///< r.r before the step
  V pq;
  V rr_next;
  V alpha;
  V minus_alpha;
  V beta;
  V one;
};

template <class V>
struct cg_alpha {
  static GOSSAMER_HOST_DEVICE void apply(cg_scalars<V>& s) {
    s.alpha = quotient_or_zero(s.rr, s.pq);
    s.minus_alpha = -s.alpha;
  }
};

template <class V>
struct cg_beta {
  static GOSSAMER_HOST_DEVICE void apply(cg_scalars<V>& s) {
    s.beta = quotient_or_zero(s.rr_next, s.rr);
    s.rr = s.rr_next;
  }
};

/// Names as in the papers of Paige and Saunders.
template <class V>
struct minres_scalars {
  V vq;  ///< v.Av
  V qq;  ///< square of the next beta
  V minus_alpha;
  V beta;
  V minus_beta;
  V inverse_beta;
  V dbar;
  V epsilon;
  V cs;
  V sn;
  V phibar;  ///< norm of the residual
  V phi;     ///< x += phi w
  V of_v;    ///< w_next = of_v v + of_w w + of_last last w
  V of_w;
  V of_last;
};

/// From b.b, which is in qq.
template <class V>
struct minres_start {
  static GOSSAMER_HOST_DEVICE void apply(minres_scalars<V>& s) {
    s.beta = std::sqrt(s.qq);
    s.inverse_beta = quotient_or_zero(V{1}, s.beta);
    s.minus_beta = 0;
    s.dbar = 0;
    s.epsilon = 0;
    s.cs = -1;
    s.sn = 0;
    s.phibar = s.beta;
  }
};

template <class V>
struct minres_alpha {
  static GOSSAMER_HOST_DEVICE void apply(minres_scalars<V>& s) { s.minus_alpha = -s.vq; }
};

template <class V>
struct minres_rotation {
  static GOSSAMER_HOST_DEVICE void apply(minres_scalars<V>& s) {
    const V alpha = s.vq;
    const V old_epsilon = s.epsilon;
    s.beta = std::sqrt(s.qq);
    s.minus_beta = -s.beta;
    s.inverse_beta = quotient_or_zero(V{1}, s.beta);
    const V delta = s.cs * s.dbar + s.sn * alpha;
    const V gbar = s.sn * s.dbar - s.cs * alpha;
    s.epsilon = s.sn * s.beta;
    s.dbar = -s.cs * s.beta;
    const V gamma = std::sqrt(gbar * gbar + s.qq);
    s.cs = quotient_or_zero(gbar, gamma);
    s.sn = quotient_or_zero(s.beta, gamma);
    s.phi = s.cs * s.phibar;
    s.phibar = s.sn * s.phibar;
    s.of_v = quotient_or_zero(V{1}, gamma);
    s.of_w = -delta * s.of_v;
    s.of_last = -old_epsilon * s.of_v;
  }
};

template <class V>
struct lsqr_scalars {
  V uu;  ///< square of the next beta
  V vv;  ///< square of the next alpha
  V beta;
  V minus_alpha;
  V minus_beta;
  V inverse_alpha;
  V inverse_beta;
  V rhobar;
  V phibar;  ///< norm of the residual
  V step_x;  ///< x += step_x w
  V step_w;  ///< w = v + step_w w
  V one;
};

/// From b.b, which is in uu.
template <class V>
struct lsqr_start {
  static GOSSAMER_HOST_DEVICE void apply(lsqr_scalars<V>& s) {
    s.phibar = std::sqrt(s.uu);
    s.inverse_beta = quotient_or_zero(V{1}, s.phibar);
  }
};

/// From the first v.v.
template <class V>
struct lsqr_first_alpha {
  static GOSSAMER_HOST_DEVICE void apply(lsqr_scalars<V>& s) {
    s.rhobar = std::sqrt(s.vv);
    s.minus_alpha = -s.rhobar;
    s.inverse_alpha = quotient_or_zero(V{1}, s.rhobar);
  }
};

template <class V>
struct lsqr_beta {
  static GOSSAMER_HOST_DEVICE void apply(lsqr_scalars<V>& s) {
    s.beta = std::sqrt(s.uu);
    s.minus_beta = -s.beta;
    s.inverse_beta = quotient_or_zero(V{1}, s.beta);
  }
};

template <class V>
struct lsqr_rotation {
  static GOSSAMER_HOST_DEVICE void apply(lsqr_scalars<V>& s) {
    const V alpha = std::sqrt(s.vv);
    s.minus_alpha = -alpha;
    s.inverse_alpha = quotient_or_zero(V{1}, alpha);
    const V rho = std::sqrt(s.rhobar * s.rhobar + s.uu);
    const V cs = quotient_or_zero(s.rhobar, rho);
    const V sn = quotient_or_zero(s.beta, rho);
    const V theta = sn * alpha;
    s.rhobar = -cs * alpha;
    s.step_x = quotient_or_zero(cs * s.phibar, rho);
    s.step_w = -quotient_or_zero(theta, rho);
    s.phibar = sn * s.phibar;
  }
};

/// Factors that stay.
template <class V>
struct pdhg_scalars {
  V minus_primal_step;
  V dual_step;
  V minus_one;
  V one;
  V two;
};

}  // namespace gossamer::bench_support::loops
