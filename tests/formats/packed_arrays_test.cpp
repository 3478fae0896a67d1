// SPDX-License-Identifier: BSD-3-Clause
// packed: the arrays of small matrices, byte by byte.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "formats/packed_support.hpp"

namespace gossamer::formats::packed_tests {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::ElementsAreArray;

std::vector<int> bytes(const packed_storage<double, host_buffer>& s, std::size_t first, std::size_t count) {
  return {s.data.data() + first, s.data.data() + first + count};
}

matrix<double> of_the_page() {
  return matrix_from_rows(
      4, 4,
      [](std::int64_t i) -> std::vector<std::int64_t> {
        return i == 0   ? std::vector<std::int64_t>{0, 2}
               : i == 1 ? std::vector<std::int64_t>{1}
               : i == 2 ? std::vector<std::int64_t>{}
                        : std::vector<std::int64_t>{0, 2, 3};
      },
      [](std::int64_t i, std::size_t k, std::int64_t) {
        const double values[4][3] = {{4, 1}, {3}, {}, {1, 4, 2}};
        return values[i][k];
      });
}

void expect_page_as_far_as_columns(const packed_storage<double, host_buffer>& s) {
  EXPECT_THAT(list(s.table), ElementsAre(4, 1, 3, 2));
  ASSERT_EQ(s.slice.size(), 1u);
  const packed_slice& slice = s.slice[0];
  EXPECT_EQ(slice.at, 0u);
  EXPECT_EQ(slice.row, 0);
  EXPECT_EQ(slice.steps, 3);
  EXPECT_EQ(slice.shortest, 0);
  EXPECT_EQ(slice.rows(), 4);
  EXPECT_EQ(slice.columns(), packed_columns::one);
  EXPECT_EQ(slice.starts(), packed_starts::zero);
  EXPECT_FALSE(slice.lists_rows());
  EXPECT_EQ(slice.missing_at(), 0u);
  EXPECT_EQ(slice.bases, 32u);
  EXPECT_EQ(slice.columns_at, 48u);
  EXPECT_EQ(slice.values_at, 144u);
  EXPECT_THAT(bytes(s, 0, 5), ElementsAre(1, 2, 3, 0, 3));
  EXPECT_THAT(bytes(s, 4, 28), Each(3));
  EXPECT_THAT(bytes(s, 32, 16), ElementsAre(0, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(bytes(s, 48, 4), ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(bytes(s, 52, 92), Each(0));
}

std::int64_t measured(const matrix<double>& a, const exec::target& target) {
  const row_statistics s = measure_rows(a.view());
  return packed::measure(a.view(), s, packed::resolve({}, s, target), target).bytes;
}

TEST(packed_arrays, of_the_matrix_of_the_page) {
  const matrix<double> a = of_the_page();
  const auto s = stored(a, on_cpu);
  expect_page_as_far_as_columns(s);
  EXPECT_EQ(s.slice[0].values(), packed_values::table8);
  ASSERT_EQ(s.data.size(), 240u + 64u);
  EXPECT_THAT(bytes(s, 144, 4), ElementsAre(0, 2, 0, 1));
  EXPECT_THAT(bytes(s, 176, 4), ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(bytes(s, 208, 4), ElementsAre(0, 0, 0, 3));
  EXPECT_THAT(list(s.unit_slice), ElementsAre(0, 1));
  EXPECT_THAT(list(s.unit_row), ElementsAre(0, a.rows));
  EXPECT_EQ(measured(a, on_cpu), 4 * 8 + 32 + 240 + 64 + 4 * 4);
}

TEST(packed_arrays, of_the_matrix_of_the_page_on_a_device) {
  const matrix<double> a = of_the_page();
  const auto s = stored(a, on_cuda);
  expect_page_as_far_as_columns(s);
  EXPECT_EQ(s.slice[0].values(), packed_values::table4);
  ASSERT_EQ(s.data.size(), 208u + 64u);
  EXPECT_THAT(bytes(s, 144, 8), ElementsAre(0x10, 0, 0x02, 0, 0, 0, 0x01, 0x03));
  EXPECT_THAT(bytes(s, 152, 56), Each(0));
  EXPECT_EQ(measured(a, on_cuda), 4 * 8 + 32 + 208 + 64);
}

/// 128 rows with 2 on the diagonal and -1 to its right, except in the last row.
TEST(packed_arrays, of_the_diagonals_of_the_page) {
  const matrix<double> a = matrix_from_rows(
      128, 128,
      [](std::int64_t i) {
        return i < 127 ? std::vector<std::int64_t>{i, i + 1} : std::vector<std::int64_t>{i};
      },
      [](std::int64_t, std::size_t k, std::int64_t) { return k == 0 ? 2.0 : -1.0; });
  for (const exec::target& target : {on_cpu, on_cuda}) {
    const auto s = stored(a, target);
    ASSERT_EQ(s.slice.size(), 1u);
    const packed_slice& slice = s.slice[0];
    EXPECT_TRUE(slice.is_diagonal_slice());
    EXPECT_EQ(slice.steps, 2);
    EXPECT_EQ(slice.shortest, 0);
    EXPECT_EQ(slice.rows(), 128);
    EXPECT_EQ(slice.values(), packed_values::of_step);
    EXPECT_EQ(slice.bases, 0u);
    EXPECT_EQ(slice.masks, 16u);
    EXPECT_EQ(slice.values_at, 48u);
    ASSERT_EQ(s.data.size(), 64u + 64u);
    EXPECT_THAT(bytes(s, 0, 8), ElementsAre(0, 0, 0, 0, 1, 0, 0, 0));
    EXPECT_THAT(bytes(s, 16, 31), Each(0xff));
    EXPECT_EQ(s.data[47], 0x7f);
    EXPECT_EQ(packed_code::get<double>(s.data.data() + 48, 0), 2.0);
    EXPECT_EQ(packed_code::get<double>(s.data.data() + 48, 1), -1.0);
  }
}

TEST(packed_arrays, of_the_matrix_of_the_page_as_a_coo_slice) {
  const auto a = matrix_from_rows(
      4, 1000,
      [](std::int64_t i) -> std::vector<std::int64_t> {
        return i == 0   ? std::vector<std::int64_t>{700, 702}
               : i == 1 ? std::vector<std::int64_t>{701}
               : i == 2 ? std::vector<std::int64_t>{}
                        : std::vector<std::int64_t>{700, 702, 703};
      },
      [](std::int64_t i, std::size_t k, std::int64_t) {
        const double values[4][3] = {{4, 1}, {3}, {}, {1, 4, 2}};
        return values[i][k];
      });
  for (const bool cuda : {false, true}) {
    const auto s = stored(a, cuda ? on_cuda : on_cpu, {.short_rows = packed_short_rows::entries});
    EXPECT_THAT(list(s.table), ElementsAre(4, 1, 3, 2));
    EXPECT_EQ(s.meta.coo_slices, 1);
    ASSERT_EQ(s.slice.size(), 1u);
    const packed_slice& slice = s.slice[0];
    EXPECT_TRUE(slice.is_coo_slice());
    EXPECT_FALSE(slice.is_diagonal_slice() || slice.is_row_part() || slice.lists_rows());
    EXPECT_EQ(slice.row, 0);
    EXPECT_EQ(slice.steps, 6);
    EXPECT_EQ(slice.rows(), 4);
    EXPECT_EQ(slice.bases, 700u);
    EXPECT_EQ(slice.columns(), packed_columns::one);
    EXPECT_EQ(slice.values(), cuda ? packed_values::table4 : packed_values::table8);
    EXPECT_EQ(slice.columns_at, 16u);
    EXPECT_EQ(slice.values_at, 32u);
    ASSERT_EQ(s.data.size(), 48u + 64u);
    const std::vector<int> data(s.data.data(), s.data.data() + s.data.size());
    const std::vector<int> codes =
        cuda ? std::vector<int>{0x10, 0x12, 0x30} : std::vector<int>{0, 1, 2, 1, 0, 3};
    std::vector<int> wanted(data.size());
    const std::vector<int> starts{0, 2, 3, 3};
    const std::vector<int> columns{0, 2, 1, 0, 2, 3};
    std::copy(starts.begin(), starts.end(), wanted.begin());
    std::copy(columns.begin(), columns.end(), wanted.begin() + 16);
    std::copy(codes.begin(), codes.end(), wanted.begin() + 32);
    EXPECT_THAT(data, ElementsAreArray(wanted));
  }
}

/// Three slices with one diagonal and distinct values. The table has the smallest values.
TEST(packed_arrays, of_halves) {
  const auto a = matrix_from_rows(
      384, 384, [](std::int64_t i) { return std::vector<std::int64_t>{i}; },
      [](std::int64_t i, std::size_t, std::int64_t) {
        return 1.0 + 0x1p-10 * static_cast<double>(i) + 0x1p-12;
      });
  for (const bool cuda : {false, true}) {
    for (const packed_precision to : {packed_precision::f16, packed_precision::f32}) {
      const auto s =
          stored(a, cuda ? on_cuda : on_cpu, {.short_rows = packed_short_rows::padded, .precision = to});
      ASSERT_EQ(s.slice.size(), 3u);
      const packed_slice& slice = s.slice[0];
      ASSERT_TRUE(slice.is_diagonal_slice());
      EXPECT_EQ(slice.values_at, 16u);
      const bool half = to == packed_precision::f16;
      // The table has the values of at most 256 rows, so some slice does not use it.
      std::int64_t found = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        const packed_slice& each = s.slice[i];
        if (each.values() != (half ? packed_values::half : packed_values::narrow)) continue;
        ++found;
        const std::uint8_t* const values =
            s.data.data() + std::int64_t{each.at} * packed_piece + each.values_at;
        for (std::uint32_t r = 0; r < static_cast<std::uint32_t>(each.rows()); ++r) {
          const std::uint32_t place = cuda ? r % 32 * 4 + r / 32 : r;
          if (half)
            ASSERT_EQ(packed_code::get<std::uint16_t>(values, place), 0x3c00u + each.row + r) << r;
          else
            ASSERT_EQ(packed_code::get<float>(values, place),
                      static_cast<float>(a.val[static_cast<std::size_t>(each.row) + r]));
        }
      }
      EXPECT_GT(found, 0);
    }
  }
}

}  // namespace
}  // namespace gossamer::formats::packed_tests
