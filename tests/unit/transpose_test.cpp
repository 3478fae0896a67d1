// SPDX-License-Identifier: BSD-3-Clause
// transpose(): the order of entries, shapes without entries, and that threads change nothing.
#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "core/transpose.hpp"
#include "gossamer/matrix.hpp"
#include "unit/helpers.hpp"

namespace {

using gossamer_test::small_csr;
using gossamer_test::thread_count;
using gossamer_test::to_vector;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(transpose, keeps_duplicates_in_their_order_and_sorts_rows) {
  const small_csr<double> a{
      .rows = 3, .cols = 4, .row_ptr = {0, 3, 3, 6}, .col = {2, 0, 2, 3, 2, 0}, .val = {1, 2, 3, 4, 5, 6}};
  std::vector<std::int64_t> entries(6);
  const auto at = gossamer::core::transpose(a.view(), entries.data());
  EXPECT_EQ(at.rows, 4);
  EXPECT_EQ(at.cols, 3);
  EXPECT_THAT(to_vector(at.row_ptr), ElementsAre(0, 2, 2, 5, 6));
  EXPECT_THAT(to_vector(at.col), ElementsAre(0, 2, 0, 0, 2, 2));
  EXPECT_THAT(to_vector(at.val), ElementsAre(2, 6, 1, 3, 5, 4));
  EXPECT_THAT(entries, ElementsAre(1, 5, 0, 2, 4, 3));
}

TEST(transpose, takes_shapes_without_entries_or_rows) {
  const small_csr<float, std::int32_t> no_rows{.rows = 0, .cols = 3, .row_ptr = {0}};
  const auto tall = gossamer::transpose(no_rows.view());
  EXPECT_EQ(tall.rows, 3);
  EXPECT_EQ(tall.cols, 0);
  EXPECT_THAT(to_vector(tall.row_ptr), ElementsAre(0, 0, 0, 0));
  const small_csr<float, std::int32_t> no_cols{.rows = 2, .cols = 0, .row_ptr = {0, 0, 0}};
  const auto flat = gossamer::transpose(no_cols.view());
  EXPECT_EQ(flat.rows, 0);
  EXPECT_THAT(to_vector(flat.row_ptr), ElementsAre(0));
  EXPECT_THAT(to_vector(flat.col), IsEmpty());
}

/// One row that most entries are of, columns that most rows have, and many empty columns.
TEST(transpose, is_the_same_on_any_number_of_threads) {
  for (const char* const text :
       {"uniform(rows=3000,cols=500,per_row=40)", "uniform(rows=7,cols=60000,per_row=9000)",
        "rmat(scale=12,edge_factor=16)", "dense(rows=300,cols=200)"}) {
    const auto a = gossamer::bench_support::generate<double>(text);
    std::vector<std::int64_t> first_entries(static_cast<std::size_t>(a.nnz()));
    const auto first = [&] {
      const thread_count one(1);
      return gossamer::core::transpose(a.view(), first_entries.data());
    }();
    std::vector<std::int64_t> row_of(static_cast<std::size_t>(a.nnz()));
    for (std::int64_t i = 0; i < a.rows; ++i)
      std::fill(row_of.begin() + a.row_ptr[static_cast<std::size_t>(i)],
                row_of.begin() + a.row_ptr[static_cast<std::size_t>(i) + 1], i);
    std::int64_t last = -1;
    for (std::int64_t j = 0; j < a.cols; ++j) {
      last = -1;
      for (auto k = first.row_ptr[static_cast<std::size_t>(j)];
           k < first.row_ptr[static_cast<std::size_t>(j) + 1]; ++k) {
        const auto entry = static_cast<std::size_t>(first_entries[static_cast<std::size_t>(k)]);
        ASSERT_EQ(a.col[entry], j);
        ASSERT_EQ(row_of[entry], first.col[static_cast<std::size_t>(k)]);
        ASSERT_EQ(a.val[entry], first.val[static_cast<std::size_t>(k)]);
        ASSERT_GT(static_cast<std::int64_t>(entry), last) << "entries of a column keep their order";
        last = static_cast<std::int64_t>(entry);
      }
    }
    ASSERT_EQ(first.row_ptr[static_cast<std::size_t>(a.cols)], a.nnz());
    for (const int threads : {2, 3, 7}) {
      const thread_count many(threads);
      std::vector<std::int64_t> entries(static_cast<std::size_t>(a.nnz()));
      const auto again = gossamer::core::transpose(a.view(), entries.data());
      EXPECT_TRUE(gossamer::core::same_arrays(first.view(), again.view()))
          << text << ", " << threads << " threads";
      EXPECT_EQ(entries, first_entries);
    }
  }
}

TEST(same_arrays, compares_bits) {
  const small_csr<double> zero{.rows = 1, .cols = 1, .row_ptr = {0, 1}, .col = {0}, .val = {0.0}};
  const small_csr<double> minus{.rows = 1, .cols = 1, .row_ptr = {0, 1}, .col = {0}, .val = {-0.0}};
  const small_csr<double> wide{.rows = 1, .cols = 2, .row_ptr = {0, 1}, .col = {0}, .val = {0.0}};
  EXPECT_TRUE(gossamer::core::same_arrays(zero.view(), zero.view()));
  EXPECT_FALSE(gossamer::core::same_arrays(zero.view(), minus.view()));
  EXPECT_FALSE(gossamer::core::same_arrays(zero.view(), wide.view()));
}

}  // namespace
