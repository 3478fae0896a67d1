// SPDX-License-Identifier: BSD-3-Clause
// Plans of A, of its transpose, and of both: which products they have, what they store, and what they say of
// wrong calls.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <string>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "gossamer/gossamer.hpp"
#include "gossamer/hybrid.hpp"
#include "gossamer/tune.hpp"
#include "support/variable.hpp"
#include "support/vectors.hpp"
#include "unit/helpers.hpp"

namespace gossamer::testing_support::plan_operations {
namespace {

using gossamer_test::expect_error;
using gossamer_test::small_csr;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

using matrix = csr_matrix<double, std::int64_t>;

/// 40 rows, 30 columns.
matrix sample() {
  return bench_support::generate<double>("uniform(rows=40,cols=30,per_row=4)");
}

/// A is its transpose, bit for bit.
matrix symmetric_sample() {
  return bench_support::generate<double>("stencil(nx=9,ny=7,points=5,values=constant)");
}

std::vector<double> forward_of(const plan<double>& made) {
  auto y = poisoned<double>(made.rows());
  made.multiply(1.0, random_vector<double>(made.cols(), 1), 0.0, y);
  return y;
}

std::vector<double> transposed_of(const plan<double>& made) {
  auto y = poisoned<double>(made.cols());
  made.multiply_transposed(1.0, random_vector<double>(made.rows(), 1), 0.0, y);
  return y;
}

TEST(operations, have_names) {
  for (const operation_set each : {operation_set::forward, operation_set::transposed, operation_set::both})
    EXPECT_EQ(parse_operations(name(each)), each);
  expect_error(errc::invalid_argument,
               HasSubstr("operations = \"none\" is not one of forward, transposed, both"),
               [] { parse_operations("none"); });
  expect_error(errc::invalid_argument, HasSubstr("operations: invalid value 3"),
               [] { name(operation_set{3}); });
}

TEST(operations, missing_in_a_plan_are_unsupported) {
  const auto a = sample();
  const auto forward = inspect(a.view());
  expect_error(errc::unsupported,
               HasSubstr("multiply_transposed: the plan was inspected with operations = forward"),
               [&] { transposed_of(forward); });
  expect_error(errc::unsupported, HasSubstr("storage: transposed"),
               [&] { static_cast<void>(forward.storage(operation::transposed)); });
  const auto transposed = inspect(a.view(), cpu{}, {.operations = operation_set::transposed});
  expect_error(errc::unsupported, HasSubstr("multiply: the plan was inspected with operations = transposed"),
               [&] { forward_of(transposed); });
  expect_error(errc::invalid_argument, HasSubstr("operations: invalid value 7"),
               [&] { inspect(a.view(), cpu{}, {.operations = operation_set{7}}); });
}

TEST(multiply_transposed, names_the_vector_of_the_wrong_length) {
  const auto a = sample();
  const auto made = inspect(a.view(), cpu{}, {.operations = operation_set::both});
  std::vector<double> x(30);
  std::vector<double> y(30);
  expect_error(errc::size_mismatch,
               HasSubstr("multiply_transposed: x has 30 elements, the matrix has 40 rows"),
               [&] { made.multiply_transposed(1.0, x, 0.0, y); });
  x.resize(40);
  y.resize(40);
  expect_error(errc::size_mismatch,
               HasSubstr("multiply_transposed: y has 40 elements, the matrix has 30 columns"),
               [&] { made.multiply_transposed(1.0, x, 0.0, y); });
  std::vector<double> room(60);
  expect_error(errc::overlap, HasSubstr("multiply_transposed: x and y share memory"), [&] {
    made.multiply_transposed(1.0, std::span(room).first(40), 0.0, std::span(room).subspan(20, 30));
  });
}

/// A plan's own messages name the call too.
TEST(multiply_transposed, is_named_where_a_plan_refuses_device_vectors) {
  const auto a = sample();
  std::vector<double> room(100);
  const device_span<const double> x(room.data(), 40);
  const device_span<double> y(room.data() + 50, 30);
  const inspect_options how{.operations = operation_set::both};
  const auto on_cpu = inspect(a.view(), cpu{}, how);
  expect_error(errc::unsupported,
               StartsWith("multiply_transposed: device vectors given to a plan on the cpu"),
               [&] { on_cpu.multiply_transposed(1.0, x, 0.0, y, {}); });
  const auto hybrid = inspect(a.view(), parse_hybrid("cpu:1,cpu:1"), how);
  expect_error(errc::unsupported, StartsWith("multiply_transposed: device vectors given to a hybrid plan"),
               [&] { hybrid.multiply_transposed(1.0, x, 0.0, y, {}); });
}

TEST(plan_of_both, reports_the_shape_of_a_and_the_bytes_of_both) {
  const auto a = sample();
  for (const operation_set operations : {operation_set::transposed, operation_set::both}) {
    const auto made = inspect(a.view(), cpu{}, {.format = "csr", .operations = operations});
    EXPECT_EQ(made.rows(), 40);
    EXPECT_EQ(made.cols(), 30);
    EXPECT_EQ(made.nnz(), a.nnz());
    EXPECT_EQ(made.operations(), operations);
    EXPECT_FALSE(made.symmetric());
    EXPECT_THAT(made.describe(), AllOf(HasSubstr("\"rows\":40"), HasSubstr("\"cols\":30")));
  }
  const auto both = inspect(a.view(), cpu{}, {.format = "csr", .operations = operation_set::both});
  EXPECT_EQ(both.bytes(), both.storage(operation::forward).bytes + both.storage(operation::transposed).bytes);
  EXPECT_THAT(both.describe(), AllOf(HasSubstr("\"operations\":\"both\""), HasSubstr("\"symmetric\":false"),
                                     HasSubstr("\"transposed\":{\"format\":\"csr\"")));
}

TEST(plan_of_both, serves_both_products_with_one_workspace) {
  const auto a = sample();
  const auto made = inspect(a.view(), cpu{}, {.operations = operation_set::both});
  auto room = made.make_workspace();
  const auto x = random_vector<double>(40, 1);
  auto y = poisoned<double>(30);
  made.multiply_transposed(1.0, x, 0.0, y, room);
  EXPECT_TRUE(same_bits(y, transposed_of(made)));
  auto forward_y = poisoned<double>(40);
  made.multiply(1.0, random_vector<double>(30, 1), 0.0, forward_y, room);
  EXPECT_TRUE(same_bits(forward_y, forward_of(made)));
  const auto forward = inspect(a.view());
  auto others = forward.make_workspace();
  expect_error(errc::invalid_argument, HasSubstr("multiply_transposed: the workspace was"),
               [&] { made.multiply_transposed(1.0, x, 0.0, y, others); });
}

TEST(plan_of_both, may_have_a_format_for_each) {
  // One long row: as a column it is a grid's worth of short rows.
  small_csr<double> a{.rows = 2, .cols = 5000, .row_ptr = {0, 5000, 5001}};
  for (std::int32_t j = 0; j < 5000; ++j) a.col.push_back(j);
  a.col.push_back(7);
  for (int k = 0; k < 5001; ++k) a.val.push_back(k % 13 + 1);
  const auto made = inspect(a.view(), cpu{}, {.format = "auto", .operations = operation_set::both});
  const auto at = transpose(a.view());
  const auto of_transpose = inspect(at.view(), cpu{}, {.format = "auto"});
  EXPECT_EQ(made.storage(operation::transposed).format, of_transpose.format());
  const auto forward = made.storage(operation::forward);
  const auto transposed = made.storage(operation::transposed);
  EXPECT_NE(std::pair(forward.format, forward.options), std::pair(transposed.format, transposed.options));
  const auto again = inspect(a.view(), description{made.describe()});
  EXPECT_EQ(again.storage(operation::forward).format, made.storage(operation::forward).format);
  EXPECT_EQ(again.storage(operation::transposed).format, made.storage(operation::transposed).format);
  EXPECT_TRUE(same_bits(transposed_of(again), transposed_of(made)));
}

TEST(plan_of_both, names_the_transpose_where_a_format_refuses_it) {
  // 3000 columns of one entry and one of 3000: as rows they would be padded to 3000.
  small_csr<double> a{.rows = 3000, .cols = 3001, .row_ptr = {0}};
  for (std::int32_t i = 0; i < 3000; ++i) {
    a.col.insert(a.col.end(), {i, 3000});
    a.val.insert(a.val.end(), {1, 2});
    a.row_ptr.push_back(2 * (i + 1));
  }
  const inspect_options how{.format = "ellpack", .operations = operation_set::both};
  expect_error(errc::unsupported,
               AllOf(HasSubstr("unsupported: ellpack: "), HasSubstr(" (in the transpose)")),
               [&] { inspect(a.view(), cpu{}, how); });
}

TEST(symmetric, matrix_is_stored_once_where_its_transpose_has_the_same_arrays) {
  const auto a = symmetric_sample();
  const auto once = inspect(
      a.view(), cpu{}, {.format = "csr", .operations = operation_set::both, .symmetric = symmetry::check});
  const auto forward = inspect(a.view(), cpu{}, {.format = "csr"});
  EXPECT_TRUE(once.symmetric());
  EXPECT_EQ(once.operations(), operation_set::both);
  EXPECT_EQ(once.bytes(), forward.bytes());
  EXPECT_TRUE(same_bits(transposed_of(once), forward_of(once)));
  EXPECT_TRUE(same_bits(transposed_of(once), forward_of(forward)));
  EXPECT_EQ(once.storage(operation::transposed).bytes, forward.bytes());
  auto room = once.make_workspace();
  auto y = poisoned<double>(a.rows);
  once.multiply_transposed(1.0, random_vector<double>(a.rows, 1), 0.0, y, room);
  EXPECT_TRUE(same_bits(y, forward_of(forward)));
  const auto again = inspect(a.view(), description{once.describe()});
  EXPECT_TRUE(again.symmetric());

  auto changed = symmetric_sample();
  changed.val[1] = -7;
  const auto twice =
      inspect(changed.view(), cpu{},
              {.format = "csr", .operations = operation_set::both, .symmetric = symmetry::check});
  EXPECT_FALSE(twice.symmetric());
  EXPECT_TRUE(same_bits(transposed_of(twice), forward_of(inspect(transpose(changed.view()).view(), cpu{},
                                                                 {.format = "csr", .copy = true}))));
}

TEST(symmetric, check_goes_with_both_and_without_new_values) {
  const auto a = symmetric_sample();
  expect_error(errc::invalid_argument, HasSubstr("symmetric = check with operations = forward"),
               [&] { inspect(a.view(), cpu{}, {.symmetric = symmetry::check}); });
  expect_error(errc::invalid_argument, HasSubstr("symmetric = check with values_change"), [&] {
    inspect(a.view(), cpu{},
            {.values_change = true, .operations = operation_set::both, .symmetric = symmetry::check});
  });
}

/// Fails one allocation of the library's arrays.
class failing_allocation {
 public:
  explicit failing_allocation(int number) : left_(number) {
    before_ = set_host_allocation_hook({.allocate = allocate, .release = release, .user = this});
  }
  failing_allocation(const failing_allocation&) = delete;
  failing_allocation& operator=(const failing_allocation&) = delete;
  ~failing_allocation() { set_host_allocation_hook(before_); }
  [[nodiscard]] bool failed() const { return left_ < 0; }

 private:
  static void* allocate(std::size_t bytes, std::size_t alignment, int, void* user) {
    auto& self = *static_cast<failing_allocation*>(user);
    if (self.left_-- == 0) return nullptr;
    return ::operator new(bytes, std::align_val_t(alignment));
  }
  static void release(void* pointer, std::size_t, int, void*) {
    ::operator delete(pointer, std::align_val_t(128));
  }

  std::atomic<int> left_;
  allocation_hook before_;
};

TEST(plan_of_both, keeps_its_old_values_where_an_update_fails) {
  const auto a = bench_support::generate<double>("uniform(rows=400,cols=300,per_row=9)");
  const auto values = random_vector<double>(a.nnz(), 5);
  int failures = 0;
  for (int number = 0;; ++number) {
    auto made = inspect(a.view(), cpu{.threads = 1},
                        {.format = "packed", .values_change = true, .operations = operation_set::both});
    const auto forward = forward_of(made);
    const auto transposed = transposed_of(made);
    try {
      const failing_allocation one(number);
      made.update_values(values);
      ASSERT_FALSE(one.failed()) << "allocation " << number << " failed, and nothing was thrown";
      break;
    } catch (const error& problem) {
      ASSERT_EQ(problem.code(), errc::out_of_memory);
      ++failures;
    }
    ASSERT_TRUE(same_bits(forward_of(made), forward)) << "allocation " << number;
    ASSERT_TRUE(same_bits(transposed_of(made), transposed)) << "allocation " << number;
  }
  EXPECT_GT(failures, 10);
}

/// Parts of a transpose are rows of the transpose.
TEST(hybrid_transposed, has_the_bits_of_a_hybrid_of_the_transpose) {
  const auto a = bench_support::generate<double>("rmat(scale=9,edge_factor=8)");
  const auto at = transpose(a.view());
  for (const partition_algorithm algorithm : {partition_algorithm::nonzeros, partition_algorithm::pmf}) {
    hybrid where = parse_hybrid("cpu:1,cpu:2,cpu:1", std::vector<double>{2, 3, 1});
    where.sharing.algorithm = algorithm;
    where.parts[1].format = "packed";
    const auto both = inspect(a.view(), where, {.values_change = true, .operations = operation_set::both});
    const auto forward = inspect(a.view(), where);
    const auto turned = inspect(at.view(), where);
    EXPECT_TRUE(same_bits(transposed_of(both), forward_of(turned)));
    EXPECT_TRUE(same_bits(forward_of(both), forward_of(forward)));
    EXPECT_EQ(both.storage(operation::transposed).parts.size(), 3U);
    EXPECT_EQ(both.rows(), a.rows);

    auto changed = copy<double, std::int64_t>(a.view());
    const auto values = random_vector<double>(a.nnz(), 5);
    std::copy(values.begin(), values.end(), changed.val.data());
    auto renewed = inspect(a.view(), where, {.values_change = true, .operations = operation_set::both});
    renewed.update_values(values);
    const auto fresh = inspect(changed.view(), where, {.operations = operation_set::both});
    EXPECT_TRUE(same_bits(transposed_of(renewed), transposed_of(fresh)));
    EXPECT_TRUE(same_bits(forward_of(renewed), forward_of(fresh)));
  }
}

TEST(coordinates, are_inspected_with_both_operations) {
  const std::vector<std::int32_t> row{1, 0, 1, 2};
  const std::vector<std::int32_t> col{0, 1, 1, 0};
  const std::vector<double> val{1, 2, 3, 4};
  const coo_view<double> a{3, 2, row, col, val};
  auto made = inspect(a, cpu{}, {.values_change = true, .operations = operation_set::both});
  std::vector<double> y(2);
  made.multiply_transposed(1.0, std::vector<double>{1, 10, 100}, 0.0, y);
  EXPECT_EQ(y, (std::vector<double>{410, 32}));
  made.update_values(std::vector<double>{5, 6, 7, 8});  // by row: (0,1), (1,0), (1,1), (2,0)
  made.multiply_transposed(1.0, std::vector<double>{1, 10, 100}, 0.0, y);
  EXPECT_EQ(y, (std::vector<double>{860, 75}));
}

TEST(tune_transposed, searches_for_the_transpose) {
  const variable no_cache("GOSSAMER_CACHE", "");
  const auto a = sample();
  const tuning_result found = tune(a.view(), cpu{}, {.budget_seconds = 0, .product = operation::transposed});
  const tuning_result expected = tune(transpose(a.view()).view(), cpu{}, {.budget_seconds = 0});
  ASSERT_EQ(found.measurements.size(), expected.measurements.size());
  EXPECT_EQ(found.measurements[1].expected.bytes, expected.measurements[1].expected.bytes);
  expect_error(errc::invalid_argument, HasSubstr("operation: invalid value 5"),
               [&] { tune(a.view(), cpu{}, {.product = operation{5}}); });
}

}  // namespace
}  // namespace gossamer::testing_support::plan_operations
