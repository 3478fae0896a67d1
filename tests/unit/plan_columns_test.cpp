// SPDX-License-Identifier: BSD-3-Clause
// Products by several vectors: each column has the bits of a single product, and nothing between columns is
// touched.
#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "gossamer/gossamer.hpp"
#include "gossamer/hybrid.hpp"
#include "support/vectors.hpp"
#include "unit/helpers.hpp"

namespace gossamer::testing_support::plan_columns {
namespace {

using gossamer_test::expect_error;
using testing::HasSubstr;
using testing::StartsWith;

constexpr double untouched = -77;

/// A dense matrix with room between its rows or columns.
struct dense {
  dense(std::int64_t row_count, std::int64_t col_count, layout lies, std::int64_t gap)
      : rows(row_count),
        cols(col_count),
        order(lies),
        leading((lies == layout::column_major ? row_count : col_count) + gap),
        data(static_cast<std::size_t>(leading * (lies == layout::column_major ? col_count : row_count)),
             untouched) {}
  [[nodiscard]] dense_view<double> view() {
    return {.rows = rows, .cols = cols, .leading = leading, .order = order, .data = data};
  }
  [[nodiscard]] double& at(std::int64_t i, std::int64_t j) {
    return data[static_cast<std::size_t>(order == layout::column_major ? i + j * leading : i * leading + j)];
  }
  void set_column(std::int64_t j, const std::vector<double>& from) {
    for (std::int64_t i = 0; i < rows; ++i) at(i, j) = from[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] std::vector<double> column(std::int64_t j) {
    std::vector<double> to;
    for (std::int64_t i = 0; i < rows; ++i) to.push_back(at(i, j));
    return to;
  }
  std::int64_t rows;
  std::int64_t cols;
  layout order;
  std::int64_t leading;
  std::vector<double> data;
};

void expect_columns(const plan<double>& made, operation product, std::int64_t columns, layout x_order,
                    layout y_order, std::int64_t gap, double alpha, double beta) {
  const bool forward = product == operation::forward;
  dense x(forward ? made.cols() : made.rows(), columns, x_order, gap);
  dense y(forward ? made.rows() : made.cols(), columns, y_order, gap + 1);
  std::vector<std::vector<double>> expected;
  for (std::int64_t j = 0; j < columns; ++j) {
    const auto of_x = random_vector<double>(x.rows, static_cast<unsigned>(10 + j));
    auto of_y =
        beta == 0 ? poisoned<double>(y.rows) : random_vector<double>(y.rows, static_cast<unsigned>(50 + j));
    x.set_column(j, alpha == 0 ? poisoned<double>(x.rows) : of_x);
    y.set_column(j, of_y);
    forward ? made.multiply(alpha, of_x, beta, of_y) : made.multiply_transposed(alpha, of_x, beta, of_y);
    expected.push_back(of_y);
  }
  forward ? made.multiply(alpha, x.view(), beta, y.view())
          : made.multiply_transposed(alpha, x.view(), beta, y.view());
  for (std::int64_t j = 0; j < columns; ++j)
    ASSERT_TRUE(same_bits(y.column(j), expected[static_cast<std::size_t>(j)])) << "column " << j;
  const auto between = std::count(y.data.begin(), y.data.end(), untouched);
  EXPECT_EQ(between, static_cast<std::ptrdiff_t>(y.data.size()) - y.rows * columns);
}

TEST(columns, have_the_bits_of_single_products) {
  const auto a = bench_support::generate<double>("uniform(rows=700,cols=500,per_row=6)");
  constexpr layout orders[] = {layout::column_major, layout::row_major};
  for (const char* format : {"csr", "pattern_csr", "packed", "sliced_ell", "coo"}) {
    const auto made =
        inspect(a.view(), cpu{.threads = 2}, {.format = format, .operations = operation_set::both});
    for (const std::int64_t columns : {0, 1, 2, 3, 9})
      for (const layout x_order : orders)
        for (const layout y_order : orders)
          for (const operation product : {operation::forward, operation::transposed})
            expect_columns(made, product, columns, x_order, y_order, columns % 3, 1.5,
                           columns % 2 == 0 ? 0 : -0.5);
    expect_columns(made, operation::forward, 4, layout::row_major, layout::row_major, 0, 0, 2);
  }
}

TEST(columns, of_a_hybrid_plan) {
  const auto a = bench_support::generate<double>("uniform(rows=700,cols=500,per_row=6)");
  const auto made = inspect(a.view(), parse_hybrid("cpu:1,cpu:2"), {.operations = operation_set::both});
  expect_columns(made, operation::forward, 3, layout::row_major, layout::column_major, 2, 1, 1);
  expect_columns(made, operation::transposed, 3, layout::column_major, layout::row_major, 2, 1, 0);
}

TEST(columns, use_the_workspace_that_is_given) {
  const auto a = bench_support::generate<double>("uniform(rows=70,cols=50,per_row=6)");
  const auto made = inspect(a.view());
  auto room = made.make_workspace();
  const std::int64_t before = room.bytes();
  dense x(50, 2, layout::row_major, 0);
  dense y(70, 2, layout::row_major, 0);
  x.set_column(0, random_vector<double>(50, 1));
  x.set_column(1, random_vector<double>(50, 2));
  made.multiply(1.0, x.view(), 0.0, y.view(), room);
  EXPECT_EQ(room.bytes(), before + 2 * 120 * 8);
  auto expected = poisoned<double>(70);
  made.multiply(1.0, x.column(1), 0.0, expected);
  EXPECT_TRUE(same_bits(y.column(1), expected));
}

TEST(columns, that_do_not_fit_are_named) {
  const auto a = bench_support::generate<double>("uniform(rows=40,cols=30,per_row=4)");
  const auto made = inspect(a.view(), cpu{}, {.operations = operation_set::both});
  std::vector<double> x_data(200);
  std::vector<double> y_data(200);
  dense_view<double> x{.rows = 30, .cols = 2, .leading = 30, .data = x_data};
  dense_view<double> y{.rows = 40, .cols = 2, .leading = 40, .data = y_data};
  const auto expect = [&](errc code, const char* text) {
    expect_error(code, HasSubstr(text), [&] { made.multiply(1.0, x, 0.0, y); });
  };
  EXPECT_NO_THROW(made.multiply(1.0, x, 0.0, y));
  x.rows = 29;
  expect(errc::size_mismatch, "multiply: X has 29 rows, the matrix has 30 columns");
  x.rows = 30;
  y.rows = 41;
  y.leading = 41;
  expect(errc::size_mismatch, "multiply: Y has 41 rows, the matrix has 40 rows");
  y.rows = 40;
  y.cols = 3;
  expect(errc::size_mismatch, "multiply: X has 2 columns, Y has 3");
  y.cols = 2;
  y.leading = 39;
  expect(errc::invalid_argument, "multiply: Y has leading dimension 39, less than its 40 rows");
  y.order = layout::row_major;
  y.leading = 1;
  expect(errc::invalid_argument, "multiply: Y has leading dimension 1, less than its 2 columns");
  y.leading = 6;
  expect(errc::size_mismatch, "multiply: Y of 40 rows and 2 columns needs 236 elements, there are 200");
  y.leading = -1;
  expect(errc::invalid_argument, "leading dimension -1");
  y = {.rows = 40, .cols = -2, .leading = 40, .data = y_data};
  expect(errc::invalid_argument, "multiply: Y has 40 rows and -2 columns");
  y.cols = 2;
  expect_error(errc::size_mismatch, HasSubstr("multiply_transposed: X has 30 rows, the matrix has 40 rows"),
               [&] { made.multiply_transposed(1.0, x, 0.0, y); });
}

/// 8 * 2^61 is 0 in 64 bits.
TEST(columns, that_need_more_elements_than_can_be_counted_are_refused) {
  const auto made = inspect(bench_support::generate<double>("diagonal(n=30)").view(), cpu{}, {.copy = true});
  std::vector<double> memory(270);
  const dense_view<double> y{.rows = 30, .cols = 9, .leading = 30, .data = memory};
  dense_view<double> x = y;
  for (const int power : {58, 60, 61, 62}) {
    x.leading = std::int64_t{1} << power;
    expect_error(errc::size_mismatch, HasSubstr("multiply: X of 30 rows and 9 columns needs"),
                 [&] { made.multiply(1.0, x, 0.0, y); });
  }
}

/// Two matrices may be parts of one.
TEST(columns, may_lie_between_each_other_but_not_overlap) {
  const auto a = bench_support::generate<double>("uniform(rows=30,cols=30,per_row=4)");
  const auto made = inspect(a.view());
  std::vector<double> both(30 * 7, 1.0);
  dense_view<double> x{.rows = 30, .cols = 3, .leading = 7, .order = layout::row_major, .data = both};
  dense_view<double> y{.rows = 30, .cols = 3, .leading = 7, .order = layout::row_major};
  for (std::size_t behind = 0; behind < 7; ++behind) {
    y.data = std::span(both).subspan(behind);
    if (y.data.size() < 29 * 7 + 3) break;
    if (behind == 3 || behind == 4)
      EXPECT_NO_THROW(made.multiply(1.0, x, 0.0, y)) << behind;
    else
      expect_error(errc::overlap, HasSubstr("multiply: X and Y share memory"),
                   [&] { made.multiply(1.0, x, 0.0, y); });
  }
  std::vector<double> wide(200 * 3, 1.0);
  x = {.rows = 30, .cols = 3, .leading = 200, .data = wide};
  y = {.rows = 30, .cols = 3, .leading = 200, .data = std::span(wide).subspan(30)};
  EXPECT_NO_THROW(made.multiply(1.0, x, 0.0, y));
  y.data = std::span(wide).subspan(29);
  expect_error(errc::overlap, HasSubstr("share memory"), [&] { made.multiply(1.0, x, 0.0, y); });
}

TEST(columns, in_device_memory_are_refused_by_a_plan_on_the_cpu) {
  const auto a = bench_support::generate<double>("uniform(rows=30,cols=30,per_row=4)");
  const auto made = inspect(a.view(), cpu{}, {.operations = operation_set::both});
  std::vector<double> memory(200);
  const dense_view<double, device_space> x{
      .rows = 30, .cols = 2, .leading = 2, .order = layout::row_major, .data = {memory.data(), 60}};
  const dense_view<double, device_space> y{
      .rows = 30, .cols = 2, .leading = 30, .data = {memory.data() + 100, 60}};
  expect_error(errc::unsupported, StartsWith("multiply: a plan on the cpu"),
               [&] { made.multiply(1.0, x, 0.0, y, {}); });
  expect_error(errc::unsupported, StartsWith("multiply_transposed: a plan on the cpu"),
               [&] { made.multiply_transposed(1.0, x, 0.0, y, {}); });
}

}  // namespace
}  // namespace gossamer::testing_support::plan_columns
