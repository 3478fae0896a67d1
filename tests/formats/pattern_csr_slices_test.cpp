// SPDX-License-Identifier: BSD-3-Clause
// The slices of pattern_csr: how rows are sorted, what is stored of them, and that their products are right
// for any lengths.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bench_support/generate/generate.hpp"
#include "formats/pattern_csr/format.hpp"
#include "gossamer/gossamer.hpp"
#include "support/csr_products.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support {
namespace {

using formats::pattern_kind;
using formats::pattern_run;
using testing::ElementsAre;
using matrix = csr_matrix<double, std::int64_t>;

/// Rows of these lengths, with columns in no order that neighbours share.
matrix of_lengths(const std::vector<int>& lengths, int cols) {
  std::vector<std::int32_t> row;
  std::vector<std::int32_t> col;
  for (int i = 0; i < static_cast<int>(lengths.size()); ++i) {
    for (int k = 0; k < lengths[static_cast<std::size_t>(i)]; ++k) {
      row.push_back(i);
      col.push_back(static_cast<std::int32_t>(
          (std::int64_t{k} * cols / std::max(1, lengths[static_cast<std::size_t>(i)]) + std::int64_t{i} * i) %
          cols));
    }
  }
  const auto val = random_vector<double>(static_cast<std::int64_t>(row.size()), 3);
  return csr_from_coo<double, std::int64_t>(
      {.rows = static_cast<std::int64_t>(lengths.size()), .cols = cols, .row = row, .col = col, .val = val});
}

formats::pattern_csr_storage<double, std::int64_t, host_buffer> stored_in_slices(const matrix& a) {
  return formats::pattern_csr::build(a.view(), {.kernel = formats::pattern_csr_kernel::thread},
                                     {.kind = device_set::cpu});
}

TEST(pattern_csr_slices, have_the_longest_rows_first_and_no_zeros) {
  const matrix a = of_lengths({1, 0, 3, 2, 1, 3, 1, 2, 2}, 1000);
  const auto s = stored_in_slices(a);
  ASSERT_THAT(s.run.span(), ElementsAre(pattern_run{0, 8, pattern_kind::lane_slices, 1, 0, 0}));
  // Row 8 is alone. Shortest, longest, the rows, and how many of them have the first entry, the second and
  // the third.
  EXPECT_THAT(s.diagonal_mask.span(), ElementsAre(0, 3, 2, 5, 3, 7, 0, 4, 6, 1, 7, 4, 2));
  ASSERT_EQ(s.tiled.size(), 16u) << "what follows would begin at a multiple of eight";
  const int rows[] = {2, 5, 3, 7, 0, 4, 6, 2, 5, 3, 7, 2, 5};
  const int entries[] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2};
  for (std::size_t k = 0; k < 13; ++k) {
    const auto entry = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(rows[k])] + entries[k]);
    EXPECT_EQ(s.tiled[k], a.val[entry]) << k;
    EXPECT_EQ(s.diagonal[k], a.col[entry]) << k;
  }
  EXPECT_EQ(s.diagonal.size(), 13u + 8);
}

TEST(pattern_csr_slices, need_short_rows_of_similar_length) {
  EXPECT_THAT(stored_in_slices(of_lengths(std::vector<int>(16, 33), 5000)).tiled.span(), testing::IsEmpty());
  std::vector<int> lengths(16, 0);
  lengths[3] = 20;
  EXPECT_THAT(stored_in_slices(of_lengths(lengths, 5000)).tiled.span(), testing::IsEmpty());
  lengths.assign(16, 8);
  lengths[3] = 129;
  EXPECT_THAT(stored_in_slices(of_lengths(lengths, 5000)).tiled.span(), testing::IsEmpty());
  static_assert(formats::has_slices<double>(1000, (16 << 20) / 12) &&
                !formats::has_slices<double>(1000, (16 << 20) / 12 + 1));
}

TEST(pattern_csr_slices, multiply_correctly) {
  std::vector<int> lengths;
  for (int i = 0; i < 1500; ++i) lengths.push_back((i * i / 7 + 5 * i) % (i % 400 < 200 ? 6 : 19));
  const matrix a = of_lengths(lengths, 1500);
  std::int64_t sliced = 0;
  const auto s = stored_in_slices(a);
  for (const pattern_run& run : s.run.span())
    sliced += run.kind == pattern_kind::lane_slices ? run.last - run.first : 0;
  EXPECT_GT(sliced, 1300);
  check_products(a);
}

/// Where x is large there are no slices, and short rows are multiplied as those of large matrices are, which
/// the small ones of other tests never show.
TEST(pattern_csr_slices, are_not_of_wide_matrices_whose_short_rows_are_right_too) {
  std::vector<int> lengths;
  for (int i = 0; i < 900; ++i)
    lengths.push_back(i < 300 ? i % 9 : i < 600 ? (i * i / 7 + 5 * i) % 40 : i % 90);
  const matrix a = of_lengths(lengths, 1'700'000);
  ASSERT_FALSE(formats::has_slices<float>(a.cols, a.nnz()));
  const auto s = stored_in_slices(a);
  for (const pattern_run& run : s.run.span()) EXPECT_NE(run.kind, pattern_kind::lane_slices);
  check_products(a);
}

TEST(pattern_csr_slices, do_not_read_x_for_rows_without_an_entry) {
  const matrix a = of_lengths({1, 0, 3, 2, 1, 3, 1, 2, 2, 4, 5, 1, 2, 7, 1, 2}, 1000);
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (!runs_here(level)) continue;
    const auto plan = inspect(a.view(), cpu{.threads = 1, .level = level}, {.format = "pattern_csr"});
    for (const std::int32_t bad : a.col.span()) {
      std::vector<double> x(1000, 1.0);
      x[static_cast<std::size_t>(bad)] = std::numeric_limits<double>::infinity();
      std::vector<double> y(16);
      plan.multiply(1.0, std::span<const double>(x), 0.0, std::span<double>(y));
      for (std::size_t i = 0; i < 16; ++i) {
        bool has = false;
        for (auto k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
          has |= a.col[static_cast<std::size_t>(k)] == bad;
        EXPECT_NE(std::isfinite(y[i]), has) << i << " " << bad;
      }
    }
  }
}

/// A step reads eight columns, however many rows still have one: none of them may be a tile's, which can lie
/// before x.
TEST(pattern_csr_slices, have_columns_behind_them_that_may_be_read) {
  std::vector<std::int32_t> row;
  std::vector<std::int32_t> col;
  const int rows = 9000;
  const int cols = 9100;
  for (int i = 0; i < rows; ++i) {
    if (i % 900 < 300) {
      for (int k = 0; k < 1 + i * i % 6; ++k) {
        row.push_back(i);
        col.push_back((i * 37 + k * 1511 + 3) % cols);
      }
      continue;
    }
    row.push_back(i);
    col.push_back(0);
    for (int k = 10; k < 15; ++k) {
      row.push_back(i);
      col.push_back(i + k);
    }
  }
  const auto val = random_vector<double>(static_cast<std::int64_t>(row.size()), 3);
  const matrix a =
      csr_from_coo<double, std::int64_t>({.rows = rows, .cols = cols, .row = row, .col = col, .val = val});
  const auto s = stored_in_slices(a);
  ASSERT_LT(*std::min_element(s.diagonal.data(), s.diagonal.data() + s.diagonal.size()), 0)
      << "there are no tiles before x";
  int runs = 0;
  for (const pattern_run& run : s.run.span()) {
    if (run.kind != pattern_kind::lane_slices) continue;
    ++runs;
    const auto begin =
        static_cast<std::size_t>(s.diagonal_tiles[static_cast<std::size_t>(run.first_tile)].first);
    const auto entries = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(run.last)] -
                                                  a.row_ptr[static_cast<std::size_t>(run.first)]);
    ASSERT_LE(begin + entries + 8, s.diagonal.size());
    for (std::size_t k = begin; k < begin + entries + 8; ++k) {
      ASSERT_GE(s.diagonal[k], 0) << k;
      ASSERT_LT(s.diagonal[k], cols) << k;
    }
  }
  EXPECT_GT(runs, 5);
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (!runs_here(level)) continue;
    check_product<double>(a, level, 2, "balanced");
    check_product<float>(a, level, 1, "thread");
  }
}

/// What is stored depends on a value's bytes, and the map for new values must be of the same slots: matrices
/// between the bounds of f32 and of f64.
TEST(pattern_csr_slices, and_tiles_take_new_values_in_either_type_at_their_bounds) {
  for (const char* const spec : {"uniform(rows=130000,per_row=12)", "epidemic(n=900)",
                                 "uniform(rows=100000,cols=1200000,per_row=6)"}) {
    const auto check = [&]<class V>(V) {
      auto a = bench_support::generate<V>(spec);
      auto plan = inspect(a.view(), cpu{}, {.format = "pattern_csr", .values_change = true});
      const auto values = random_vector<V>(a.nnz(), 17);
      plan.update_values(values);
      std::copy(values.begin(), values.end(), a.val.data());
      const auto fresh = inspect(a.view(), cpu{}, {.format = "pattern_csr"});
      const auto x = random_vector<V>(a.cols, 5);
      std::vector<V> y(static_cast<std::size_t>(a.rows));
      std::vector<V> z(y.size());
      plan.multiply(V{2}, std::span<const V>(x), V{0}, std::span<V>(y));
      fresh.multiply(V{2}, std::span<const V>(x), V{0}, std::span<V>(z));
      EXPECT_EQ(y, z) << spec;
    };
    check(1.0F);
    check(1.0);
  }
}

TEST(pattern_csr_slices, take_new_values) {
  std::vector<int> lengths;
  for (int i = 0; i < 300; ++i) lengths.push_back((i * i / 7 + 5 * i) % 9);
  matrix a = of_lengths(lengths, 1500);
  auto plan = inspect(a.view(), cpu{}, {.format = "pattern_csr", .values_change = true});
  const auto fresh_values = random_vector<double>(a.nnz(), 17);
  plan.update_values(fresh_values);
  std::copy(fresh_values.begin(), fresh_values.end(), a.val.data());
  const auto fresh = inspect(a.view(), cpu{}, {.format = "pattern_csr"});
  const auto x = random_vector<double>(1500, 5);
  std::vector<double> y(300);
  std::vector<double> z(300);
  plan.multiply(2.0, std::span<const double>(x), 0.0, std::span<double>(y));
  fresh.multiply(2.0, std::span<const double>(x), 0.0, std::span<double>(z));
  EXPECT_EQ(y, z);
  EXPECT_EQ(fresh.slots(), a.nnz());
  EXPECT_LT(fresh.streamed_bytes(), fresh.bytes() - 8 * a.nnz() - 3 * a.nnz());
}

}  // namespace
}  // namespace gossamer::testing_support
