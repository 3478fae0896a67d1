// SPDX-License-Identifier: BSD-3-Clause
// Tests of the method for linear programs, for vectors and plans of a Place (support/solver_places.hpp).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "support/solver_places.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support::pdhg_cases {

using solve::pdhg_iterate;
using solve::status;

template <value V>
inline constexpr V infinite = std::numeric_limits<V>::infinity();

template <class Place, value V>
plan<V> inspect_program(const csr_matrix<V, std::int64_t>& a, const char* format = "auto") {
  return Place::template inspected<V>(a, {.format = format, .operations = operation_set::both});
}

/// max x0 + x1 with x0 + 2 x1 <= 4, 3 x0 + x1 <= 6, x >= 0. The solution is (1.6, 1.2), and the multipliers
/// of the rows are (-0.4, -0.2).
template <value V>
program_vectors<V> small_program() {
  return {.cost = {-1, -1},
          .lower = {0, 0},
          .upper = {infinite<V>, infinite<V>},
          .row_lower = {-infinite<V>, -infinite<V>},
          .row_upper = {4, 6}};
}

/// All numbers of the steps are exact.
template <class Place, value V>
void one_step_is_exact() {
  const auto a = dense_rows<V>({{1, 2}, {2, 0}}, 2);
  const auto made = inspect_program<Place>(a);
  const program_vectors<V> program{
      .cost = {2, -4}, .lower = {-1, 0}, .upper = {8, 1}, .row_lower = {3, -8}, .row_upper = {3, 8}};
  typename Place::template pdhg<V> run(made, program);
  run.restart({1, 1}, {2, -1});
  // A^T y = (0, 4). x - 0.5 (cost - A^T y) = (0, 5), so x' = (0, 1) and 2 x' - x = (-1, 1). A times that is
  // (1, -2). The row 0 is an equation: y0' = 2 - 0.25 (1 - 3) = 2.5. The row 1 is within its bounds.
  const auto now = run.loop().advance(1, {.primal_step = 0.5, .dual_step = 0.25});
  EXPECT_EQ(now.outcome, status::maxiter);
  EXPECT_EQ(now.since_restart, 1);
  EXPECT_EQ(now.primal_change, 1);
  EXPECT_EQ(now.dual_change, std::sqrt(1.25));
  std::vector<V> x(2);
  std::vector<V> y(2);
  run.copy_to(x, y, pdhg_iterate::current);
  EXPECT_EQ(x, (std::vector<V>{0, 1}));
  EXPECT_EQ(y, (std::vector<V>{2.5, 0}));
  // A x = (2, 0) has distance 1. For cost - A^T y = (-0.5, -9), the upper bounds 8 and 1 count, and 3 of row
  // 0.
  const auto errors = run.loop().errors();
  EXPECT_EQ(errors.primal_objective, -4);
  EXPECT_EQ(errors.primal_residual, 1);
  EXPECT_EQ(errors.dual_objective, -0.5 * 8 - 9 + 2.5 * 3);
  EXPECT_EQ(errors.dual_residual, 0);
  // From (1, 1) to (0, 1) with reflection 0.5 is (-0.5, 1). The mean with the start, of weight 1/2, is
  // (0.25, 1).
  run.restart({1, 1}, {2, -1});
  static_cast<void>(run.loop().advance(
      1, {.primal_step = 0.5, .dual_step = 0.25, .reflection = 0.5, .halpern = true, .average = true}));
  run.copy_to(x, y, pdhg_iterate::current);
  EXPECT_EQ(x, (std::vector<V>{0.25, 1}));
  EXPECT_EQ(y, (std::vector<V>{2.375, -0.25}));
  run.copy_to(x, y, pdhg_iterate::average);
  EXPECT_EQ(x, (std::vector<V>{0, 1}));
  EXPECT_EQ(y, (std::vector<V>{2.5, 0}));
}

/// x and y of an iterate.
template <value V>
struct iterate {
  std::vector<V> x, y;
  bool operator==(const iterate&) const = default;
};

template <value V>
iterate<V> copied(auto& run, const iterate<V>& like, pdhg_iterate which = pdhg_iterate::current) {
  iterate<V> to = like;
  run.copy_to(to.x, to.y, which);
  return to;
}

/// The step of the documentation, for numbers so short that nothing is rounded.
template <value V>
iterate<V> exact_step(const std::vector<std::vector<double>>& a, const program_vectors<V>& of,
                      const iterate<V>& from, double tau, double sigma) {
  iterate<V> to = from;
  for (std::size_t j = 0; j < to.x.size(); ++j) {
    double product = 0;
    for (std::size_t i = 0; i < a.size(); ++i) product += a[i][j] * from.y[i];
    to.x[j] = std::clamp(static_cast<V>(from.x[j] - tau * (of.cost[j] - product)), of.lower[j], of.upper[j]);
  }
  for (std::size_t i = 0; i < to.y.size(); ++i) {
    double product = 0;
    for (std::size_t j = 0; j < to.x.size(); ++j) product += a[i][j] * (2 * to.x[j] - from.x[j]);
    const double point = product - from.y[i] / sigma;
    const double nearest = std::clamp<double>(point, of.row_lower[i], of.row_upper[i]);
    to.y[i] = static_cast<V>(from.y[i] - sigma * (product - nearest));
  }
  return to;
}

/// Rows without one bound or without both, a row and a column without entries. The numbers of two steps are
/// multiples of 1/64 and less than 1000, so that they are exact.
template <value V>
struct short_numbers {
  std::vector<std::vector<double>> a{{1, 0, -2}, {3, 0, 1}, {1, 0, 1}, {0, 0, 0}, {-1, 0, 2}, {2, 0, -1}};
  program_vectors<V> program{.cost = {1, -1, -2},
                             .lower = {-infinite<V>, -4, 0},
                             .upper = {infinite<V>, infinite<V>, 3},
                             .row_lower = {-infinite<V>, -infinite<V>, 2, -1, -2, 5},
                             .row_upper = {infinite<V>, 1, infinite<V>, 1, 2, 5}};
  iterate<V> start{{1, -3, 2}, {4, -2, 1, -3, 0, -6}};
};

/// The step sizes change between calls, and a mean and Halpern's iteration begin at a restart.
template <class Place, value V>
void steps_are_exact_for_all_bounds() {
  const short_numbers<V> of;
  const auto a = dense_rows<V>(of.a, 3);
  for (const char* format : Place::formats()) {
    const auto made = inspect_program<Place>(a, format);
    typename Place::template pdhg<V> run(made, of.program);
    run.restart(of.start.x, of.start.y);
    static_cast<void>(run.loop().advance(1, {.primal_step = 0.5, .dual_step = 0.25}));
    const iterate<V> one = exact_step(of.a, of.program, of.start, 0.5, 0.25);
    EXPECT_EQ(copied(run, of.start), one) << format;
    const auto now = run.loop().advance(1, {.primal_step = 0.25, .dual_step = 0.5});
    const iterate<V> two = exact_step(of.a, of.program, one, 0.25, 0.5);
    EXPECT_EQ(copied(run, of.start), two) << format;
    EXPECT_EQ(now.since_restart, 2);
    double squares = 0;
    for (std::size_t j = 0; j < two.x.size(); ++j) squares += (two.x[j] - one.x[j]) * (two.x[j] - one.x[j]);
    EXPECT_EQ(now.primal_change, std::sqrt(squares));
    // Two steps of one call, and the first step after a restart.
    run.restart(of.start.x, of.start.y);
    static_cast<void>(run.loop().advance(2, {.primal_step = 0.5, .dual_step = 0.25}));
    const iterate<V> second = exact_step(of.a, of.program, one, 0.5, 0.25);
    EXPECT_EQ(copied(run, of.start), second) << format;
    run.restart(one.x, one.y);
    static_cast<void>(run.loop().advance(
        1, {.primal_step = 0.5, .dual_step = 0.25, .reflection = 1, .halpern = true, .average = true}));
    EXPECT_EQ(copied(run, of.start, pdhg_iterate::average), second) << format;
    EXPECT_EQ(copied(run, of.start), second) << format;  // the mean of 2 T(z) - z and z
  }
}

/// It stays in the iterates, whatever the bounds of its row are, and a restart begins again.
template <class Place, value V>
void nan_in_y_is_found() {
  const short_numbers<V> of;
  const auto a = dense_rows<V>(of.a, 3);
  const auto made = inspect_program<Place>(a);
  typename Place::template pdhg<V> run(made, of.program);
  for (std::size_t i = 0; i < of.a.size(); ++i)
    for (const bool halpern : {false, true}) {
      iterate<V> bad = of.start;
      bad.y[i] = std::numeric_limits<V>::quiet_NaN();
      run.restart(bad.x, bad.y);
      const auto now = run.loop().advance(40, {.primal_step = 0.5, .dual_step = 0.25, .halpern = halpern});
      EXPECT_EQ(now.outcome, status::not_finite) << i << halpern;
      EXPECT_TRUE(std::isnan(copied(run, bad).y[i]));
      // No further steps.
      EXPECT_EQ(run.loop().advance(3, {.primal_step = 0.5, .dual_step = 0.25}).since_restart, 40);
      run.restart(of.start.x, of.start.y);
      EXPECT_EQ(run.loop().advance(1, {.primal_step = 0.5, .dual_step = 0.25}).outcome, status::maxiter);
      EXPECT_EQ(copied(run, bad), exact_step(of.a, of.program, of.start, 0.5, 0.25));
    }
}

/// Restarts after each 40 steps, from the mean or from Halpern's iterate.
template <class Place, value V>
void restarts_reach_the_solution() {
  const auto a = dense_rows<V>({{1, 2}, {3, 1}}, 2);
  const double step = 0.95 / static_cast<double>(frobenius(a));
  for (const char* format : Place::formats()) {
    const auto made = inspect_program<Place>(a, format);
    for (const bool halpern : {false, true}) {
      const auto program = small_program<V>();
      typename Place::template pdhg<V> run(made, program);
      const solve::pdhg_parameters how{.primal_step = step,
                                       .dual_step = step,
                                       .reflection = halpern ? 1.0 : 0.0,
                                       .halpern = halpern,
                                       .average = !halpern};
      const pdhg_iterate which = halpern ? pdhg_iterate::current : pdhg_iterate::average;
      const double tolerance = 64 * static_cast<double>(std::numeric_limits<V>::epsilon());
      int restarts = 0;
      const auto is_solved = [&] {
        const auto e = run.loop().errors(which);
        return e.primal_residual <= tolerance && e.dual_residual <= tolerance &&
               std::abs(e.primal_objective - e.dual_objective) <= tolerance;
      };
      while (!is_solved() && restarts < 300) {
        static_cast<void>(run.loop().advance(40, how));
        run.loop().restart(which);
        ++restarts;
      }
      EXPECT_LT(restarts, 300) << format << halpern;
      // Weak duality: with such errors, the objective is within their sum times the solutions' norms.
      const auto e = run.loop().errors(which);
      EXPECT_NEAR(e.primal_objective, -2.8, tolerance * (1 + 2 + 0.5));
    }
  }
}

/// Steps in several calls give the bits of the same steps in one call.
template <class Place, value V>
void does_not_depend_on_calls() {
  const auto a = rectangular<V>(9000, 13000);
  const auto made = inspect_program<Place>(a);
  program_vectors<V> program{.cost = random_vector<V>(a.cols, 1),
                             .lower = std::vector<V>(13000, -1),
                             .upper = std::vector<V>(13000, 2),
                             .row_lower = random_vector<V>(a.rows, 2),
                             .row_upper = {}};
  program.row_upper = program.row_lower;
  const double step = 0.9 / 12;  // the norm of the matrix is less than 12: at most 3 entries of at most 4
  for (const auto& [reflection, halpern, average] :
       {std::tuple(0.0, false, false), std::tuple(0.5, true, false), std::tuple(0.5, false, true)}) {
    const solve::pdhg_parameters how{.primal_step = step,
                                     .dual_step = step,
                                     .reflection = reflection,
                                     .halpern = halpern,
                                     .average = average};
    std::vector<V> x(13000), y(9000), other_x(13000), other_y(9000);
    typename Place::template pdhg<V> run(made, program);
    const auto last = run.loop().advance(75, how);
    EXPECT_EQ(last.since_restart, 75);
    run.copy_to(x, y, pdhg_iterate::current);
    EXPECT_EQ(run.loop().advance(0, how).primal_change, last.primal_change);
    typename Place::template pdhg<V> parts(made, program);
    for (const int steps : {1, 33, 40, 1}) static_cast<void>(parts.loop().advance(steps, how));
    static_cast<void>(parts.loop().errors());
    parts.copy_to(other_x, other_y, pdhg_iterate::current);
    EXPECT_TRUE(same_bits(x, other_x));
    EXPECT_TRUE(same_bits(y, other_y));
    // A restart from the caller's copy is one from the current iterate.
    run.restart(x, y);
    parts.loop().restart();
    EXPECT_EQ(run.loop().advance(20, how).primal_change, parts.loop().advance(20, how).primal_change);
    run.copy_to(x, y, pdhg_iterate::average);
    parts.copy_to(other_x, other_y, pdhg_iterate::average);
    EXPECT_TRUE(same_bits(x, other_x));
    EXPECT_TRUE(same_bits(y, other_y));
  }
}

template <class Place, value V>
void handles_empty_and_bad_input() {
  const solve::pdhg_parameters how{.primal_step = 0.5, .dual_step = 0.5};
  const auto none = dense_rows<V>({}, 0);
  const auto nothing = inspect_program<Place>(none);
  const program_vectors<V> no_vectors;
  typename Place::template pdhg<V> empty(nothing, no_vectors);
  EXPECT_EQ(empty.loop().advance(40, how).outcome, status::maxiter);
  EXPECT_EQ(empty.loop().errors().dual_objective, 0);
  // No rows: each x moves to the bound that its cost chooses.
  const auto of_columns = dense_rows<V>({}, 2);
  const auto free = inspect_program<Place>(of_columns);
  const program_vectors<V> box{
      .cost = {1, -1}, .lower = {-2, -2}, .upper = {3, 3}, .row_lower = {}, .row_upper = {}};
  typename Place::template pdhg<V> bounds(free, box);
  static_cast<void>(bounds.loop().advance(40, how));
  std::vector<V> x(2);
  std::vector<V> y;
  bounds.copy_to(x, y, pdhg_iterate::current);
  EXPECT_EQ(x, (std::vector<V>{-2, 3}));
  EXPECT_EQ(bounds.loop().errors().primal_objective, -5);
  EXPECT_EQ(bounds.loop().errors().dual_objective, -5);
  // No columns: y has no product to follow.
  const auto of_rows = dense_rows<V>({{}, {}, {}}, 0);
  const auto no_columns = inspect_program<Place>(of_rows);
  const program_vectors<V> sides{.cost = {},
                                 .lower = {},
                                 .upper = {},
                                 .row_lower = {1, -infinite<V>, -infinite<V>},
                                 .row_upper = {1, -2, infinite<V>}};
  typename Place::template pdhg<V> rows_only(no_columns, sides);
  static_cast<void>(rows_only.loop().advance(40, how));
  std::vector<V> multipliers(3);
  rows_only.copy_to(y, multipliers, pdhg_iterate::current);
  EXPECT_EQ(multipliers, (std::vector<V>{20, -40, 0}));
  // A NaN ends the steps, and a restart begins again.
  const auto a = dense_rows<V>({{1, 2}, {3, 1}}, 2);
  const auto made = inspect_program<Place>(a);
  auto wrong = small_program<V>();
  wrong.cost[1] = std::numeric_limits<V>::quiet_NaN();
  typename Place::template pdhg<V> run(made, wrong);
  const auto now = run.loop().advance(40, how);
  EXPECT_EQ(now.outcome, status::not_finite);
  EXPECT_EQ(now.since_restart, 40);
  EXPECT_TRUE(std::isnan(run.loop().errors().primal_objective));
  run.restart({0, 0}, {0, 0});
  EXPECT_EQ(run.loop().advance(0, how).outcome, status::maxiter);
}

#define GOSSAMER_PDHG_CASES(instance)                                                              \
  instance(one_step_is_exact) instance(steps_are_exact_for_all_bounds) instance(nan_in_y_is_found) \
      instance(restarts_reach_the_solution) instance(does_not_depend_on_calls)                     \
          instance(handles_empty_and_bad_input)

}  // namespace gossamer::testing_support::pdhg_cases
