// SPDX-License-Identifier: BSD-3-Clause
// Each rule of validate, with its message, and that the first fault is named for any number of threads.
#include "gossamer/matrix.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <vector>

#include "unit/helpers.hpp"

namespace {

using gossamer::errc;
using gossamer_test::expect_error;
using gossamer_test::small_csr;
using gossamer_test::thread_count;

template <class V, class O>
struct types {
  using value = V;
  using offset = O;
};

template <class T>
class validate_csr : public testing::Test {
 protected:
  using value_type = typename T::value;
  using offset_type = typename T::offset;

  /// 3 x 4, with an empty row, an unsorted row and a duplicate: all allowed.
  small_csr<value_type, offset_type> a{
      .rows = 3, .cols = 4, .row_ptr = {0, 3, 3, 5}, .col = {3, 0, 3, 1, 2}, .val = {1, 2, 3, 4, 5}};

  void expect(errc code, const std::string& text) const {
    expect_error(code, text, [&] { gossamer::validate(a.view()); });
  }
};

using all_types = testing::Types<types<float, std::int32_t>, types<float, std::int64_t>,
                                 types<double, std::int32_t>, types<double, std::int64_t>>;
TYPED_TEST_SUITE(validate_csr, all_types);

TYPED_TEST(validate_csr, a_good_matrix_passes) {
  EXPECT_NO_THROW(gossamer::validate(this->a.view()));
}

TYPED_TEST(validate_csr, values_are_not_looked_at) {
  using V = typename TypeParam::value;
  this->a.val[0] = std::numeric_limits<V>::infinity();
  this->a.val[1] = std::numeric_limits<V>::quiet_NaN();
  EXPECT_NO_THROW(gossamer::validate(this->a.view()));
}

TYPED_TEST(validate_csr, matrices_without_entries_pass) {
  using V = typename TypeParam::value;
  using O = typename TypeParam::offset;
  for (const auto& [rows, cols] : std::vector<std::pair<int, int>>{{0, 0}, {0, 5}, {5, 0}, {5, 5}}) {
    small_csr<V, O> e{.rows = rows, .cols = cols, .row_ptr = {}, .col = {}, .val = {}};
    e.row_ptr.assign(static_cast<std::size_t>(rows) + 1, 0);
    EXPECT_NO_THROW(gossamer::validate(e.view()));
  }
}

TYPED_TEST(validate_csr, negative_rows) {
  this->a.rows = -1;
  this->expect(errc::invalid_matrix, "csr: rows = -1 is negative");
}

TYPED_TEST(validate_csr, negative_cols) {
  this->a.cols = -7;
  this->expect(errc::invalid_matrix, "csr: cols = -7 is negative");
}

TYPED_TEST(validate_csr, too_many_rows) {
  this->a.rows = std::int64_t{1} << 31;
  this->expect(errc::unsupported, "csr: rows = 2147483648 is over 2147483647, the largest int32 index");
}

TYPED_TEST(validate_csr, too_many_cols) {
  this->a.cols = std::numeric_limits<std::int64_t>::max();
  this->expect(errc::unsupported,
               "csr: cols = 9223372036854775807 is over 2147483647, the largest int32 index");
}

TYPED_TEST(validate_csr, the_largest_dimension_passes) {
  this->a.cols = 2147483647;
  this->a.col[0] = 2147483646;
  EXPECT_NO_THROW(gossamer::validate(this->a.view()));
}

TYPED_TEST(validate_csr, offsets_of_another_length) {
  this->a.row_ptr.pop_back();
  this->expect(errc::size_mismatch, "csr: row_ptr has 3 elements, rows + 1 = 4");
}

TYPED_TEST(validate_csr, no_offsets_at_all) {
  this->a = {};
  this->expect(errc::size_mismatch, "csr: row_ptr has 0 elements, rows + 1 = 1");
}

TYPED_TEST(validate_csr, fewer_values_than_columns) {
  this->a.val.pop_back();
  this->expect(errc::size_mismatch, "csr: col has 5 elements and val has 4");
}

TYPED_TEST(validate_csr, a_first_offset_that_is_not_0) {
  this->a.row_ptr[0] = 1;
  this->expect(errc::invalid_matrix, "csr: row_ptr[0] = 1 is not 0");
  this->a.row_ptr[0] = -1;
  this->expect(errc::invalid_matrix, "csr: row_ptr[0] = -1 is not 0");
}

TYPED_TEST(validate_csr, falling_offsets) {
  this->a.row_ptr = {0, 4, 3, 5};
  this->expect(errc::invalid_matrix, "csr: row_ptr[2] = 3 is below row_ptr[1] = 4");
  this->a.row_ptr = {0, -1, 3, 5};
  this->expect(errc::invalid_matrix, "csr: row_ptr[1] = -1 is below row_ptr[0] = 0");
  this->a.row_ptr = {0, 3, 3, 2};
  this->expect(errc::invalid_matrix, "csr: row_ptr[3] = 2 is below row_ptr[2] = 3");
}

TYPED_TEST(validate_csr, a_last_offset_that_is_not_nnz) {
  this->a.row_ptr = {0, 3, 3, 4};
  this->expect(errc::size_mismatch, "csr: row_ptr[3] = 4 but col has 5 elements");
  this->a.row_ptr = {0, 3, 3, 6};
  this->expect(errc::size_mismatch, "csr: row_ptr[3] = 6 but col has 5 elements");
}

TYPED_TEST(validate_csr, a_negative_column) {
  this->a.col[3] = -1;
  this->expect(errc::invalid_matrix, "csr: col[3] = -1 is outside [0, 4)");
  this->a.col[3] = std::numeric_limits<std::int32_t>::min();
  this->expect(errc::invalid_matrix, "csr: col[3] = -2147483648 is outside [0, 4)");
}

TYPED_TEST(validate_csr, a_column_past_the_last) {
  this->a.col[4] = 4;
  this->expect(errc::invalid_matrix, "csr: col[4] = 4 is outside [0, 4)");
}

TYPED_TEST(validate_csr, an_entry_where_there_are_no_columns) {
  this->a.cols = 0;
  this->expect(errc::invalid_matrix, "csr: col[0] = 3 is outside [0, 0)");
}

/// Long enough to be cut over threads, with faults in several parts: the first is named.
TEST(validate_first_fault, columns_for_any_number_of_threads) {
  constexpr std::size_t nnz = 100'003;
  small_csr<double> a{.rows = 1, .cols = 10, .row_ptr = {0, nnz}, .col = {}, .val = std::vector<double>(nnz)};
  for (const std::size_t first : {std::size_t{0}, std::size_t{4095}, std::size_t{4096}, std::size_t{16'384},
                                  std::size_t{50'001}, nnz - 1}) {
    a.col.assign(nnz, 3);
    for (std::size_t at : {first, first + 1, first + 5000, nnz - 2, nnz - 1}) {
      if (at >= first && at < nnz) a.col[at] = static_cast<std::int32_t>(10 + at % 1000);
    }
    for (const int threads : {1, 2, 3, 7, 16}) {
      const thread_count t(threads);
      expect_error(errc::invalid_matrix,
                   "csr: col[" + std::to_string(first) + "] = " + std::to_string(10 + first % 1000) +
                       " is outside [0, 10)",
                   [&] { gossamer::validate(a.view()); });
    }
  }
}

TEST(validate_first_fault, offsets_for_any_number_of_threads) {
  constexpr std::int64_t rows = 60'000;
  for (const std::int64_t first : {std::int64_t{1}, std::int64_t{20'000}, rows - 10}) {
    small_csr<float, std::int32_t> a{.rows = rows, .cols = 10, .row_ptr = {}, .col = {}, .val = {}};
    for (std::int32_t i = 0; i <= rows; ++i) a.row_ptr.push_back(10 * i);
    for (const std::int64_t at : {first, first + 3, rows - 5}) a.row_ptr[static_cast<std::size_t>(at)] -= 11;
    a.col.assign(10 * rows, 0);
    a.val.assign(10 * rows, 0);
    const std::string text = "csr: row_ptr[" + std::to_string(first) +
                             "] = " + std::to_string(10 * first - 11) + " is below row_ptr[" +
                             std::to_string(first - 1) + "] = " + std::to_string(10 * first - 10);
    for (const int threads : {1, 2, 3, 7, 16}) {
      const thread_count t(threads);
      expect_error(errc::invalid_matrix, text, [&] { gossamer::validate(a.view()); });
    }
  }
}

TEST(validate_first_fault, offsets_are_named_before_columns) {
  const small_csr<double> a{.rows = 2, .cols = 1, .row_ptr = {0, 3, 2}, .col = {9, 9}, .val = {1, 1}};
  expect_error(errc::invalid_matrix, testing::HasSubstr("row_ptr[2]"), [&] { gossamer::validate(a.view()); });
}

class validate_coo : public testing::Test {
 protected:
  std::vector<std::int32_t> row{2, 0, 2};
  std::vector<std::int32_t> col{1, 3, 1};
  std::vector<double> val{1, 2, 3};
  std::int64_t rows = 3;
  std::int64_t cols = 4;

  void check() const {
    gossamer::validate(
        gossamer::coo_view<double>{.rows = rows, .cols = cols, .row = row, .col = col, .val = val});
  }
  void expect(errc code, const std::string& text) const {
    expect_error(code, text, [&] { check(); });
  }
};

TEST_F(validate_coo, a_good_matrix_passes) {
  EXPECT_NO_THROW(check());
}

TEST_F(validate_coo, no_entries_pass) {
  row = {};
  col = {};
  val = {};
  EXPECT_NO_THROW(check());
  rows = cols = 0;
  EXPECT_NO_THROW(check());
}

TEST_F(validate_coo, dimensions) {
  rows = -1;
  expect(errc::invalid_matrix, "coo: rows = -1 is negative");
  rows = std::int64_t{1} << 31;
  expect(errc::unsupported, "coo: rows = 2147483648 is over 2147483647, the largest int32 index");
  rows = 3;
  cols = -2;
  expect(errc::invalid_matrix, "coo: cols = -2 is negative");
  cols = std::int64_t{1} << 40;
  expect(errc::unsupported, "coo: cols = 1099511627776 is over 2147483647, the largest int32 index");
}

TEST_F(validate_coo, lengths) {
  row.pop_back();
  expect(errc::size_mismatch, "coo: row has 2 elements and col has 3");
  row.push_back(0);
  val.push_back(0);
  expect(errc::size_mismatch, "coo: col has 3 elements and val has 4");
}

TEST_F(validate_coo, rows_outside) {
  row[1] = 3;
  expect(errc::invalid_matrix, "coo: row[1] = 3 is outside [0, 3)");
  row[1] = -1;
  expect(errc::invalid_matrix, "coo: row[1] = -1 is outside [0, 3)");
}

TEST_F(validate_coo, columns_outside) {
  col[2] = 4;
  expect(errc::invalid_matrix, "coo: col[2] = 4 is outside [0, 4)");
  col[2] = -4;
  expect(errc::invalid_matrix, "coo: col[2] = -4 is outside [0, 4)");
}

TEST_F(validate_coo, the_first_fault_for_any_number_of_threads) {
  row.assign(70'000, 1);
  col.assign(70'000, 1);
  val.assign(70'000, 1);
  for (const std::size_t at : {69'999U, 30'000U, 29'999U, 60'000U}) row[at] = 5;
  for (const int threads : {1, 2, 7}) {
    const thread_count t(threads);
    expect(errc::invalid_matrix, "coo: row[29999] = 5 is outside [0, 3)");
  }
}

}  // namespace
