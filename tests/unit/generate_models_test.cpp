// SPDX-License-Identifier: BSD-3-Clause
// Generators that model a problem: finite elements, circuits, R-MAT graphs, and matrices known by a formula.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
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

TEST(generate_fem, hex_is_the_stencil_of_27_points) {
  for (const std::string size : {"nx=5,ny=4,nz=3,dof=2", "nx=1,ny=1,nz=1,dof=1", "nx=2,ny=7,nz=1,dof=3"}) {
    const matrix mesh = make("fem(" + size + ")");
    const matrix grid = make("stencil(" + size + ",points=27)");
    EXPECT_EQ(to_vector(mesh.row_ptr), to_vector(grid.row_ptr));
    EXPECT_EQ(to_vector(mesh.col), to_vector(grid.col));
  }
}

TEST(generate_fem, a_cube_needs_one_edge) {
  EXPECT_EQ(make("fem(6)").nnz(), (3 * 6 - 2) * (3 * 6 - 2) * (3 * 6 - 2) * 9);
}

TEST(generate_fem, unstructured_has_dense_blocks_of_varying_number) {
  const matrix a = make("fem(nx=9,dof=3,mesh=unstructured)");
  EXPECT_EQ(a.rows, 9 * 9 * 9 * 3);
  for (std::int64_t i = 0; i < a.rows; i += 3) {
    const auto first = row(a, i);
    EXPECT_EQ(row(a, i + 1), first);
    EXPECT_EQ(row(a, i + 2), first);
    ASSERT_EQ(first.size() % 3, 0U);
    for (std::size_t k = 0; k < first.size(); ++k)
      ASSERT_EQ(first[k], first[k / 3 * 3] / 3 * 3 + static_cast<std::int32_t>(k % 3));
    EXPECT_TRUE(std::binary_search(first.begin(), first.end(), static_cast<std::int32_t>(i))) << i;
  }
  EXPECT_GT(gossamer::measure_row_lengths(a.view()).size(), 8U);
}

TEST(generate_fem, unstructured_is_symmetric) {
  expect_symmetric("fem(nx=9,ny=5,nz=7,dof=2,mesh=unstructured)");
}

TEST(generate_fem, links_are_the_share_of_neighbours) {
  const double whole = static_cast<double>(make("fem(nx=20,dof=1)").nnz() - 8000);
  const double some = static_cast<double>(make("fem(nx=20,dof=1,mesh=unstructured,links=0.3)").nnz() - 8000);
  // whole / 2 links are kept or not, each by chance.
  EXPECT_NEAR(some / whole, 0.3, 6 * std::sqrt(0.3 * 0.7 / (whole / 2)));
  EXPECT_EQ(make("fem(nx=5,dof=1,mesh=unstructured,links=0)").nnz(), 125);
  EXPECT_EQ(make("fem(nx=5,dof=1,mesh=unstructured,links=1)").nnz(), 13 * 13 * 13);
}

TEST(generate_fem, renumbering_keeps_the_mesh) {
  // The same lengths occur as often as in the mesh whose nodes stand in order.
  const auto shuffled =
      gossamer::measure_row_lengths(make("fem(nx=8,dof=1,mesh=unstructured,links=1)").view());
  EXPECT_EQ(shuffled, gossamer::measure_row_lengths(make("fem(nx=8,dof=1)").view()));
  EXPECT_NE(to_vector(make("fem(nx=8,dof=1,mesh=unstructured,links=1)").col),
            to_vector(make("fem(nx=8,dof=1)").col));
}

TEST(generate_fem, refusals) {
  expect_error(errc::invalid_argument, "generate: fem: mesh = \"tet\" is not hex or unstructured",
               [] { make("fem(nx=3,mesh=tet)"); });
  expect_error(errc::invalid_argument, HasSubstr("links = \"0.4\" needs mesh=unstructured"),
               [] { make("fem(nx=3,links=0.4)"); });
  expect_error(errc::unsupported, HasSubstr("nx * ny * nz * dof"), [] { make("fem(nx=1000,dof=3)"); });
}

TEST(generate_rmat, has_edge_factor_entries_a_row) {
  for (const std::string more : {"", ",seed=2", ",edge_factor=1", ",edge_factor=40,a=0.25,b=0.25,c=0.25"}) {
    const matrix a = make("rmat(scale=11" + more + ")");
    const std::int64_t factor = more.find("=40") != std::string::npos  ? 40
                                : more.find("=1") != std::string::npos ? 1
                                                                       : 16;
    EXPECT_EQ(a.rows, 2048);
    EXPECT_EQ(a.cols, 2048);
    EXPECT_EQ(a.nnz(), 2048 * factor) << more;
  }
  EXPECT_EQ(make("rmat(scale=0,edge_factor=1)").nnz(), 1);
}

/// Rows of the upper half have the share a + b of the edges; columns of the left half a + c.
TEST(generate_rmat, quadrants_have_their_chances) {
  const matrix a = make("rmat(scale=14,edge_factor=4)");
  std::map<std::pair<bool, bool>, double> share;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (const std::int32_t j : row(a, i)) share[{i >= a.rows / 2, j >= a.cols / 2}] += 1.0 / 65536;
  }
  // Edges that are drawn again move a little from the dense corner.
  EXPECT_NEAR((share[{false, false}] + share[{false, true}]), 0.76, 0.01);
  EXPECT_NEAR((share[{false, false}]), 0.57, 0.03);
  EXPECT_NEAR((share[{true, false}]), 0.19, 0.02);
  EXPECT_NEAR((share[{true, true}]), 0.05, 0.02);
}

/// With equal chances a row's edges are binomial: of 2^18 with the chance 2^-14, so the variance is the
/// mean, 16.
TEST(generate_rmat, rows_vary_as_chance_has_it) {
  const auto s = gossamer::measure_rows(make("rmat(scale=14,a=0.25,b=0.25,c=0.25)").view());
  // The variance of a sample of n has a deviation of about sqrt(2 / n) of it.
  EXPECT_NEAR(s.standard_deviation * s.standard_deviation / 16, 1, 6 * std::sqrt(2.0 / 16'384));
}

TEST(generate_rmat, all_chance_in_one_place) {
  // One column is all that the chances leave, so the rows are filled up from the left.
  const matrix left = make("rmat(scale=4,edge_factor=3,a=0.5,b=0,c=0.5)");
  for (std::int64_t i = 0; i < left.rows; ++i) {
    const auto columns = row(left, i);
    for (std::size_t k = 0; k < columns.size(); ++k) EXPECT_EQ(columns[k], static_cast<std::int32_t>(k));
  }
  // One row is all, and no row can be more than full.
  const matrix top = make("rmat(scale=4,edge_factor=3,a=0.5,b=0.5,c=0)");
  EXPECT_EQ(top.nnz(), 16);
  EXPECT_EQ(row(top, 0).size(), 16U);
}

TEST(generate_rmat, refusals) {
  expect_error(errc::invalid_argument, "generate: rmat: scale = \"31\" is outside [0, 30]",
               [] { make("rmat(scale=31)"); });
  expect_error(errc::invalid_argument, "generate: rmat: edge_factor = \"16\" is outside [0, 8]",
               [] { make("rmat(scale=3)"); });
  expect_error(errc::invalid_argument, "generate: rmat: c = \"0.5\" makes a + b + c more than 1",
               [] { make("rmat(scale=5,c=0.5)"); });
}

TEST(generate_circuit, nets_are_huge_rows_and_columns) {
  const matrix a = make("circuit(rows=20k,nets=3,heavy=5k)");
  std::vector<std::int64_t> huge;
  std::vector<std::int64_t> in_column(20'000, 0);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    if (row(a, i).size() == 5000) huge.push_back(i);
    for (const std::int32_t j : row(a, i)) ++in_column[static_cast<std::size_t>(j)];
  }
  ASSERT_EQ(huge.size(), 3U);
  for (const std::int64_t net : huge)
    EXPECT_NEAR(static_cast<double>(in_column[static_cast<std::size_t>(net)]), 5000,
                6 * std::sqrt(5000) + 40);
  for (const std::int64_t net : huge) in_column[static_cast<std::size_t>(net)] = 0;
  EXPECT_LT(*std::max_element(in_column.begin(), in_column.end()), 60);
}

TEST(generate_circuit, other_rows_are_short_and_near_the_diagonal) {
  const matrix a = make("circuit(rows=20k,per_row=6,band=16,far=0.1,nets=0)");
  const auto s = gossamer::measure_rows(a.view());
  EXPECT_EQ(s.min, 3);
  EXPECT_EQ(s.max, 9);
  EXPECT_NEAR(s.mean, 6, 0.1);
  double far = 0;
  std::int64_t diagonals = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (const std::int32_t j : row(a, i)) {
      far += std::abs(i - j) > 32;
      diagonals += i == j;
    }
  }
  EXPECT_EQ(diagonals, a.rows);
  EXPECT_NEAR(far / static_cast<double>(a.nnz() - a.rows), 0.1, 0.01);
}

TEST(generate_circuit, small_ones) {
  for (const std::string size :
       {"rows=1,nets=0", "rows=1,nets=1", "rows=5,nets=5,heavy=5", "rows=40,far=1",
        "rows=7,per_row=20,band=100", "rows=50,band=0,far=0", "rows=30,nets=30,heavy=0"})
    make("circuit(" + size + ")");
  expect_error(errc::invalid_argument, "generate: circuit: nets = \"4\" is more than rows = 3",
               [] { make("circuit(rows=3)"); });
}

TEST(generate_cut_grid, without_cuts_is_the_five_point_grid) {
  EXPECT_EQ(all_rows("cut_grid(rows=12,nx=4)"), all_rows("stencil(nx=4,ny=3,points=5)"));
  EXPECT_EQ(all_rows("cut_grid(rows=3,nx=9)"), all_rows("stencil(nx=3)"));
}

TEST(generate_cut_grid, has_the_requested_number_of_entries) {
  for (const std::int64_t entries : {41, 39, 25}) {
    const std::string text = "cut_grid(rows=11,nx=4,entries=" + std::to_string(entries) + ")";
    EXPECT_EQ(make(text).nnz(), entries);
    expect_symmetric(text);
  }
  expect_error(errc::invalid_argument, HasSubstr("entries = \"40\" is not rows plus twice a number of links"),
               [] { make("cut_grid(rows=11,nx=4,entries=40)"); });
  expect_error(errc::invalid_argument, HasSubstr("needs more than the 8 links along x cut"),
               [] { make("cut_grid(rows=11,nx=4,entries=11)"); });
}

TEST(generate_epidemic, written_out) {
  // States 00 01 02 10 11 20.
  EXPECT_THAT(all_rows("epidemic(n=2)"),
              ElementsAre(ElementsAre(0, 3), ElementsAre(0, 1, 4), ElementsAre(1, 2), ElementsAre(1, 3, 5),
                          ElementsAre(2, 3, 4), ElementsAre(4, 5)));
}

/// n (n + 1) / 2 of each transition: the collection's mc2depi is n = 1024.
TEST(generate_epidemic, entries_by_formula) {
  for (const std::int64_t n : {0, 1, 5, 100}) {
    const matrix a = make("epidemic(n=" + std::to_string(n) + ")");
    EXPECT_EQ(a.rows, (n + 1) * (n + 2) / 2);
    EXPECT_EQ(a.nnz(), a.rows + 3 * n * (n + 1) / 2);
  }
  expect_error(errc::unsupported, HasSubstr("(n + 1) (n + 2) / 2"), [] { make("epidemic(n=65535)"); });
}

TEST(generate_nlpkkt, is_symmetric_with_the_collections_sizes) {
  for (const std::int64_t n : {1, 2, 3, 6}) {
    const std::string text = "nlpkkt(n=" + std::to_string(n) + ")";
    const matrix a = make(text);
    const std::int64_t m = 3 * n - 2;
    EXPECT_EQ(a.rows, 2 * n * n * n + 6 * n * n);
    EXPECT_EQ(a.nnz(), n * n * n + 6 * n * n + 2 * (m * m * m + 6 * m * m));
    expect_symmetric(text);
  }
}

TEST(generate_wilson, has_39_entries_a_row_and_goes_round) {
  const matrix a = make("wilson(n=3)");
  EXPECT_EQ(a.rows, 12 * 81);
  EXPECT_EQ(gossamer::measure_row_lengths(a.view()), (gossamer::row_length_distribution{{39, 12 * 81}}));
  // Site 0: neighbours 1, 2 (x), 3, 6 (y), 9, 18 (z) and, forward in time, 27. Spin 0 meets spins 0 and 3, in
  // z 2.
  std::vector<std::int32_t> expected;
  for (const std::int32_t site : {1, 2, 3, 6, 9, 18, 27}) {
    const std::int32_t partner = site >= 27 ? 0 : site >= 9 ? 2 : 3;
    for (const std::int32_t spin : {0, partner}) {
      for (std::int32_t colour = 0; colour < 3; ++colour) expected.push_back(site * 12 + spin * 3 + colour);
      if (partner == 0) break;
    }
  }
  EXPECT_EQ(row(a, 0), expected);
  expect_error(errc::invalid_argument, HasSubstr("n = \"2\" is outside [3, 116]"),
               [] { make("wilson(n=2)"); });
}

/// Lengths are rounded at random, so neighbours may differ by one in either direction.
TEST(generate_power_law, sorted_rows_ascend_by_length) {
  const auto largest_descent = [](const char* what) {
    const auto a = gossamer::bench_support::generate<double>(what);
    std::int64_t most = 0;
    for (std::size_t i = 1; i + 1 < a.row_ptr.size(); ++i)
      most =
          std::max<std::int64_t>(most, (a.row_ptr[i] - a.row_ptr[i - 1]) - (a.row_ptr[i + 1] - a.row_ptr[i]));
    return most;
  };
  EXPECT_LE(largest_descent("power_law(rows=2000,mean=8,max=200,sorted=1)"), 1);
  EXPECT_GT(largest_descent("power_law(rows=2000,mean=8,max=200)"), 20);
}

}  // namespace
