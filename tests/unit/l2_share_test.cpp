// SPDX-License-Identifier: BSD-3-Clause
// The part of a matrix that the L2 cache keeps: the shares that a fit to an H200 takes
// (docs/decisions/0011-l2.md).
#include "exec/cuda/l2_share.hpp"

#include <gtest/gtest.h>

namespace {

constexpr std::int64_t cache_of_h200 = std::int64_t{60} << 20;

int eighths(std::int64_t slots, std::int64_t rows) {
  constexpr std::int64_t slot_bytes = 12;  // f64
  return gossamer::exec::l2_share_of(cache_of_h200, slots * slot_bytes, 2 * rows * 8).eighths;
}

TEST(l2_share, all_of_a_matrix_that_fits) {
  EXPECT_EQ(eighths(958936, 170998), 8) << "scircuit";
  EXPECT_EQ(eighths(1916928, 49152), 8) << "conf5_4-8x8-05";
  EXPECT_EQ(eighths(0, 0), 8);
}

TEST(l2_share, fills_the_available_capacity) {
  EXPECT_EQ(eighths(4007383, 62451), 4) << "cant: 11.0 us, all kept 14.5, nothing 14.6";
  EXPECT_EQ(eighths(6010480, 83334), 3) << "consph";
  EXPECT_EQ(eighths(7813404, 140874), 2) << "shipsec1";
  EXPECT_EQ(eighths(11634424, 217918), 1) << "pwtk";
}

TEST(l2_share, less_where_vectors_need_the_room) {
  EXPECT_EQ(eighths(3996400, 800000), 2) << "5 points, 1000 x 800: 15.6 us; half of it 17.7";
  EXPECT_EQ(eighths(8748000, 1259712), 0) << "7 points, 108^3";
}

TEST(l2_share, nothing_without_a_cache_or_of_what_is_far_too_large) {
  EXPECT_EQ(gossamer::exec::l2_share_of(0, 1000, 0).eighths, 0);
  EXPECT_EQ(eighths(std::int64_t{1} << 40, 1000), 0);
  EXPECT_EQ(gossamer::exec::l2_share_of(cache_of_h200, 1000, std::int64_t{1} << 50).eighths, 0);
}

}  // namespace
