// SPDX-License-Identifier: BSD-3-Clause
// Paper 002's formulas with numbers worked out by hand.
#include "experiments/formula.hpp"

#include <gmock/gmock.h>

namespace {

using gossamer::experiments::bandwidth_formula;
using gossamer::experiments::counted_bytes;
using gossamer::experiments::gflops;
using gossamer::experiments::number_of;
using gossamer::experiments::paper_bandwidth;
using gossamer::experiments::product_size;

TEST(formula, speed_is_two_operations_an_entry) {
  EXPECT_DOUBLE_EQ(gflops(3'000'000, 0.002), 3.0);
  EXPECT_DOUBLE_EQ(gflops(0, 0.002), 0.0);
}

TEST(formula, bytes_in_f32_are_the_papers) {
  constexpr product_size size{.rows = 10, .nnz = 100};
  EXPECT_EQ(counted_bytes(bandwidth_formula::csr, size), 3 * 4 * 100 + 4 * (10 * 3 + 1));  // 1324
  EXPECT_EQ(counted_bytes(bandwidth_formula::ellpack, size), 2 * 4 * 100 + 2 * 4 * 10);    // 880
  EXPECT_EQ(counted_bytes(bandwidth_formula::ellpack_r, size), 2 * 4 * 100 + 3 * 4 * 10);  // 920
  EXPECT_EQ(counted_bytes(bandwidth_formula::none, size), 0);
}

TEST(formula, values_of_eight_bytes_leave_indices_at_four) {
  constexpr product_size size{.rows = 10, .nnz = 100, .value_bytes = 8};
  EXPECT_EQ(counted_bytes(bandwidth_formula::csr, size), 20 * 100 + 4 * 11 + 16 * 10);
  EXPECT_EQ(counted_bytes(bandwidth_formula::ellpack, size), 12 * 100 + 16 * 10);
  EXPECT_EQ(counted_bytes(bandwidth_formula::ellpack_r, size), 12 * 100 + 16 * 10 + 4 * 10);
}

TEST(formula, protein_of_table_viii) {
  // 4,344,765 entries and 36,417 rows: 12 * 4,344,765 + 4 * 109,252 = 52,574,188 bytes; in 10 ms, 5.2574188
  // GB/s.
  constexpr product_size protein{.rows = 36'417, .nnz = 4'344'765};
  EXPECT_EQ(counted_bytes(bandwidth_formula::csr, protein), 52'574'188);
  EXPECT_DOUBLE_EQ(paper_bandwidth(bandwidth_formula::csr, protein, 0.01), 5.2574188);
}

TEST(formula, four_billion_entries_do_not_overflow) {
  constexpr product_size size{.rows = 1, .nnz = 4'000'000'000};
  EXPECT_EQ(counted_bytes(bandwidth_formula::csr, size), 48'000'000'016);
}

TEST(formula, numbers) {
  EXPECT_EQ(number_of(bandwidth_formula::csr), "(2)");
  EXPECT_EQ(number_of(bandwidth_formula::ellpack), "(4)");
  EXPECT_EQ(number_of(bandwidth_formula::ellpack_r), "(5)");
  EXPECT_EQ(number_of(bandwidth_formula::none), "");
}

}  // namespace
