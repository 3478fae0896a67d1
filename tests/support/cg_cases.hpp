// SPDX-License-Identifier: BSD-3-Clause
// Tests of conjugate gradients, for vectors and plans of a Place (support/solver_places.hpp).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/solver_places.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support::cg_cases {

using solve::status;

/// Iterates in long double. Returns the norms of the residuals.
template <value V>
std::vector<long double> reference_history(const csr_matrix<V, std::int64_t>& a, const std::vector<V>& b,
                                           int iterations) {
  const std::size_t n = b.size();
  std::vector<long double> r(b.begin(), b.end());
  std::vector<long double> p = r;
  std::vector<long double> norms{norm_of(r)};
  long double rho = norms[0] * norms[0];
  for (int k = 0; k < iterations; ++k) {
    const std::vector<long double> q = exact_product(a, p);
    long double curvature = 0;
    for (std::size_t i = 0; i < n; ++i) curvature += p[i] * q[i];
    const long double alpha = rho / curvature;
    for (std::size_t i = 0; i < n; ++i) r[i] -= alpha * q[i];
    norms.push_back(norm_of(r));
    const long double next = norms.back() * norms.back();
    for (std::size_t i = 0; i < n; ++i) p[i] = r[i] + next / rho * p[i];
    rho = next;
  }
  return norms;
}

/// Powers of two and a right-hand side for which all intermediate results are exact.
template <class Place, value V>
void solves_exactly() {
  for (const char* format : Place::formats()) {
    const auto a = dense_rows<V>({{4, 0, 0}, {0, 4, 0}, {0, 0, 4}}, 3);
    const auto made = Place::inspected(a, {.format = format});
    std::vector<V> x{0, 0, 0};
    const auto found = Place::system(system_solver::cg, made, std::vector<V>{4, -8, 12}, x);
    EXPECT_EQ(found.outcome, status::converged) << format;
    EXPECT_EQ(found.iterations, 1);
    EXPECT_EQ(found.residual, 0);
    EXPECT_EQ(x, (std::vector<V>{1, -2, 3}));
    std::vector<V> there{1, -2, 3};
    const auto at_once = Place::system(system_solver::cg, made, std::vector<V>{4, -8, 12}, there);
    EXPECT_EQ(at_once.outcome, status::converged);
    EXPECT_EQ(at_once.iterations, 0);
    EXPECT_EQ(there, (std::vector<V>{1, -2, 3}));
  }
}

/// A diagonal of powers of two is its own inverse's inverse: Jacobi then takes one iteration.
template <class Place, value V>
void jacobi_solves_a_diagonal_exactly() {
  const auto a = dense_rows<V>({{4, 0, 0}, {0, 0.5, 0}, {0, 0, 16}}, 3);
  const auto made = Place::inspected(a);
  const std::vector<V> diagonal{4, 0.5, 16};
  for (const bool given : {false, true}) {
    std::vector<V> x{1, 1, 1};
    solve::options<V> how{.rtol = 0};
    how.preconditioner =
        solve::jacobi<V>{.diagonal = given ? std::span<const V>(diagonal) : std::span<const V>()};
    const auto found = Place::system(system_solver::cg, made, std::vector<V>{8, 1, 16}, x, how);
    EXPECT_EQ(found.outcome, status::converged);
    EXPECT_EQ(found.iterations, 1);
    EXPECT_EQ(x, (std::vector<V>{2, 2, 1}));
  }
}

template <class Place, value V>
void follows_the_reference() {
  // The eigenvalues of the operator are between 2 and 10, so that perturbations do not grow in these
  // iterations by more than the condition number, 5.
  const auto a = laplace<V>(150, 70, 2);
  const auto b = random_vector<V>(a.rows, 5);
  constexpr int iterations = 12;
  const auto expected = reference_history(a, b, iterations);
  for (const char* format : Place::formats()) {
    const auto made = Place::inspected(a, {.format = format});
    std::vector<V> x(b.size());
    std::vector<double> history;
    solve::options<V> how{.rtol = 0, .maxiter = iterations};
    how.after_iteration = [&](const solve::state& now) {
      history.push_back(now.residual);
      EXPECT_EQ(now.iterations, static_cast<std::int64_t>(history.size()));
      return true;
    };
    EXPECT_EQ(Place::system(system_solver::cg, made, b, x, how).outcome, status::maxiter);
    ASSERT_EQ(history.size(), static_cast<std::size_t>(iterations));
    for (std::size_t k = 0; k < history.size(); ++k)
      EXPECT_NEAR(history[k], static_cast<double>(expected[k + 1]),
                  static_cast<double>(residual_gap(a, static_cast<std::int64_t>(k) + 1, 5, norm_of(x))))
          << format << " " << k;
  }
}

template <class Place, value V>
void converges_to_the_solution() {
  const auto a = laplace<V>(61, 47, 0.1);
  const auto b = random_vector<V>(a.rows, 3);
  const double rtol = 64 * static_cast<double>(std::numeric_limits<V>::epsilon());
  for (const char* format : Place::formats()) {
    for (const bool zero_initial_guess : {false, true}) {
      for (const bool scaled : {false, true}) {
        const auto made = Place::inspected(a, {.format = format});
        auto x = zero_initial_guess ? poisoned<V>(a.rows) : random_vector<V>(a.rows, 9);
        const long double start = zero_initial_guess ? 0 : norm_of(x);
        solve::options<V> how{.rtol = rtol, .zero_initial_guess = zero_initial_guess};
        if (scaled) how.preconditioner = solve::jacobi<V>{};
        const auto found = Place::system(system_solver::cg, made, b, x, how);
        EXPECT_EQ(found.outcome, status::converged) << format;
        EXPECT_LE(found.residual, rtol * static_cast<double>(norm_of(b)) * (1 + 1e-12));
        const long double gap = residual_gap(a, found.iterations, 5, start + norm_of(x));
        EXPECT_LE(residual_of(a, b, x), found.residual + gap) << format;
      }
    }
  }
}

/// check_every, the workspace and a callback change no bit and no count.
template <class Place, value V>
void does_not_depend_on_batches() {
  const auto a = laplace<V>(90, 80, 0.01);
  const auto b = random_vector<V>(a.rows, 3);
  const auto made = Place::inspected(a);
  for (const auto& m : {solve::preconditioner<V>{}, solve::preconditioner<V>{solve::jacobi<V>{}}}) {
    solve::options<V> how{.rtol = 1e-4};
    how.preconditioner = m;
    std::vector<V> expected(b.size());
    const auto first = Place::system(system_solver::cg, made, b, expected, how);
    EXPECT_GT(first.iterations, 40);
    const auto expect_same = [&](const solve::options<V>& other) {
      std::vector<V> x(b.size());
      const auto found = Place::system(system_solver::cg, made, b, x, other);
      EXPECT_EQ(found.outcome, first.outcome);
      EXPECT_EQ(found.iterations, first.iterations);
      EXPECT_EQ(found.residual, first.residual);
      EXPECT_TRUE(same_bits(x, expected));
    };
    for (const int every : {1, 2, 3, 16, 17, 1024}) {
      solve::options<V> other = how;
      other.check_every = every;
      expect_same(other);
    }
    solve::options<V> called = how;
    called.after_iteration = [](const solve::state&) { return true; };
    expect_same(called);
    workspace scratch = made.make_workspace();
    solve::options<V> own = how;
    own.scratch = &scratch;
    expect_same(own);
    for (const std::int64_t most : {std::int64_t{1}, std::int64_t{5}, std::int64_t{33}}) {
      solve::options<V> shorter = how;
      shorter.maxiter = most;
      std::vector<V> x(b.size());
      const auto found = Place::system(system_solver::cg, made, b, x, shorter);
      EXPECT_EQ(found.outcome, status::maxiter);
      EXPECT_EQ(found.iterations, most);
      solve::options<V> stopped = how;
      stopped.after_iteration = [&](const solve::state& now) { return now.iterations < most; };
      std::vector<V> same(b.size());
      EXPECT_EQ(Place::system(system_solver::cg, made, b, same, stopped).outcome, status::stopped);
      EXPECT_TRUE(same_bits(x, same));
    }
  }
}

template <class Place, value V>
void ends_at_once_where_it_must() {
  const auto a = laplace<V>(9, 7);
  const auto made = Place::inspected(a);
  const std::vector<V> zero(63);
  auto x = random_vector<V>(63, 4);
  auto found = Place::system(system_solver::cg, made, zero, x);  // the solution is 0, whatever the start
  EXPECT_EQ(found.outcome, status::converged);
  EXPECT_EQ(found.iterations, 0);
  EXPECT_EQ(found.residual, 0);
  EXPECT_EQ(x, zero);
  x = random_vector<V>(63, 4);
  const auto before = x;
  found = Place::system(system_solver::cg, made, random_vector<V>(63, 5), x, {.maxiter = 0});
  EXPECT_EQ(found.outcome, status::maxiter);
  EXPECT_EQ(found.iterations, 0);
  EXPECT_GT(found.residual, 0);
  EXPECT_EQ(x, before);
  const auto none = dense_rows<V>({}, 0);
  std::vector<V> empty;
  EXPECT_EQ(Place::system(system_solver::cg, Place::inspected(none), empty, empty).outcome,
            status::converged);
}

template <class Place, value V>
void breakdowns_have_a_status() {
  const auto solved = [](const std::vector<std::vector<double>>& rows, std::vector<V> b, std::vector<V>& x,
                         const solve::preconditioner<V>& m = {}) {
    const auto a = dense_rows<V>(rows, static_cast<std::int64_t>(rows.size()));
    x.assign(b.size(), 0);
    solve::options<V> how;
    how.preconditioner = m;
    return Place::system(system_solver::cg, Place::inspected(a), b, x, how);
  };
  std::vector<V> x;
  auto found = solved({{0, 1}, {1, 0}}, {1, 0}, x);  // p . A p = 0
  EXPECT_EQ(found.outcome, status::breakdown);
  EXPECT_EQ(found.iterations, 0);
  EXPECT_EQ(x, (std::vector<V>{0, 0}));
  found = solved({{0, 1}, {1, 0}}, {1, 1}, x);  // an eigenvector
  EXPECT_EQ(found.outcome, status::converged);
  EXPECT_EQ(x, (std::vector<V>{1, 1}));
  found = solved({{-2, 0}, {0, -2}}, {2, 4}, x);  // negative definite
  EXPECT_EQ(found.outcome, status::converged);
  EXPECT_EQ(x, (std::vector<V>{-1, -2}));
  found = solved({{2, 0}, {0, 0}}, {2, 0}, x);  // a row without entries
  EXPECT_EQ(found.outcome, status::converged);
  EXPECT_EQ(x, (std::vector<V>{1, 0}));
  found = solved({{2, 0}, {0, 0}}, {0, 2}, x);  // no solution
  EXPECT_EQ(found.outcome, status::breakdown);
  const std::vector<V> opposite{1, -1};
  found = solved({{1, 0}, {0, 1}}, {1, 1}, x, solve::jacobi<V>{.diagonal = opposite});  // r . M r = 0
  EXPECT_EQ(found.outcome, status::breakdown);
}

template <class Place, value V>
void infinities_have_a_status() {
  constexpr V nan = std::numeric_limits<V>::quiet_NaN();
  constexpr V inf = std::numeric_limits<V>::infinity();
  for (const V bad : {nan, inf, -inf}) {
    for (const bool in_matrix : {false, true}) {
      for (const bool scaled : {false, true}) {
        auto a = laplace<V>(31, 9);
        auto b = random_vector<V>(a.rows, 4);
        if (in_matrix)
          a.val[500] = bad;
        else
          b[77] = bad;
        std::vector<V> x(b.size());
        solve::options<V> how;
        if (scaled) how.preconditioner = solve::jacobi<V>{};
        const auto found = Place::system(system_solver::cg, Place::inspected(a), b, x, how);
        EXPECT_EQ(found.outcome, status::not_finite) << bad << in_matrix << scaled;
        EXPECT_LE(found.iterations, 1);
      }
    }
  }
  auto a = laplace<V>(31, 9);
  std::vector<V> x(static_cast<std::size_t>(a.rows));
  x[5] = nan;
  EXPECT_EQ(Place::system(system_solver::cg, Place::inspected(a), random_vector<V>(a.rows, 4), x).outcome,
            status::not_finite);
}

#define GOSSAMER_CG_CASES(instance)                                                                   \
  instance(solves_exactly) instance(jacobi_solves_a_diagonal_exactly) instance(follows_the_reference) \
      instance(converges_to_the_solution) instance(does_not_depend_on_batches)                        \
          instance(ends_at_once_where_it_must) instance(breakdowns_have_a_status)                     \
              instance(infinities_have_a_status)

}  // namespace gossamer::testing_support::cg_cases
