// SPDX-License-Identifier: BSD-3-Clause
// The storages that are made for cuSPARSE on the host: known answers, and the matrix back from each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench_support/generate/generate.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "bench_support/peers/blocks.hpp"
#include "bench_support/peers/sliced_ell.hpp"
#include "gossamer/gossamer.hpp"
#include "peers/check_peer.hpp"
#include "support/battery.hpp"

namespace gossamer::testing_support {
namespace {

using testing::ElementsAre;

bench_support::peers::matrix<double> borrowed(const csr_matrix<double, std::int64_t>& a) {
  return {.rows = a.rows,
          .cols = a.cols,
          .row_ptr = {},
          .wide_row_ptr = host_buffer<std::int64_t>::borrow(a.row_ptr.span()),
          .col = a.view().col,
          .val = a.view().val};
}

TEST(sliced_ell, of_a_small_matrix) {
  // 33 rows: row 0 has two entries, row 2 one, row 32 one.
  const std::vector<std::int32_t> row{0, 0, 2, 32};
  const std::vector<std::int32_t> col{3, 1, 0, 2};
  const std::vector<double> val{1.5, 2.5, 3.5, 4.5};
  const auto a =
      csr_from_coo<double, std::int64_t>({.rows = 33, .cols = 4, .row = row, .col = col, .val = val});
  const auto offset = bench_support::peers::slice_offsets(borrowed(a));
  EXPECT_THAT(offset.span(), ElementsAre(0, 64, 96));
  const auto made = bench_support::peers::make_sliced_ell<std::int32_t>(borrowed(a), offset);
  EXPECT_THAT(made.offset.span(), ElementsAre(0, 64, 96));
  for (std::size_t slot = 0; slot < 96; ++slot) {
    const bool first = slot == 0;
    const bool second = slot == 32;  // the second entry of row 0 lies 32 slots on
    const bool third = slot == 2;
    const bool last = slot == 64;
    EXPECT_EQ(made.col[slot], first ? 3 : second ? 1 : third ? 0 : last ? 2 : -1) << slot;
    EXPECT_EQ(made.val[slot], first ? 1.5 : second ? 2.5 : third ? 3.5 : last ? 4.5 : 0.0) << slot;
  }
}

TEST(sliced_ell, multiplies_like_the_matrix) {
  for (const battery_entry& entry : battery()) {
    if (entry.matrix.view().nnz() == 0) continue;
    const auto a = borrowed(entry.matrix);
    const auto made =
        bench_support::peers::make_sliced_ell<std::int64_t>(a, bench_support::peers::slice_offsets(a));
    const auto wrong =
        first_wrong_product(entry.matrix.view(), [&](double alpha, auto x, double beta, auto y) {
          for (std::int64_t i = 0; i < a.rows; ++i) {
            const auto slice = static_cast<std::size_t>(i / 32);
            double sum = 0;
            for (std::int64_t slot = made.offset[slice] + i % 32; slot < made.offset[slice + 1]; slot += 32) {
              const std::int64_t j = made.col[static_cast<std::size_t>(slot)];
              if (j >= 0) sum += made.val[static_cast<std::size_t>(slot)] * x[static_cast<std::size_t>(j)];
            }
            double& to = y[static_cast<std::size_t>(i)];
            to = beta == 0 ? alpha * sum : alpha * sum + beta * to;
          }
        });
    EXPECT_EQ(wrong, "") << entry.name;
  }
}

TEST(blocks, of_a_small_matrix) {
  // [1 2 . .] one block of 2 x 2 beside nothing, and below it a block with the same entry twice, to the right
  // [3 4 . .] [. . . 5] [. . 6 7] with 5 = 2 + 3
  const std::vector<std::int32_t> row{0, 0, 1, 1, 2, 2, 3, 3};
  const std::vector<std::int32_t> col{1, 0, 0, 1, 3, 3, 2, 3};
  const std::vector<double> val{2, 1, 3, 4, 2, 3, 6, 7};
  const auto a =
      csr_from_coo<double, std::int64_t>({.rows = 4, .cols = 4, .row = row, .col = col, .val = val});
  const auto choice = bench_support::peers::choose_blocks(borrowed(a));
  EXPECT_EQ(choice.size, 2);
  EXPECT_EQ(choice.blocks, 2);
  EXPECT_EQ(choice.fill, 1.0);
  const auto made = bench_support::peers::make_blocks<std::int32_t>(borrowed(a), choice);
  EXPECT_THAT(made.row_ptr.span(), ElementsAre(0, 1, 2));
  EXPECT_THAT(made.col.span(), ElementsAre(0, 1));
  EXPECT_THAT(made.val.span(), ElementsAre(1, 2, 3, 4, 0, 5, 6, 7));
}

TEST(blocks, are_as_large_as_the_pattern_and_none_where_it_has_none) {
  const auto size = [](const char* text) {
    const auto a = bench_support::generate<double>(text);
    return bench_support::peers::choose_blocks(borrowed(a)).size;
  };
  EXPECT_EQ(size("stencil(nx=6,ny=6,nz=6,points=27,dof=3)"), 3);
  EXPECT_EQ(size("stencil(nx=6,ny=6,nz=6,points=27,dof=2)"), 2);
  EXPECT_EQ(size("stencil(nx=5,ny=5,nz=5,points=7,dof=6)"), 6);
  EXPECT_EQ(size("stencil(nx=5,ny=5,nz=5,points=7,dof=5)"), 5);
  EXPECT_EQ(size("diagonal(n=600)"), 0);
  EXPECT_EQ(size("uniform(rows=600,cols=600,per_row=8)"), 0);
  EXPECT_EQ(size("dense(rows=12,cols=24)"), 6);
  EXPECT_EQ(size("dense(rows=12,cols=23)"), 0);
  EXPECT_EQ(size("dense(rows=35,cols=25)"), 5);
}

TEST(blocks, multiply_like_the_matrix) {
  int made_some = 0;
  for (const char* text : {"stencil(nx=6,ny=6,nz=6,points=27,dof=3)", "stencil(nx=40,ny=30,points=5,dof=4)",
                           "dense(rows=12,cols=24)"}) {
    const auto matrix = bench_support::generate<double>(text);
    const auto a = borrowed(matrix);
    const auto choice = bench_support::peers::choose_blocks(a);
    ASSERT_NE(choice.size, 0) << text;
    const auto made = bench_support::peers::make_blocks<std::int32_t>(a, choice);
    const auto n = static_cast<std::size_t>(choice.size);
    const auto wrong = first_wrong_product(matrix.view(), [&](double alpha, auto x, double beta, auto y) {
      for (std::size_t i = 0; i < y.size(); ++i) {
        double sum = 0;
        for (auto b = made.row_ptr[i / n]; b < made.row_ptr[i / n + 1]; ++b) {
          const auto block = static_cast<std::size_t>(b);
          for (std::size_t j = 0; j < n; ++j)
            sum += made.val[block * n * n + i % n * n + j] *
                   x[static_cast<std::size_t>(made.col[block]) * n + j];
        }
        y[i] = beta == 0 ? alpha * sum : alpha * sum + beta * y[i];
      }
    });
    EXPECT_EQ(wrong, "") << text;
    ++made_some;
  }
  EXPECT_EQ(made_some, 3);
}

}  // namespace
}  // namespace gossamer::testing_support
