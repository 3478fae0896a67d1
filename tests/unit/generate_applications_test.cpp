// SPDX-License-Identifier: BSD-3-Clause
// Generators that model an application: power grids, linear programs, shuffled meshes, bipartite graphs.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/statistics.hpp"
#include "unit/generated.hpp"
#include "unit/helpers.hpp"

namespace {

using gossamer::errc;
using gossamer_test::all_rows;
using gossamer_test::expect_error;
using gossamer_test::expect_symmetric;
using gossamer_test::make;
using gossamer_test::row;
using gossamer_test::to_vector;
using testing::ElementsAre;
using testing::HasSubstr;

using matrix = gossamer_test::generated;

std::int64_t length_of(const matrix& a, std::int64_t i) {
  return a.row_ptr[static_cast<std::size_t>(i) + 1] - a.row_ptr[static_cast<std::size_t>(i)];
}

/// Rows that can be reached from row 0.
std::int64_t reachable(const matrix& a) {
  std::vector<bool> seen(static_cast<std::size_t>(a.rows), false);
  std::vector<std::int32_t> open{0};
  seen[0] = true;
  std::int64_t count = 0;
  while (!open.empty()) {
    const std::int32_t i = open.back();
    open.pop_back();
    ++count;
    for (const std::int32_t j : row(a, i)) {
      if (seen[static_cast<std::size_t>(j)]) continue;
      seen[static_cast<std::size_t>(j)] = true;
      open.push_back(j);
    }
  }
  return count;
}

/// Each node's row and column become a dense block.
std::vector<std::vector<std::int32_t>> with_blocks(const std::vector<std::vector<std::int32_t>>& nodes,
                                                   std::int32_t block) {
  std::vector<std::vector<std::int32_t>> rows;
  for (const std::vector<std::int32_t>& node : nodes) {
    std::vector<std::int32_t> columns;
    for (const std::int32_t j : node) {
      for (std::int32_t k = 0; k < block; ++k) columns.push_back(j * block + k);
    }
    for (std::int32_t k = 0; k < block; ++k) rows.push_back(columns);
  }
  return rows;
}

TEST(generate_power_grid, all_lines_without_hubs_are_the_five_point_grid) {
  for (const auto& [buses, grid] :
       {std::pair{"25", "stencil(nx=5,ny=5)"}, std::pair{"1024", "stencil(nx=32,ny=32)"},
        std::pair{"4096", "stencil(nx=64,ny=64)"}}) {
    const matrix a = make("power_grid(degree=4,hubs=0,buses=" + std::string(buses) + ")");
    EXPECT_EQ(gossamer::measure_row_lengths(a.view()), gossamer::measure_row_lengths(make(grid).view()));
  }
}

TEST(generate_power_grid, degree_2_is_a_tree) {
  for (const std::int64_t buses : {1, 2, 118, 1000, 9241, 20'000}) {
    for (const char* const hubs : {"0", "0.00390625"}) {
      const matrix a = make("power_grid(buses=" + std::to_string(buses) + ",degree=2,hubs=" + hubs + ")");
      EXPECT_EQ(a.nnz(), buses + 2 * (buses - 1)) << buses << " " << hubs;
      EXPECT_EQ(reachable(a), buses) << hubs;
    }
  }
}

void expect_connected_with_diagonal(const std::string& text) {
  expect_symmetric(text);
  const matrix a = make(text);
  EXPECT_EQ(reachable(a), a.rows) << text;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    const auto columns = row(a, i);
    ASSERT_TRUE(std::binary_search(columns.begin(), columns.end(), static_cast<std::int32_t>(i))) << i;
  }
}

TEST(generate_power_grid, is_symmetric_with_a_diagonal) {
  for (const std::string text :
       {"power_grid(buses=9241)", "power_grid(buses=5000,hubs=0.0039,region=8,degree=3.5)",
        "power_grid(buses=1500,block=3)"}) {
    expect_connected_with_diagonal(text);
  }
}

TEST(generate_power_grid, has_the_mean_degree) {
  for (const double degree : {2.4, 2.8, 3.6}) {
    const matrix a = make("power_grid(buses=102400,degree=" + std::to_string(degree) + ")");
    const double buses = 102'400;
    // A second line is there with the chance p = degree / 2 - 1, except for the 639 buses at the border.
    const double p = degree / 2 - 1;
    const double expected = 2 * ((buses - 1) + p * (buses - 639)) / buses;
    EXPECT_NEAR(static_cast<double>(a.nnz()) / buses - 1, expected, 6 * 2 * std::sqrt(p * (1 - p) / buses));
    EXPECT_NEAR(expected, degree, 0.02);
  }
}

/// 102,400 buses are 320 x 320 on the map: 400 cells, each with a hub if the share is 1/256.
TEST(generate_power_grid, hubs_have_10_to_20_neighbours) {
  const auto count_hubs = [](const std::string& hubs) {
    const matrix a = make("power_grid(buses=102400,hubs=" + hubs + ")");
    std::int64_t found = 0;
    std::int64_t longest = 0;
    for (std::int64_t i = 0; i < a.rows; ++i) {
      const std::int64_t neighbours = length_of(a, i) - 1;
      EXPECT_TRUE(neighbours <= 4 || (neighbours >= 10 && neighbours <= 20)) << neighbours;
      found += neighbours >= 10;
      longest = std::max(longest, neighbours);
    }
    EXPECT_TRUE(found == 0 || longest >= 18) << longest;
    return found;
  };
  EXPECT_EQ(count_hubs("0.00390625"), 400);
  EXPECT_EQ(count_hubs("0"), 0);
  EXPECT_NEAR(static_cast<double>(count_hubs("0.001953125")), 200, 6 * std::sqrt(400 * 0.25));
}

TEST(generate_power_grid, numbers_go_region_by_region) {
  const matrix a = make("power_grid(buses=102400,degree=4,hubs=0)");
  std::int64_t inside = 0;
  std::int64_t next_region = 0;
  std::int64_t in_order = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (const std::int32_t j : row(a, i)) {
      const std::int64_t distance = std::abs(i - j);
      if (i / 1024 == j / 1024) {
        ++inside;
        // Two lines of a region are a group of 64, which is permuted.
        EXPECT_LT(distance, 128);
        in_order += distance == 1 || distance == 32;
      }
      next_region += std::abs(i / 1024 - j / 1024) == 1;
    }
  }
  EXPECT_EQ(inside, 100 * (1024 + 4 * 32 * 31));
  // 5,760 if regions were numbered row by row.
  EXPECT_LT(next_region, 2000);
  EXPECT_LT(in_order, inside / 8);
}

TEST(generate_power_grid, unknowns_of_a_bus_are_coupled_densely) {
  EXPECT_EQ(all_rows("power_grid(buses=700,block=3)"), with_blocks(all_rows("power_grid(buses=700)"), 3));
}

TEST(generate_power_grid, small_ones) {
  EXPECT_THAT(all_rows("power_grid(buses=1)"), ElementsAre(ElementsAre(0)));
  EXPECT_THAT(all_rows("power_grid(buses=2)"), ElementsAre(ElementsAre(0, 1), ElementsAre(0, 1)));
  for (int buses = 3; buses < 140; ++buses) {
    for (const std::string more : {"", ",degree=4,hubs=0.0039,region=8"})
      expect_symmetric("power_grid(buses=" + std::to_string(buses) + more + ")");
  }
}

TEST(generate_power_grid, refusals) {
  expect_error(errc::invalid_argument, "generate: power_grid: degree = \"5\" is outside [2, 4]",
               [] { make("power_grid(buses=9,degree=5)"); });
  expect_error(errc::invalid_argument, "generate: power_grid: hubs = \"0.1\" is outside [0, 0.00390625]",
               [] { make("power_grid(buses=9,hubs=0.1)"); });
  expect_error(errc::invalid_argument, HasSubstr("region = \"7\" is outside [8, "),
               [] { make("power_grid(buses=9,region=7)"); });
  expect_error(errc::invalid_argument, HasSubstr("buses = \"0\" is outside [1, "),
               [] { make("power_grid(buses=0)"); });
  expect_error(errc::unsupported, HasSubstr("buses * block"), [] { make("power_grid(buses=1G,block=3)"); });
}

/// 2,000 slack columns behind 7,000 structural ones; 10 blocks of 700 columns and 499 or 500 rows.
TEST(generate_sparse_lp, linking_rows_a_staircase_and_slacks) {
  const matrix a =
      make("sparse_lp(rows=5000,cols=9000,per_row=6,blocks=10,staircase=0.3,linking=6,heavy=700,slack=0.4)");
  EXPECT_EQ(a.rows, 5000);
  EXPECT_EQ(a.cols, 9000);
  double before = 0;
  double inside = 0;
  std::int32_t next_slack = 7000;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    auto columns = row(a, i);
    if (!columns.empty() && columns.back() >= 7000) {
      EXPECT_EQ(columns.back(), next_slack++);
      columns.pop_back();
    }
    ASSERT_FALSE(columns.empty());
    ASSERT_LT(columns.back(), 7000);
    if (i < 6) {
      EXPECT_EQ(columns.size(), 700U);
      // The first of 700 random columns is beyond 200 with a chance of e^-20.
      EXPECT_LT(columns.front(), 200);
      EXPECT_GE(columns.back(), 6800);
      continue;
    }
    const std::int64_t block = (i - 6) * 10 / 4994;
    for (const std::int32_t j : columns) {
      ASSERT_TRUE(j / 700 == block || j / 700 == block - 1) << i << " " << j;
      if (block > 0) (j / 700 < block ? before : inside) += 1;
    }
  }
  EXPECT_EQ(next_slack, 9000);
  EXPECT_NEAR(before / (before + inside), 0.3, 6 * std::sqrt(0.3 * 0.7 / (before + inside)));
}

TEST(generate_sparse_lp, slacks_are_spread_evenly) {
  const matrix a = make("sparse_lp(rows=1000,slack=0.25)");
  for (std::int64_t i = 0; i < 1000; i += 4) {
    std::int64_t slacks = 0;
    for (std::int64_t k = i; k < i + 4; ++k) slacks += row(a, k).back() >= 2000 - 250;
    EXPECT_EQ(slacks, 1) << i;
  }
  const matrix all = make("sparse_lp(rows=300,cols=500,slack=1)");
  for (std::int64_t i = 0; i < 300; ++i) EXPECT_EQ(row(all, i).back(), 200 + i);
}

/// Beyond 1, a length is over (per_row - 1) / 1.5 k with a chance of 2^-k, to within rounding.
TEST(generate_sparse_lp, row_lengths_fall_exponentially) {
  const matrix a = make("sparse_lp(rows=100k,cols=150k,per_row=7,linking=0,slack=0)");
  const auto s = gossamer::measure_rows(a.view());
  EXPECT_EQ(s.min, 1);
  // The length's deviation is 4 times sqrt(2 + 1 / 12).
  EXPECT_NEAR(s.mean, 7, 6 * 4 * std::sqrt(2.09 / 1e5));
  for (std::int64_t k = 1; k <= 6; ++k) {
    const double chance = std::ldexp(1, -static_cast<int>(k));
    double longer = 0;
    double much_longer = 0;
    for (std::int64_t i = 0; i < a.rows; ++i) {
      longer += length_of(a, i) >= 4 * k;
      much_longer += length_of(a, i) > 4 * k + 2;
    }
    EXPECT_GT(longer / 1e5, chance - 6 * std::sqrt(chance / 1e5)) << k;
    EXPECT_LT(much_longer / 1e5, chance + 6 * std::sqrt(chance / 1e5)) << k;
  }
}

TEST(generate_sparse_lp, staircase_of_0_is_block_diagonal_and_of_1_one_block_lower) {
  for (const std::int64_t down : {0, 1}) {
    const matrix a = make(
        "sparse_lp(rows=2000,cols=4000,blocks=4,linking=0,slack=0,staircase=" + std::to_string(down) + ")");
    for (std::int64_t i = 0; i < a.rows; ++i) {
      for (const std::int32_t j : row(a, i))
        EXPECT_EQ(j / 1000, std::max<std::int64_t>(i / 500 - down, 0)) << i;
    }
  }
}

TEST(generate_sparse_lp, automatic_sizes) {
  const matrix a = make("sparse_lp(rows=3008,slack=0,per_row=1,staircase=0)");
  EXPECT_EQ(a.cols, 6016);
  for (std::int64_t i = 0; i < 8; ++i) EXPECT_EQ(row(a, i).size(), 602U);
  EXPECT_EQ(a.nnz(), 8 * 602 + 3000);
  // Three blocks of 1,000 rows.
  for (std::int64_t i = 8; i < a.rows; ++i)
    EXPECT_EQ((3 * std::int64_t{row(a, i)[0]} + 2) / 6016, (i - 8) / 1000) << i;
}

TEST(generate_sparse_lp, small_and_full_ones) {
  for (const std::string size :
       {"rows=1,linking=0", "rows=1,linking=1", "rows=8",
        "rows=100,cols=40,slack=0,blocks=40,per_row=50,linking=0",
        "rows=60,cols=41,slack=0.5,blocks=11,per_row=30,heavy=11,staircase=1", "rows=9,heavy=0,slack=0"})
    make("sparse_lp(" + size + ")");
  // A row cannot be longer than its two blocks.
  EXPECT_EQ(gossamer::measure_rows(
                make("sparse_lp(rows=100,cols=40,slack=0,blocks=40,per_row=50,linking=0)").view())
                .max,
            2);
}

TEST(generate_sparse_lp, refusals) {
  expect_error(errc::invalid_argument,
               "generate: sparse_lp: cols = \"10\" is not more than the 20 slack columns",
               [] { make("sparse_lp(rows=40,cols=10)"); });
  expect_error(errc::invalid_argument, "generate: sparse_lp: linking = \"8\" is more than rows = 5",
               [] { make("sparse_lp(rows=5)"); });
  expect_error(errc::invalid_argument,
               "generate: sparse_lp: heavy = \"61\" is more than the 60 structural columns",
               [] { make("sparse_lp(rows=40,heavy=61)"); });
  expect_error(errc::invalid_argument,
               "generate: sparse_lp: blocks = \"61\" is more than the 60 structural columns",
               [] { make("sparse_lp(rows=40,blocks=61)"); });
  expect_error(errc::invalid_argument, HasSubstr("per_row = \"0.5\" is outside [1, 10000]"),
               [] { make("sparse_lp(rows=40,per_row=0.5)"); });
  expect_error(errc::unsupported, HasSubstr("2 * rows"), [] { make("sparse_lp(rows=1.5G)"); });
}

TEST(generate_shuffled_mesh, entries_by_formula) {
  for (const std::int64_t nx : {1, 2, 9}) {
    for (const std::int64_t ny : {1, 5}) {
      for (const std::int64_t nz : {1, 2, 6}) {
        for (const std::int64_t dof : {1, 3}) {
          // Each edge of the mesh goes up by 0 or 1 in each direction, or is the other diagonal of a square.
          std::int64_t edges = 0;
          for (int d = 1; d < 8; ++d) edges += (nx - (d & 1)) * (ny - (d >> 1 & 1)) * (nz - (d >> 2));
          const matrix a = make("shuffled_mesh(nx=" + std::to_string(nx) + ",ny=" + std::to_string(ny) +
                                ",nz=" + std::to_string(nz) + ",dof=" + std::to_string(dof) + ")");
          EXPECT_EQ(a.rows, nx * ny * nz * dof);
          EXPECT_EQ(a.nnz(), (nx * ny * nz + 2 * edges) * dof * dof);
        }
      }
    }
  }
}

TEST(generate_shuffled_mesh, is_symmetric_with_a_diagonal) {
  for (const std::string text : {"shuffled_mesh(nx=30,ny=20)", "shuffled_mesh(nx=9,ny=7,nz=6,dof=2)",
                                 "shuffled_mesh(nx=40,patch=70)"}) {
    expect_connected_with_diagonal(text);
  }
}

TEST(generate_shuffled_mesh, a_cube_of_six_tetrahedra_written_out) {
  EXPECT_THAT(
      all_rows("shuffled_mesh(nx=2,nz=2,patch=1)"),
      ElementsAre(ElementsAre(0, 1, 2, 3, 4, 5, 6, 7), ElementsAre(0, 1, 3, 5, 7), ElementsAre(0, 2, 3, 6, 7),
                  ElementsAre(0, 1, 2, 3, 7), ElementsAre(0, 4, 5, 6, 7), ElementsAre(0, 1, 4, 5, 7),
                  ElementsAre(0, 2, 4, 6, 7), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7)));
}

TEST(generate_shuffled_mesh, each_square_has_one_diagonal) {
  const matrix a = make("shuffled_mesh(nx=70,ny=50,patch=1)");
  const auto linked = [&](std::int64_t i, std::int64_t j) {
    const auto columns = row(a, i);
    return std::binary_search(columns.begin(), columns.end(), static_cast<std::int32_t>(j));
  };
  double rising = 0;
  for (std::int64_t y = 0; y + 1 < 50; ++y) {
    for (std::int64_t x = 0; x + 1 < 70; ++x) {
      const std::int64_t corner = y * 70 + x;
      EXPECT_TRUE(linked(corner, corner + 1));
      EXPECT_TRUE(linked(corner, corner + 70));
      EXPECT_NE(linked(corner, corner + 71), linked(corner + 1, corner + 70)) << x << " " << y;
      rising += linked(corner, corner + 71);
    }
  }
  EXPECT_NEAR(rising / (69 * 49), 0.5, 6 * 0.5 / std::sqrt(69 * 49));
}

TEST(generate_shuffled_mesh, random_order_keeps_the_mesh) {
  for (const std::string size : {"nx=30,ny=40", "nx=12,ny=9,nz=8,dof=2"}) {
    const matrix ordered = make("shuffled_mesh(" + size + ",patch=1)");
    const matrix shuffled = make("shuffled_mesh(" + size + ")");
    EXPECT_EQ(gossamer::measure_row_lengths(shuffled.view()), gossamer::measure_row_lengths(ordered.view()));
    EXPECT_NE(to_vector(shuffled.col), to_vector(ordered.col));
  }
  EXPECT_EQ(all_rows("shuffled_mesh(nx=9,ny=8,nz=7,dof=3)"),
            with_blocks(all_rows("shuffled_mesh(nx=9,ny=8,nz=7)"), 3));
}

/// Two random numbers below n are n / 3 apart in the mean.
TEST(generate_shuffled_mesh, neighbours_are_anywhere_in_the_patch) {
  const matrix all = make("shuffled_mesh(nx=100)");
  double distance = 0;
  for (std::int64_t i = 0; i < all.rows; ++i) {
    for (const std::int32_t j : row(all, i)) distance += static_cast<double>(std::abs(i - j));
  }
  EXPECT_NEAR(distance / static_cast<double>(all.nnz() - all.rows), 1e4 / 3, 100);
  const matrix patches = make("shuffled_mesh(nx=100,patch=100)");
  for (std::int64_t i = 0; i < patches.rows; ++i) {
    for (const std::int32_t j : row(patches, i)) EXPECT_LE(std::abs(i / 100 - j / 100), 1);
  }
}

TEST(generate_shuffled_mesh, refusals) {
  expect_error(errc::invalid_argument, HasSubstr("shuffled_mesh: patch = \"0\" is outside [1, "),
               [] { make("shuffled_mesh(nx=3,patch=0)"); });
  expect_error(errc::invalid_argument, HasSubstr("shuffled_mesh: nz = \"0\" is outside [1, "),
               [] { make("shuffled_mesh(nx=3,nz=0)"); });
  expect_error(errc::unsupported, HasSubstr("nx * ny * nz * dof"),
               [] { make("shuffled_mesh(nx=1000,nz=1000,dof=3)"); });
}

/// Descending.
std::vector<double> row_degrees(const matrix& a) {
  std::vector<double> degrees;
  for (std::int64_t i = 0; i < a.rows; ++i) degrees.push_back(static_cast<double>(length_of(a, i)));
  std::sort(degrees.rbegin(), degrees.rend());
  return degrees;
}
std::vector<double> column_degrees(const matrix& a) {
  std::vector<double> degrees(static_cast<std::size_t>(a.cols), 0);
  for (const std::int32_t j : to_vector(a.col)) ++degrees[static_cast<std::size_t>(j)];
  std::sort(degrees.rbegin(), degrees.rend());
  return degrees;
}

/// The degree of rank r is in proportion to r^(-1 / (exponent - 1)).
TEST(generate_bipartite, row_degrees_follow_their_exponent) {
  for (const auto& [exponent, ratio] : {std::pair{"2.5", 4.0}, std::pair{"4", 2.0}}) {
    const matrix a = make("bipartite(rows=20k,cols=50k,mean=12,row_exponent=" + std::string(exponent) + ")");
    EXPECT_EQ(a.rows, 20'000);
    EXPECT_EQ(a.cols, 50'000);
    EXPECT_NEAR(static_cast<double>(a.nnz()), 12 * 20'000, 6 * std::sqrt(20'000));
    const std::vector<double> degrees = row_degrees(a);
    EXPECT_NEAR(degrees[0] / degrees[7], ratio, ratio * 2 / degrees[7]);
    EXPECT_GE(degrees.back(), 1);
  }
}

/// Rows of one entry, so that no column is drawn again.
TEST(generate_bipartite, column_degrees_follow_their_exponent) {
  for (const auto& [exponent, ratio] :
       {std::pair{"2.1", std::pow(8, 1 / 1.1)}, std::pair{"3", std::sqrt(8.0)}}) {
    const matrix a = make("bipartite(rows=200k,cols=2000,mean=1,col_exponent=" + std::string(exponent) + ")");
    EXPECT_EQ(a.nnz(), 200'000);
    const std::vector<double> degrees = column_degrees(a);
    EXPECT_NEAR(degrees[0] / degrees[7], ratio, 6 * ratio * std::sqrt(1 / degrees[0] + 1 / degrees[7]));
  }
}

TEST(generate_bipartite, both_sides_are_in_random_order) {
  const matrix a = make("bipartite(rows=10k,cols=8k,mean=10)");
  const auto half = [](const matrix& m) {
    return static_cast<double>(m.row_ptr[static_cast<std::size_t>(m.rows) / 2]);
  };
  EXPECT_NEAR(half(a) / static_cast<double>(a.nnz()), 0.5, 0.1);
  const auto columns = to_vector(a.col);
  const auto left = std::count_if(columns.begin(), columns.end(), [](std::int32_t j) { return j < 4000; });
  EXPECT_NEAR(static_cast<double>(left) / static_cast<double>(a.nnz()), 0.5, 0.15);
}

/// Two random halves of 1,000 columns would have 250 in common.
TEST(generate_bipartite, long_rows_keep_to_popular_columns) {
  for (const auto& [exponent, least] : {std::pair{"2.1", 280U}, std::pair{"1.2", 450U}}) {
    const matrix a = make("bipartite(rows=2,cols=1000,mean=500,row_exponent=10,max=500,col_exponent=" +
                          std::string(exponent) + ")");
    const auto one = row(a, 0);
    const auto two = row(a, 1);
    EXPECT_EQ(one.size(), 500U);
    EXPECT_EQ(two.size(), 500U);
    std::vector<std::int32_t> common;
    std::set_intersection(one.begin(), one.end(), two.begin(), two.end(), std::back_inserter(common));
    EXPECT_GT(common.size(), least) << exponent;
  }
}

TEST(generate_bipartite, has_the_largest_degree_and_can_be_full) {
  EXPECT_EQ(gossamer::measure_rows(make("bipartite(rows=20k,mean=8,max=50)").view()).max, 50);
  EXPECT_EQ(make("bipartite(rows=30,cols=40,mean=40)").nnz(), 1200);
  EXPECT_EQ(make("bipartite(rows=30,cols=0,mean=0)").nnz(), 0);
}

TEST(generate_bipartite, refusals) {
  expect_error(errc::invalid_argument, "generate: bipartite: mean = \"8\" is outside [0, 5]",
               [] { make("bipartite(rows=9,max=5)"); });
  expect_error(errc::invalid_argument, "generate: bipartite: max = \"10\" is more than cols = 9",
               [] { make("bipartite(rows=9,max=10)"); });
  expect_error(errc::invalid_argument, "generate: bipartite: row_exponent = \"1\" is outside [1.1, 10]",
               [] { make("bipartite(rows=9,row_exponent=1)"); });
  expect_error(errc::invalid_argument, "generate: bipartite: col_exponent = \"11\" is outside [1.1, 10]",
               [] { make("bipartite(rows=9,col_exponent=11)"); });
}

}  // namespace
