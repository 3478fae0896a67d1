// SPDX-License-Identifier: BSD-3-Clause
// Conjugate gradients on the CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <vector>

#include "support/cg_cases.hpp"
#include "unit/helpers.hpp"

namespace gossamer::testing_support {
namespace {

using gossamer_test::expect_error;
using solve::status;
using testing::HasSubstr;

#define GOSSAMER_CASE(name)            \
  TEST(cg, name) {                     \
    cg_cases::name<on_host, double>(); \
    cg_cases::name<on_host, float>();  \
  }
GOSSAMER_CG_CASES(GOSSAMER_CASE)
#undef GOSSAMER_CASE

TEST(cg, takes_a_function_as_preconditioner) {
  const auto a = laplace<double>(40, 30, 0.1);
  const auto b = random_vector<double>(a.rows, 3);
  const auto made = inspect(a.view());
  std::vector<double> plain(b.size());
  const auto first = solve::cg(made, b, plain);
  int calls = 0;
  solve::options<double> how;
  how.preconditioner = [&](std::span<const double> r, std::span<double> z) {
    ++calls;
    std::copy(r.begin(), r.end(), z.begin());
  };
  std::vector<double> x(b.size());
  const auto found = solve::cg(made, b, x, how);
  EXPECT_EQ(found.iterations, first.iterations);
  EXPECT_TRUE(same_bits(x, plain));
  EXPECT_EQ(calls, found.iterations + 1);
  std::fill(x.begin(), x.end(), 0);
  how.preconditioner = [](std::span<const double>, std::span<double>) { throw std::domain_error("mine"); };
  EXPECT_THROW(solve::cg(made, b, x, how), std::domain_error);
  how.preconditioner = {};
  how.after_iteration = [](const solve::state&) -> bool { throw std::domain_error("mine"); };
  EXPECT_THROW(solve::cg(made, b, x, how), std::domain_error);
}

/// Entries of the diagonal add up, and a missing one counts as 1. Jacobi then solves in one iteration.
TEST(cg, jacobi_adds_duplicates) {
  const auto a = matrix_from_rows<double>(
      3, 3,
      [](std::int64_t i) {
        return i == 0 ? std::vector<std::int64_t>{0, 0} : std::vector<std::int64_t>(i == 1 ? 1 : 0, 1);
      },
      [](std::int64_t, std::size_t k, std::int64_t j) {
        return j == 1 ? 2.0 : 1.0 + 2.0 * static_cast<double>(k);
      });
  std::vector<double> x(3);
  solve::options<double> how{.rtol = 0};
  how.preconditioner = solve::jacobi<double>{};
  const auto found =
      solve::cg(inspect(a.view(), cpu{}, {.format = "csr"}), std::vector<double>{8, 2, 0}, x, how);
  EXPECT_EQ(found.outcome, status::converged);
  EXPECT_EQ(found.iterations, 1);
  EXPECT_EQ(x, (std::vector<double>{2, 1, 0}));
}

/// The squares of these numbers are 0 or infinite in double.
TEST(cg, reports_squares_out_of_range) {
  const auto a = laplace<double>(9, 7);
  const auto made = inspect(a.view());
  for (const double size : {0x1p-600, 0x1p600}) {
    const std::vector<double> b(63, size);
    std::vector<double> x(63);
    EXPECT_EQ(solve::cg(made, b, x).outcome, status::not_finite);
    EXPECT_EQ(solve::minres(made, b, x).outcome, status::not_finite);
  }
}

TEST(cg, works_with_reordered_and_hybrid_plans) {
  const auto a = laplace<double>(50, 40, 0.5);
  const auto b = random_vector<double>(a.rows, 3);
  solve::options<double> how{.rtol = 1e-12};
  how.preconditioner = solve::jacobi<double>{};
  const auto expect_solved = [&](const plan<double>& made) {
    std::vector<double> x(b.size());
    const auto found = solve::cg(made, b, x, how);
    EXPECT_EQ(found.outcome, status::converged);
    EXPECT_LE(residual_of(a, b, x), found.residual + residual_gap(a, found.iterations, 5, norm_of(x)));
  };
  expect_solved(inspect(a.view(), parse_hybrid("cpu:1,cpu:1")));
  try {
    expect_solved(inspect(a.view(), cpu{}, {.reorder = reordering::rcm}));
  } catch (const error& problem) {
    EXPECT_EQ(problem.code(), errc::unsupported);  // a build without Boost
  }
}

TEST(cg, refuses_wrong_arguments) {
  const auto a = laplace<double>(3, 2);
  const auto made = inspect(a.view());
  std::vector<double> six(6), other(6), five(5);
  const auto expect_refused = [&](errc code, const char* text, auto&&... arguments) {
    expect_error(code, HasSubstr(text), [&] { solve::cg(made, arguments...); });
  };
  using options = solve::options<double>;
  expect_refused(errc::size_mismatch, "cg: b has 5 elements, the matrix has 6 rows", five, six);
  expect_refused(errc::size_mismatch, "cg: x has 5 elements, the matrix has 6 columns", six, five);
  expect_refused(errc::overlap, "cg: b and x share memory", six, six);
  expect_refused(errc::invalid_argument, "cg: rtol = -1: not a number of at least 0", six, other,
                 options{.rtol = -1});
  expect_refused(errc::invalid_argument, "cg: atol = nan: not a number of at least 0", six, other,
                 options{.atol = std::numeric_limits<double>::quiet_NaN()});
  expect_refused(errc::invalid_argument, "cg: maxiter = -1: less than 0", six, other, options{.maxiter = -1});
  expect_refused(errc::invalid_argument, "cg: check_every = 0: not from 1 to 1024", six, other,
                 options{.check_every = 0});
  options wrong_diagonal;
  wrong_diagonal.preconditioner = solve::jacobi<double>{.diagonal = five};
  expect_refused(errc::size_mismatch, "cg: the diagonal has 5 elements, the matrix has 6 rows", six, other,
                 wrong_diagonal);
  options no_function;
  no_function.preconditioner = solve::apply_function<double>();
  expect_refused(errc::invalid_argument, "cg: the preconditioner is an empty function", six, other,
                 no_function);
  const auto wide = dense_rows<double>({{1, 2, 3}}, 3);
  expect_error(errc::invalid_argument,
               HasSubstr("cg: the matrix has 1 rows and 3 columns; it must be square"),
               [&] { solve::cg(inspect(wide.view()), six, other); });
  expect_error(errc::unsupported, HasSubstr("device vectors"), [&] {
    solve::cg(made, device_span<const double>(six.data(), 6), device_span<double>(other.data(), 6),
              cuda_stream());
  });
}

TEST(solver_status, has_a_name) {
  EXPECT_EQ(solve::name(status::converged), "converged");
  EXPECT_EQ(solve::name(status::stopped), "stopped");
  expect_error(errc::invalid_argument, HasSubstr("status = 8: not a status"),
               [] { solve::name(static_cast<status>(8)); });
}

}  // namespace
}  // namespace gossamer::testing_support
