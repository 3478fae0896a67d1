// SPDX-License-Identifier: BSD-3-Clause
// packed: slices in the order of their lengths.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "formats/packed_support.hpp"

namespace gossamer::formats::packed_tests {
namespace {

using testing::ElementsAre;

TEST(packed_order, is_of_some_times_what_a_device_takes_at_once) {
  EXPECT_FALSE(packed_longest_first(4224, 0, 0, 8)) << "all at once";
  EXPECT_TRUE(packed_longest_first(4225, 0, 0, 8));
  EXPECT_TRUE(packed_longest_first(2113, 0, 1, 8));
  EXPECT_TRUE(packed_longest_first(6 * 4224, 0, 0, 8));
  EXPECT_FALSE(packed_longest_first(6 * 4224 + 1, 0, 0, 8)) << "few wait at the end, and neighbours share x";
  EXPECT_FALSE(packed_longest_first(5280, 0, 0, 4)) << "f32 takes more at once";
  EXPECT_TRUE(packed_longest_first(5280, 1, 0, 4)) << "but not with COO slices";
  EXPECT_TRUE(packed_longest_first(5281, 0, 0, 4));
}

TEST(packed_order, leaves_slices_of_about_a_length_as_they_are) {
  std::vector<packed_slice> slices;
  for (const int steps : {1, 17, 16, 5000, 32, 33, 993, 992, 17, 0, 65535}) {
    packed_slice s;
    s.steps = static_cast<std::uint16_t>(steps);
    s.row = static_cast<std::int32_t>(slices.size());
    slices.push_back(s);
  }
  packed_sort_longest_first(slices);
  std::vector<int> steps;
  std::vector<int> rows;
  for (const packed_slice& s : slices) {
    steps.push_back(s.steps);
    rows.push_back(s.row);
  }
  EXPECT_THAT(steps, ElementsAre(5000, 993, 65535, 992, 33, 17, 32, 17, 1, 16, 0));
  EXPECT_THAT(rows, ElementsAre(3, 6, 10, 7, 5, 1, 4, 8, 0, 2, 9));
}

/// Slices of 8, 24, 40, 56 and 72 steps in rotation. 700 slices are 5600 warps of eight each, or 2800 of
/// four.
TEST(packed_order, begins_with_long_slices_and_keeps_the_rest) {
  constexpr std::int64_t slices = 700;
  const auto length = [](std::int64_t i) { return 8 + 16 * (i / packed_lanes % 5); };
  const auto a = matrix_from_rows(
      slices * packed_lanes, slices * packed_lanes,
      [&](std::int64_t i) {
        std::vector<std::int64_t> columns(static_cast<std::size_t>(length(i)));
        for (std::size_t k = 0; k < columns.size(); ++k)
          columns[k] = (i + 37 * static_cast<std::int64_t>(k)) % (slices * packed_lanes);
        std::sort(columns.begin(), columns.end());
        return columns;
      },
      any_value);
  packed::options o{.longest_walk = 4096, .warps_per_slice = 4, .short_rows = packed_short_rows::padded};
  const auto as_they_are = stored(a, on_cuda, o);
  o.warps_per_slice = 8;
  const auto s = stored(a, on_cuda, o);
  ASSERT_EQ(s.slice.size(), static_cast<std::size_t>(slices));
  for (std::int64_t k = 0; k < slices; ++k) {
    ASSERT_EQ(as_they_are.slice[k].row, packed_lanes * k);
    ASSERT_EQ(s.slice[k].steps, 72 - 16 * (k / 140)) << k;
    if (k % 140 > 0) {
      ASSERT_GT(s.slice[k].row, s.slice[k - 1].row) << k;
    }
  }
  EXPECT_EQ(list(s.data), list(as_they_are.data));
  expect_back(a, s);
  const auto on_a_cpu = stored(a, on_cpu, o);
  EXPECT_EQ(on_a_cpu.slice[1].row, packed_lanes) << "cores begin anywhere";
}

/// Long and short slices, row parts, and COO slices, which stay last.
void expect_sorted_slices_to_multiply(const std::vector<resource>& where) {
  const auto length = [](std::int64_t i) -> std::int64_t {
    return i % 20'000 == 7 ? 9'000 : i < 20'000 ? 72 + 16 * (i / packed_lanes % 5) : i % 3;
  };
  const auto a = matrix_from_rows(
      40'000, 40'000,
      [&](std::int64_t i) {
        std::vector<std::int64_t> columns(static_cast<std::size_t>(length(i)));
        for (std::size_t k = 0; k < columns.size(); ++k)
          columns[k] = (i + 3 * static_cast<std::int64_t>(k)) % 40'000;
        std::sort(columns.begin(), columns.end());
        return columns;
      },
      [](std::int64_t i, std::size_t k, std::int64_t) {
        return 0.25 + static_cast<double>((i * 7 + static_cast<std::int64_t>(k)) % 1021);
      });
  const auto s = stored(a, on_cuda, {.warps_per_slice = 8});
  const std::int64_t lane_slices = s.meta.slices - s.meta.coo_slices;
  ASSERT_TRUE(packed_longest_first(lane_slices, s.meta.coo_slices, s.meta.log2_warps, sizeof(double)));
  EXPECT_GT(s.meta.carries.slots, 0);
  EXPECT_GT(s.meta.coo_slices, 0);
  for (std::int64_t k = 1; k < lane_slices; ++k)
    ASSERT_GE(packed_length_class(s.slice[k - 1]), packed_length_class(s.slice[k])) << k;
  for (std::int64_t k = 0; k < s.meta.slices; ++k)
    ASSERT_EQ(s.slice[k].is_coo_slice(), k >= lane_slices) << k;
  expect_back(a, s);
  expect_right(a, where, {{"warps_per_slice", "8"}});
}

TEST(packed_order, serves_row_parts_and_coo_slices) {
  expect_sorted_slices_to_multiply({});
}
TEST(packed_order, is_multiplied_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_sorted_slices_to_multiply({cuda{0}});
}

}  // namespace
}  // namespace gossamer::formats::packed_tests
