// SPDX-License-Identifier: BSD-3-Clause
// Tests of whole solves of linear programs, for the vectors and plans of a Place.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "solve/linear_program_loop.hpp"
#include "support/solver_places.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support::linear_program_cases {

using solve::status;

/// The vectors of a scaled program, and its start.
struct loop_vectors {
  program_vectors<double> program;
  std::vector<double> rows;
  std::vector<double> columns;
  std::vector<double> x;
  std::vector<double> y;
};

/// A point, and how far the last step before it has moved.
struct found_point {
  std::vector<double> x, y, moved_x, moved_y;
};

/// A program whose factors are 1, and which starts at 0.
inline loop_vectors unscaled(const program_vectors<double>& program) {
  const std::size_t rows = program.row_lower.size();
  const std::size_t cols = program.cost.size();
  return {.program = program,
          .rows = std::vector<double>(rows, 1),
          .columns = std::vector<double>(cols, 1),
          .x = std::vector<double>(cols),
          .y = std::vector<double>(rows)};
}

inline const double no_bound = std::numeric_limits<double>::infinity();

/// max x0 + x1 with x0 + 2 x1 <= 4, 3 x0 + x1 <= 6, x >= 0. The solution is (1.6, 1.2), and the multipliers
/// of the rows are (-0.4, -0.2).
inline program_vectors<double> two_rows() {
  return {.cost = {-1, -1},
          .lower = {0, 0},
          .upper = {no_bound, no_bound},
          .row_lower = {-no_bound, -no_bound},
          .row_upper = {4, 6}};
}

template <class Place>
plan<double> inspect_both(const csr_matrix<double, std::int64_t>& a, const char* format = "auto") {
  return Place::template inspected<double>(a, {.format = format, .operations = operation_set::both});
}

/// With a norm of 0.99 and a weight of 2, the step sizes are 1/2 and 2, and all numbers are exact.
template <class Place>
void first_steps_are_exact() {
  const auto a = dense_rows<double>({{0.25, 0.5}, {0.5, 0}}, 2);
  const auto made = inspect_both<Place>(a);
  loop_vectors of = unscaled(
      {.cost = {2, -4}, .lower = {-1, 0}, .upper = {8, 1}, .row_lower = {3, -8}, .row_upper = {3, 3}});
  of.x = {1, 1};
  of.y = {2, -1};
  const solve::program_setting setting{.norm = 0.99, .weight = 2, .rtol = 0};
  // A^T y = (0, 1). x - (cost - A^T y) / 2 = (0, 3.5), so x' = (0, 1) and 2 x' - x = (-1, 1). A times that is
  // (0.25, -0.5), and t = (0.25, -0.5) - y / 2 = (-0.75, 0). y' = 2 (3 + 0.75, 0).
  typename Place::loop one(made, of, setting);
  EXPECT_EQ(one.advance(1, 1).steps, 1);
  found_point at = one.point();
  EXPECT_EQ(at.x, (std::vector<double>{0, 1}));
  EXPECT_EQ(at.y, (std::vector<double>{7.5, 0}));
  EXPECT_EQ(at.moved_x, (std::vector<double>{-1, 0}));
  EXPECT_EQ(at.moved_y, (std::vector<double>{5.5, 1}));
  // The mean of the anchor and the reflected point is x = (0, 1), y = (7.5, 0). A^T y = (1.875, 3.75), so
  // x' = (-0.0625, 1) and t = (0.46875 - 3.75, -0.0625). y' = 2 (3 + 3.28125, 0).
  typename Place::loop two(made, of, setting);
  const auto now = two.advance(1, 2);
  EXPECT_EQ(now.outcome, status::maxiter);
  EXPECT_EQ(now.steps, 2);
  at = two.point();
  EXPECT_EQ(at.x, (std::vector<double>{-0.0625, 1}));
  EXPECT_EQ(at.y, (std::vector<double>{12.5625, 0}));
  EXPECT_EQ(at.moved_x, (std::vector<double>{-0.0625, 0}));
  EXPECT_EQ(at.moved_y, (std::vector<double>{5.0625, 0}));
  // A x' = (0.484375, -0.03125), so row 0 misses 3. For cost - A^T y', the upper bounds 8 and 1 count.
  EXPECT_EQ(now.primal_error, 3 - 0.484375);
  EXPECT_EQ(now.dual_error, 0);
  const double dual = 12.5625 * 3 - (3.140625 - 2) * 8 - (4 + 6.28125);
  EXPECT_EQ(now.gap, (dual + 4.125) / (1 + dual + 4.125));
}

template <class Place>
void finds_the_solution() {
  const auto a = dense_rows<double>({{1, 2}, {3, 1}}, 2);
  constexpr double rtol = 1e-12;
  for (const char* format : Place::formats()) {
    const auto made = inspect_both<Place>(a, format);
    const loop_vectors of = unscaled(two_rows());
    // The norm is too small by half at first, which a step has to find out.
    typename Place::loop run(made, of,
                             {.norm = 0.5 * static_cast<double>(frobenius(a)), .weight = 1, .rtol = rtol});
    const auto now = run.advance(1000, 40);
    EXPECT_EQ(now.outcome, status::converged) << format;
    EXPECT_EQ(now.steps % 40, 0);
    EXPECT_LT(now.steps, 40000);
    EXPECT_LE(std::max({now.primal_error, now.dual_error, now.gap}), rtol);
    const found_point at = run.point();
    // A x = (4, 6) - r and A^T y = -c - s with norms of r and s within rtol; the norms of the inverses of A
    // and A^T are less than 1.
    EXPECT_NEAR(at.x[0], 1.6, 8 * rtol);
    EXPECT_NEAR(at.x[1], 1.2, 8 * rtol);
    EXPECT_NEAR(at.y[0], -0.4, 8 * rtol);
    EXPECT_NEAR(at.y[1], -0.2, 8 * rtol);
    EXPECT_EQ(run.advance(1, 40).outcome, status::converged);
  }
}

/// The errors are those of the program without factors, which are powers of two here.
template <class Place>
void errors_are_without_factors() {
  const auto a = dense_rows<double>({{1, 2}, {3, 1}}, 2);
  const auto scaled = dense_rows<double>({{1 * 4 * 2, 2 * 4 * 8}, {3 * 0.5 * 2, 1 * 0.5 * 8}}, 2);
  const auto of = unscaled(two_rows());
  loop_vectors with = of;
  with.rows = {4, 0.5};
  with.columns = {2, 8};
  with.program.cost = {-2, -8};
  with.program.row_upper = {16, 3};
  const auto made = inspect_both<Place>(a);
  const auto made_scaled = inspect_both<Place>(scaled);
  const found_point at{.x = {2, 1}, .y = {-0.25, -0.125}, .moved_x = {}, .moved_y = {}};
  loop_vectors start = of;
  start.x = at.x;
  start.y = at.y;
  with.x = {at.x[0] / 2, at.x[1] / 8};
  with.y = {at.y[0] / 4, at.y[1] / 0.5};
  // Steps so short that none of them changes a number.
  const solve::program_setting still{.norm = 1e300, .weight = 1, .rtol = 0};
  typename Place::loop plain_loop(made, start, still);
  typename Place::loop scaled_loop(made_scaled, with, still);
  const auto plain = plain_loop.advance(1, 1);
  const auto without = scaled_loop.advance(1, 1);
  EXPECT_GT(std::min(plain.primal_error, plain.dual_error), 0);
  EXPECT_EQ(plain.primal_error, without.primal_error);
  EXPECT_EQ(plain.dual_error, without.dual_error);
  EXPECT_EQ(plain.gap, without.gap);
}

/// Rounds in several calls give the bits of the same rounds in one call.
template <class Place>
void does_not_depend_on_calls() {
  const auto a = rectangular<double>(9000, 13000);
  const auto made = inspect_both<Place>(a);
  loop_vectors of = unscaled({.cost = random_vector<double>(a.cols, 1),
                              .lower = std::vector<double>(13000, -1),
                              .upper = std::vector<double>(13000, 2),
                              .row_lower = random_vector<double>(a.rows, 2),
                              .row_upper = {}});
  of.program.row_upper = of.program.row_lower;
  const solve::program_setting setting{.norm = 12, .weight = 1, .rtol = 0};
  typename Place::loop run(made, of, setting);
  const auto last = run.advance(9, 11);
  EXPECT_EQ(last.steps, 99);
  EXPECT_GT(last.restarts, 0);
  const found_point at = run.point();
  typename Place::loop parts(made, of, setting);
  for (const int rounds : {1, 2, 5}) static_cast<void>(parts.advance(rounds, 11));
  EXPECT_EQ(parts.advance(1, 11).gap, last.gap);
  const found_point other = parts.point();
  EXPECT_TRUE(same_bits(at.x, other.x));
  EXPECT_TRUE(same_bits(at.y, other.y));
  EXPECT_TRUE(same_bits(at.moved_x, other.moved_x));
  EXPECT_TRUE(same_bits(at.moved_y, other.moved_y));
}

/// A call may have more rounds than the solve. The point is that of the test which ended it.
template <class Place>
void rounds_after_the_end_change_nothing() {
  const auto a = dense_rows<double>({{1, 2}, {3, 1}}, 2);
  for (const char* format : Place::formats()) {
    const auto made = inspect_both<Place>(a, format);
    const loop_vectors of = unscaled(two_rows());
    const solve::program_setting setting{.norm = static_cast<double>(frobenius(a)), .rtol = 1e-9};
    typename Place::loop one_by_one(made, of, setting);
    auto last = one_by_one.advance(1, 7);
    while (last.outcome == status::maxiter && last.steps < 10000) last = one_by_one.advance(1, 7);
    EXPECT_EQ(last.outcome, status::converged) << format;
    const found_point expected = one_by_one.point();
    typename Place::loop at_once(made, of, setting);
    const auto now = at_once.advance(last.steps / 7 + 50, 7);
    const found_point found = at_once.point();
    EXPECT_EQ(now.steps, last.steps) << format;
    EXPECT_EQ(now.gap, last.gap);
    EXPECT_TRUE(same_bits(found.x, expected.x));
    EXPECT_TRUE(same_bits(found.y, expected.y));
    EXPECT_TRUE(same_bits(found.moved_x, expected.moved_x));
    EXPECT_TRUE(same_bits(found.moved_y, expected.moved_y));
  }
}

template <class Place>
void handles_empty_and_bad_programs() {
  const auto no_rows_or_columns = dense_rows<double>({}, 0);
  const auto nothing = inspect_both<Place>(no_rows_or_columns);
  const loop_vectors none = unscaled({});
  typename Place::loop empty(nothing, none, {});
  EXPECT_EQ(empty.advance(3, 40).outcome, status::converged);
  // No rows: each x moves to the bound that its cost chooses.
  const auto no_rows = dense_rows<double>({}, 2);
  const auto free = inspect_both<Place>(no_rows);
  const loop_vectors box =
      unscaled({.cost = {1, -1}, .lower = {-2, -2}, .upper = {3, 3}, .row_lower = {}, .row_upper = {}});
  typename Place::loop bounds(free, box, {.rtol = 0});
  EXPECT_EQ(bounds.advance(100, 40).outcome, status::converged);
  EXPECT_EQ(bounds.point().x, (std::vector<double>{-2, 3}));
  const auto a = dense_rows<double>({{1, 2}, {3, 1}}, 2);
  const auto made = inspect_both<Place>(a);
  loop_vectors wrong = unscaled(two_rows());
  wrong.program.cost[1] = std::numeric_limits<double>::quiet_NaN();
  typename Place::loop run(made, wrong, {.norm = 4});
  EXPECT_EQ(run.advance(100, 40).outcome, status::not_finite);
  loop_vectors bad_start = unscaled(two_rows());
  bad_start.y[1] = std::numeric_limits<double>::quiet_NaN();
  typename Place::loop from_nan(made, bad_start, {.norm = 4});
  EXPECT_EQ(from_nan.advance(100, 40).outcome, status::not_finite);
}

#define GOSSAMER_LINEAR_PROGRAM_CASES(instance)                                                     \
  instance(first_steps_are_exact) instance(finds_the_solution) instance(errors_are_without_factors) \
      instance(does_not_depend_on_calls) instance(rounds_after_the_end_change_nothing)              \
          instance(handles_empty_and_bad_programs)

}  // namespace gossamer::testing_support::linear_program_cases
