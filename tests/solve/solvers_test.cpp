// SPDX-License-Identifier: BSD-3-Clause
// bicgstab, minres, Chebyshev iteration, LSQR and power iteration on the CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/lsqr_cases.hpp"
#include "support/system_cases.hpp"
#include "unit/helpers.hpp"

namespace gossamer::testing_support {
namespace {

using gossamer_test::expect_error;
using solve::status;
using testing::HasSubstr;

#define GOSSAMER_CASE(name)                \
  TEST(solvers, name) {                    \
    system_cases::name<on_host, double>(); \
    system_cases::name<on_host, float>();  \
  }
GOSSAMER_SYSTEM_CASES(GOSSAMER_CASE)
#undef GOSSAMER_CASE

#define GOSSAMER_CASE(name)              \
  TEST(solvers, name) {                  \
    lsqr_cases::name<on_host, double>(); \
    lsqr_cases::name<on_host, float>();  \
  }
GOSSAMER_LSQR_CASES(GOSSAMER_CASE)
#undef GOSSAMER_CASE

TEST(solvers, bits_do_not_depend_on_threads) {
  const auto a = laplace<double>(250, 230, 0.01);
  const auto b = random_vector<double>(a.rows, 3);
  const inspect_options both{.operations = operation_set::both};
  const auto same = [&](const auto& solved) {
    std::vector<double> expected(b.size());
    const auto first = solved(inspect(a.view(), cpu{.threads = 1}, both), expected);
    EXPECT_GT(first.iterations, 10);
    for (const int threads : {1, 2, 3}) {
      std::vector<double> x(b.size());
      const auto found = solved(inspect(a.view(), cpu{.threads = threads}, both), x);
      EXPECT_EQ(found.iterations, first.iterations);
      EXPECT_TRUE(same_bits(x, expected)) << threads;
    }
  };
  solve::options<double> how{.rtol = 1e-6, .maxiter = 50};
  same([&](const auto& made, auto& x) { return solve::bicgstab(made, b, x, how); });
  same([&](const auto& made, auto& x) { return solve::minres(made, b, x, how); });
  solve::options<double> scaled = how;
  scaled.preconditioner = solve::jacobi<double>{};
  same([&](const auto& made, auto& x) { return solve::cg(made, b, x, scaled); });
  same([&](const auto& made, auto& x) {
    return solve::chebyshev(made, b, x, {.lower = 0.01, .upper = 8.01}, how);
  });
  same([&](const auto& made, auto& x) { return solve::lsqr(made, b, x, {.maxiter = 50}); });
  same([&](const auto& made, auto& x) {
    x = b;
    return solve::power(made, x, {.maxiter = 50});
  });
}

TEST(solvers, take_functions_as_preconditioners) {
  const auto a = laplace<double>(40, 30, 0.1);
  const auto b = random_vector<double>(a.rows, 3);
  const auto made = inspect(a.view());
  const auto same = [&](const auto& solved) {
    solve::options<double> how;
    how.preconditioner = solve::jacobi<double>{};
    std::vector<double> expected(b.size());
    const auto first = solved(expected, how);
    how.preconditioner = [](std::span<const double> r, std::span<double> z) {
      for (std::size_t i = 0; i < r.size(); ++i) z[i] = (1 / 4.1) * r[i];
    };
    std::vector<double> x(b.size());
    const auto found = solved(x, how);
    EXPECT_EQ(found.iterations, first.iterations);
    EXPECT_EQ(found.residual, first.residual);
    EXPECT_TRUE(same_bits(x, expected));
  };
  same([&](auto& x, const auto& how) { return solve::cg(made, b, x, how); });
  same([&](auto& x, const auto& how) { return solve::bicgstab(made, b, x, how); });
  same([&](auto& x, const auto& how) { return solve::minres(made, b, x, how); });
  same([&](auto& x, const auto& how) {
    return solve::chebyshev(made, b, x, {.lower = 0.1 / 4.1, .upper = 2}, how);
  });
}

/// A polynomial of degree k is k + 1 iterations of chebyshev() from 0. Its coefficients are rounded in
/// another order, so that only the count of iterations is the same.
TEST(solvers, polynomials_are_chebyshev_iterations) {
  const auto a = laplace<double>(40, 30, 0.1);
  const auto b = random_vector<double>(a.rows, 3);
  const auto made = inspect(a.view());
  const solve::eigenvalue_bounds bounds{.lower = 0.5, .upper = 8.1};
  for (const int degree : {0, 1, 2, 5}) {
    solve::options<double> how;
    how.preconditioner = solve::polynomial{.degree = degree, .lower = bounds.lower, .upper = bounds.upper};
    std::vector<double> x(b.size());
    const auto found = solve::cg(made, b, x, how);
    how.preconditioner = [&](std::span<const double> r, std::span<double> z) {
      solve::chebyshev(made, r, z, bounds, {.rtol = 0, .maxiter = degree + 1, .zero_initial_guess = true});
    };
    std::vector<double> other(b.size());
    const auto same = solve::cg(made, b, other, how);
    EXPECT_EQ(found.iterations, same.iterations) << degree;
    const auto gap = residual_gap(a, found.iterations * (degree + 2), 5, norm_of(x));
    EXPECT_NEAR(found.residual, same.residual, static_cast<double>(gap));
  }
}

TEST(solvers, refuse_wrong_arguments) {
  const auto a = laplace<double>(3, 2);
  const auto made = inspect(a.view());
  const auto both = inspect(a.view(), cpu{}, {.operations = operation_set::both});
  std::vector<double> b(6), x(6), five(5);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refuses = [](errc code, const char* text, const auto& body) {
    expect_error(code, HasSubstr(text), body);
  };
  refuses(errc::unsupported, "lsqr: the plan was inspected with operations = forward; it needs both",
          [&] { solve::lsqr(made, b, x); });
  refuses(errc::size_mismatch, "lsqr: b has 5 elements, the matrix has 6 rows",
          [&] { solve::lsqr(both, five, x); });
  refuses(errc::invalid_argument, "lsqr: damp = -1: not a number of at least 0",
          [&] { solve::lsqr(both, b, x, {.damp = -1}); });
  refuses(errc::invalid_argument, "lsqr: conlim = nan", [&] { solve::lsqr(both, b, x, {.conlim = nan}); });
  refuses(errc::overlap, "lsqr: b and x share memory", [&] { solve::lsqr(both, x, x); });
  refuses(errc::invalid_argument, "minres: shift = nan: not a finite number",
          [&] { solve::minres(made, b, x, {.shift = nan}); });
  refuses(errc::invalid_argument, "chebyshev: bounds 0 and 1: not 0 < lower <= upper",
          [&] { solve::chebyshev(made, b, x, {.lower = 0, .upper = 1}); });
  refuses(errc::invalid_argument, "chebyshev: bounds 2 and 1",
          [&] { solve::chebyshev(made, b, x, {.lower = 2, .upper = 1}); });
  const auto with = [&](const solve::polynomial& m) {
    solve::options<double> how;
    how.preconditioner = m;
    solve::cg(made, b, x, how);
  };
  refuses(errc::invalid_argument, "cg: degree = -1: not from 0 to 1000", [&] { with({.degree = -1}); });
  refuses(errc::invalid_argument, "cg: bounds -1 and 0: not numbers of at least 0",
          [&] { with({.lower = -1}); });
  refuses(errc::invalid_argument, "cg: bounds 0 and nan: not numbers", [&] { with({.upper = nan}); });
  refuses(errc::invalid_argument, "cg: bounds 3 and 2: the lower one is larger",
          [&] { with({.lower = 3, .upper = 2}); });
  refuses(errc::size_mismatch, "power: x has 5 elements, the matrix has 6 columns",
          [&] { solve::power(made, five); });
  refuses(errc::invalid_argument, "bicgstab: check_every = 2000: not from 1 to 1024",
          [&] { solve::bicgstab(made, b, x, {.check_every = 2000}); });
}

}  // namespace
}  // namespace gossamer::testing_support
