// SPDX-License-Identifier: BSD-3-Clause
// packed on a CPU: whether units have all of their rows, and products with an epilogue, which finishes the
// rows of such units at once.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/packed_support.hpp"
#include "support/epilogues.hpp"

namespace gossamer::formats::packed_tests {
namespace {

namespace epilogues = testing_support;

epilogues::epilogue_vectors<double> after_packed(const matrix<double>& a, int threads,
                                                 const epilogues::epilogue_parts& parts) {
  const auto plan = inspect(a.view(), cpu{.threads = threads}, {.format = "packed"});
  auto v = epilogues::vectors_for<double>(a.rows, a.cols, parts);
  const auto e =
      epilogues::epilogue_of<host_space, double>(parts, v, [](auto& each) { return std::span(each); });
  plan.multiply(epilogues::given_alpha<double>(parts), v.x, epilogues::given_beta<double>(parts),
                std::span(v.y), e);
  return v;
}

void expect_right_with_epilogues(const matrix<double>& a) {
  for (const epilogues::epilogue_parts& parts : epilogues::epilogue_cases) {
    SCOPED_TRACE(parts.name);
    const auto before = epilogues::vectors_for<double>(a.rows, a.cols, parts);
    const auto one = after_packed(a, 1, parts);
    EXPECT_EQ(epilogues::wrong_element(a.view(), parts, before, one), "");
    for (const int threads : {2, 5}) epilogues::expect_same_bits(one, after_packed(a, threads, parts));
  }
}

/// Columns i - reach, i and i + reach, as far as they exist.
matrix<double> three_diagonals(std::int64_t rows, std::int64_t reach) {
  return matrix_from_rows(
      rows, rows,
      [&](std::int64_t i) {
        std::vector<std::int64_t> columns;
        for (const std::int64_t j : {i - reach, i, i + reach})
          if (j >= 0 && j < rows) columns.push_back(j);
        return columns;
      },
      any_value);
}

/// Lengths from 4 to 60 in each window of rows, which is sorted by them.
std::int64_t sorted_length(std::int64_t i) {
  return 4 + 8 * (i * 5 % 8);
}

TEST(packed_unit_rows, of_a_stencil_ascend) {
  const auto a = three_diagonals(20011, 150);
  const auto s = stored(a, on_cpu);
  ASSERT_GT(s.meta.units, 16);
  EXPECT_TRUE(s.meta.units_have_rows);
  const std::vector<std::int32_t> first(s.unit_row.data(), s.unit_row.data() + s.unit_row.size());
  ASSERT_EQ(first.size(), static_cast<std::size_t>(s.meta.units) + 1);
  EXPECT_EQ(first.front(), 0);
  EXPECT_EQ(first.back(), a.rows);
  EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
  for (std::size_t u = 0; u + 1 < first.size(); ++u)
    for (std::int32_t k = s.unit_slice[u]; k < s.unit_slice[u + 1]; ++k) {
      const packed_slice& slice = s.slice[static_cast<std::size_t>(k)];
      EXPECT_GE(slice.row, first[u]) << u;
      EXPECT_LE(slice.row + slice.rows(), first[u + 1]) << u;
    }
  expect_right_with_epilogues(a);
}

TEST(packed_unit_rows, are_unknown_if_units_cut_a_sorted_window) {
  const auto a = matrix_from_rows(
      6000, 60000, [](std::int64_t i) { return uneven_row(i, sorted_length(i), 60000); }, any_value);
  const auto s = stored(a, on_cpu);
  const auto slices = s.slice.span();
  ASSERT_TRUE(
      std::any_of(slices.begin(), slices.end(), [](const packed_slice& each) { return each.lists_rows(); }));
  ASSERT_GT(s.meta.units, 12) << "as many as two for each window";
  ASSERT_EQ(s.carries.row.size(), 0u);
  EXPECT_FALSE(s.meta.units_have_rows);
  EXPECT_THAT(list(s.unit_row), testing::Each(0));
  expect_right_with_epilogues(a);
}

TEST(packed_unit_rows, are_unknown_if_rows_are_cut) {
  constexpr std::int64_t long_row = 7000;
  const auto a = matrix_from_rows(
      20000, 60000,
      [](std::int64_t i) {
        std::vector<std::int64_t> columns;
        for (std::int64_t k = 0; k < (i == long_row ? 50000 : 3); ++k)
          columns.push_back(i == long_row ? k : i + k);
        return columns;
      },
      any_value);
  const auto s = stored(a, on_cpu);
  ASSERT_GT(s.meta.units, 16);
  ASSERT_THAT(list(s.carries.row), testing::ElementsAre(long_row));
  EXPECT_FALSE(s.meta.units_have_rows);
  EXPECT_THAT(list(s.unit_row), testing::Each(0));
  expect_right_with_epilogues(a);
}

}  // namespace
}  // namespace gossamer::formats::packed_tests
