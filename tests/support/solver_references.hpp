// SPDX-License-Identifier: BSD-3-Clause
// The norms of residuals of solvers, by independent loops in long double.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "support/solver_places.hpp"

namespace gossamer::testing_support::solver_references {

using vector_l = std::vector<long double>;

inline long double dot(const vector_l& a, const vector_l& b) {
  long double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// y = y + factor x
inline void add(vector_l& y, long double factor, const vector_l& x) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += factor * x[i];
}

/// Norms of the residuals of bicgstab in long double.
template <value V>
vector_l bicgstab_history(const csr_matrix<V, std::int64_t>& a, const std::vector<V>& b, int iterations) {
  vector_l r(b.begin(), b.end());
  const vector_l shadow = r;
  vector_l p = r;
  vector_l norms;
  long double rho = dot(shadow, r);
  for (int k = 0; k < iterations; ++k) {
    const vector_l v = exact_product(a, p);
    const long double alpha = rho / dot(shadow, v);
    add(r, -alpha, v);
    const vector_l t = exact_product(a, r);
    const long double omega = dot(t, r) / dot(t, t);
    add(r, -omega, t);
    norms.push_back(norm_of(r));
    const long double next = dot(shadow, r);
    const long double beta = next / rho * alpha / omega;
    rho = next;
    add(p, -omega, v);
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = r[i] + beta * p[i];
  }
  return norms;
}

/// Norms of the residuals of the conjugate residual method in long double. Its iterates are those of minres
/// for a positive definite matrix.
template <value V>
vector_l minres_history(const csr_matrix<V, std::int64_t>& a, const std::vector<V>& b, int iterations) {
  vector_l r(b.begin(), b.end());
  vector_l p = r;
  vector_l ar = exact_product(a, r);
  vector_l ap = ar;
  vector_l norms;
  for (int k = 0; k < iterations; ++k) {
    const long double before = dot(r, ar);
    add(r, -before / dot(ap, ap), ap);
    norms.push_back(norm_of(r));
    ar = exact_product(a, r);
    const long double beta = dot(r, ar) / before;
    for (std::size_t i = 0; i < p.size(); ++i) {
      p[i] = r[i] + beta * p[i];
      ap[i] = ar[i] + beta * ap[i];
    }
  }
  return norms;
}

/// Chebyshev iteration by the polynomials: r_k = T_k((c - A) / h) r_0 / T_k(c / h), in long double.
template <value V>
vector_l chebyshev_history(const csr_matrix<V, std::int64_t>& a, const std::vector<V>& b,
                           const solve::eigenvalue_bounds& bounds, int iterations) {
  const long double c = (static_cast<long double>(bounds.lower) + bounds.upper) / 2;
  const long double h = (static_cast<long double>(bounds.upper) - bounds.lower) / 2;
  const auto times = [&](const vector_l& v) {  // (c - A) v / h
    vector_l result = exact_product(a, v);
    for (std::size_t i = 0; i < v.size(); ++i) result[i] = (c * v[i] - result[i]) / h;
    return result;
  };
  vector_l before(b.begin(), b.end());
  vector_l now = times(before);
  long double scale_before = 1;
  long double scale = c / h;
  vector_l norms;
  for (int k = 0; k < iterations; ++k) {
    norms.push_back(norm_of(now) / scale);
    vector_l next = times(now);
    for (std::size_t i = 0; i < next.size(); ++i) next[i] = 2 * next[i] - before[i];
    const long double scale_next = 2 * c / h * scale - scale_before;
    before = std::exchange(now, next);
    scale_before = std::exchange(scale, scale_next);
  }
  return norms;
}

}  // namespace gossamer::testing_support::solver_references
