// SPDX-License-Identifier: BSD-3-Clause
// What a sample of columns tells about x in shared memory, on matrices whose answer is known.
#include <gtest/gtest.h>

#include <string>

#include "bench_support/generate/generate.hpp"
#include "formats/cached_x/places.hpp"
#include "formats/common/gather_sample.hpp"

namespace gossamer::formats {
namespace {

template <class Columns>
std::string advice(const Columns& col, std::int64_t rows, std::int64_t cols) {
  const double mean_row = static_cast<double>(col.size()) / static_cast<double>(rows);
  const auto columns =
      columns_to_cache(measure_gathers(sample_columns(col, sizeof(double)), mean_row), cols, sizeof(double));
  if (!columns) return "none";
  return *columns == kept_columns::panels ? "panels" : "frequent";
}

std::string advice(const std::string& text) {
  const auto a = bench_support::generate<double>(text);
  return advice(a.view().col, a.rows, a.cols);
}

TEST(gather_sample, advises_panels_for_few_long_rows) {
  EXPECT_EQ(advice("bipartite(rows=300,cols=100k,mean=2000,row_exponent=3,col_exponent=3)"), "panels");
  EXPECT_EQ(advice("uniform(rows=200,cols=200k,per_row=6k)"), "panels");
  EXPECT_EQ(advice("uniform(rows=9k,cols=60k,per_row=60)"), "panels");
}

TEST(gather_sample, advises_frequent_columns_for_graphs_with_hubs) {
  EXPECT_EQ(advice("rmat(scale=16)"), "frequent");
  EXPECT_EQ(advice("power_law(rows=100k,mean=16)"), "frequent");
}

TEST(gather_sample, advises_neither_where_x_is_near_or_anywhere) {
  EXPECT_EQ(advice("stencil(nx=60,ny=60,nz=60,points=27)"), "none");
  EXPECT_EQ(advice("fem(nx=20,dof=3)"), "none");
  EXPECT_EQ(advice("uniform(rows=300k,per_row=8)"), "none");
  EXPECT_EQ(advice("circuit(rows=300k)"), "none");
  EXPECT_EQ(advice("dense(rows=300,cols=300)"), "none");
  // Few columns, each of which is as frequent as the others.
  EXPECT_EQ(advice("uniform(rows=60k,per_row=10)"), "none");
  EXPECT_EQ(advice("uniform(rows=50k,cols=6k,per_row=6)"), "none");
  // x is small, though pieces are long.
  EXPECT_EQ(advice("uniform(rows=9k,cols=18k,per_row=40)"), "none");
}

TEST(gather_sample, advises_by_thresholds) {
  const auto advised = [](const gather_statistics& found, std::int64_t cols) -> std::string {
    const auto columns = columns_to_cache(found, cols, sizeof(double));
    if (!columns) return "none";
    return *columns == kept_columns::panels ? "panels" : "frequent";
  };
  constexpr std::int64_t wide = 1'000'000'000;  // no column of a sample is repeated by chance
  EXPECT_EQ(advised({.entries_per_piece = 12}, wide), "panels");
  EXPECT_EQ(advised({.entries_per_piece = 11.9}, wide), "none");
  EXPECT_EQ(advised({.entries_per_piece = 12, .near = 0.5}, wide), "panels");
  EXPECT_EQ(advised({.entries_per_piece = 12, .near = 0.51}, wide), "none");
  EXPECT_EQ(advised({.repeated = 0.21, .entries_per_piece = 1}, wide), "frequent");
  EXPECT_EQ(advised({.repeated = 0.19, .entries_per_piece = 1}, wide), "none");
  EXPECT_EQ(advised({.repeated = 0.21, .entries_per_piece = 1, .near = 0.51}, wide), "none");
  // Of 50,000 equally frequent columns, 28 % are repeated. A fifth of the rest makes 42 %.
  EXPECT_EQ(advised({.repeated = 0.43, .entries_per_piece = 1}, 50'000), "frequent");
  EXPECT_EQ(advised({.repeated = 0.42, .entries_per_piece = 1}, 50'000), "none");
  constexpr std::int64_t least = (384 << 10) / sizeof(double);
  EXPECT_EQ(advised({.entries_per_piece = 12}, least), "panels");
  EXPECT_EQ(advised({.entries_per_piece = 12}, least - 1), "none");
}

/// Neighbours of several short rows look like one row, since their columns ascend.
TEST(gather_sample, advises_no_panels_for_short_rows_in_the_order_of_their_columns) {
  constexpr std::int64_t entries = 1'000'000;
  std::vector<std::int32_t> col(entries);
  for (std::size_t k = 0; k < col.size(); ++k) col[k] = static_cast<std::int32_t>(5 * k);
  EXPECT_EQ(advice(col, entries, 5 * entries), "none") << "one entry a row: a strided diagonal";
  EXPECT_EQ(advice(col, 3 * entries, 5 * entries), "none")
      << "an injection: a third of the rows has an entry";
  EXPECT_EQ(advice(col, entries / 2, 5 * entries), "none") << "two entries a row";
  EXPECT_EQ(advice(col, entries / 11, 5 * entries), "none");
  EXPECT_EQ(advice(col, entries / 12, 5 * entries), "panels");
  for (std::size_t k = 1; k < col.size(); ++k)
    col[k] = col[k - 1] + 5 + static_cast<std::int32_t>(k * k % 31);
  EXPECT_EQ(advice(col, entries, col.back() + 1), "none") << "a sorted selection of columns";
}

/// Rows of 40 entries in each panel of 128 KiB, 16,384 columns in f64. All are far from each other.
TEST(gather_sample, counts_the_entries_of_pieces) {
  std::vector<std::int32_t> col;
  for (int row = 0; row < 100; ++row)
    for (int panel = 0; panel < 10; ++panel)
      for (int k = 0; k < 40; ++k) col.push_back(panel * 16384 + k * 400 + row % 25);
  const gather_statistics found = measure_gathers(sample_columns(col, sizeof(double)), 400);
  EXPECT_NEAR(found.entries_per_piece, 40, 1e-6);
  EXPECT_EQ(found.near, 0);
  const gather_statistics wider = measure_gathers(sample_columns(col, sizeof(float)), 400);
  EXPECT_NEAR(wider.entries_per_piece, 80, 5);  // 64 neighbours on each side are looked at
}

TEST(gather_sample, does_not_read_outside_the_columns) {
  std::vector<std::int32_t> col(static_cast<std::size_t>(gather_samples));
  for (std::size_t k = 0; k < col.size(); ++k) col[k] = static_cast<std::int32_t>(k);
  const gather_statistics found = measure_gathers(sample_columns(col, sizeof(double)), 1e4);
  EXPECT_GT(found.entries_per_piece, 60);
  EXPECT_EQ(found.near, 1);
  EXPECT_EQ(found.repeated, 0);
}

/// What measure() takes for the number of pieces, against a count.
TEST(gather_sample, pieces_are_estimated_within_a_tenth) {
  for (const char* const text :
       {"uniform(rows=3000,cols=50k,per_row=200)", "rmat(scale=13)", "fem(nx=12,dof=3)"}) {
    SCOPED_TRACE(text);
    const auto a = bench_support::generate<double>(text);
    constexpr std::int64_t width = 2048;
    std::int64_t pieces = 0;
    for (std::int64_t i = 0; i < a.rows; ++i)
      for (std::int64_t k = a.row_ptr.data()[i]; k < a.row_ptr.data()[i + 1]; ++k)
        pieces += k == a.row_ptr.data()[i] || a.col.data()[k] / width != a.col.data()[k - 1] / width ? 1 : 0;
    const double estimated = sampled_pieces_per_entry(a.view(), width) * static_cast<double>(a.nnz());
    EXPECT_NEAR(estimated, static_cast<double>(pieces), 0.1 * static_cast<double>(pieces));
  }
}

}  // namespace
}  // namespace gossamer::formats
