// SPDX-License-Identifier: BSD-3-Clause
// Products with an epilogue: what wrong calls say, and the cases at the edge. The property tests compare the
// numbers.
#include <gmock/gmock.h>

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "gossamer/gossamer.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support::plan_epilogues {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// (4 0 1; 0 3 0)
struct small_plan {
  std::vector<std::int32_t> row_ptr{0, 2, 3};
  std::vector<std::int32_t> col{0, 2, 1};
  std::vector<double> val{4, 1, 3};
  std::vector<double> x{1, 2, 3};
  std::vector<double> y{nan, nan};

  [[nodiscard]] csr_view<double, std::int32_t> view() const {
    return {.rows = 2, .cols = 3, .row_ptr = row_ptr, .col = col, .val = val};
  }
  [[nodiscard]] plan<double> made(const inspect_options& options = {}) const {
    return inspect(view(), cpu{}, options);
  }
};

std::string message(const plan<double>& made, std::span<const double> x, std::span<double> y,
                    const epilogue<double>& e) {
  try {
    made.multiply(1.0, x, 0.0, y, e);
    return "success";
  } catch (const error& problem) {
    return std::string(name(problem.code())) + ": " + problem.what();
  }
}

TEST(plan_epilogues, name_the_vector_of_another_size) {
  small_plan a;
  const auto made = a.made();
  const std::vector<double> three(3);
  std::vector<double> four(4);
  const auto said = [&](const epilogue<double>& e) { return message(made, a.x, a.y, e); };
  const std::string rest = " has 3 elements, the matrix has 2 rows";
  EXPECT_EQ(said({.z = three}), "size_mismatch: multiply: z" + rest);
  EXPECT_EQ(said({.scale = three}), "size_mismatch: multiply: scale" + rest);
  EXPECT_EQ(said({.u = three}), "size_mismatch: multiply: u" + rest);
  EXPECT_EQ(said({.bounds = {.lower = three}}), "size_mismatch: multiply: lower" + rest);
  EXPECT_EQ(said({.bounds = {.upper = three}}), "size_mismatch: multiply: upper" + rest);
  EXPECT_EQ(said({.second = {.out = std::span(four).first(3)}}), "size_mismatch: multiply: out" + rest);
  std::vector<double> out(2);
  EXPECT_EQ(said({.second = {.out = out, .add = three}}), "size_mismatch: multiply: add" + rest);
  double dot = 0;
  EXPECT_EQ(said({.dots = {{{.with = three, .result = std::span(&dot, 1)}}}}),
            "size_mismatch: multiply: the vector of a dot product" + rest);
  EXPECT_EQ(said({.dots = {{{.with = a.y, .result = four}}}}),
            "size_mismatch: multiply: the result of a dot product has 4 elements, it must have 1 or none");
  EXPECT_EQ(said({.from_memory = {.alpha = three}}),
            "size_mismatch: multiply: from_memory.alpha has 3 elements, it must have 1 or none");
  EXPECT_EQ(said({.dots = {{{.with = a.y, .result = {}}}}}),
            "invalid_argument: multiply: a dot product has a vector and no result");
}

TEST(plan_epilogues, refuse_vectors_that_share_memory) {
  small_plan a;
  const auto made = a.made();
  std::vector<double> room(5);
  const std::span<double> y = std::span(room).first(2);
  const std::span<double> shifted = std::span(room).subspan(1, 2);
  EXPECT_EQ(message(made, a.x, y, {.second = {.out = y}}), "overlap: multiply: y and out share memory");
  EXPECT_EQ(message(made, a.x, y, {.second = {.out = shifted}}), "overlap: multiply: y and out share memory");
  EXPECT_EQ(message(made, a.x, y, {.z = shifted}), "overlap: multiply: z and y share memory");
  EXPECT_EQ(message(made, a.x, y, {.second = {.out = std::span(a.x).first(2)}}),
            "overlap: multiply: x and out share memory");
  EXPECT_EQ(message(made, a.x, a.y, {.u = shifted, .second = {.out = y}}),
            "overlap: multiply: u and out share memory");
  EXPECT_EQ(message(made, a.x, y, {.z = y, .u = y}), "success");
}

TEST(plan_epilogues, without_parts_are_plain_products) {
  small_plan a;
  a.made().multiply(2.0, a.x, 0.0, a.y, epilogue<double>{});
  EXPECT_EQ(a.y, (std::vector<double>{14, 12}));
  a.made().multiply(1.0, a.x, -1.0, a.y, epilogue<double>{});
  EXPECT_EQ(a.y, (std::vector<double>{-7, -6}));
}

TEST(plan_epilogues, keep_nan_in_bounds) {
  small_plan a;
  a.x[1] = nan;
  const std::vector<double> lower{0, 0};
  const std::vector<double> upper{5, 5};
  a.made().multiply(1.0, a.x, 0.0, a.y, epilogue<double>{.bounds = {.lower = lower, .upper = upper}});
  EXPECT_EQ(a.y[0], 5);
  EXPECT_TRUE(std::isnan(a.y[1]));
}

TEST(plan_epilogues, do_not_read_vectors_whose_factor_is_0) {
  small_plan a;
  const std::vector<double> nans{nan, nan};
  std::vector<double> out{nan, nan};
  a.made().multiply(1.0, a.x, 0.0, a.y,
                    epilogue<double>{.z = nans,
                                     .gamma = 0,
                                     .u = nans,
                                     .second = {.out = out, .y_factor = 1, .add = nans, .add_factor = 0}});
  EXPECT_EQ(a.y, (std::vector<double>{7, 6}));
  EXPECT_EQ(out, (std::vector<double>{7, 6}));
  const std::vector<double> nan_x{nan, nan, nan};
  const double zero = 0;
  a.made().multiply(0.0, nan_x, 0.0, a.y, epilogue<double>{});
  EXPECT_EQ(a.y, (std::vector<double>{0, 0}));
  a.made().multiply(1.0, nan_x, 0.0, a.y, epilogue<double>{.from_memory = {.alpha = std::span(&zero, 1)}});
  EXPECT_EQ(a.y, (std::vector<double>{0, 0}));
}

TEST(plan_epilogues, of_no_rows_have_dot_products_0) {
  const std::vector<std::int32_t> row_ptr{0};
  const csr_view<double, std::int32_t> a{.rows = 0, .cols = 3, .row_ptr = row_ptr, .col = {}, .val = {}};
  const std::vector<double> x{nan, nan, nan};
  std::vector<double> y;
  double dot = nan;
  for (const char* format : {"csr", "coo", "packed"}) {
    dot = nan;
    inspect(a, cpu{}, {.format = format})
        .multiply(1.0, x, 0.0, y, epilogue<double>{.dots = {{{.with = {}, .result = std::span(&dot, 1)}}}});
    EXPECT_EQ(dot, 0) << format;
  }
}

TEST(plan_epilogues, work_with_workspaces_hybrid_and_transposed_plans) {
  small_plan a;
  const std::vector<double> z{10, 20};
  double dot = nan;
  const epilogue<double> e{.z = z, .dots = {{{.with = a.y, .result = std::span(&dot, 1)}}}};
  const std::vector<double> expected{17, 26};
  const plan<double> both = a.made({.operations = operation_set::both});
  workspace own = both.make_workspace();
  both.multiply(1.0, a.x, 1.0, a.y, e, own);
  EXPECT_EQ(a.y, expected);
  EXPECT_EQ(dot, 17 * 17 + 26 * 26);
  std::vector<double> yt(3, nan);
  const std::vector<double> three{1, 1, 1};
  both.multiply_transposed(1.0, z, 1.0, std::span(yt), epilogue<double>{.z = three}, own);
  EXPECT_EQ(yt, (std::vector<double>{41, 61, 11}));
  hybrid halves;
  halves.parts.push_back({.where = cpu{.threads = 1}, .power = 1});
  halves.parts.push_back({.where = cpu{.threads = 1}, .power = 1});
  a.y = {nan, nan};
  const plan<double> in_parts = inspect(a.view(), halves);
  in_parts.multiply(1.0, a.x, 1.0, a.y, e);
  EXPECT_EQ(a.y, expected);
  EXPECT_EQ(dot, 17 * 17 + 26 * 26);
  const double alpha = -1;
  const double beta = 2;
  in_parts.multiply(nan, a.x, nan, a.y,
                    epilogue<double>{.z = z, .from_memory = {.alpha = {&alpha, 1}, .beta = {&beta, 1}}});
  EXPECT_EQ(a.y, (std::vector<double>{13, 34}));
}

}  // namespace
}  // namespace gossamer::testing_support::plan_epilogues
