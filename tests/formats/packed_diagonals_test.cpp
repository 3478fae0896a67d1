// SPDX-License-Identifier: BSD-3-Clause
// packed: diagonal slices, their holes, and whether several warps share one; and alternating sweeps.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "formats/packed/cuda/launch_policy.hpp"
#include "formats/packed_support.hpp"

namespace gossamer::formats::packed_tests {
namespace {

using testing_support::poisoned;
using testing_support::random_vector;
using testing_support::same_bits;

TEST(packed_diagonals, of_small_matrices_get_more_warps_unless_given) {
  const auto warps = [](const char* text, packed::options o = {}) {
    return 1 << stored(bench_support::generate<double>(text), on_cuda, o).meta.log2_warps;
  };
  EXPECT_EQ(warps("stencil(nx=30,ny=30,nz=30,points=27)"), 8);
  for (const std::int64_t option : {1, 2, 8})
    EXPECT_EQ(warps("stencil(nx=30,ny=30,nz=30,points=27)", {.warps_per_slice = option}), option);
  EXPECT_EQ(warps("stencil(nx=30,ny=30,nz=30,points=27)",
                  {.warps_per_slice = 2, .warps_on_diagonals = packed_diagonal_warps::scaled}),
            8);
  EXPECT_EQ(
      warps("stencil(nx=30,ny=30,nz=30,points=27)", {.warps_on_diagonals = packed_diagonal_warps::fixed}), 1);
  EXPECT_EQ(warps("stencil(nx=200,ny=200,points=5)"), 1) << "each has but five steps";
  EXPECT_EQ(warps("stencil(nx=1000,ny=500,points=9)"), 1) << "there are enough";
  EXPECT_EQ(warps("uniform(rows=5k,per_row=27)"), 1) << "there are no diagonals";
}

/// As many distinct values as the registers of an instruction set hold, one more and one less.
template <value V>
void expect_dictionary_encoded_product() {
  for (const int count : {1, 2, 7, 8, 9, 15, 16, 17}) {
    for (const bool holes : {false, true}) {
      SCOPED_TRACE(testing::Message() << count << " values" << (holes ? ", holes" : ""));
      const matrix<V> a = matrix_from_rows<V>(
          128 * 5 + 44, 800,
          [&](std::int64_t i) {
            std::vector<std::int64_t> columns;
            for (const std::int64_t d : {0, 1, 5, 40, 41})
              if (!holes || (i + d) % 23 != 0) columns.push_back(i + d);
            return columns;
          },
          [&](std::int64_t i, std::size_t k, std::int64_t) {
            return 0.5 + static_cast<double>((11 * i + 3 * static_cast<std::int64_t>(k)) % count);
          });
      const auto s = stored(a, on_cpu);
      EXPECT_EQ(s.table.size(), static_cast<std::size_t>(count == 1 ? 0 : count));
      EXPECT_TRUE(s.slice[0].is_diagonal_slice());
      expect_back(a, s);
      expect_right(a, cpus());
    }
  }
}
TEST(packed_diagonals, multiply_correctly_with_dictionary_encoded_values_cpu) {
  expect_dictionary_encoded_product<double>();
  expect_dictionary_encoded_product<float>();
}

/// Row i has the columns i + 3 k - 12 for k < count, with some holes if `holes`. In every fifth slice f32
/// holds the values exactly.
matrix<double> in_bands(std::int64_t rows, int count, bool holes) {
  const auto value = random_vector<double>(1000, 3);
  return matrix_from_rows(
      rows, rows + 3 * count,
      [&](std::int64_t i) {
        std::vector<std::int64_t> columns;
        for (int k = 0; k < count; ++k) {
          const std::int64_t j = i + 3 * k - 12;
          if (j >= 0 && !(holes && (7 * i + k) % 29 == 0)) columns.push_back(j);
        }
        return columns;
      },
      [&](std::int64_t i, std::size_t k, std::int64_t) {
        const double v = value[static_cast<std::size_t>((31 * i + static_cast<std::int64_t>(k)) % 1000)];
        return i / 128 % 5 == 2 ? static_cast<double>(static_cast<float>(v)) : v * (1 + 1e-9);
      });
}

TEST(packed_diagonals, in_full_are_shared_by_rows_where_they_are_most_of_the_matrix) {
  using enum packed_rows_shared;
  const auto shared =
      []<value V = double>(const char* text, packed::options o = {}, const exec::target& on = on_cuda) {
    return stored(bench_support::generate<V>(text), on, o).meta.rows_shared;
  };
  const packed::options by_rows{.warps_on_diagonals = packed_diagonal_warps::by_rows};
  const char* const grid = "stencil(nx=300,ny=300,points=5)";
  const char* const small = "stencil(nx=60,ny=60,nz=20,points=27)";
  EXPECT_EQ(shared(grid), beyond_cache);
  EXPECT_EQ(shared(grid, by_rows), always);
  EXPECT_EQ(shared(grid, {.warps_per_slice = 1}), never) << "the option says one warp";
  EXPECT_EQ(shared(grid, {.warps_per_slice = 1, .warps_on_diagonals = packed_diagonal_warps::by_rows}),
            always);
  EXPECT_EQ(shared(grid, {.warps_per_slice = 2, .warps_on_diagonals = packed_diagonal_warps::by_rows}),
            never);
  EXPECT_EQ(shared(small), never) << "several warps share its diagonals";
  EXPECT_EQ(shared(small, by_rows), always);
  EXPECT_EQ(shared.operator()<float>(grid, by_rows), never) << "a piece has all four rows of a lane";
  EXPECT_EQ(shared(grid, {.precision = packed_precision::f32,
                          .warps_on_diagonals = packed_diagonal_warps::by_rows}),
            never)
      << "values take half";
  EXPECT_EQ(shared("stencil(nx=300,ny=300,points=5,values=few(3))", by_rows), never) << "in a table";
  EXPECT_EQ(shared("uniform(rows=5k,per_row=27)", by_rows), never) << "there are no diagonals";
  EXPECT_EQ(shared(grid, by_rows, on_cpu), never);
}

/// Any number of diagonals, with and without holes; some slices with other encodings of values; and a last
/// slice with fewer rows. The bits equal those of one warp a slice, so they do not depend on the size of a
/// device's cache.
TEST(packed_diagonals, shared_by_rows_have_the_right_products_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  const packed::options by_rows{.short_rows = packed_short_rows::padded,
                                .warps_on_diagonals = packed_diagonal_warps::by_rows};
  constexpr std::int64_t rows_of_last_slice[] = {128, 1, 65, 100};
  for (const int count : {3, 4, 7, 8, 9, 10, 16, 24, 31}) {
    for (const bool holes : {false, true}) {
      const std::int64_t rows = 128 * 40 + rows_of_last_slice[(count + (holes ? 1 : 0)) % 4];
      SCOPED_TRACE(testing::Message()
                   << count << " diagonals, " << rows << " rows" << (holes ? ", holes" : ""));
      const matrix<double> a = in_bands(rows, count, holes);
      ASSERT_EQ(stored(a, on_cuda, by_rows).meta.rows_shared, packed_rows_shared::always);
      auto x = std::vector<double>(static_cast<std::size_t>(a.cols), std::numeric_limits<double>::infinity());
      const auto finite = random_vector<double>(a.cols, 5);
      for (const std::int32_t j : a.col.span())
        x[static_cast<std::size_t>(j)] = finite[static_cast<std::size_t>(j)];
      const auto plan_of = [&](const char* on_diagonals) {
        return inspect(
            a.view(), cuda{0},
            {.format = "packed",
             .options = {
                 {"short_rows", "padded"}, {"warps_per_slice", "1"}, {"warps_on_diagonals", on_diagonals}}});
      };
      const auto plan = plan_of("by_rows");
      const auto one_warp = plan_of("fixed");
      for (const double beta : {0.0, -0.5}) {
        const auto before = beta == 0 ? poisoned<double>(a.rows) : random_vector<double>(a.rows, 7);
        auto y = before;
        plan.multiply(2.0, x, beta, y);
        const auto v = bench_support::verify<double, std::int64_t>(a.view(), 2.0, x, beta, before, y);
        ASSERT_TRUE(v.passed()) << "row " << v.row << " is off by " << v.error_ratio << " bounds";
        auto same = before;
        one_warp.multiply(2.0, x, beta, same);
        ASSERT_TRUE(same_bits(y, same));
      }
    }
  }
}

TEST(packed_sweeps, alternate_where_no_part_of_the_matrix_is_kept_and_none_of_a_row_is_added) {
  EXPECT_TRUE(packed_may_alternate({.eighths = 0}, 0));
  EXPECT_FALSE(packed_may_alternate({.eighths = 1}, 0));
  EXPECT_FALSE(packed_may_alternate({.eighths = 0}, 1));
}

/// x alone exceeds a device's cache, so products alternate their direction, except those of matrices with cut
/// rows. All products must have the same bits.
TEST(packed_sweeps, give_the_same_bits_forwards_and_backwards_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  const auto wide = [](matrix<double> a) {
    a.cols = 8'000'000;
    return a;
  };
  const auto expect_same = []<value V>(const matrix<V>& a, const option_texts& options) {
    const auto plan = inspect(a.view(), cuda{0}, {.format = "packed", .options = options});
    const auto x = random_vector<V>(a.cols, 7);
    workspace room = plan.make_workspace();
    std::vector<V> first;
    for (int times = 0; times < 4; ++times) {
      auto y = poisoned<V>(a.rows);
      plan.multiply(V{1}, x, V{0}, y, room);
      if (first.empty()) {
        first = y;
        EXPECT_TRUE((bench_support::verify<V, std::int64_t>(a.view(), V{1}, x, V{0}, y, y).passed()));
      }
      EXPECT_TRUE(same_bits(first, y)) << "product " << times;
    }
  };
  for (const bool holes : {false, true}) {
    const matrix<double> a = wide(in_bands(128 * 50 + 17, 9, holes));
    expect_same(a, {{"warps_on_diagonals", "by_rows"}});
    expect_same(a, {});
  }
  for (const char* const text : {"uniform(rows=9k,cols=8M,per_row=27)", "uniform(rows=9k,cols=8M,per_row=3)",
                                 "uniform(rows=9k,cols=8M,per_row=27,values=few(3))",
                                 "heavy_row(rows=9000,cols=8M,per_row=4,heavy=80000)"}) {
    SCOPED_TRACE(text);
    const auto a = bench_support::generate<double>(text);
    for (const char* const short_rows : {"padded", "entries"}) expect_same(a, {{"short_rows", short_rows}});
    expect_same(bench_support::generate<float>(text), {});
  }
}

/// Holes are ignored: an infinity among the values or in x must not reach a sum through a hole.
void expect_masked_entries_to_be_ignored(const resource& where) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto a = matrix_from_rows(
      256, 300,
      [](std::int64_t i) {
        std::vector<std::int64_t> of_row;
        for (const std::int64_t d : {0, 1, 20})
          if (i % 5 != 2 || d != 1) of_row.push_back(i + d);
        return of_row;
      },
      [&](std::int64_t i, std::size_t k, std::int64_t) {
        return k == 0 && i % 2 == 0 ? infinity : 1.0 + static_cast<double>(i % 3);
      });
  const auto plan = inspect(a.view(), where, {.format = "packed"});
  auto x = std::vector<double>(300, 1.0);
  auto got = poisoned<double>(256);
  plan.multiply(1.0, x, 0.0, got);
  for (std::int64_t i = 0; i < 256; ++i) {
    const double entries = i % 5 != 2 ? 3 : 2;
    EXPECT_EQ(got[static_cast<std::size_t>(i)],
              i % 2 == 0 ? infinity : entries * (1.0 + static_cast<double>(i % 3)))
        << i;
  }
  // Row 2 has entries in columns 2 and 22, and a hole in column 3.
  x[3] = infinity;
  plan.multiply(1.0, x, 0.0, got);
  EXPECT_EQ(got[2], infinity);  // its own value is one
  x[8] = infinity;
  plan.multiply(1.0, x, 0.0, got);
  EXPECT_EQ(got[7], 2.0 * 2.0);
}

TEST(packed_masked_diagonals, are_ignored_cpu) {
  for (const resource& each : cpus()) expect_masked_entries_to_be_ignored(each);
}
TEST(packed_masked_diagonals, are_ignored_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_masked_entries_to_be_ignored(cuda{0});
}

}  // namespace
}  // namespace gossamer::formats::packed_tests
