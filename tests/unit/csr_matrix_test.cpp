// SPDX-License-Identifier: BSD-3-Clause
// The conversions that make a csr_matrix: order, duplicates, widths of offsets.
#include "gossamer/matrix.hpp"

#include <gmock/gmock.h>

#include <random>
#include <vector>

#include "unit/helpers.hpp"

namespace {

using gossamer::errc;
using gossamer_test::expect_error;
using gossamer_test::small_csr;
using gossamer_test::thread_count;
using gossamer_test::to_vector;
using testing::ElementsAre;
using testing::IsEmpty;

struct entries {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<std::int32_t> row;
  std::vector<std::int32_t> col;
  std::vector<double> val;

  [[nodiscard]] gossamer::coo_view<double> view() const {
    return {.rows = rows, .cols = cols, .row = row, .col = col, .val = val};
  }
};

/// Over more than 2^31 elements of an array that is not there: for checks that must not read it.
template <class T>
std::span<const T> too_long(const T& first) {
  return {&first, std::size_t{1} << 31};
}

TEST(csr_from_coo, keeps_the_order_and_the_duplicates_of_a_row) {
  const entries e{
      .rows = 4, .cols = 3, .row = {2, 0, 2, 3, 0, 2}, .col = {1, 2, 0, 0, 2, 1}, .val = {1, 2, 3, 4, 5, 6}};
  const auto a = gossamer::csr_from_coo(e.view());
  EXPECT_EQ(a.rows, 4);
  EXPECT_EQ(a.cols, 3);
  EXPECT_EQ(a.nnz(), 6);
  EXPECT_THAT(to_vector(a.row_ptr), ElementsAre(0, 2, 2, 5, 6));
  EXPECT_THAT(to_vector(a.col), ElementsAre(2, 2, 1, 0, 1, 0));
  EXPECT_THAT(to_vector(a.val), ElementsAre(2, 5, 1, 3, 6, 4));
}

TEST(csr_from_coo, entries_sorted_by_row_stay_where_they_are) {
  const entries e{.rows = 3, .cols = 3, .row = {0, 0, 2}, .col = {2, 1, 0}, .val = {1, 0, 3}};
  const auto a = gossamer::csr_from_coo<double, std::int32_t>(e.view());
  EXPECT_THAT(to_vector(a.row_ptr), ElementsAre(0, 2, 2, 3));
  EXPECT_THAT(to_vector(a.col), ElementsAre(2, 1, 0));
  EXPECT_THAT(to_vector(a.val), ElementsAre(1, 0, 3));
}

TEST(csr_from_coo, shapes_without_entries) {
  for (const std::int64_t rows : {0, 1, 5}) {
    const auto a =
        gossamer::csr_from_coo(entries{.rows = rows, .cols = 2, .row = {}, .col = {}, .val = {}}.view());
    EXPECT_EQ(to_vector(a.row_ptr), std::vector<std::int64_t>(static_cast<std::size_t>(rows) + 1, 0));
    EXPECT_THAT(to_vector(a.col), IsEmpty());
    EXPECT_NO_THROW(gossamer::validate(a.view()));
  }
}

template <class O>
void compare_with_a_slow_sort(const entries& e) {
  std::vector<std::vector<std::size_t>> by_row(static_cast<std::size_t>(e.rows));
  for (std::size_t k = 0; k < e.row.size(); ++k) by_row[static_cast<std::size_t>(e.row[k])].push_back(k);
  const auto a = gossamer::csr_from_coo<double, O>(e.view());
  ASSERT_NO_THROW(gossamer::validate(a.view()));
  std::size_t at = 0;
  for (std::size_t i = 0; i < by_row.size(); ++i) {
    ASSERT_EQ(static_cast<std::size_t>(a.row_ptr[i]), at);
    for (const std::size_t k : by_row[i]) {
      ASSERT_EQ(a.col[at], e.col[k]);
      ASSERT_EQ(a.val[at], e.val[k]);
      ++at;
    }
  }
}

TEST(csr_from_coo, a_large_unsorted_input_for_any_number_of_threads) {
  std::mt19937 random(3);
  for (const std::uint32_t rows : {1U, 2U, 5U, 3000U, 200'000U}) {
    entries e{.rows = rows, .cols = 100, .row = {}, .col = {}, .val = {}};
    for (int k = 0; k < 50'000; ++k) {
      const bool heavy = random() % 4 == 0;  // a row that several threads' parts lie in
      e.row.push_back(static_cast<std::int32_t>(heavy ? rows / 2 : random() % rows));
      e.col.push_back(static_cast<std::int32_t>(random() % 100));
      e.val.push_back(k);
    }
    for (const int threads : {1, 2, 7}) {
      const thread_count t(threads);
      compare_with_a_slow_sort<std::int32_t>(e);
      compare_with_a_slow_sort<std::int64_t>(e);
    }
    std::sort(e.row.begin(), e.row.end());
    const thread_count t(3);
    compare_with_a_slow_sort<std::int64_t>(e);
  }
}

TEST(csr_from_coo, all_entries_in_the_last_row) {
  entries e{.rows = 40'000, .cols = 7, .row = {}, .col = {}, .val = {}};
  e.row.assign(40'000, 39'999);
  e.row.back() = 0;  // not sorted
  for (int k = 0; k < 40'000; ++k) {
    e.col.push_back(k % 7);
    e.val.push_back(k);
  }
  for (const int threads : {1, 2, 7}) {
    const thread_count t(threads);
    compare_with_a_slow_sort<std::int64_t>(e);
  }
}

TEST(csr_from_coo, refuses_bad_entries) {
  const entries e{.rows = 2, .cols = 2, .row = {0, 2}, .col = {0, 0}, .val = {1, 1}};
  expect_error(errc::invalid_matrix, "coo: row[1] = 2 is outside [0, 2)",
               [&] { gossamer::csr_from_coo(e.view()); });
  const entries wide{.rows = 2, .cols = std::int64_t{1} << 31, .row = {}, .col = {}, .val = {}};
  expect_error(errc::unsupported, testing::HasSubstr("cols = 2147483648"),
               [&] { gossamer::csr_from_coo(wide.view()); });
}

TEST(csr_from_coo, refuses_more_entries_than_the_offsets_count) {
  const std::int32_t index = 0;
  const double value = 0;
  const gossamer::coo_view<double> e{
      .rows = 1, .cols = 1, .row = too_long(index), .col = too_long(index), .val = too_long(value)};
  expect_error(errc::unsupported, "csr: 2147483648 nonzeros do not fit in int32 offsets",
               [&] { gossamer::csr_from_coo<double, std::int32_t>(e); });
}

TEST(csr_matrix, view_shows_the_arrays) {
  const auto a =
      gossamer::csr_from_coo(entries{.rows = 1, .cols = 1, .row = {0}, .col = {0}, .val = {4}}.view());
  EXPECT_EQ(a.view().row_ptr.data(), a.row_ptr.data());
  EXPECT_EQ(a.view().col.data(), a.col.data());
  EXPECT_EQ(a.view().val.data(), a.val.data());
  EXPECT_EQ(a.view().nnz(), 1);
}

TEST(copy, owns_its_arrays_and_has_the_requested_offset_type) {
  const small_csr<float, std::int32_t> a{
      .rows = 2, .cols = 3, .row_ptr = {0, 1, 3}, .col = {2, 1, 1}, .val = {1, 2, 3}};
  const auto wide = gossamer::copy<float, std::int64_t>(a.view());
  const auto narrow = gossamer::copy<float, std::int32_t>(wide.view());
  EXPECT_NE(wide.col.data(), a.col.data());
  EXPECT_NE(narrow.val.data(), wide.val.data());
  EXPECT_EQ(narrow.rows, 2);
  EXPECT_EQ(narrow.cols, 3);
  EXPECT_EQ(to_vector(narrow.row_ptr), a.row_ptr);
  EXPECT_EQ(to_vector(narrow.col), a.col);
  EXPECT_EQ(to_vector(narrow.val), a.val);
  EXPECT_THAT(to_vector(wide.row_ptr), ElementsAre(0, 1, 3));
}

TEST(copy, of_large_arrays_for_any_number_of_threads) {
  small_csr<double> a{.rows = 50'000, .cols = 50'000, .row_ptr = {0}, .col = {}, .val = {}};
  for (std::int32_t i = 0; i < 50'000; ++i) {
    a.row_ptr.push_back(i + 1);
    a.col.push_back(i);
    a.val.push_back(i);
  }
  for (const int threads : {1, 2, 7}) {
    const thread_count t(threads);
    const auto b = gossamer::copy<double, std::int32_t>(a.view());
    EXPECT_TRUE(std::equal(a.row_ptr.begin(), a.row_ptr.end(), b.row_ptr.data()));
    EXPECT_EQ(to_vector(b.col), a.col);
    EXPECT_EQ(to_vector(b.val), a.val);
  }
}

TEST(copy, refuses_offsets_that_are_too_narrow_before_it_reads_anything) {
  const std::vector<std::int64_t> row_ptr{0, std::int64_t{1} << 31};
  const std::int32_t index = 0;
  const float value = 0;
  const gossamer::csr_view<float> a{
      .rows = 1, .cols = 1, .row_ptr = row_ptr, .col = too_long(index), .val = too_long(value)};
  expect_error(errc::unsupported, "csr: 2147483648 nonzeros do not fit in int32 offsets",
               [&] { gossamer::copy<float, std::int32_t>(a); });
}

TEST(narrow_offsets, rewrites_only_the_offsets) {
  auto a = gossamer::csr_from_coo(
      entries{.rows = 2, .cols = 2, .row = {0, 1}, .col = {1, 0}, .val = {3, 4}}.view());
  const std::int32_t* const col = a.col.data();
  const double* const val = a.val.data();
  const auto any = gossamer::narrow_offsets(std::move(a));
  const auto& narrow = std::get<gossamer::csr_matrix<double, std::int32_t>>(any);
  EXPECT_EQ(narrow.rows, 2);
  EXPECT_EQ(narrow.cols, 2);
  EXPECT_THAT(to_vector(narrow.row_ptr), ElementsAre(0, 1, 2));
  EXPECT_EQ(narrow.col.data(), col);
  EXPECT_EQ(narrow.val.data(), val);
  EXPECT_NO_THROW(gossamer::validate(narrow.view()));
}

/// The borrowed arrays say how long they are and are never read.
TEST(narrow_offsets, keeps_wide_offsets_from_2_to_the_31_on) {
  const std::int32_t index = 0;
  const float value = 0;
  for (const std::int64_t nnz : {(std::int64_t{1} << 31) - 1, std::int64_t{1} << 31}) {
    const auto n = static_cast<std::size_t>(nnz);
    gossamer::csr_matrix<float> a{
        .rows = 1,
        .cols = 1,
        .row_ptr = gossamer::host_buffer<std::int64_t>(2),
        .col = gossamer::host_buffer<std::int32_t>::borrow(too_long(index).first(n)),
        .val = gossamer::host_buffer<float>::borrow(too_long(value).first(n))};
    a.row_ptr[0] = 0;
    a.row_ptr[1] = nnz;
    const auto any = gossamer::narrow_offsets(std::move(a));
    EXPECT_EQ(std::holds_alternative<gossamer::csr_matrix<float>>(any), nnz == std::int64_t{1} << 31);
    std::visit(
        [&](const auto& m) {
          EXPECT_EQ(static_cast<std::int64_t>(m.row_ptr[1]), nnz);
          EXPECT_EQ(m.nnz(), nnz);
        },
        any);
  }
}

}  // namespace
