// SPDX-License-Identifier: BSD-3-Clause
// Each generator: a small matrix written out, the number of entries by formula, the order of columns.
#include "bench_support/generate/generate.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "bench_support/generate/random.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/statistics.hpp"
#include "unit/generated.hpp"
#include "unit/helpers.hpp"

namespace {

using gossamer_test::all_rows;
using gossamer_test::make;
using gossamer_test::row;
using gossamer_test::to_vector;
using testing::ElementsAre;
using testing::IsEmpty;

using matrix = gossamer_test::generated;

void expect_shape(const matrix& a, std::int64_t rows, std::int64_t cols, std::int64_t nnz) {
  EXPECT_EQ(a.rows, rows);
  EXPECT_EQ(a.cols, cols);
  EXPECT_EQ(a.nnz(), nnz);
}

std::int64_t rows_other_than(const matrix& a, std::int64_t length) {
  std::int64_t others = 0;
  for (const auto& [n, count] : gossamer::measure_row_lengths(a.view())) others += n == length ? 0 : count;
  return others;
}

/// Entries of a stencil: pairs of nodes that are neighbours, counted direction by direction.
std::int64_t line_pairs(std::int64_t n) {
  return 3 * n - 2;
}

TEST(generate_stencil, three_points_written_out) {
  EXPECT_THAT(all_rows("stencil(nx=4,points=3)"),
              ElementsAre(ElementsAre(0, 1), ElementsAre(0, 1, 2), ElementsAre(1, 2, 3), ElementsAre(2, 3)));
}

TEST(generate_stencil, five_points_written_out) {
  EXPECT_THAT(all_rows("stencil(nx=3,ny=2,points=5)"),
              ElementsAre(ElementsAre(0, 1, 3), ElementsAre(0, 1, 2, 4), ElementsAre(1, 2, 5),
                          ElementsAre(0, 3, 4), ElementsAre(1, 3, 4, 5), ElementsAre(2, 4, 5)));
}

TEST(generate_stencil, nine_points_written_out) {
  EXPECT_THAT(all_rows("stencil(nx=3,ny=2,points=9)"),
              ElementsAre(ElementsAre(0, 1, 3, 4), ElementsAre(0, 1, 2, 3, 4, 5), ElementsAre(1, 2, 4, 5),
                          ElementsAre(0, 1, 3, 4), ElementsAre(0, 1, 2, 3, 4, 5), ElementsAre(1, 2, 4, 5)));
}

TEST(generate_stencil, the_middle_of_a_cube) {
  EXPECT_THAT(row(make("stencil(nx=3,ny=3,nz=3,points=7)"), 13), ElementsAre(4, 10, 12, 13, 14, 16, 22));
  std::vector<std::int32_t> all(27);
  for (std::int32_t i = 0; i < 27; ++i) all[static_cast<std::size_t>(i)] = i;
  EXPECT_EQ(row(make("stencil(nx=3,ny=3,nz=3,points=27)"), 13), all);
}

TEST(generate_stencil, unknowns_of_a_node_are_coupled_densely) {
  EXPECT_THAT(all_rows("stencil(nx=3,points=3,dof=2)"),
              ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(0, 1, 2, 3), ElementsAre(0, 1, 2, 3, 4, 5),
                          ElementsAre(0, 1, 2, 3, 4, 5), ElementsAre(2, 3, 4, 5), ElementsAre(2, 3, 4, 5)));
}

TEST(generate_stencil, entries_by_formula) {
  for (const std::int64_t nx : {1, 2, 7}) {
    for (const std::int64_t ny : {1, 2, 5}) {
      for (const std::int64_t nz : {1, 3}) {
        for (const std::int64_t dof : {1, 3}) {
          const std::int64_t n = nx * ny * nz * dof;
          const std::string grid = "stencil(nx=" + std::to_string(nx) + ",ny=" + std::to_string(ny) +
                                   ",nz=" + std::to_string(nz) + ",dof=" + std::to_string(dof) + ",points=";
          const std::int64_t x_pairs = 2 * (nx - 1) * ny * nz;
          const std::int64_t y_pairs = 2 * nx * (ny - 1) * nz;
          const std::int64_t z_pairs = 2 * nx * ny * (nz - 1);
          const std::int64_t nodes = nx * ny * nz;
          const std::int64_t block = dof * dof;
          expect_shape(make(grid + "3)"), n, n, (nodes + x_pairs) * block);
          expect_shape(make(grid + "5)"), n, n, (nodes + x_pairs + y_pairs) * block);
          expect_shape(make(grid + "7)"), n, n, (nodes + x_pairs + y_pairs + z_pairs) * block);
          expect_shape(make(grid + "9)"), n, n, line_pairs(nx) * line_pairs(ny) * nz * block);
          expect_shape(make(grid + "27)"), n, n, line_pairs(nx) * line_pairs(ny) * line_pairs(nz) * block);
        }
      }
    }
  }
}

TEST(generate_stencil, is_symmetric_in_structure) {
  const matrix a = make("stencil(nx=4,ny=3,nz=2,points=27,dof=2)");
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (const std::int32_t j : row(a, i)) {
      const auto back = row(a, j);
      EXPECT_TRUE(std::binary_search(back.begin(), back.end(), static_cast<std::int32_t>(i)))
          << i << " " << j;
    }
  }
}

TEST(generate_stencil, auto_takes_the_star_of_the_grids_dimensions) {
  EXPECT_EQ(make("stencil(nx=5)").nnz(), make("stencil(nx=5,points=3)").nnz());
  EXPECT_EQ(make("stencil(nx=5,ny=4)").nnz(), make("stencil(nx=5,ny=4,points=5)").nnz());
  EXPECT_EQ(make("stencil(nx=5,ny=4,nz=3)").nnz(), make("stencil(nx=5,ny=4,nz=3,points=7)").nnz());
  EXPECT_EQ(make("stencil(nx=5,nz=3)").nnz(), make("stencil(nx=5,nz=3,points=7)").nnz());
}

TEST(generate_uniform, every_row_has_per_row_entries) {
  for (const int per_row : {0, 1, 5, 16, 49, 50}) {
    const matrix a = make("uniform(rows=300,cols=50,per_row=" + std::to_string(per_row) + ")");
    expect_shape(a, 300, 50, 300 * per_row);
    EXPECT_EQ(rows_other_than(a, per_row), 0);
  }
  expect_shape(make("uniform(rows=100)"), 100, 100, 1600);
}

/// 10^5 draws into 50 columns: each count is 2000 in the mean with a deviation of at most 45; both ways of
/// choosing.
TEST(generate_uniform, columns_are_equally_likely) {
  for (const std::string& spec : {std::string("uniform(rows=100k,cols=50,per_row=1)"),
                                  std::string("uniform(rows=50k,cols=50,per_row=2)"),
                                  std::string("uniform(rows=2500,cols=50,per_row=40)")}) {
    std::vector<int> count(50, 0);
    const matrix a = make(spec);
    for (const std::int32_t j : a.col.span()) ++count[static_cast<std::size_t>(j)];
    EXPECT_GT(*std::min_element(count.begin(), count.end()), 2000 - 6 * 45) << spec;
    EXPECT_LT(*std::max_element(count.begin(), count.end()), 2000 + 6 * 45) << spec;
  }
}

TEST(generate_uniform, rows_differ) {
  const matrix a = make("uniform(rows=100,cols=1M,per_row=4)");
  for (std::int64_t i = 1; i < 100; ++i) EXPECT_NE(row(a, i), row(a, i - 1));
}

TEST(generate_power_law, the_mean_is_as_requested) {
  for (const std::string& rest : {std::string("mean=0.5"), std::string("mean=1"), std::string("mean=3"),
                                  std::string("mean=12.5"), std::string("mean=50,exponent=1.5"),
                                  std::string("mean=20,exponent=3"), std::string("mean=20,max=100"),
                                  std::string("mean=2,exponent=10"), std::string("mean=5,exponent=1.1")}) {
    const matrix a = make("power_law(rows=20k," + rest + ")");
    const double mean = std::stod(rest.substr(5));
    // Rounding up or down by chance has a deviation of at most 1/2 in each row.
    EXPECT_NEAR(gossamer::measure_rows(a.view()).mean, mean, 6 * 0.5 / std::sqrt(20'000.0)) << rest;
    EXPECT_EQ(a.rows, 20'000);
    EXPECT_EQ(a.cols, 20'000);
  }
}

TEST(generate_power_law, extremes_of_the_mean) {
  expect_shape(make("power_law(rows=50,cols=20,mean=0)"), 50, 20, 0);
  expect_shape(make("power_law(rows=50,cols=20,mean=20)"), 50, 20, 1000);
  expect_shape(make("power_law(rows=50,cols=20,mean=1)"), 50, 20, 50);
  expect_shape(make("power_law(rows=50,cols=20,mean=4,max=4)"), 50, 20, 200);
  expect_shape(make("power_law(rows=1,mean=1)"), 1, 1, 1);
  expect_shape(make("power_law(rows=0,mean=0)"), 0, 0, 0);
}

TEST(generate_power_law, lengths_stay_between_1_and_max) {
  const auto s = gossamer::measure_rows(make("power_law(rows=20k,mean=8,max=500)").view());
  EXPECT_EQ(s.min, 1);
  EXPECT_EQ(s.max, 500);
  EXPECT_EQ(gossamer::measure_rows(make("power_law(rows=20k,mean=0.5)").view()).min, 0);
}

/// The number of rows longer than k falls as k^-(exponent - 1).
TEST(generate_power_law, lengths_follow_the_exponent) {
  const auto lengths =
      gossamer::measure_row_lengths(make("power_law(rows=100k,mean=10,exponent=2.5)").view());
  const auto longer_than = [&](std::int64_t k) {
    double rows = 0;
    for (const auto& [length, count] : lengths) rows += length > k ? static_cast<double>(count) : 0.0;
    return rows;
  };
  for (const std::int64_t k : {16, 32, 64, 128})
    EXPECT_NEAR(longer_than(k) / longer_than(4 * k), std::pow(4, 1.5), 0.8) << k;
}

TEST(generate_power_law, a_few_columns_are_in_many_rows) {
  std::vector<std::int64_t> count(10'000, 0);
  const matrix a = make("power_law(rows=10k,mean=8)");
  for (const std::int32_t j : a.col.span()) ++count[static_cast<std::size_t>(j)];
  std::sort(count.rbegin(), count.rend());
  std::int64_t hundred = 0;
  for (std::size_t k = 0; k < 100; ++k) hundred += count[k];
  EXPECT_GT(hundred, a.nnz() / 5) << "1 % of the columns";
  EXPECT_LT(count[5000], 10);
}

TEST(generate_power_law, long_rows_are_not_the_first_ones) {
  const matrix a = make("power_law(rows=10k,mean=8)");
  std::int64_t in_first_tenth = 0;
  for (std::int64_t i = 0; i < 10'000; ++i) in_first_tenth += row(a, i).size() > 20 && i < 1000;
  std::int64_t all = 0;
  for (std::int64_t i = 0; i < 10'000; ++i) all += row(a, i).size() > 20;
  EXPECT_GT(all, 200);
  EXPECT_NEAR(static_cast<double>(in_first_tenth), static_cast<double>(all) / 10,
              6 * std::sqrt(static_cast<double>(all) / 10));
}

TEST(generate_dense, every_position) {
  EXPECT_THAT(all_rows("dense(rows=2,cols=3)"), ElementsAre(ElementsAre(0, 1, 2), ElementsAre(0, 1, 2)));
  expect_shape(make("dense(rows=30)"), 30, 30, 900);
  expect_shape(make("dense(rows=0,cols=7)"), 0, 7, 0);
  expect_shape(make("dense(rows=7,cols=0)"), 7, 0, 0);
}

TEST(generate_diagonal, one_entry_a_row) {
  EXPECT_THAT(all_rows("diagonal(n=3)"), ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2)));
  expect_shape(make("diagonal(n=0)"), 0, 0, 0);
}

TEST(generate_banded, written_out_and_by_formula) {
  EXPECT_THAT(
      all_rows("banded(n=4,lower=1,upper=2)"),
      ElementsAre(ElementsAre(0, 1, 2), ElementsAre(0, 1, 2, 3), ElementsAre(1, 2, 3), ElementsAre(2, 3)));
  for (const std::int64_t l : {0, 1, 9, 40})
    expect_shape(make("banded(n=10,upper=0,lower=" + std::to_string(l) + ")"), 10, 10,
                 10 * (std::min<std::int64_t>(l, 9) + 1) -
                     std::min<std::int64_t>(l, 9) * (std::min<std::int64_t>(l, 9) + 1) / 2);
  EXPECT_EQ(make("banded(n=10)").nnz(), 28);
  EXPECT_EQ(make("banded(n=10,lower=3)").nnz(), make("banded(n=10,lower=3,upper=3)").nnz());
  expect_shape(make("banded(n=0)"), 0, 0, 0);
}

TEST(generate_arrow, written_out_and_by_formula) {
  EXPECT_THAT(all_rows("arrow(n=4)"),
              ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(0, 1), ElementsAre(0, 2), ElementsAre(0, 3)));
  EXPECT_THAT(all_rows("arrow(n=4,width=2)"), ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(0, 1, 2, 3),
                                                          ElementsAre(0, 1, 2), ElementsAre(0, 1, 3)));
  for (const std::int64_t w : {0, 1, 7, 49, 50})
    expect_shape(make("arrow(n=50,width=" + std::to_string(w) + ")"), 50, 50, w * 50 + (50 - w) * (w + 1));
}

TEST(generate_empty_rows, every_nth_row_is_empty) {
  const matrix a = make("empty_rows(rows=10,every=3,per_row=2)");
  expect_shape(a, 10, 10, 14);
  for (std::int64_t i = 0; i < 10; ++i) EXPECT_EQ(row(a, i).size(), i == 2 || i == 5 || i == 8 ? 0U : 2U);
  EXPECT_EQ(make("empty_rows(rows=100)").nnz(), 50 * 8);
  EXPECT_EQ(make("empty_rows(rows=100,every=1)").nnz(), 0);
  expect_shape(make("empty_rows(rows=5,cols=0,per_row=0)"), 5, 0, 0);
}

TEST(generate_empty_rows, a_fraction_of_the_rows_is_empty) {
  for (const double fraction : {0.1, 0.5, 0.9}) {
    const auto s = gossamer::measure_rows(
        make("empty_rows(rows=100k,fraction=" + std::to_string(fraction) + ")").view());
    EXPECT_NEAR(static_cast<double>(s.empty), 1e5 * fraction, 6 * std::sqrt(1e5 * fraction * (1 - fraction)));
    EXPECT_EQ(s.max, 8);
    EXPECT_EQ(s.nnz, (s.rows - s.empty) * 8);
  }
  EXPECT_EQ(make("empty_rows(rows=100,fraction=0)").nnz(), 800);
  EXPECT_EQ(make("empty_rows(rows=100,fraction=1)").nnz(), 0);
}

TEST(generate_heavy_row, one_row_is_heavy) {
  const matrix a = make("heavy_row(rows=101,cols=5000,per_row=3,heavy=2000)");
  expect_shape(a, 101, 5000, 2300);
  for (std::int64_t i = 0; i < 101; ++i) EXPECT_EQ(row(a, i).size(), i == 50 ? 2000U : 3U);
  EXPECT_EQ(row(make("heavy_row(rows=10,heavy=9,per_row=1,at=0)"), 0).size(), 9U);
  EXPECT_EQ(row(make("heavy_row(rows=10,heavy=9,per_row=1,at=9)"), 9).size(), 9U);
}

TEST(generate_heavy_row, a_heavy_row_can_be_full_or_sparse) {
  const matrix full = make("heavy_row(rows=3,cols=5000,heavy=5000)");
  EXPECT_EQ(row(full, 1).front(), 0);
  EXPECT_EQ(row(full, 1).back(), 4999);
  const matrix sparse = make("heavy_row(rows=3,cols=1G,heavy=20k)");
  EXPECT_EQ(row(sparse, 1).size(), 20'000U);
  EXPECT_GT(row(sparse, 1).back(), 990'000'000);
}

TEST(generate_heavy_row, a_row_of_ten_million_entries) {
  const matrix a = make("heavy_row(rows=3,cols=12M,per_row=1,heavy=10M,at=2)");
  expect_shape(a, 3, 12'000'000, 10'000'002);
}

/// Cuts over threads, and first and last rows, at sizes around the limits for using threads at all.
TEST(generate, sizes_around_the_limits_for_threads) {
  for (const std::int64_t n : {1, 2, 16'383, 16'384, 16'385, 16'391}) {
    const matrix a = make("diagonal(" + std::to_string(n) + ")");
    expect_shape(a, n, n, n);
    EXPECT_EQ(a.col[static_cast<std::size_t>(n) - 1], n - 1);
  }
}

TEST(generate, long_and_empty_rows_at_both_ends) {
  for (const int threads : {1, 2, 7}) {
    const gossamer_test::thread_count t(threads);
    for (const std::string at : {"0", "9", "middle"}) {
      expect_shape(make("heavy_row(rows=10,cols=30k,per_row=0,heavy=30k,at=" + at + ")"), 10, 30'000, 30'000);
    }
  }
}

TEST(generate_permutation, inverse_undoes_it) {
  for (const std::int64_t size : {1, 2, 3, 64, 65, 1000, 65'537}) {
    const gossamer::bench_support::generation::permutation order(size, 0x123456789abcdef0);
    std::vector<bool> seen(static_cast<std::size_t>(size), false);
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t j = order(i);
      ASSERT_TRUE(j >= 0 && j < size && !seen[static_cast<std::size_t>(j)]) << size << " " << i;
      seen[static_cast<std::size_t>(j)] = true;
      ASSERT_EQ(order.inverse(j), i) << size;
    }
  }
  const std::int64_t largest = std::numeric_limits<std::int32_t>::max();
  const gossamer::bench_support::generation::permutation order(largest, 0xfedcba9876543210);
  for (std::int64_t i = 0; i < largest; i += largest / 1000) EXPECT_EQ(order.inverse(order(i)), i);
}

TEST(generate, both_value_types_have_the_same_structure) {
  const auto d = gossamer::bench_support::generate<double>("power_law(rows=1000,mean=5)");
  const auto f = gossamer::bench_support::generate<float>("power_law(rows=1000,mean=5)");
  EXPECT_EQ(to_vector(d.row_ptr), to_vector(f.row_ptr));
  EXPECT_EQ(to_vector(d.col), to_vector(f.col));
}

TEST(generate, an_empty_matrix_has_valid_arrays) {
  const matrix a = make("uniform(rows=3,cols=0,per_row=0)");
  EXPECT_THAT(to_vector(a.row_ptr), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(to_vector(a.col), IsEmpty());
}

}  // namespace
