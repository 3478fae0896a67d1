// SPDX-License-Identifier: BSD-3-Clause
// Tests of LSQR and of power iteration, for vectors and plans of a Place (support/solver_places.hpp).
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/solver_places.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support::lsqr_cases {

using solve::status;

template <class Place, value V>
plan<V> inspect_both(const csr_matrix<V, std::int64_t>& a, const char* format = "auto") {
  return Place::template inspected<V>(a, {.format = format, .operations = operation_set::both});
}

/// Conjugate gradients for A^T A + damp^2 in long double: the norms of the damped residuals of LSQR.
template <value V>
std::vector<long double> reference_norms(const csr_matrix<V, std::int64_t>& a, const std::vector<V>& b,
                                         long double damp, int iterations) {
  const auto at = transpose(a.view());
  std::vector<long double> r(b.begin(), b.end());
  std::vector<long double> x(static_cast<std::size_t>(a.cols));
  std::vector<long double> s = exact_product(at, r);
  std::vector<long double> p = s;
  std::vector<long double> norms;
  long double gamma = norm_of(s) * norm_of(s);
  for (int k = 0; k < iterations; ++k) {
    const std::vector<long double> q = exact_product(a, p);
    const long double alpha = gamma / (norm_of(q) * norm_of(q) + damp * damp * norm_of(p) * norm_of(p));
    for (std::size_t i = 0; i < r.size(); ++i) r[i] -= alpha * q[i];
    for (std::size_t j = 0; j < x.size(); ++j) x[j] += alpha * p[j];
    norms.push_back(std::sqrt(norm_of(r) * norm_of(r) + damp * damp * norm_of(x) * norm_of(x)));
    s = exact_product(at, r);
    for (std::size_t j = 0; j < x.size(); ++j) s[j] -= damp * damp * x[j];
    const long double next = norm_of(s) * norm_of(s);
    for (std::size_t j = 0; j < x.size(); ++j) p[j] = s[j] + next / gamma * p[j];
    gamma = next;
  }
  return norms;
}

template <class Place, value V>
void lsqr_follows_the_reference() {
  constexpr int iterations = 8;
  for (const auto& [rows, cols] : {std::pair{9000, 5000}, std::pair{3000, 7000}}) {
    const auto a = rectangular<V>(rows, cols);
    const auto b = random_vector<V>(rows, 5);
    for (const double damp : {0.0, 0.75}) {
      const auto expected = reference_norms(a, b, damp, iterations);
      for (const char* format : Place::formats()) {
        const auto made = inspect_both<Place>(a, format);
        std::vector<V> x(static_cast<std::size_t>(cols));
        std::vector<double> history;
        solve::lsqr_options how{.damp = damp, .atol = 0, .btol = 0, .conlim = 0, .maxiter = iterations};
        how.after_iteration = [&](const solve::state& now) {
          history.push_back(now.residual);
          return true;
        };
        const auto found = Place::lsqr(made, b, x, how);
        EXPECT_EQ(found.outcome, status::maxiter);
        EXPECT_EQ(found.istop, 7);
        ASSERT_EQ(history.size(), static_cast<std::size_t>(iterations));
        for (std::size_t k = 0; k < history.size(); ++k)
          EXPECT_NEAR(history[k], static_cast<double>(expected[k]),
                      static_cast<double>(residual_gap(a, 2 * static_cast<std::int64_t>(k) + 2, 5,
                                                       norm_of(x) + norm_of(b) / frobenius(a))))
              << format << " " << k;
        const long double gap = residual_gap(a, 2 * iterations, 5, norm_of(x));
        EXPECT_NEAR(found.r1norm, static_cast<double>(residual_of(a, b, x)), static_cast<double>(gap));
        EXPECT_NEAR(found.xnorm, static_cast<double>(norm_of(x)),
                    static_cast<double>(norm_of(x)) * iterations * 16 * std::numeric_limits<V>::epsilon());
      }
    }
  }
}

template <class Place, value V>
void lsqr_reports_why_it_stops() {
  const auto a = dense_rows<V>({{2, 0}, {0, 2}, {0, 0}}, 2);
  const auto made = inspect_both<Place>(a);
  std::vector<V> x(2);
  auto found = Place::lsqr(made, {2, 4, 0}, x);  // consistent
  EXPECT_EQ(found.outcome, status::converged);
  EXPECT_EQ(found.istop, 1);
  EXPECT_EQ(found.iterations, 1);
  x.assign(2, 0);
  found = Place::lsqr(made, {2, 0, 0}, x);  // the next left vector is 0, exactly
  EXPECT_EQ(found.outcome, status::converged);
  EXPECT_EQ(found.istop, 1);
  EXPECT_EQ(found.r2norm, 0);
  EXPECT_EQ(x, (std::vector<V>{1, 0}));
  x.assign(2, 0);
  found = Place::lsqr(made, {3, 4, 12}, x);  // least squares: the residual is (0, 0, 12)
  EXPECT_EQ(found.outcome, status::converged);
  EXPECT_EQ(found.istop, 2);
  x.assign(2, 0);
  found = Place::lsqr(made, {0, 0, 1}, x);  // A^T b = 0
  EXPECT_EQ(found.outcome, status::converged);
  EXPECT_EQ(found.istop, 0);
  EXPECT_EQ(found.iterations, 0);
  EXPECT_EQ(x, (std::vector<V>{0, 0}));
  x.assign(2, 7);
  found = Place::lsqr(made, {0, 0, 0}, x);
  EXPECT_EQ(found.istop, 0);
  EXPECT_EQ(x, (std::vector<V>{0, 0}));
  x = {1, 2};
  found = Place::lsqr(made, {2, 4, 0}, x);  // the start is the solution
  EXPECT_EQ(found.iterations, 0);
  EXPECT_EQ(x, (std::vector<V>{1, 2}));
  x.assign(2, 0);
  found = Place::lsqr(made, {2, 4, 0}, x, {.maxiter = 0});
  EXPECT_EQ(found.outcome, status::maxiter);
  EXPECT_EQ(found.istop, 0);  // as in SciPy
  const auto ill = dense_rows<V>({{1, 0}, {0, 0.0009765625}}, 2);
  x.assign(2, 0);
  found = Place::lsqr(inspect_both<Place>(ill), {1, 1}, x, {.atol = 0, .btol = 0, .conlim = 100});
  EXPECT_EQ(found.outcome, status::stagnation);
  EXPECT_EQ(found.istop, 3);
}

template <class Place, value V>
void lsqr_handles_empty_and_bad_input() {
  std::vector<V> none;
  std::vector<V> two(2);
  EXPECT_EQ(Place::lsqr(inspect_both<Place>(dense_rows<V>({}, 0)), none, none).outcome, status::converged);
  EXPECT_EQ(Place::lsqr(inspect_both<Place>(dense_rows<V>({}, 2)), none, two).outcome, status::converged);
  EXPECT_EQ(Place::lsqr(inspect_both<Place>(dense_rows<V>({{}, {}}, 0)), two, none).outcome,
            status::converged);
  two = {1, 2};
  EXPECT_EQ(Place::lsqr(inspect_both<Place>(dense_rows<V>({{}, {}}, 0)), two, none).istop, 0);
  for (const bool in_matrix : {false, true}) {
    auto wrong = rectangular<V>(63, 40);
    auto b = random_vector<V>(63, 5);
    (in_matrix ? wrong.val[40] : b[30]) = std::numeric_limits<V>::quiet_NaN();
    std::vector<V> x(40);
    const auto found = Place::lsqr(inspect_both<Place>(wrong), b, x);
    EXPECT_EQ(found.outcome, status::not_finite) << in_matrix;
    EXPECT_LE(found.iterations, 1);
  }
}

template <class Place, value V>
void lsqr_does_not_depend_on_batches() {
  const auto a = rectangular<V>(20000, 9000);
  const auto b = random_vector<V>(a.rows, 3);
  const auto made = inspect_both<Place>(a);
  std::vector<V> expected(static_cast<std::size_t>(a.cols));
  solve::lsqr_options how{.atol = 1e-7, .btol = 1e-7, .maxiter = 45};
  const auto first = Place::lsqr(made, b, expected, how);
  EXPECT_GT(first.iterations, 16);
  for (const int every : {1, 2, 3, 16, 17, 0}) {
    solve::lsqr_options other = how;
    if (every == 0)
      other.after_iteration = [](const solve::state&) { return true; };
    else
      other.check_every = every;
    std::vector<V> x(expected.size());
    const auto found = Place::lsqr(made, b, x, other);
    EXPECT_EQ(found.istop, first.istop);
    EXPECT_EQ(found.iterations, first.iterations);
    EXPECT_EQ(found.r2norm, first.r2norm);
    EXPECT_EQ(found.acond, first.acond);
    EXPECT_TRUE(same_bits(x, expected)) << every;
  }
}

template <class Place, value V>
void power_finds_the_largest_eigenvalue() {
  const auto a = dense_rows<V>({{1, 0, 0}, {0, -3, 0}, {0, 0, 2}}, 3);
  const auto made = Place::inspected(a);
  std::vector<V> x{1, 1, 1};
  auto found = Place::power(made, x, {.maxiter = 100});
  EXPECT_EQ(found.outcome, status::converged);
  // For a symmetric matrix, an eigenvalue is within the residual of the Rayleigh quotient.
  const double rounding = 32 * static_cast<double>(std::numeric_limits<V>::epsilon());
  EXPECT_NEAR(found.eigenvalue, -3, found.residual + rounding);
  EXPECT_LE(found.residual, 1e-5 * 3 + rounding);
  EXPECT_NEAR(static_cast<double>(norm_of(x)), 1, rounding);
  x = {0, -8, 0};
  found = Place::power(made, x);
  EXPECT_EQ(found.iterations, 1);
  EXPECT_EQ(found.eigenvalue, -3);
  EXPECT_EQ(x, (std::vector<V>{0, -1, 0}));
  x = {0, 0, 0};
  EXPECT_EQ(Place::power(made, x).outcome, status::breakdown);
  x = {0, 1, std::numeric_limits<V>::infinity()};
  EXPECT_EQ(Place::power(made, x).outcome, status::not_finite);
  const auto opposite = dense_rows<V>({{2, 0}, {0, -2}}, 2);
  x = {1, 1};
  found = Place::power(Place::inspected(opposite), x, {.maxiter = 40});
  EXPECT_EQ(found.outcome, status::maxiter);
  EXPECT_EQ(found.iterations, 40);
  const auto nilpotent = dense_rows<V>({{0, 1}, {0, 0}}, 2);
  x = {0, 1};
  found = Place::power(Place::inspected(nilpotent), x);
  EXPECT_EQ(found.outcome, status::converged);
  EXPECT_EQ(found.eigenvalue, 0);
  EXPECT_EQ(x, (std::vector<V>{1, 0}));
  std::vector<V> none;
  EXPECT_EQ(Place::power(Place::inspected(dense_rows<V>({}, 0)), none).outcome, status::breakdown);
}

#define GOSSAMER_LSQR_CASES(instance)                                                      \
  instance(lsqr_follows_the_reference) instance(lsqr_reports_why_it_stops)                 \
      instance(lsqr_handles_empty_and_bad_input) instance(lsqr_does_not_depend_on_batches) \
          instance(power_finds_the_largest_eigenvalue)

}  // namespace gossamer::testing_support::lsqr_cases
