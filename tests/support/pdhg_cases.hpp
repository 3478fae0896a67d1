// SPDX-License-Identifier: BSD-3-Clause
// Tests of the method for linear programs, for vectors and plans of a Place (support/solver_places.hpp).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
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
  for (const bool halpern : {false, true}) {
    const solve::pdhg_parameters how{
        .primal_step = step, .dual_step = step, .reflection = 0.5, .halpern = halpern, .average = !halpern};
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
  const auto free = inspect_program<Place>(dense_rows<V>({}, 2));
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
  // A NaN ends the steps, and a restart begins again.
  const auto a = dense_rows<V>({{1, 2}, {3, 1}}, 2);
  const auto made = inspect_program<Place>(a);
  auto wrong = small_program<V>();
  wrong.cost[1] = std::numeric_limits<V>::quiet_NaN();
  typename Place::template pdhg<V> run(made, wrong);
  const auto now = run.loop().advance(40, how);
  EXPECT_EQ(now.outcome, status::not_finite);
  EXPECT_EQ(now.since_restart, 1);
  EXPECT_TRUE(std::isnan(run.loop().errors().primal_objective));
  run.restart({0, 0}, {0, 0});
  EXPECT_EQ(run.loop().advance(0, how).outcome, status::maxiter);
}

#define GOSSAMER_PDHG_CASES(instance)                                                                  \
  instance(one_step_is_exact) instance(restarts_reach_the_solution) instance(does_not_depend_on_calls) \
      instance(handles_empty_and_bad_input)

}  // namespace gossamer::testing_support::pdhg_cases
