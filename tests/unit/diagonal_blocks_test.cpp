// SPDX-License-Identifier: BSD-3-Clause
// Blocks along the diagonal and the rest: by hand, and over the battery against one look at each entry.
#include "gossamer/partition.hpp"

#include <gmock/gmock.h>

#include <map>
#include <tuple>
#include <vector>

#include "support/battery.hpp"
#include "unit/helpers.hpp"

namespace gossamer_test::blocks {
namespace {

using gossamer::diagonal_blocks;
using gossamer::split_diagonal_blocks;
using gossamer::testing_support::battery;
using gossamer_test::expect_error;
using gossamer_test::small_csr;
using gossamer_test::to_vector;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Blocks of two: rows and columns 0, 1 | 2, 3 | 4. Row 2's columns 2 and 3 are a block's first and last, 1
/// and 4 its neighbours.
small_csr<double> five_rows() {
  return {.rows = 5,
          .cols = 6,
          .row_ptr = {0, 2, 3, 7, 7, 10},
          .col = {1, 2, 0, 4, 3, 2, 1, 5, 4, 3},
          .val = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
}

TEST(diagonal_blocks, by_hand) {
  const auto both = split_diagonal_blocks(five_rows().view(), 2);
  EXPECT_THAT(to_vector(both.blocks.row_ptr), ElementsAre(0, 1, 2, 4, 4, 6));
  EXPECT_THAT(to_vector(both.blocks.col), ElementsAre(1, 0, 3, 2, 5, 4));
  EXPECT_THAT(to_vector(both.blocks.val), ElementsAre(1, 3, 5, 6, 8, 9));
  EXPECT_THAT(to_vector(both.rest.row_ptr), ElementsAre(0, 1, 1, 3, 3, 4));
  EXPECT_THAT(to_vector(both.rest.col), ElementsAre(2, 4, 1, 3));
  EXPECT_THAT(to_vector(both.rest.val), ElementsAre(2, 4, 7, 10));
  EXPECT_EQ(both.diagonals, 3);  // -1, 0, 1
  EXPECT_EQ(both.blocks.rows, 5);
  EXPECT_EQ(both.rest.cols, 6);
}

TEST(diagonal_blocks, of_one_row_and_of_all) {
  const auto a = five_rows();
  const auto diagonal = split_diagonal_blocks(a.view(), 1);
  EXPECT_THAT(to_vector(diagonal.blocks.val), ElementsAre(6, 9));
  EXPECT_EQ(diagonal.diagonals, 1);
  const auto all = split_diagonal_blocks(a.view(), 1 << 30);
  EXPECT_EQ(to_vector(all.blocks.val), a.val);
  EXPECT_THAT(to_vector(all.rest.val), IsEmpty());
  EXPECT_EQ(all.diagonals, 4);  // -1, 0, 1, 2
}

TEST(diagonal_blocks, count_a_diagonal_for_each_entry_of_one_place) {
  const small_csr<double> a{
      .rows = 2, .cols = 2, .row_ptr = {0, 3, 5}, .col = {0, 0, 0, 1, 1}, .val = {1, 2, 3, 4, 5}};
  EXPECT_EQ(split_diagonal_blocks(a.view()).diagonals, 3);
}

TEST(diagonal_blocks, have_every_entry_once_and_in_order) {
  for (const auto& [name, a] : battery()) {
    for (const std::int64_t block : {1, 16, 32, 1000}) {
      SCOPED_TRACE(name + ", block " + std::to_string(block));
      const auto both = split_diagonal_blocks(a.view(), block);
      std::size_t in_blocks = 0;
      std::size_t in_rest = 0;
      std::map<std::int64_t, std::int64_t> diagonals;  // and the most entries that a row has on each
      for (std::int64_t i = 0; i < a.rows; ++i) {
        std::map<std::int64_t, std::int64_t> of_row;
        for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]);
             ++k) {
          const std::int64_t begin = i - i % block;
          const bool inside = a.col[k] >= begin && a.col[k] < begin + block;
          const auto& part = inside ? both.blocks : both.rest;
          std::size_t& at = inside ? in_blocks : in_rest;
          ASSERT_LT(at, part.col.size());
          ASSERT_EQ(part.col[at], a.col[k]);
          ASSERT_EQ(part.val[at], a.val[k]);
          ++at;
          if (inside) ++of_row[a.col[k] - i];
        }
        for (const auto& [diagonal, count] : of_row)
          diagonals[diagonal] = std::max(diagonals[diagonal], count);
        ASSERT_EQ(static_cast<std::size_t>(both.blocks.row_ptr[i + 1]), in_blocks);
        ASSERT_EQ(static_cast<std::size_t>(both.rest.row_ptr[i + 1]), in_rest);
      }
      ASSERT_EQ(both.blocks.col.size(), in_blocks);
      ASSERT_EQ(both.rest.col.size(), in_rest);
      std::int64_t expected = 0;
      for (const auto& [diagonal, count] : diagonals) expected += count;
      ASSERT_EQ(both.diagonals, expected);
    }
  }
}

TEST(diagonal_blocks, refuse_a_size_that_is_none) {
  const auto a = five_rows();
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-32}, (std::int64_t{1} << 30) + 1})
    expect_error(gossamer::errc::invalid_argument,
                 HasSubstr("split_diagonal_blocks: block = " + std::to_string(bad)),
                 [&] { split_diagonal_blocks(a.view(), bad); });
}

}  // namespace
}  // namespace gossamer_test::blocks
