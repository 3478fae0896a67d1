// SPDX-License-Identifier: BSD-3-Clause
// Tests of bicgstab, minres and Chebyshev iteration, for vectors and plans of a Place
// (support/solver_places.hpp).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/solver_places.hpp"
#include "support/solver_references.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support::system_cases {

using solver_references::bicgstab_history;
using solver_references::chebyshev_history;
using solver_references::minres_history;
using solver_references::vector_l;

using solve::status;

template <class Place, value V>
void follow_the_reference() {
  constexpr int iterations = 8;
  const auto run = [&](const csr_matrix<V, std::int64_t>& a, const auto& solved, const vector_l& expected) {
    for (const char* format : Place::formats()) {
      const auto made = Place::inspected(a, {.format = format});
      std::vector<V> x(static_cast<std::size_t>(a.rows));
      std::vector<double> history;
      solve::options<V> how{.rtol = 0, .maxiter = iterations};
      how.after_iteration = [&](const solve::state& now) {
        history.push_back(now.residual);
        return true;
      };
      EXPECT_EQ(solved(made, x, how).outcome, status::maxiter);
      ASSERT_EQ(history.size(), static_cast<std::size_t>(iterations));
      for (std::size_t k = 0; k < history.size(); ++k)
        EXPECT_NEAR(history[k], static_cast<double>(expected[k]),
                    static_cast<double>(residual_gap(a, 2 * static_cast<std::int64_t>(k) + 2, 5, norm_of(x))))
            << format << " " << k;
    }
  };
  const auto a = laplace<V>(150, 70, 2);
  const auto skew = convection<V>(150, 70, 0.25, 2);
  const auto b = random_vector<V>(a.rows, 5);
  run(
      skew,
      [&](const auto& made, auto& x, const auto& how) {
        return Place::system(system_solver::bicgstab, made, b, x, how);
      },
      bicgstab_history(skew, b, iterations));
  run(
      a,
      [&](const auto& made, auto& x, const auto& how) {
        return Place::system(system_solver::minres, made, b, x, how);
      },
      minres_history(a, b, iterations));
  const solve::eigenvalue_bounds bounds{.lower = 2, .upper = 10};
  run(
      a,
      [&](const auto& made, auto& x, const auto& how) { return Place::chebyshev(made, b, x, bounds, how); },
      chebyshev_history(a, b, bounds, iterations));
}

template <class Place, value V>
void converge_to_the_solution() {
  const double rtol = 64 * static_cast<double>(std::numeric_limits<V>::epsilon());
  const auto skew = convection<V>(61, 47, 0.5, 0.1);
  const auto definite = laplace<V>(61, 47, 0.1);
  const auto indefinite = laplace<V>(13, 11, -3.1);
  const auto run = [&](const csr_matrix<V, std::int64_t>& a, const auto& solved, bool is_relative_to_b) {
    const auto b = random_vector<V>(a.rows, 3);
    for (const bool zero_initial_guess : {false, true}) {
      for (const bool scaled : {false, true}) {
        const auto made = Place::inspected(a);
        auto x = zero_initial_guess ? poisoned<V>(a.rows) : random_vector<V>(a.rows, 9);
        const long double start = zero_initial_guess ? 0 : norm_of(x);
        solve::options<V> how{.rtol = rtol, .zero_initial_guess = zero_initial_guess};
        if (scaled) how.preconditioner = solve::jacobi<V>{};
        const auto found = solved(made, b, x, how);
        EXPECT_EQ(found.outcome, status::converged);
        const double bound = rtol * static_cast<double>(norm_of(b)) * (1 + 1e-12);
        EXPECT_LE(found.residual, is_relative_to_b ? bound : std::numeric_limits<double>::max());
        // Of the preconditioned minres, the norm of the residual is that of sqrt(M): M is 1 / d.
        const long double of_m = !is_relative_to_b && scaled ? std::sqrt(std::abs(a.val[0])) : 1;
        const long double gap = residual_gap(a, 2 * found.iterations, 5, start + norm_of(x));
        EXPECT_LE(residual_of(a, b, x), found.residual * of_m + gap);
      }
    }
  };
  run(
      skew,
      [](const auto& made, const auto& b, auto& x, const auto& how) {
        return Place::system(system_solver::bicgstab, made, b, x, how);
      },
      true);
  run(
      definite,
      [](const auto& made, const auto& b, auto& x, const auto& how) {
        return Place::system(system_solver::minres, made, b, x, how);
      },
      false);
  run(
      definite,
      [](const auto& made, const auto& b, auto& x, const auto& how) {
        const bool scaled = std::holds_alternative<solve::jacobi<V>>(how.preconditioner);
        const double d = scaled ? 4.1 : 1;
        return Place::chebyshev(made, b, x, {.lower = 0.1 / d, .upper = 8.1 / d}, how);
      },
      true);
  const auto made = Place::inspected(indefinite);
  const auto b = random_vector<V>(indefinite.rows, 3);
  std::vector<V> x(b.size());
  const auto found = Place::system(system_solver::minres, made, b, x, {.rtol = rtol});
  EXPECT_EQ(found.outcome, status::converged);
  EXPECT_LE(residual_of(indefinite, b, x),
            found.residual + residual_gap(indefinite, 2 * found.iterations, 5, norm_of(x)));
  // The same matrix as a shift of another one.
  const auto positive = laplace<V>(13, 11);
  std::vector<V> shifted(b.size());
  solve::options<V> how{.rtol = rtol};
  how.shift = static_cast<double>(V{3.1F});
  const auto other = Place::system(system_solver::minres, Place::inspected(positive), b, shifted, how);
  EXPECT_EQ(other.outcome, status::converged);
  const auto exact = laplace<V>(13, 11, -how.shift);
  EXPECT_LE(residual_of(exact, b, shifted),
            other.residual + residual_gap(positive, 2 * other.iterations, 6, norm_of(shifted)));
  // With a preconditioner, from another start; the norm of M = 1 / 4 is half the norm of the residual.
  how.preconditioner = solve::jacobi<V>{};
  auto again = random_vector<V>(positive.rows, 6);
  const long double start = norm_of(again);
  const auto scaled = Place::system(system_solver::minres, Place::inspected(positive), b, again, how);
  EXPECT_EQ(scaled.outcome, status::converged);
  EXPECT_LE(residual_of(exact, b, again),
            2 * scaled.residual + residual_gap(positive, 2 * scaled.iterations, 6, start + norm_of(again)));
}

template <class Place, value V>
void solve_exactly() {
  const auto a = dense_rows<V>({{4, 0, 0}, {0, 4, 0}, {0, 0, 4}}, 3);
  const auto made = Place::inspected(a);
  const std::vector<V> b{8, -8, 16};
  const std::vector<V> solution{2, -2, 4};
  for (const auto which : {system_solver::bicgstab, system_solver::minres}) {
    std::vector<V> x(3);
    const auto found = Place::system(which, made, b, x);
    EXPECT_EQ(found.outcome, status::converged);
    EXPECT_EQ(found.iterations, 1);
    EXPECT_LE(residual_of(a, b, x), residual_gap(a, 2, 1, norm_of(x)));
    x = solution;
    EXPECT_EQ(Place::system(which, made, b, x).iterations, 0);
    EXPECT_EQ(x, solution);
  }
  std::vector<V> x(3);
  auto found = Place::chebyshev(made, b, x, {.lower = 4, .upper = 4}, {.rtol = 0});
  EXPECT_EQ(found.outcome, status::converged);
  EXPECT_EQ(found.iterations, 1);
  EXPECT_EQ(x, solution);
  const auto diagonal = dense_rows<V>({{4, 0, 0}, {0, 0.5, 0}, {0, 0, 16}}, 3);
  solve::options<V> scaled{.rtol = 0};
  scaled.preconditioner = solve::jacobi<V>{};
  x.assign(3, 1);
  found = Place::chebyshev(Place::inspected(diagonal), b, x, {.lower = 1, .upper = 1}, scaled);
  EXPECT_EQ(found.iterations, 1);
  EXPECT_EQ(x, (std::vector<V>{2, -16, 1}));
  x.assign(3, 1);
  found = Place::system(system_solver::bicgstab, Place::inspected(diagonal), b, x, scaled);
  EXPECT_EQ(found.iterations, 1);
  EXPECT_EQ(x, (std::vector<V>{2, -16, 1}));
}

template <class Place, value V>
void do_not_depend_on_batches() {
  const auto a = laplace<V>(90, 80, 0.01);
  const auto b = random_vector<V>(a.rows, 3);
  const auto made = Place::inspected(a);
  const auto same = [&](const auto& solved) {
    for (const auto& m : {solve::preconditioner<V>{}, solve::preconditioner<V>{solve::jacobi<V>{}}}) {
      solve::options<V> how{.rtol = 1e-4, .maxiter = 77};
      how.preconditioner = m;
      std::vector<V> expected(b.size());
      const auto first = solved(expected, how);
      EXPECT_GT(first.iterations, 20);
      for (const int every : {1, 2, 3, 16, 17, 0}) {
        solve::options<V> other = how;
        if (every == 0)
          other.after_iteration = [](const solve::state&) { return true; };
        else
          other.check_every = every;
        std::vector<V> x(b.size());
        const auto found = solved(x, other);
        EXPECT_EQ(found.outcome, first.outcome);
        EXPECT_EQ(found.iterations, first.iterations);
        EXPECT_EQ(found.residual, first.residual);
        EXPECT_TRUE(same_bits(x, expected)) << every;
      }
    }
  };
  same([&](auto& x, const auto& how) { return Place::system(system_solver::bicgstab, made, b, x, how); });
  same([&](auto& x, const auto& how) { return Place::system(system_solver::minres, made, b, x, how); });
  same([&](auto& x, const auto& how) {
    return Place::chebyshev(made, b, x, {.lower = 0.002, .upper = 8.01}, how);
  });
}

template <class Place, value V>
void end_at_once_where_they_must() {
  const auto a = laplace<V>(9, 7);
  const auto made = Place::inspected(a);
  const auto none = Place::inspected(dense_rows<V>({}, 0));
  const std::vector<V> zero(63);
  const auto each = [&](const auto& solved) {
    auto x = random_vector<V>(63, 4);
    auto found = solved(made, zero, x, solve::options<V>{});
    EXPECT_EQ(found.outcome, status::converged);
    EXPECT_EQ(found.iterations, 0);
    EXPECT_EQ(x, zero);
    x = random_vector<V>(63, 4);
    const auto before = x;
    found = solved(made, random_vector<V>(63, 5), x, solve::options<V>{.maxiter = 0});
    EXPECT_EQ(found.outcome, status::maxiter);
    EXPECT_EQ(found.iterations, 0);
    EXPECT_EQ(x, before);
    std::vector<V> empty;
    EXPECT_EQ(solved(none, empty, empty, solve::options<V>{}).outcome, status::converged);
    for (const bool in_matrix : {false, true}) {
      auto wrong = laplace<V>(9, 7);
      auto b = random_vector<V>(63, 5);
      (in_matrix ? wrong.val[40] : b[30]) = std::numeric_limits<V>::quiet_NaN();
      x.assign(63, 0);
      found = solved(Place::inspected(wrong), b, x, solve::options<V>{});
      EXPECT_EQ(found.outcome, status::not_finite) << in_matrix;
      EXPECT_LE(found.iterations, 1);
    }
  };
  each([](const auto& with, const auto& b, auto& x, const auto& how) {
    return Place::system(system_solver::bicgstab, with, b, x, how);
  });
  each([](const auto& with, const auto& b, auto& x, const auto& how) {
    return Place::system(system_solver::minres, with, b, x, how);
  });
  each([](const auto& with, const auto& b, auto& x, const auto& how) {
    return Place::chebyshev(with, b, x, {.lower = 1, .upper = 8}, how);
  });
}

template <class Place, value V>
void breakdowns_have_a_status() {
  std::vector<V> x;
  const auto solved = [&](system_solver which, const std::vector<std::vector<double>>& rows,
                          const std::vector<V>& b, const solve::preconditioner<V>& m = {}) {
    x.assign(b.size(), 0);
    solve::options<V> how;
    how.preconditioner = m;
    return Place::system(which, Place::inspected(dense_rows<V>(rows, static_cast<std::int64_t>(rows.size()))),
                         b, x, how);
  };
  using enum system_solver;
  auto found = solved(bicgstab, {{0, 1}, {1, 0}}, {1, 0});  // r0 . A p = 0
  EXPECT_EQ(found.outcome, status::breakdown_omega);
  EXPECT_EQ(found.iterations, 0);
  found = solved(bicgstab, {{1, 0, 0}, {1, 1, 1}, {0, 1, 2}}, {1, 0, 0});  // r0 . r = 0 after an iteration
  EXPECT_EQ(found.outcome, status::breakdown_rho);
  EXPECT_EQ(found.iterations, 1);
  EXPECT_EQ(x, (std::vector<V>{1, -0.5, 0}));
  found = solved(bicgstab, {{2, 0}, {0, 0}}, {2, 0});  // a row without entries
  EXPECT_EQ(found.outcome, status::converged);
  EXPECT_EQ(x, (std::vector<V>{1, 0}));
  found = solved(bicgstab, {{2, 0}, {0, 0}}, {0, 2});  // no solution
  EXPECT_EQ(found.outcome, status::breakdown_omega);

  found = solved(minres, {{0, 1}, {1, 0}}, {1, 0});  // indefinite: two iterations, all of them exact
  EXPECT_EQ(found.outcome, status::converged);
  EXPECT_EQ(found.iterations, 2);
  EXPECT_EQ(x, (std::vector<V>{0, 1}));
  found = solved(minres, {{2, 0}, {0, 0}}, {0, 2});  // no solution: the least residual is that of x = 0
  EXPECT_EQ(found.outcome, status::converged);
  EXPECT_EQ(found.residual, 2);
  EXPECT_EQ(x, (std::vector<V>{0, 0}));
  found = solved(minres, {{0, 0}, {0, 0}}, {0, 2});
  EXPECT_EQ(found.outcome, status::converged);
  EXPECT_EQ(x, (std::vector<V>{0, 0}));
  const std::vector<V> negative{-1, -1};
  found = solved(minres, {{2, 0}, {0, 2}}, {1, 2}, solve::jacobi<V>{.diagonal = negative});
  EXPECT_EQ(found.outcome, status::breakdown);
  const std::vector<V> indefinite{1, -1};  // only the second Lanczos vector shows it
  found = solved(minres, {{2, 1}, {1, 3}}, {1, 0}, solve::jacobi<V>{.diagonal = indefinite});
  EXPECT_EQ(found.outcome, status::breakdown);
  EXPECT_EQ(x, (std::vector<V>{0, 0}));

  // Eigenvalues outside the bounds: the residual grows until it overflows.
  const auto a = dense_rows<V>({{100, 0}, {0, 1}}, 2);
  x.assign(2, 0);
  found = Place::chebyshev(Place::inspected(a), {1, 1}, x, {.lower = 1, .upper = 2}, {.maxiter = 5000});
  EXPECT_EQ(found.outcome, status::not_finite);
}

/// With the interval of one point 4, the polynomial of degree 0 is the inverse of 4 I.
template <class Place, value V>
void take_polynomials_as_preconditioners() {
  using enum system_solver;
  const auto simple = dense_rows<V>({{4, 0}, {0, 4}}, 2);
  for (const int degree : {0, 1, 3}) {
    std::vector<V> x(2);
    solve::options<V> how{.rtol = 0};
    how.preconditioner = solve::polynomial{.degree = degree, .lower = 4, .upper = 4};
    const auto found = Place::system(cg, Place::inspected(simple), {8, -4}, x, how);
    EXPECT_EQ(found.outcome, status::converged);
    EXPECT_EQ(found.iterations, 1);
    EXPECT_EQ(x, (std::vector<V>{2, -1}));
  }
  const auto a = laplace<V>(61, 47, 0.01);
  const auto b = random_vector<V>(a.rows, 3);
  const auto made = Place::inspected(a);
  for (const auto which : {cg, bicgstab, minres}) {
    std::vector<V> x(b.size());
    const auto plain = Place::system(which, made, b, x, {.rtol = 1e-4});
    for (const double upper : {0.0, 8.01}) {
      solve::options<V> how{.rtol = 1e-4};
      how.preconditioner = solve::polynomial{.degree = 4, .upper = upper};
      x.assign(b.size(), 0);
      const auto found = Place::system(which, made, b, x, how);
      EXPECT_EQ(found.outcome, status::converged);
      EXPECT_LT(found.iterations, plain.iterations / 2);
      for (const int every : {1, 5}) {
        std::vector<V> same(b.size());
        how.check_every = every;
        EXPECT_EQ(Place::system(which, made, b, same, how).iterations, found.iterations);
        EXPECT_TRUE(same_bits(same, x));
      }
    }
  }
  // A NaN that the estimate of the eigenvalues meets first, and a matrix of zeros.
  auto wrong = laplace<V>(9, 7);
  wrong.val[40] = std::numeric_limits<V>::quiet_NaN();
  std::vector<V> x(63);
  solve::options<V> how;
  how.preconditioner = solve::polynomial{};
  EXPECT_EQ(Place::system(cg, Place::inspected(wrong), random_vector<V>(63, 5), x, how).outcome,
            status::not_finite);
  x.assign(2, 0);
  EXPECT_EQ(Place::system(cg, Place::inspected(dense_rows<V>({{}, {}}, 2)), {1, 2}, x, how).outcome,
            status::breakdown);
}

#define GOSSAMER_SYSTEM_CASES(instance)                                                             \
  instance(take_polynomials_as_preconditioners) instance(follow_the_reference)                      \
      instance(converge_to_the_solution) instance(solve_exactly) instance(do_not_depend_on_batches) \
          instance(end_at_once_where_they_must) instance(breakdowns_have_a_status)

}  // namespace gossamer::testing_support::system_cases
