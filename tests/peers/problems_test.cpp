// SPDX-License-Identifier: BSD-3-Clause
// Systems and linear programs that are made of matrices.
#include "bench_support/loops/problems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bench_support/generate/generate.hpp"
#include "gossamer/gossamer.hpp"
#include "support/battery.hpp"
#include "support/solver_places.hpp"

namespace gossamer::testing_support {
namespace {

using testing::ElementsAre;

template <value V>
std::vector<V> dense_row(const csr_matrix<V, std::int32_t>& a, std::size_t row) {
  std::vector<V> all(static_cast<std::size_t>(a.cols));
  for (std::int32_t k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k)
    all[static_cast<std::size_t>(a.col[static_cast<std::size_t>(k)])] += a.val[static_cast<std::size_t>(k)];
  return all;
}

TEST(spd_system, is_a_weighted_laplacian_of_the_pattern) {
  const auto a = dense_rows<double>({{5, -2, 0, 0}, {0, 0, 0, 0}, {0, 6, 1, 0}, {0, 0, 0, 0}}, 4);
  const auto made = bench_support::make_spd_system(a.view());
  EXPECT_TRUE(made.made);
  EXPECT_THAT(dense_row(made.a, 0), ElementsAre(1.001 * 1, -1, 0, 0));
  EXPECT_THAT(dense_row(made.a, 1), ElementsAre(-1, 1.001 * 4, -3, 0));
  EXPECT_THAT(dense_row(made.a, 2), ElementsAre(0, -3, 1.001 * 3, 0));
  EXPECT_THAT(dense_row(made.a, 3), ElementsAre(0, 0, 0, 1));
}

TEST(spd_system, is_the_matrix_itself_if_that_is_dominant_and_symmetric) {
  const auto a = laplace<double>(7, 5, 0.5);
  const auto same = bench_support::make_spd_system(a.view());
  EXPECT_FALSE(same.made);
  EXPECT_TRUE(std::ranges::equal(same.a.col.span(), a.col.span()));
  EXPECT_TRUE(std::ranges::equal(same.a.val.span(), a.val.span()));
  // The inner rows of the operator itself are not strictly dominant.
  EXPECT_TRUE(bench_support::make_spd_system(laplace<double>(7, 5).view()).made);
}

/// For every matrix: valid, sorted, symmetric and strictly dominant.
TEST(spd_system, is_symmetric_and_dominant) {
  for (const battery_entry& entry : battery()) {
    const auto a = converted<float, std::int64_t>(entry.matrix);
    if (a.rows != a.cols) {
      EXPECT_THROW(bench_support::make_spd_system(a.view()), error) << entry.name;
      continue;
    }
    const auto made = bench_support::make_spd_system(a.view());
    SCOPED_TRACE(entry.name);
    EXPECT_NO_THROW(validate(made.a.view()));
    const auto transposed = transpose(made.a.view());
    EXPECT_TRUE(std::ranges::equal(transposed.row_ptr.span(), made.a.row_ptr.span()));
    EXPECT_TRUE(std::ranges::equal(transposed.col.span(), made.a.col.span()));
    const bool finite = std::ranges::all_of(a.val.span(), [](float v) { return std::isfinite(v); });
    if (!finite) continue;
    EXPECT_TRUE(std::ranges::equal(transposed.val.span(), made.a.val.span()));
    for (std::size_t i = 0; i < static_cast<std::size_t>(made.a.rows); ++i) {
      double others = 0;
      double diagonal = 0;
      for (std::int32_t k = made.a.row_ptr[i]; k < made.a.row_ptr[i + 1]; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const bool own = made.a.col[at] == static_cast<std::int32_t>(i);
        (own ? diagonal : others) += std::abs(static_cast<double>(made.a.val[at]));
      }
      EXPECT_GT(diagonal, others) << i;
    }
  }
}

TEST(relative_residual, is_zero_for_the_solution) {
  const auto a = copy<float, std::int32_t>(dense_rows<float>({{2, 1}, {0, 4}}, 2).view());
  const std::vector<float> b{4, 8};
  const std::vector<float> x{1, 2};
  const std::vector<float> zero{0, 0};
  EXPECT_EQ(bench_support::relative_residual<float>(a.view(), b, x), 0);
  EXPECT_EQ(bench_support::relative_residual<float>(a.view(), b, zero), 1);
  // Without b, it is the norm of A x.
  EXPECT_DOUBLE_EQ(bench_support::relative_residual<float>(a.view(), zero, x), std::sqrt(16.0 + 64.0));
}

TEST(linear_program, has_a_point_between_the_bounds) {
  const auto a = dense_rows<double>({{1, 0, -2}, {0, 4, 0}}, 3);
  const auto lp = bench_support::make_linear_program(a.view());
  const auto inner = [](double j) { return 0.25 + 0.5 * j / 97; };
  EXPECT_THAT(lp.b, ElementsAre(inner(0) - 2 * inner(2), 4 * inner(1)));
  EXPECT_THAT(lp.lower, testing::Each(0));
  EXPECT_THAT(lp.upper, testing::Each(1));
  EXPECT_EQ(lp.c.size(), 3u);
  // The largest sums of a row and of a column are 4.
  EXPECT_DOUBLE_EQ(lp.step, 0.9 / 4);
  EXPECT_EQ(lp.view().primal_step, lp.step);
}

}  // namespace
}  // namespace gossamer::testing_support
