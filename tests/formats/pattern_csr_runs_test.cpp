// SPDX-License-Identifier: BSD-3-Clause
// The runs of rows that pattern_csr multiplies without reading their columns: how they are found, and that
// their products are right for every length of a row and of a run, up to the ends of x.
#include <gmock/gmock.h>

#include "bench_support/generate/generate.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "formats/pattern_csr/format.hpp"
#include "gossamer/gossamer.hpp"
#include "support/csr_products.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support {
namespace {

using formats::column_piece;
using formats::pattern_kind;
using formats::pattern_run;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::Ge;
using testing::IsEmpty;
using matrix = csr_matrix<double, std::int64_t>;

/// `rows` rows after `before` rows of one entry; row i of them has the columns first, first + 2, ... moved by
/// i step. Where `piece` is not 1, so many consecutive columns stand for each of these.
matrix one_run(int before, int rows, int length, int step, int first, int cols, int piece = 1) {
  std::vector<std::int32_t> row;
  std::vector<std::int32_t> col;
  for (int i = 0; i < before; ++i) {
    row.push_back(i);
    col.push_back((7 * i) % cols);
  }
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < length; ++k) {
      row.push_back(before + i);
      col.push_back(first + k + k / piece + i * step);
    }
  }
  const auto val = random_vector<double>(static_cast<std::int64_t>(row.size()), 3);
  return csr_from_coo<double, std::int64_t>(
      {.rows = before + rows, .cols = cols, .row = row, .col = col, .val = val});
}

std::vector<pattern_run> runs_of(const matrix& a) {
  formats::found_runs found;
  formats::find_runs(a.view(), 0, a.rows, found);
  return found.run;
}

TEST(pattern_csr_runs, are_rows_moved_by_one_column_or_by_none) {
  EXPECT_THAT(runs_of(one_run(3, 20, 5, 1, 2, 40)), ElementsAre(pattern_run{3, 23, pattern_kind::tiles, 3}));
  EXPECT_THAT(runs_of(one_run(3, 20, 5, 0, 2, 40)), ElementsAre(pattern_run{3, 23, pattern_kind::repeated}));
  EXPECT_THAT(runs_of(one_run(3, 20, 5, 2, 2, 60)), IsEmpty());
}

TEST(pattern_csr_runs, are_not_taken_where_they_are_short) {
  static_assert(formats::least_run_entries == 64 && formats::least_node_entries == 32);
  EXPECT_THAT(runs_of(one_run(0, 7, 9, 1, 0, 40)), IsEmpty());
  EXPECT_THAT(runs_of(one_run(0, 8, 8, 1, 0, 40)), ElementsAre(pattern_run{0, 8, pattern_kind::shifted}));
  EXPECT_THAT(runs_of(one_run(0, 3, 10, 0, 0, 40)), IsEmpty());
  EXPECT_THAT(runs_of(one_run(0, 4, 8, 0, 0, 40)), ElementsAre(pattern_run{0, 4, pattern_kind::repeated}));
}

TEST(pattern_csr_runs, end_where_a_length_or_a_column_changes) {
  // The middle line of three has columns that the others lack; its ends lack some, but belong to it.
  const matrix lines = bench_support::generate<double>("stencil(nx=40,ny=3,nz=1,points=9)");
  EXPECT_THAT(runs_of(lines), ElementsAre(pattern_run{0, 40, pattern_kind::tiles, 5, 1, 0},
                                          pattern_run{40, 80, pattern_kind::tiles, 5, 1, 3},
                                          pattern_run{80, 120, pattern_kind::tiles, 5, 1, 6}));
  matrix changed = one_run(0, 40, 8, 1, 0, 80);
  for (int k = 5; k < 8; ++k) changed.col.data()[20 * 8 + k] += 1;
  EXPECT_THAT(runs_of(changed), ElementsAre(pattern_run{0, 20, pattern_kind::tiles, 3},
                                            pattern_run{21, 40, pattern_kind::tiles, 3}));
}

TEST(pattern_csr_runs, of_another_step_may_follow_at_once) {
  // Rows 0 and 1 are equal but few; the run of moved rows begins with row 1.
  std::vector<std::int64_t> row_ptr{0};
  std::vector<std::int32_t> col;
  for (int i = 0; i < 31; ++i) {
    for (int k = 0; k < 4; ++k) col.push_back(2 * k + std::max(0, i - 1));
    row_ptr.push_back(static_cast<std::int64_t>(col.size()));
  }
  const std::vector<double> val(col.size(), 1.0);
  formats::found_runs found;
  formats::find_runs(
      csr_view<double, std::int64_t>{.rows = 31, .cols = 60, .row_ptr = row_ptr, .col = col, .val = val}, 0,
      31, found);
  EXPECT_THAT(found.run, ElementsAre(pattern_run{1, 31, pattern_kind::tiles, 4}));
}

TEST(pattern_csr_runs, stay_within_units) {
  const matrix a = bench_support::generate<double>("stencil(nx=5000,ny=2,points=5)");
  const auto s = formats::pattern_csr::build(a.view(), {.kernel = formats::pattern_csr_kernel::thread},
                                             {.kind = device_set::cpu});
  ASSERT_GT(s.meta.units, 2);
  for (std::int64_t u = 0; u < s.meta.units; ++u) {
    const auto unit = static_cast<std::size_t>(u);
    // The last unit may be too short for one.
    if (u + 1 < s.meta.units) {
      EXPECT_GT(s.unit_run[unit + 1], s.unit_run[unit]);
    }
    for (auto r = static_cast<std::size_t>(s.unit_run[unit]);
         r < static_cast<std::size_t>(s.unit_run[unit + 1]); ++r) {
      EXPECT_GE(s.run[r].first, s.cut_row[unit]);
      EXPECT_LE(s.run[r].last, s.cut_row[unit + 1]);
    }
  }
}

TEST(pattern_csr_runs, list_pieces_of_columns_where_they_are_long) {
  const auto found_in = [](const matrix& a) {
    formats::found_runs found;
    formats::find_runs(a.view(), 0, a.rows, found);
    return found;
  };
  static_assert(formats::least_piece_mean == 6 && formats::least_piece_mean_alone == 32);
  const auto two = found_in(one_run(2, 6, 14, 0, 3, 40, 9));
  EXPECT_THAT(two.run, ElementsAre(pattern_run{2, 8, pattern_kind::repeated, 2}));
  EXPECT_THAT(two.piece, ElementsAre(column_piece{3, 9}, column_piece{13, 5}));
  EXPECT_THAT(two.node_col, IsEmpty());
  const auto short_ones = found_in(one_run(2, 6, 15, 0, 3, 40, 5));
  EXPECT_THAT(short_ones.run, ElementsAre(pattern_run{2, 8, pattern_kind::repeated, 0}));
  EXPECT_THAT(short_ones.piece, IsEmpty());
  EXPECT_THAT(short_ones.node_col, ElementsAre(3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 15, 16, 17, 18, 19));
  // A long row alone, but not a short one.
  EXPECT_THAT(found_in(one_run(0, 1, 64, 0, 0, 80, 33)).run,
              ElementsAre(pattern_run{0, 1, pattern_kind::repeated, 2}));
  EXPECT_THAT(found_in(one_run(0, 1, 63, 0, 0, 80, 33)).run, IsEmpty());
}

/// Nodes of three rows with 11 to 15 columns far apart, each fourth with two long pieces of them, and a row
/// alone behind each tenth.
matrix scattered_nodes(int nodes) {
  std::vector<std::int32_t> row;
  std::vector<std::int32_t> col;
  std::int32_t rows = 0;
  for (int n = 0; n < nodes; ++n) {
    const int length = 11 + n % 5;
    for (const std::int32_t end = rows + 3; rows < end; ++rows) {
      for (int k = 0; k < length; ++k) {
        row.push_back(rows);
        col.push_back(n % 4 == 3 ? 7 * n % 400 + k + (k > 5 ? 10 : 0) : 61 * k + n * n % 59);
      }
    }
    if (n % 10 == 9) {
      row.push_back(rows++);
      col.push_back(n % 1000);
    }
  }
  const auto val = random_vector<double>(static_cast<std::int64_t>(row.size()), 3);
  return csr_from_coo<double, std::int64_t>({.rows = rows, .cols = 1000, .row = row, .col = col, .val = val});
}

TEST(pattern_csr_runs, list_the_columns_of_nodes_once) {
  const matrix a = scattered_nodes(600);
  for (const auto kernel : {formats::pattern_csr_kernel::thread, formats::pattern_csr_kernel::balanced}) {
    const auto s = formats::pattern_csr::build(a.view(), {.kernel = kernel}, {.kind = device_set::cpu});
    ASSERT_GT(s.meta.units, 20);
    int listed = 0;
    int with_pieces = 0;
    for (std::int64_t u = 0; u < s.meta.units; ++u) {
      const auto unit = static_cast<std::size_t>(u);
      std::int64_t next = s.unit_node_col[unit];
      for (auto r = static_cast<std::size_t>(s.unit_run[unit]);
           r < static_cast<std::size_t>(s.unit_run[unit + 1]); ++r) {
        const pattern_run run = s.run[r];
        ASSERT_EQ(run.kind, pattern_kind::repeated);
        with_pieces += run.parts > 0 ? 1 : 0;
        if (run.parts > 0) continue;
        ++listed;
        const auto row = static_cast<std::size_t>(run.first);
        for (std::int64_t k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k)
          ASSERT_EQ(s.node_col[static_cast<std::size_t>(next++)], a.col[static_cast<std::size_t>(k)])
              << run.first;
      }
      EXPECT_EQ(next, s.unit_node_col[unit + 1]) << u;
    }
    EXPECT_GT(listed, 300);
    EXPECT_GT(with_pieces, 100);
  }
}

TEST(pattern_csr_runs, of_scattered_nodes_have_the_right_products) {
  const matrix a = scattered_nodes(600);
  check_products(a);
}

TEST(pattern_csr_runs, keep_the_rows_of_a_node_in_one_unit) {
  const matrix a = rotated(bench_support::generate<double>("fem(nx=12,ny=12,nz=12,dof=3)"), 9);
  for (const auto kernel : {formats::pattern_csr_kernel::thread, formats::pattern_csr_kernel::balanced}) {
    const auto s = formats::pattern_csr::build(a.view(), {.kernel = kernel}, {.kind = device_set::cpu});
    ASSERT_GT(s.meta.units, 20);
    for (std::int64_t u = 0; u < s.meta.units; ++u) {
      const std::int32_t row = std::as_const(s.cut_row)[static_cast<std::size_t>(u)];
      EXPECT_EQ(row % 3, 0) << u;
      if (kernel == formats::pattern_csr_kernel::balanced) {
        EXPECT_EQ(std::as_const(s.cut_entry)[static_cast<std::size_t>(u)],
                  std::as_const(a.row_ptr)[static_cast<std::size_t>(row)]);
      }
    }
  }
}

TEST(pattern_csr_runs, have_tiles_that_end_with_them) {
  static_assert(formats::tiled_rows == 8);
  const matrix a = one_run(0, 19, 5, 1, 0, 40);
  const auto s = formats::pattern_csr::build(a.view(), {.kernel = formats::pattern_csr_kernel::thread},
                                             {.kind = device_set::cpu});
  ASSERT_EQ(s.tiled.size(), 3u * 8 * 5);
  const int first_row[] = {0, 8, 11};
  for (std::size_t t = 0; t < 3; ++t)
    for (std::size_t k = 0; k < 5; ++k)
      for (std::size_t i = 0; i < 8; ++i)
        EXPECT_EQ(s.tiled[(t * 5 + k) * 8 + i], a.val[(static_cast<std::size_t>(first_row[t]) + i) * 5 + k]);
}

/// One run of `rows` rows with the columns i + 4 k of row i; those of rows for which lacks(i, k) are left
/// out.
template <class Lacks>
matrix matrix_with_masked_rows(int rows, int length, Lacks&& lacks) {
  std::vector<std::int32_t> row;
  std::vector<std::int32_t> col;
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < length; ++k) {
      if (lacks(i, k)) continue;
      row.push_back(i);
      col.push_back(i + 4 * k);
    }
  }
  const auto val = random_vector<double>(static_cast<std::int64_t>(row.size()), 3);
  return csr_from_coo<double, std::int64_t>(
      {.rows = rows, .cols = rows + 4 * (length - 1), .row = row, .col = col, .val = val});
}

TEST(pattern_csr_masked_tiles, are_masked_in_their_tiles) {
  // Lines of ten rows: the first lacks the first column, the last one the last.
  const matrix a = matrix_with_masked_rows(
      20, 4, [](int i, int k) { return (i % 10 == 0 && k == 0) || (i % 10 == 9 && k == 3); });
  const auto s = formats::pattern_csr::build(a.view(), {.kernel = formats::pattern_csr_kernel::thread},
                                             {.kind = device_set::cpu});
  ASSERT_THAT(s.run.span(), ElementsAre(pattern_run{0, 20, pattern_kind::tiles, 3, 1, 0}));
  using formats::masked_tile;
  EXPECT_THAT(s.masked_tiles.span(),
              ElementsAre(masked_tile{0, 0}, masked_tile{1, 4}, masked_tile{2, 8}, masked_tile{3, 12}));
  EXPECT_TRUE(s.extra.empty());
  // Rows 0 to 7, 8 to 15 and 12 to 19.
  EXPECT_THAT(s.mask.span(),
              ElementsAre(0xfe, 0xff, 0xff, 0xff, 0xfb, 0xff, 0xff, 0xfd, 0xff, 0xff, 0xff, 0x7f));
  ASSERT_EQ(s.tiled.size(), 3u * 4 * 8);
  const int first_row[] = {0, 8, 12};
  std::size_t holes = 0;
  for (std::size_t t = 0; t < 3; ++t) {
    for (std::size_t i = 0; i < 8; ++i) {
      const std::size_t row = static_cast<std::size_t>(first_row[t]) + i;
      auto e = static_cast<std::size_t>(a.row_ptr[row]);
      for (std::size_t k = 0; k < 4; ++k) {
        const bool lacks = (row % 10 == 0 && k == 0) || (row % 10 == 9 && k == 3);
        EXPECT_EQ(s.tiled[(t * 4 + k) * 8 + i], lacks ? 0.0 : a.val[e]) << row << " " << k;
        if (lacks)
          ++holes;
        else
          ++e;
      }
    }
  }
  EXPECT_EQ(holes, 4u);
}

TEST(pattern_csr_masked_tiles, are_in_one_row_of_four_and_eight_together_at_most) {
  static_assert(formats::min_rows_per_masked_row == 4 && formats::max_consecutive_masked_rows == 8);
  const auto gap = [](int first, int rows) {
    return runs_of(matrix_with_masked_rows(
        80, 4, [&](int i, int k) { return i >= first && i < first + rows && k == i % 4; }));
  };
  EXPECT_THAT(gap(40, 7), ElementsAre(pattern_run{0, 80, pattern_kind::tiles, 10, 0, 0}));
  EXPECT_EQ(gap(40, 9).size(), 2u);
  // Row 0 is whole, but alone: the model is row 4, and the run has what stands before.
  EXPECT_THAT(gap(1, 3), ElementsAre(pattern_run{0, 80, pattern_kind::tiles, 10, 4, 0}));
  const auto every = [](int lines) {
    return runs_of(matrix_with_masked_rows(80, 7, [&](int i, int k) { return i % lines == 0 && k == 3; }));
  };
  EXPECT_THAT(every(4), ElementsAre(pattern_run{0, 80, pattern_kind::tiles, 10, 1, 0}));
  EXPECT_THAT(every(3), IsEmpty());
}

/// The rows of matrix_with_masked_rows, and beside in each row i the columns others(i).
template <class Lacks, class Others>
matrix with_others(int rows, int length, Lacks&& lacks, Others&& others) {
  const matrix run = matrix_with_masked_rows(rows, length, lacks);
  std::vector<std::int32_t> row;
  std::vector<std::int32_t> col;
  std::int32_t last = static_cast<std::int32_t>(run.cols) - 1;
  for (int i = 0; i < rows; ++i) {
    const auto begin = static_cast<std::size_t>(run.row_ptr[static_cast<std::size_t>(i)]);
    const auto end = static_cast<std::size_t>(run.row_ptr[static_cast<std::size_t>(i) + 1]);
    std::vector<std::int32_t> all(run.col.data() + begin, run.col.data() + end);
    for (const int other : others(i)) all.push_back(other);
    std::sort(all.begin(), all.end());
    for (const std::int32_t j : all) {
      row.push_back(i);
      col.push_back(j);
      last = std::max(last, j);
    }
  }
  const auto val = random_vector<double>(static_cast<std::int64_t>(row.size()), 3);
  return csr_from_coo<double, std::int64_t>(
      {.rows = rows, .cols = last + 1, .row = row, .col = col, .val = val});
}

TEST(pattern_csr_masked_tiles, may_have_extra_entries) {
  using formats::extra_entry;
  using formats::masked_tile;
  // Row 10 has all four columns and one behind them, row 13 two others instead of its second and its last; 20
  // rows are tiles from 0, 8 and 12.
  const matrix a = with_others(
      20, 4, [](int i, int k) { return i == 13 && (k == 1 || k == 3); },
      [](int i) {
        return i == 10 ? std::vector<int>{27} : i == 13 ? std::vector<int>{0, 18} : std::vector<int>{};
      });
  const auto s = formats::pattern_csr::build(a.view(), {.kernel = formats::pattern_csr_kernel::thread},
                                             {.kind = device_set::cpu});
  ASSERT_THAT(s.run.span(), ElementsAre(pattern_run{0, 20, pattern_kind::tiles, 3, 0, 0}));
  // The last tile repeats row 13, whose other entries stay with the tile before.
  EXPECT_THAT(s.masked_tiles.span(),
              ElementsAre(masked_tile{1, 0, 0}, masked_tile{2, 4, 3}, masked_tile{3, 8, 3}));
  EXPECT_THAT(s.mask.span(), ElementsAre(0xff, 0xdf, 0xff, 0xdf, 0xff, 0xfd, 0xff, 0xfd));
  EXPECT_THAT(s.extra.span(), ElementsAre(extra_entry{2, 27}, extra_entry{5, 0}, extra_entry{5, 18}));
  const auto entry = [&](int row, int k) { return a.val[static_cast<std::size_t>(a.row_ptr[row] + k)]; };
  EXPECT_THAT(s.extra_val.span(), ElementsAre(entry(10, 4), entry(13, 0), entry(13, 2)));
  check_products(a);
}

TEST(pattern_csr_masked_tiles, have_at_most_two_extra_entries_per_row) {
  static_assert(formats::max_extra_entries == 2);
  const auto runs = [](int others) {
    return runs_of(with_others(
        40, 5, [](int, int) { return false; },
        [&](int i) {
          std::vector<int> columns;
          for (int k = 0; i == 20 && k < others; ++k) columns.push_back(45 + k);
          return columns;
        }));
  };
  EXPECT_THAT(runs(1), ElementsAre(pattern_run{0, 40, pattern_kind::tiles, 5, 0, 0}));
  EXPECT_THAT(runs(2), ElementsAre(pattern_run{0, 40, pattern_kind::tiles, 5, 0, 0}));
  EXPECT_THAT(runs(3), ElementsAre(pattern_run{0, 20, pattern_kind::tiles, 3},
                                   pattern_run{21, 40, pattern_kind::tiles, 3}));
}

/// In every row of a tile and of a run's last one, before, between and behind the run's columns, in rows that
/// lack some of these and in rows that lack none.
TEST(pattern_csr_masked_tiles, multiply_correctly_with_extra_entries) {
  int in_whole_rows = 0;
  int extra_entries_in_masked_tiles = 0;
  for (const int length : {2, 5, 7, 9, 17}) {
    for (int rows = 64; rows < 64 + 9; ++rows) {
      for (const int line : {5, 7, 11, 27}) {
        SCOPED_TRACE(testing::Message() << "length " << length << " rows " << rows << " line " << line);
        const auto odd = [&](int i) { return i % line == line - 1; };
        const auto lacks = [&](int i, int k) { return odd(i) && i / line % 2 == 1 && k % 2 == 0; };
        const matrix a = with_others(rows, length, lacks, [&](int i) {
          const int behind = rows + 4 * length + i % 5;
          if (!odd(i)) return std::vector<int>{};
          switch (i / line / 2 % 4) {
            case 0:
              return std::vector<int>{i + 1, behind};
            case 1:
              return std::vector<int>{behind};
            case 2:
              return std::vector<int>{i + 2};
            default:
              return std::vector<int>{i - 1};
          }
        });
        formats::found_runs found;
        formats::find_runs(a.view(), 0, a.rows, found);
        for (const std::int64_t e : found.extra_at) {
          const auto row =
              std::upper_bound(a.row_ptr.data(), a.row_ptr.data() + a.rows, e) - a.row_ptr.data() - 1;
          (lacks(static_cast<int>(row), 0) ? extra_entries_in_masked_tiles : in_whole_rows) += 1;
        }
        check_products(a);
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(in_whole_rows, 500);
  EXPECT_GT(extra_entries_in_masked_tiles, 500);
}

TEST(pattern_csr_masked_tiles, with_extra_entries_confine_inf_and_nan_and_take_new_values) {
  const auto odd = [](int i) { return i % 9 == 8; };
  const matrix a = with_others(
      70, 5, [&](int i, int k) { return odd(i) && k == 2; },
      [&](int i) { return odd(i) ? std::vector<int>{95 + i % 3} : std::vector<int>{}; });
  check_inf_and_nan(a);
  const auto x = random_vector<double>(a.cols, 5);
  const auto fresh = random_vector<double>(static_cast<std::int64_t>(a.val.size()), 9);
  auto plan = inspect(a.view(), cpu{.threads = 2}, {.format = "pattern_csr", .values_change = true});
  plan.update_values(fresh);
  std::vector<double> updated(static_cast<std::size_t>(a.rows));
  plan.multiply(1.0, x, 0.0, updated);
  const csr_view<double, std::int64_t> changed{
      .rows = a.rows, .cols = a.cols, .row_ptr = a.row_ptr.span(), .col = a.col.span(), .val = fresh};
  std::vector<double> made(updated.size());
  inspect(changed, cpu{.threads = 2}, {.format = "pattern_csr"}).multiply(1.0, x, 0.0, made);
  EXPECT_TRUE(same_bits(updated, made));
}

TEST(pattern_csr_runs, have_no_tiles_where_there_would_be_too_many) {
  const auto a = bench_support::generate<float>("stencil(nx=300,ny=300,points=9)");
  const auto tiled = [&](std::int64_t most) {
    return formats::find_runs_of_units(
               a.view(), 1, [](std::int64_t) { return std::int64_t{0}; },
               [&](std::int64_t) { return a.rows; }, most)
        .unit_tiled.data()[1];
  };
  const std::int64_t all = tiled(formats::most_tiled);
  EXPECT_GT(all, 700'000);
  EXPECT_EQ(tiled(all), all);
  EXPECT_EQ(tiled(all - 1), 0);
}

TEST(pattern_csr_runs, multiply_correctly) {
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (!runs_here(level)) continue;
    for (const int step : {0, 1}) {
      for (int length = 1; length <= 35; ++length) {
        const auto least = static_cast<int>(formats::least_entries(step));
        const int fewest = std::max(2, (least + length - 1) / length);
        for (int rows = fewest; rows < fewest + 9; ++rows) {
          const int cols = 2 * length + rows * step;
          const matrix a = rotated(one_run(rows % 3, rows, length, step, 0, cols), 1);
          ASSERT_EQ(runs_of(a).size(), 1u);
          SCOPED_TRACE(testing::Message() << "step " << step << " length " << length << " rows " << rows);
          check_product<float>(a, level, 1, "thread");
          check_product<double>(a, level, 1, "balanced");
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

/// Rows alone of 0 to 70 entries in no order: past several vectors of every width, and every rest.
matrix rows_by_themselves(int rows) {
  constexpr int cols = 5000;
  std::vector<std::int64_t> row_ptr{0};
  std::vector<std::int32_t> col;
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < (i * 37) % 71; ++k) col.push_back((i * 613 + k * k * 7 + k * 131) % cols);
    row_ptr.push_back(static_cast<std::int64_t>(col.size()));
  }
  const auto val = random_vector<double>(static_cast<std::int64_t>(col.size()), 3);
  return copy<double, std::int64_t, std::int64_t>(
      {.rows = rows, .cols = cols, .row_ptr = row_ptr, .col = col, .val = val});
}

/// 640 rows stay in a core's cache; 7000 take 2 MB in f32, so that one thread asks for entries ahead, up to
/// the end of the arrays and behind it.
TEST(pattern_csr_runs, have_rows_by_themselves_between_them) {
  for (const int rows : {640, 7000}) {
    const matrix a = rows_by_themselves(rows);
    EXPECT_THAT(runs_of(a), IsEmpty());
    for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
      if (!runs_here(level)) continue;
      for (const char* const kernel : {"thread", "balanced"}) {
        SCOPED_TRACE(testing::Message() << rows << " rows, " << kernel);
        check_product<float>(a, level, 1, kernel);
        check_product<double>(a, level, 1, kernel);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(pattern_csr_runs, of_pieces_have_the_right_products) {
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (!runs_here(level)) continue;
    for (const int piece : {6, 7, 8, 9, 15, 16, 17, 31, 40, 70}) {
      for (const int length : {64, 65, 81, 100, 150}) {
        for (int rows = 1; rows <= 6; ++rows) {
          const matrix a = one_run(2, rows, length, 0, 0, length + (length - 1) / piece, piece);
          const auto runs = runs_of(a);
          const int mean = length / ((length + piece - 1) / piece);
          ASSERT_EQ(runs.size(), rows > 1 || mean >= 32 ? 1u : 0u);
          SCOPED_TRACE(testing::Message() << "piece " << piece << " length " << length << " rows " << rows);
          check_product<float>(a, level, 1, "balanced");
          check_product<double>(a, level, 1, "thread");
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

/// Every row but its own has Inf where a row has a hole, and the columns of holes may lie before x and behind
/// it.
TEST(pattern_csr_masked_tiles, multiply_correctly) {
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (!runs_here(level)) continue;
    for (const int length : {2, 5, 7, 9, 17}) {
      for (int rows = 64; rows < 64 + 9; ++rows) {
        for (const int line : {4, 27}) {
          SCOPED_TRACE(testing::Message() << "length " << length << " rows " << rows << " line " << line);
          // A band, so that the first rows lack columns before x and the last ones behind it.
          std::vector<std::int32_t> row;
          std::vector<std::int32_t> col;
          for (int i = 0; i < rows; ++i) {
            for (int k = 0; k < length; ++k) {
              const int j = i + 2 * k - length;
              if (j < 0 || j >= rows || (i % line == line - 1 && k % 3 == i % 3)) continue;
              row.push_back(i);
              col.push_back(j);
            }
          }
          const auto val = random_vector<double>(static_cast<std::int64_t>(row.size()), 3);
          const auto a = csr_from_coo<double, std::int64_t>(
              {.rows = rows, .cols = rows, .row = row, .col = col, .val = val});
          ASSERT_THAT(runs_of(a), Contains(Field(&pattern_run::first_tile, Ge(0))));
          check_product<float>(a, level, 1, "thread");
          check_product<double>(a, level, 1, "balanced");
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(pattern_csr_masked_tiles, keep_inf_and_nan_to_the_rows_that_refer_to_them) {
  const matrix a = bench_support::generate<double>("stencil(nx=20,ny=9,points=5)");
  check_inf_and_nan(a);
}

/// Columns in no order, one of them twice: a row that has it once has the first of the two.
TEST(pattern_csr_masked_tiles, may_have_duplicate_columns) {
  std::vector<std::int64_t> row_ptr{0};
  std::vector<std::int32_t> col;
  for (int i = 0; i < 24; ++i) {
    for (const int k : {9, 0, 3, 3, 5})
      if (i % 9 != 8 || (k != 3 && k != 0) || (k == 3 && col.back() == i + 9)) col.push_back(i + k);
    row_ptr.push_back(static_cast<std::int64_t>(col.size()));
  }
  auto val = random_vector<double>(static_cast<std::int64_t>(col.size()), 3);
  val[7] = 0;
  const matrix a = copy<double, std::int64_t, std::int64_t>(
      {.rows = 24, .cols = 33, .row_ptr = row_ptr, .col = col, .val = val});
  const auto s = formats::pattern_csr::build(a.view(), {.kernel = formats::pattern_csr_kernel::thread},
                                             {.kind = device_set::cpu});
  ASSERT_THAT(s.run.span(), ElementsAre(pattern_run{0, 24, pattern_kind::tiles, 3, 0, 0}));
  EXPECT_THAT(s.mask.span(), ElementsAre(0xff, 0xfe, 0xff, 0xfe, 0xff, 0xff, 0xfd, 0xff, 0xfd, 0xff));
  check_product<double>(a, isa::baseline, 1, "thread");
}

TEST(pattern_csr_masked_tiles, are_cut_by_units) {
  const matrix a = bench_support::generate<double>("stencil(nx=27,ny=200,points=5)");
  const auto s = formats::pattern_csr::build(a.view(), {.kernel = formats::pattern_csr_kernel::thread},
                                             {.kind = device_set::cpu});
  ASSERT_GT(s.meta.units, 4);
  std::int64_t cut = 0;
  for (std::size_t u = 0; u < static_cast<std::size_t>(s.meta.units); ++u) {
    for (auto r = static_cast<std::size_t>(std::as_const(s.unit_run)[u]);
         r < static_cast<std::size_t>(std::as_const(s.unit_run)[u + 1]); ++r) {
      const pattern_run& run = s.run[r];
      EXPECT_GE(run.first, s.cut_row[u]);
      EXPECT_LE(run.last, s.cut_row[u + 1]);
      if (run.first_tile >= 0 && u > 0 && run.first == s.cut_row[u] && run.first % 27 != 0) ++cut;
    }
  }
  EXPECT_GT(cut, 2);
  check_product<double>(a, isa::baseline, 3, "thread");
}

/// What the only unit of a matrix takes.
std::int64_t cost_of_unit(const matrix& a) {
  const auto s = formats::pattern_csr::build(a.view(), {.kernel = formats::pattern_csr_kernel::thread},
                                             {.kind = device_set::cpu});
  EXPECT_EQ(s.meta.units, 1);
  return s.unit_cost[1];
}

TEST(pattern_csr_unit_cost, is_that_of_the_way_that_rows_are_multiplied) {
  constexpr formats::pattern_cost cost = formats::pattern_cost_of<double>();
  constexpr formats::separate_row_cost alone = formats::separate_row_cost_of<double>();
  EXPECT_EQ(cost_of_unit(one_run(3, 20, 5, 1, 2, 40)),
            3 * alone.short_row + cost.run + 3 * 8 * 5 * cost.tiled_entry);
  EXPECT_EQ(cost_of_unit(rotated(one_run(3, 15, 5, 1, 2, 40), 1)),
            3 * alone.short_row + cost.run + 15 * 5 * cost.shifted_entry);
  // 20 rows are three tiles, of which row 10 is in one.
  EXPECT_EQ(cost_of_unit(matrix_with_masked_rows(20, 5, [](int i, int k) { return i == 10 && k == 2; })),
            cost.run + 3 * 8 * 5 * cost.tiled_entry + cost.masked_tile);
  const auto extra = [](int i) { return i == 10 ? std::vector<int>{30, 32} : std::vector<int>{}; };
  EXPECT_EQ(cost_of_unit(with_others(
                20, 5, [](int, int) { return false; }, extra)),
            cost.run + 3 * 8 * 5 * cost.tiled_entry + cost.masked_tile + 2 * cost.extra_entry);
  // Pieces of 9, of 9 and of 2 numbers: 2, 2 and 1 times 64 bytes; six rows are two groups.
  EXPECT_EQ(cost_of_unit(one_run(1, 6, 20, 0, 3, 40, 9)),
            alone.short_row + 2 * (cost.group + 5 * cost.group_piece));
  EXPECT_EQ(cost_of_unit(one_run(1, 6, 20, 0, 3, 60, 2)),
            alone.short_row + 2 * (cost.group + 3 * cost.group_lanes));
  EXPECT_EQ(cost_of_unit(one_run(2, 1, 20, 0, 3, 60)),
            2 * alone.short_row + alone.long_row + 3 * alone.lanes);
}

TEST(pattern_csr_runs, of_tiles_follow_new_values) {
  const matrix a = bench_support::generate<double>("stencil(nx=50,ny=7,points=5)");
  const auto x = random_vector<double>(a.cols, 5);
  const auto fresh = random_vector<double>(static_cast<std::int64_t>(a.val.size()), 9);
  auto plan = inspect(a.view(), cpu{.threads = 2}, {.format = "pattern_csr", .values_change = true});
  plan.update_values(fresh);
  const csr_view<double, std::int64_t> changed{
      .rows = a.rows, .cols = a.cols, .row_ptr = a.row_ptr.span(), .col = a.col.span(), .val = fresh};
  std::vector<double> updated(static_cast<std::size_t>(a.rows));
  std::vector<double> made(updated.size());
  plan.multiply(1.0, x, 0.0, updated);
  inspect(changed, cpu{.threads = 2}, {.format = "pattern_csr"}).multiply(1.0, x, 0.0, made);
  EXPECT_TRUE(same_bits(updated, made));
}

TEST(pattern_csr_runs, give_the_same_bits_for_any_number_of_threads) {
  for (const char* text : {"stencil(nx=90,ny=80,points=9)", "stencil(nx=9,ny=90,nz=9)",
                           "fem(nx=7,ny=7,nz=7,dof=3)", "dense(300)"}) {
    const matrix a = bench_support::generate<double>(text);
    const auto x = random_vector<double>(a.cols, 5);
    for (const char* kernel : {"thread", "balanced"}) {
      std::vector<double> first(static_cast<std::size_t>(a.rows));
      inspect(a.view(), cpu{.threads = 1}, {.format = "pattern_csr", .options = {{"kernel", kernel}}})
          .multiply(1.0, x, 0.0, first);
      for (const int threads : {2, 3, 7}) {
        std::vector<double> y(first.size());
        inspect(a.view(), cpu{.threads = threads}, {.format = "pattern_csr", .options = {{"kernel", kernel}}})
            .multiply(1.0, x, 0.0, y);
        EXPECT_TRUE(same_bits(first, y)) << text << " " << kernel << " " << threads;
      }
    }
  }
}

}  // namespace
}  // namespace gossamer::testing_support
