// SPDX-License-Identifier: BSD-3-Clause
// Permutations of matrices, and plans that reorder their matrix: known answers and wrong calls.
#include "gossamer/reorder.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "gossamer/gossamer.hpp"
#include "support/vectors.hpp"
#include "unit/helpers.hpp"

namespace gossamer::testing_support::reorder {
namespace {

using gossamer_test::expect_error;
using gossamer_test::small_csr;
using gossamer_test::thread_count;
using gossamer_test::to_vector;
using testing::ElementsAre;
using testing::HasSubstr;

using matrix = csr_matrix<double, std::int64_t>;
using order = std::vector<std::int32_t>;

/// A matrix with an entry for each pair (row, column); values count from 1.
small_csr<double> matrix_of(std::int64_t size, std::vector<std::pair<std::int32_t, std::int32_t>> places) {
  std::stable_sort(places.begin(), places.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  small_csr<double> a{.rows = size, .cols = size, .row_ptr = {0}};
  for (std::int32_t i = 0; i < size; ++i) {
    for (const auto& [row, col] : places) {
      if (row != i) continue;
      a.col.push_back(col);
      a.val.push_back(static_cast<double>(a.col.size()));
    }
    a.row_ptr.push_back(static_cast<std::int64_t>(a.col.size()));
  }
  return a;
}

std::int64_t bandwidth(const csr_view<double>& a) {
  std::int64_t widest = 0;
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i + 1)]; ++k)
      widest = std::max(widest, std::abs(i - a.col[static_cast<std::size_t>(k)]));
  return widest;
}

bool is_permutation_of(const order& p, std::int64_t size) {
  order sorted = p;
  std::sort(sorted.begin(), sorted.end());
  order expected(static_cast<std::size_t>(size));
  std::iota(expected.begin(), expected.end(), 0);
  return sorted == expected;
}

matrix mesh() {
  return bench_support::generate<double>("shuffled_mesh(nx=60,ny=50)");
}

TEST(reorderings, have_names) {
  for (const reordering each : {reordering::none, reordering::rcm})
    EXPECT_EQ(parse_reordering(name(each)), each);
  expect_error(errc::invalid_argument, HasSubstr("reorder = \"metis\" is not one of none, rcm"),
               [] { parse_reordering("metis"); });
  expect_error(errc::invalid_argument, HasSubstr("reorder: invalid value 5"), [] { name(reordering{5}); });
}

TEST(permuted, moves_rows_and_columns) {
  // (1 2 .)
  // (. . 3)
  // (4 . 5)
  const auto a = matrix_of(3, {{0, 0}, {0, 1}, {1, 2}, {2, 0}, {2, 2}});
  const auto b = permuted(a.view(), order{2, 0, 1});
  EXPECT_THAT(to_vector(b.row_ptr), ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(to_vector(b.col), ElementsAre(0, 1, 1, 2, 0));
  EXPECT_THAT(to_vector(b.val), ElementsAre(5, 4, 1, 2, 3));
}

TEST(permuted, sorts_columns_and_keeps_the_order_of_duplicates) {
  const auto a = matrix_of(3, {{1, 2}, {1, 0}, {1, 2}, {1, 1}, {1, 0}});
  const auto b = permuted(a.view(), order{1, 2, 0});
  EXPECT_THAT(to_vector(b.row_ptr), ElementsAre(0, 5, 5, 5));
  EXPECT_THAT(to_vector(b.col), ElementsAre(0, 1, 1, 2, 2));
  EXPECT_THAT(to_vector(b.val), ElementsAre(4, 1, 3, 2, 5));
}

TEST(permuted, is_undone_by_the_inverse) {
  const auto a = bench_support::generate<double>("rmat(scale=12,edge_factor=9)");
  order p(static_cast<std::size_t>(a.rows));
  std::iota(p.begin(), p.end(), 0);
  std::shuffle(p.begin(), p.end(), std::mt19937(3));
  order inverse(p.size());
  for (std::size_t i = 0; i < p.size(); ++i)
    inverse[static_cast<std::size_t>(p[i])] = static_cast<std::int32_t>(i);
  const thread_count three(3);
  const auto back = permuted(permuted(a.view(), p).view(), inverse);
  order same(p.size());
  std::iota(same.begin(), same.end(), 0);
  const auto sorted = permuted(a.view(), same);
  EXPECT_EQ(to_vector(back.row_ptr), to_vector(sorted.row_ptr));
  EXPECT_EQ(to_vector(back.col), to_vector(sorted.col));
  EXPECT_TRUE(same_bits(to_vector(back.val), to_vector(sorted.val)));
}

TEST(permuted, refuses_what_is_no_permutation) {
  const auto a = matrix_of(3, {{0, 1}, {1, 2}});
  const auto refused = [&](const order& p, const char* text) {
    expect_error(errc::invalid_argument, HasSubstr(text), [&] { permuted(a.view(), p); });
  };
  refused({0, 1}, "permuted: p has 2 elements, the matrix has 3 rows");
  refused({0, 1, 3}, "permuted: p[2] = 3 is not from 0 to 2");
  refused({0, -1, 2}, "permuted: p[1] = -1 is not from 0 to 2");
  refused({1, 0, 1}, "permuted: p[2] = 1 occurs twice");
  small_csr<double> wide{.rows = 1, .cols = 2, .row_ptr = {0, 1}, .col = {1}, .val = {1}};
  expect_error(errc::invalid_argument, HasSubstr("permuted: a matrix of 1 rows and 2 columns is not square"),
               [&] { permuted(wide.view(), order{0}); });
}

TEST(permuted, finds_a_wrong_element_among_many) {
  const auto a = bench_support::generate<double>("banded(n=60000,lower=0,upper=0)");
  order p(60000);
  std::iota(p.begin(), p.end(), 0);
  p[31234] = 5;
  const thread_count three(3);
  expect_error(errc::invalid_argument, HasSubstr("permuted: p[31234] = 5 occurs twice"),
               [&] { permuted(a.view(), p); });
}

class reverse_cuthill_mckee_order : public testing::Test {
 protected:
  void SetUp() override {
    const small_csr<double> a{.rows = 1, .cols = 1, .row_ptr = {0, 0}};
    try {
      static_cast<void>(reverse_cuthill_mckee(a.view()));
    } catch (const error& problem) {
      EXPECT_EQ(problem.code(), errc::unsupported);
      EXPECT_THAT(problem.what(), HasSubstr("this build of gossamer has no Boost Graph Library"));
      GTEST_SKIP() << problem.what();
    }
  }
};

TEST_F(reverse_cuthill_mckee_order, of_a_path_starts_at_an_end) {
  // 3 - 0 - 4 - 1 - 2
  const auto a = matrix_of(5, {{3, 0}, {0, 4}, {1, 4}, {2, 1}});
  const order p = reverse_cuthill_mckee(a.view());
  EXPECT_THAT(p, testing::AnyOf(ElementsAre(3, 0, 4, 1, 2), ElementsAre(2, 1, 4, 0, 3)));
  EXPECT_EQ(bandwidth(permuted(a.view(), p).view()), 1);
}

TEST_F(reverse_cuthill_mckee_order, numbers_connected_components_one_after_another) {
  // 0 - 4, 1 - 5 - 3, and 2, 6 alone.
  const auto a = matrix_of(7, {{0, 4}, {5, 1}, {5, 3}, {2, 2}});
  const order p = reverse_cuthill_mckee(a.view());
  EXPECT_TRUE(is_permutation_of(p, 7));
  EXPECT_EQ(bandwidth(permuted(a.view(), p).view()), 1);
  EXPECT_EQ(p.front(), 6);
}

TEST_F(reverse_cuthill_mckee_order, depends_on_the_structure_alone) {
  const auto a = matrix_of(4, {{0, 3}, {3, 1}, {1, 2}});
  const auto b = matrix_of(4, {{3, 3}, {3, 0}, {1, 3}, {1, 2}, {2, 1}, {1, 2}, {0, 0}});
  EXPECT_EQ(reverse_cuthill_mckee(a.view()), reverse_cuthill_mckee(b.view()));
}

TEST_F(reverse_cuthill_mckee_order, of_a_shuffled_mesh_has_a_small_bandwidth) {
  const auto a = mesh();
  const order p = reverse_cuthill_mckee(a.view());
  EXPECT_TRUE(is_permutation_of(p, a.rows));
  EXPECT_GT(bandwidth(a.view()), 2000);
  EXPECT_LT(bandwidth(permuted(a.view(), p).view()), 200);
  for (const int threads : {1, 7}) {
    const thread_count some(threads);
    EXPECT_EQ(reverse_cuthill_mckee(a.view()), p);
  }
}

TEST_F(reverse_cuthill_mckee_order, takes_little_time_for_many_parts) {
  // A million parts: visiting all rows for each would take hours.
  const auto a = bench_support::generate<double>("banded(n=1000000,lower=0,upper=0)");
  EXPECT_TRUE(is_permutation_of(reverse_cuthill_mckee(a.view()), a.rows));
}

TEST_F(reverse_cuthill_mckee_order, of_no_rows_is_empty) {
  const small_csr<double> a{.row_ptr = {0}};
  EXPECT_TRUE(reverse_cuthill_mckee(a.view()).empty());
  const auto made = inspect(a.view(), cpu{}, {.reorder = reordering::rcm});
  std::vector<double> none;
  made.multiply(1.0, none, 0.0, none);
  EXPECT_EQ(made.to_csr().nnz(), 0);
}

TEST_F(reverse_cuthill_mckee_order, refuses_a_matrix_that_is_not_square) {
  const small_csr<double> wide{.rows = 1, .cols = 2, .row_ptr = {0, 1}, .col = {1}, .val = {1}};
  expect_error(errc::invalid_argument,
               HasSubstr("reverse_cuthill_mckee: a matrix of 1 rows and 2 columns is not square"),
               [&] { reverse_cuthill_mckee(wide.view()); });
  expect_error(errc::invalid_argument, HasSubstr("inspect: reorder = rcm: a matrix of 1 rows and 2 columns"),
               [&] { inspect(wide.view(), cpu{}, {.reorder = reordering::rcm}); });
}

class reordered_plan : public reverse_cuthill_mckee_order {};

TEST_F(reordered_plan, reports_its_order_and_its_bytes) {
  const auto a = mesh();
  const auto plain = inspect(a.view(), cpu{}, {.format = "csr", .copy = true});
  const auto made = inspect(a.view(), cpu{}, {.format = "csr", .reorder = reordering::rcm});
  EXPECT_EQ(order(made.permutation().begin(), made.permutation().end()), reverse_cuthill_mckee(a.view()));
  EXPECT_TRUE(plain.permutation().empty());
  EXPECT_EQ(made.bytes(), plain.bytes() + 8 * a.rows);
  EXPECT_EQ(made.streamed_bytes(), plain.streamed_bytes() + 8 * a.rows);
  EXPECT_THAT(made.describe(), HasSubstr("\"reorder\":\"rcm\""));
  EXPECT_THAT(plain.describe(), testing::Not(HasSubstr("reorder")));
  EXPECT_GE(made.make_workspace().bytes(), plain.make_workspace().bytes() + 16 * a.rows);
}

TEST_F(reordered_plan, of_both_products_stores_one_permutation) {
  const auto a = mesh();
  const inspect_options how{.format = "csr", .operations = operation_set::both, .reorder = reordering::rcm};
  inspect_options without = how;
  without.reorder = reordering::none;
  without.copy = true;
  EXPECT_EQ(inspect(a.view(), cpu{}, how).bytes(), inspect(a.view(), cpu{}, without).bytes() + 8 * a.rows);
}

TEST_F(reordered_plan, keeps_a_symmetric_matrix_symmetric) {
  auto a = bench_support::generate<double>("stencil(nx=9,ny=7,points=5,values=constant)");
  order p(static_cast<std::size_t>(a.rows));
  std::iota(p.begin(), p.end(), 0);
  std::shuffle(p.begin(), p.end(), std::mt19937(4));
  auto b = permuted(a.view(), p);
  const inspect_options how{
      .operations = operation_set::both, .symmetric = symmetry::check, .reorder = reordering::rcm};
  const auto made = inspect(b.view(), cpu{}, how);
  EXPECT_TRUE(made.symmetric());
  const auto x = integer_vector<double>(a.rows);
  auto y = poisoned<double>(a.rows);
  auto expected = poisoned<double>(a.rows);
  made.multiply_transposed(1.0, x, 0.0, y);
  inspect(b.view()).multiply(1.0, x, 0.0, expected);
  EXPECT_EQ(y, expected);
  b.val[1] = -7;
  EXPECT_FALSE(inspect(b.view(), cpu{}, how).symmetric());
}

TEST_F(reordered_plan, keeps_the_callers_arrays_out) {
  auto a = mesh();
  const auto made = inspect(a.view(), cpu{}, {.format = "csr", .reorder = reordering::rcm});
  const auto x = random_vector<double>(a.rows, 1);
  auto before = poisoned<double>(a.rows);
  made.multiply(1.0, x, 0.0, before);
  std::fill_n(a.val.data(), a.nnz(), 0.0);
  std::fill_n(a.col.data(), a.nnz(), 0);
  auto after = poisoned<double>(a.rows);
  made.multiply(1.0, x, 0.0, after);
  EXPECT_TRUE(same_bits(before, after));
}

TEST_F(reordered_plan, takes_coordinates) {
  const std::vector<std::int32_t> row{2, 0, 1, 2};
  const std::vector<std::int32_t> col{0, 2, 1, 2};
  const std::vector<double> val{1, 2, 3, 4};
  auto made = inspect(coo_view<double>{3, 3, row, col, val}, cpu{},
                      {.values_change = true, .reorder = reordering::rcm});
  std::vector<double> y(3);
  made.multiply(1.0, std::vector<double>{1, 10, 100}, 0.0, y);
  EXPECT_THAT(y, ElementsAre(200, 30, 401));
  made.update_values(std::vector<double>{5, 6, 7, 8});  // by row: (0,2), (1,1), (2,0), (2,2)
  made.multiply(1.0, std::vector<double>{1, 10, 100}, 0.0, y);
  EXPECT_THAT(y, ElementsAre(500, 60, 807));
}

TEST_F(reordered_plan, needs_arrays_of_its_own_and_one_resource) {
  const auto a = mesh();
  inspect_options how{.memory = matrix_memory::caller_arrays, .reorder = reordering::rcm};
  expect_error(errc::invalid_argument, HasSubstr("inspect: memory = caller_arrays with a reordered matrix"),
               [&] { inspect(a.view(), cpu{}, how); });
  expect_error(errc::invalid_argument, HasSubstr("inspect: reorder = rcm with several resources"),
               [&] { inspect(a.view(), parse_hybrid("cpu:1,cpu:1"), {.reorder = reordering::rcm}); });
  expect_error(errc::invalid_argument, HasSubstr("reorder: invalid value 9"),
               [&] { inspect(a.view(), cpu{}, {.reorder = reordering{9}}); });
  expect_error(errc::unsupported, HasSubstr("multiply: device vectors given to a plan on the cpu"), [&] {
    const auto made = inspect(a.view(), cpu{}, {.reorder = reordering::rcm});
    std::vector<double> room(static_cast<std::size_t>(2 * a.rows));
    const device_span<const double> x(room.data(), static_cast<std::size_t>(a.rows));
    const device_span<double> y(room.data() + a.rows, static_cast<std::size_t>(a.rows));
    made.multiply(1.0, x, 0.0, y, {});
  });
}

TEST_F(reordered_plan, refuses_a_matrix_that_is_not_valid) {
  auto a = mesh();
  a.col[7] = static_cast<std::int32_t>(a.cols);
  expect_error(errc::invalid_matrix, HasSubstr("col[7] = 3000 is outside"),
               [&] { inspect(a.view(), cpu{}, {.reorder = reordering::rcm}); });
}

TEST_F(reordered_plan, reports_the_stage_and_can_be_cancelled_there) {
  const auto a = mesh();
  inspect_options how{.reorder = reordering::rcm};
  how.progress = [](const progress& p) { return p.stage != "reorder"; };
  expect_error(errc::cancelled, HasSubstr("inspect: cancelled in stage reorder"),
               [&] { inspect(a.view(), cpu{}, how); });
}

TEST_F(reordered_plan, description_with_an_unknown_order_is_refused) {
  const auto a = mesh();
  std::string text = inspect(a.view(), cpu{}, {.reorder = reordering::rcm}).describe();
  text.replace(text.find("\"rcm\""), 5, "\"amd\"");
  expect_error(errc::invalid_argument, HasSubstr("reorder = \"amd\" is not one of none, rcm"),
               [&] { inspect(a.view(), description{text}); });
}

/// "auto" chooses a format for the permuted matrix.
TEST_F(reordered_plan, is_chosen_for_the_permuted_matrix) {
  const auto a = bench_support::generate<double>("shuffled_mesh(nx=200,ny=150)");
  const auto b = permuted(a.view(), reverse_cuthill_mckee(a.view()));
  const auto made = inspect(a.view(), cpu{}, {.reorder = reordering::rcm});
  const auto expected = inspect(b.view());
  EXPECT_EQ(made.format(), expected.format());
  EXPECT_EQ(made.options(), expected.options());
}

}  // namespace
}  // namespace gossamer::testing_support::reorder
