// SPDX-License-Identifier: BSD-3-Clause
// Tests of the loops of other libraries, on any resource.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "bench_support/loops/loops.hpp"
#include "support/cg_cases.hpp"
#include "support/solver_places.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support::loop_cases {

using bench_support::loop_method;
using bench_support::loop_problem;

/// The loops of a method that run on such devices.
inline std::vector<std::string> loops_on(device_set devices, loop_method method) {
  std::vector<std::string> names;
  for (const bench_support::loop_info& each : bench_support::list_loops()) {
    if (each.method == method && contains(each.devices, devices)) names.emplace_back(each.name);
  }
  return names;
}

/// The next number of iterations that the loop can run.
template <value V>
std::int64_t at_least(const bench_support::solver_loop<V>& loop, std::int64_t iterations) {
  const std::int64_t each = loop.iterations_per_launch();
  return (iterations + each - 1) / each * each;
}

/// Methods that solve systems.
inline constexpr loop_method system_methods[] = {loop_method::cg, loop_method::minres, loop_method::lsqr};

/// One iteration is exact, since the norm of b is a power of two; those behind it change nothing.
template <value V>
void solves_exactly(loop_method method, const std::string& name, const resource& where) {
  const auto a = dense_rows<V>({{4, 0, 0, 0}, {0, 4, 0, 0}, {0, 0, 4, 0}, {0, 0, 0, 4}}, 4);
  const std::vector<V> b{4, -4, 4, 4};
  const std::vector<V> expected{1, -1, 1, 1};
  auto loop = bench_support::inspect_loop<V>(method, name, a.view(), {.b = b}, where);
  EXPECT_EQ(loop.name(), name);
  EXPECT_NE(loop.settings(), "");
  EXPECT_GT(loop.inspect_seconds(), 0);
  loop.iterate(at_least(loop, 1));
  EXPECT_EQ(loop.solution(), expected);
  const auto found = loop.solve({.rtol = 1e-6, .most_iterations = 100});
  EXPECT_TRUE(found.converged);
  EXPECT_EQ(found.residual, 0);
  EXPECT_EQ(loop.solution(), expected);
  EXPECT_THAT(loop.history(1), testing::ElementsAre(8, 0));
}

/// The eigenvalues are between 2 and 10, so that perturbations stay small in these iterations.
template <value V>
void cg_follows_the_reference(const std::string& name, const resource& where) {
  const auto a = laplace<V>(150, 70, 2);
  const std::vector<V> b = random_vector<V>(a.rows, 5);
  auto loop = bench_support::inspect_loop<V>(loop_method::cg, name, a.view(), {.b = b}, where);
  constexpr int iterations = 12;
  const auto expected = cg_cases::reference_history(a, b, iterations);
  loop.solve({.rtol = 1e-5, .most_iterations = 1000});
  const long double largest = 2 * norm_of(loop.solution());
  const std::vector<double> norms = loop.history(iterations);
  ASSERT_EQ(norms.size(), expected.size());
  for (std::size_t k = 0; k < norms.size(); ++k)
    EXPECT_NEAR(norms[k], static_cast<double>(expected[k]),
                static_cast<double>(residual_gap(a, static_cast<std::int64_t>(k), 5, largest)))
        << k;
}

template <value V>
void converges(loop_method method, const std::string& name, const resource& where) {
  const auto a = laplace<V>(61, 47, method == loop_method::cg ? 0.1 : 2);
  const std::vector<V> b = random_vector<V>(a.rows, 3);
  auto loop = bench_support::inspect_loop<V>(method, name, a.view(), {.b = b}, where);
  const double rtol = 64 * static_cast<double>(std::numeric_limits<V>::epsilon());
  const auto found = loop.solve({.rtol = rtol, .most_iterations = 2000});
  EXPECT_TRUE(found.converged);
  EXPECT_EQ(found.iterations % loop.iterations_per_launch(), 0);
  const std::vector<V> x = loop.solution();
  EXPECT_LE(residual_of(a, b, x), found.residual + residual_gap(a, found.iterations, 5, norm_of(x)));
  const auto early = loop.solve({.rtol = rtol, .most_iterations = 1});
  EXPECT_EQ(early.converged, found.iterations <= loop.iterations_per_launch());
  EXPECT_EQ(early.iterations, loop.iterations_per_launch());
}

template <value V>
void of_zero_is_zero(loop_method method, const std::string& name, const resource& where) {
  const auto a = laplace<V>(5, 4, 1);
  const std::vector<V> b(20);
  auto loop = bench_support::inspect_loop<V>(method, name, a.view(), {.b = b}, where);
  const auto found = loop.solve({});
  EXPECT_TRUE(found.converged);
  EXPECT_EQ(found.iterations, 0);
  EXPECT_EQ(loop.solution(), b);
}

/// Even numbers and steps of 1/2: all numbers are integers below 2^24, and exact in any order.
template <value V>
struct integer_program {
  static constexpr std::int64_t rows = 40;
  static constexpr std::int64_t cols = 60;
  csr_matrix<V, std::int64_t> a = matrix_from_rows<V>(
      rows, cols,
      [](std::int64_t i) {
        std::vector<std::int64_t> columns;
        for (const std::int64_t step : {1, 8, 19, 33}) columns.push_back((i * 7 + step) % cols);
        std::sort(columns.begin(), columns.end());
        return columns;
      },
      [](std::int64_t i, std::size_t k, std::int64_t j) {
        return 2.0 * static_cast<double>((i + static_cast<std::int64_t>(k) + j) % 5 - 2);
      });
  std::vector<V> b = doubled(integer_vector<V>(rows));
  std::vector<V> c = doubled(integer_vector<V>(cols));
  std::vector<V> lower = std::vector<V>(cols, V{-1});
  std::vector<V> upper = std::vector<V>(cols, V{3});

  [[nodiscard]] loop_problem<V> problem() const {
    return {.b = b, .c = c, .lower = lower, .upper = upper, .primal_step = 0.5, .dual_step = 0.5};
  }
  static std::vector<V> doubled(std::vector<V> x) {
    for (V& each : x) each *= V{2};
    return x;
  }
};

/// x after so many steps, which are exact.
template <value V>
std::vector<V> reference_pdhg(const integer_program<V>& lp, std::int64_t steps) {
  const csr_matrix<V, std::int64_t> transposed = transpose(lp.a.view());
  std::vector<long double> x(lp.c.size());
  std::vector<long double> y(lp.b.size());
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::vector<long double> gradient = exact_product(transposed, y);
    std::vector<long double> extrapolated(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) {
      const long double moved = x[j] - (static_cast<long double>(lp.c[j]) - gradient[j]) / 2;
      const long double next =
          std::clamp(moved, static_cast<long double>(lp.lower[j]), static_cast<long double>(lp.upper[j]));
      extrapolated[j] = 2 * next - x[j];
      x[j] = next;
    }
    const std::vector<long double> product = exact_product(lp.a, extrapolated);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += (static_cast<long double>(lp.b[i]) - product[i]) / 2;
  }
  return {x.begin(), x.end()};
}

template <value V>
void pdhg_follows_the_reference(const std::string& name, const resource& where) {
  const integer_program<V> lp;
  auto loop = bench_support::inspect_loop<V>(loop_method::pdhg, name, lp.a.view(), lp.problem(), where);
  EXPECT_NE(loop.settings(), "");
  for (const std::int64_t wanted : {0, 1, 6, 17}) {
    const std::int64_t steps = at_least(loop, wanted);
    loop.iterate(steps);
    EXPECT_EQ(loop.solution(), reference_pdhg(lp, steps)) << steps;
  }
}

/// Tests of one loop, by its name. Those of an absent library are skipped and say why.
template <device_set Devices>
class loop_test : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const bench_support::peer_presence here =
        bench_support::find_loop_here(has(loop_method::cg) ? loop_method::cg : loop_method::pdhg, GetParam());
    if (!here.present) GTEST_SKIP() << GetParam() << " is absent: " << here.reason;
    EXPECT_NE(here.version, "");
  }
  static bool has(loop_method method) {
    const std::vector<std::string> names = loops_on(Devices, method);
    return std::find(names.begin(), names.end(), GetParam()) != names.end();
  }
  static resource where() {
    if constexpr (Devices == device_set::cpu) return cpu{.threads = 2};
    return cuda{0};
  }

  void check_exact_solution() const {
    if (GetParam() == "cusparse_sliced_ell_cublas_graph")
      GTEST_SKIP() << "it refuses matrices of so few rows";
    for_each_method([](loop_method method) {
      solves_exactly<double>(method, GetParam(), where());
      solves_exactly<float>(method, GetParam(), where());
    });
  }
  void check_cg() const {
    if (!has(loop_method::cg)) return;
    cg_follows_the_reference<double>(GetParam(), where());
    cg_follows_the_reference<float>(GetParam(), where());
  }
  void check_convergence() const {
    for_each_method([](loop_method method) {
      converges<double>(method, GetParam(), where());
      converges<float>(method, GetParam(), where());
    });
  }
  void check_zero() const {
    for_each_method([](loop_method method) { of_zero_is_zero<double>(method, GetParam(), where()); });
  }
  void check_pdhg() const {
    pdhg_follows_the_reference<double>(GetParam(), where());
    pdhg_follows_the_reference<float>(GetParam(), where());
  }

 private:
  /// Of those that solve systems.
  template <class F>
  static void for_each_method(F&& f) {
    for (const loop_method method : system_methods) {
      SCOPED_TRACE(name(method));
      if (has(method)) f(method);
    }
  }
};

/// The tests of two fixtures, which are loop_test: of loops for systems, and of those of pdhg.
#define GOSSAMER_LOOP_TESTS(of_systems, of_pdhg) \
  TEST_P(of_systems, solves_exactly) {           \
    check_exact_solution();                      \
  }                                              \
  TEST_P(of_systems, follows_the_reference) {    \
    check_cg();                                  \
  }                                              \
  TEST_P(of_systems, converges) {                \
    check_convergence();                         \
  }                                              \
  TEST_P(of_systems, of_zero_is_zero) {          \
    check_zero();                                \
  }                                              \
  TEST_P(of_pdhg, follows_the_reference) {       \
    check_pdhg();                                \
  }

}  // namespace gossamer::testing_support::loop_cases
