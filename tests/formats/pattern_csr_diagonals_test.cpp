// SPDX-License-Identifier: BSD-3-Clause
// The diagonal tiles of pattern_csr: which rows have them, what is stored, and that their products are right
// up to the ends of x.
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

using formats::diagonal_tile;
using formats::pattern_kind;
using formats::pattern_run;
using testing::ElementsAre;
using testing::IsEmpty;
using matrix = csr_matrix<double, std::int64_t>;

/// Row i has the columns i + offset, in the order of the offsets, where there are such columns and not
/// lacks(i, number of the offset).
template <class Lacks>
matrix on_offsets(int rows, int cols, const std::vector<int>& offsets, Lacks&& lacks) {
  std::vector<std::int32_t> row;
  std::vector<std::int32_t> col;
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < static_cast<int>(offsets.size()); ++k) {
      const int j = i + offsets[static_cast<std::size_t>(k)];
      if (j < 0 || j >= cols || lacks(i, k)) continue;
      row.push_back(i);
      col.push_back(j);
    }
  }
  const auto val = random_vector<double>(static_cast<std::int64_t>(row.size()), 3);
  return csr_from_coo<double, std::int64_t>({.rows = rows, .cols = cols, .row = row, .col = col, .val = val});
}

/// A quarter of the entries is missing, differently in neighbouring rows, so that these make no run.
bool a_quarter(int i, int k) {
  return (5 * i + 3 * k + i / 8) % 4 == 0;
}

formats::pattern_csr_storage<double, std::int64_t, host_buffer> stored(const matrix& a) {
  return formats::pattern_csr::build(a.view(), {.kernel = formats::pattern_csr_kernel::thread},
                                     {.kind = device_set::cpu});
}

TEST(pattern_csr_diagonals, are_listed_with_those_of_all_rows_first) {
  const matrix a = on_offsets(11, 11, {-1, 0, 2}, [](int i, int k) { return i == 3 && k == 1; });
  const auto s = stored(a);
  // Three rows are left.
  EXPECT_THAT(s.run.span(), ElementsAre(pattern_run{0, 8, pattern_kind::diagonal_tiles, 1, 0, 0}));
  EXPECT_THAT(s.diagonal_tiles.span(), ElementsAre(diagonal_tile{0, 0}, diagonal_tile{3, 2}));
  EXPECT_THAT(s.diagonal.span(), ElementsAre(2, -1, 0));
  EXPECT_THAT(s.diagonal_mask.span(), ElementsAre(0xfe, 0xf7));
  ASSERT_EQ(s.tiled.size(), 3u * 8);
  EXPECT_EQ(std::as_const(s.unit_tiled)[1], 24);
  const int offset[] = {2, -1, 0};
  for (int place = 0; place < 3; ++place) {
    for (int i = 0; i < 8; ++i) {
      double value = 0;
      for (auto e = a.row_ptr[static_cast<std::size_t>(i)]; e < a.row_ptr[static_cast<std::size_t>(i) + 1];
           ++e)
        if (a.col[static_cast<std::size_t>(e)] == i + offset[place])
          value = a.val[static_cast<std::size_t>(e)];
      EXPECT_EQ(s.tiled[static_cast<std::size_t>(place * 8 + i)], value) << place << " " << i;
    }
  }
}

TEST(pattern_csr_diagonals, have_nine_places_for_four_entries_at_most) {
  static_assert(formats::most_places_of_four == 9 && formats::diagonal_rows == 8);
  // Eight diagonals of one row each, and so many of all rows.
  const auto tiles = [](int entries_on_others) {
    std::vector<std::int32_t> row;
    std::vector<std::int32_t> col;
    for (int i = 0; i < 8; ++i) {
      row.push_back(i);
      col.push_back(3 * i);
      for (int k = 0; k < entries_on_others; ++k) {
        row.push_back(i);
        col.push_back(100 + 3 * k + i);
      }
    }
    const auto val = random_vector<double>(static_cast<std::int64_t>(row.size()), 3);
    const matrix a =
        csr_from_coo<double, std::int64_t>({.rows = 8, .cols = 200, .row = row, .col = col, .val = val});
    const auto s = stored(a);
    return s.run.size() == 1 && s.run[0].kind == pattern_kind::diagonal_tiles ? s.diagonal.size() : 0u;
  };
  // 8 + n diagonals, 8 + 8 n entries: 9 for four is 32 (8 + n) <= 9 (8 + 8 n).
  EXPECT_EQ(tiles(4), 0u);
  EXPECT_EQ(tiles(5), 13u);
}

TEST(pattern_csr_diagonals, have_half_of_what_no_other_run_has) {
  int kept = 0;
  for (int scattered = 0; scattered <= 24; ++scattered) {
    // A shifted pattern, 16 rows for tiles, and rows of five columns far apart.
    std::vector<std::int32_t> row;
    std::vector<std::int32_t> col;
    std::int64_t in_tiles = 0;
    for (int i = 0; i < 32 + scattered; ++i) {
      for (int k = 0; k < 5; ++k) {
        if (i >= 16 && i < 32 && a_quarter(i, k)) continue;
        in_tiles += i >= 16 && i < 32 ? 1 : 0;
        row.push_back(i);
        col.push_back(i < 16 ? 3 * k + i : i < 32 ? 16 + k * k + i : 200 * k + 37 * i % 200);
      }
    }
    const auto val = random_vector<double>(static_cast<std::int64_t>(row.size()), 3);
    const matrix a = csr_from_coo<double, std::int64_t>(
        {.rows = 32 + scattered, .cols = 1000, .row = row, .col = col, .val = val});
    const auto s = stored(a);
    ASSERT_EQ(s.meta.units, 1);
    const pattern_run first{0, 16, pattern_kind::tiles, 2};
    if (5 * scattered <= in_tiles) {
      ++kept;
      ASSERT_GE(s.run.size(), 2u) << scattered;
      EXPECT_EQ(s.run[0], first) << scattered;
      EXPECT_EQ(s.run[1], (pattern_run{16, 32, pattern_kind::diagonal_tiles, 2, 0, 0})) << scattered;
    } else {
      EXPECT_EQ(s.run[0], first) << scattered;
      for (const pattern_run& run : s.run.span())
        EXPECT_NE(run.kind, pattern_kind::diagonal_tiles) << scattered;
    }
    check_product<double>(a, isa::baseline, 1, "thread");
  }
  EXPECT_GT(kept, 8);
  EXPECT_LT(kept, 16);
}

TEST(pattern_csr_diagonals, need_sorted_rows_without_duplicates) {
  matrix a = on_offsets(32, 60, {0, 1, 5, 9, 20}, a_quarter);
  EXPECT_EQ(stored(a).diagonal_tiles.size(), 5u);
  const auto second = static_cast<std::size_t>(a.row_ptr[10]);
  std::swap(a.col[second], a.col[second + 1]);
  EXPECT_THAT(stored(a).run.span(), ElementsAre(pattern_run{0, 8, pattern_kind::diagonal_tiles, 1, 0, 0},
                                                pattern_run{8, 16, pattern_kind::lane_slices, 1, 0, 3},
                                                pattern_run{16, 32, pattern_kind::diagonal_tiles, 2, 0, 1}));
  a.col[second] = a.col[second + 1];
  EXPECT_EQ(stored(a).diagonal_tiles.size(), 5u);
  check_product<double>(a, isa::baseline, 1, "thread");
}

TEST(pattern_csr_diagonals, of_large_matrices_are_where_neighbours_share_diagonals) {
  const auto tiles = [](int rows, auto lacks) {
    return stored(on_offsets(rows, rows + 60, {0, 1, 5, 9, 20, 30}, lacks)).diagonal_tiles.size();
  };
  // 4 places for 3 entries, and 2 for one.
  const auto half = [](int i, int k) { return (i + k) % 2 == 0; };
  const auto half_in_fours = [&](int i, int k) { return half(i / 4, k); };
  EXPECT_EQ(tiles(1000, a_quarter), 1000u / 8 + 1);
  EXPECT_EQ(tiles(1000, half), 1000u / 8 + 1);
  EXPECT_GT(tiles(480'000, a_quarter), 400'000u / 8);
  EXPECT_EQ(tiles(720'000, half), 0u);
  EXPECT_GT(tiles(720'000, half_in_fours), 600'000u / 8);
}

TEST(pattern_csr_diagonals, of_large_matrices_leave_nodes_alone) {
  static_assert(formats::stays_near<double>(2'097'152) && !formats::stays_near<double>(2'097'153));
  static_assert(formats::stays_near<float>(4'194'304) && !formats::stays_near<float>(4'194'305));
  EXPECT_GT(stored(bench_support::generate<double>("fem(nx=10,dof=3)")).diagonal_tiles.size(), 100u);
  const auto large = stored(bench_support::generate<double>("fem(nx=22,dof=3)"));
  ASSERT_FALSE(formats::stays_near<double>(large.meta.nnz));
  EXPECT_LT(large.diagonal_tiles.size(), static_cast<std::size_t>(large.meta.rows) / 100);
  EXPECT_GT(large.run.size(), 1000u);
}

TEST(pattern_csr_diagonals, coexist_with_runs_in_large_matrices) {
  // Rows with holes between two runs that are tiled.
  const matrix a = on_offsets(360'000, 360'100, {0, 1, 5, 9, 20, 30, 44},
                              [](int i, int k) { return i / 120'000 == 1 && a_quarter(i, k); });
  ASSERT_FALSE(formats::stays_near<double>(a.nnz()));
  const auto s = stored(a);
  EXPECT_GT(s.diagonal_tiles.size(), 110'000u / 8);
  EXPECT_LT(s.diagonal_tiles.size(), 130'000u / 8);
  check_product<float>(a, isa::baseline, 2, "thread");
  check_product<double>(a, isa::baseline, 2, "balanced");
}

TEST(pattern_csr_diagonals, leave_tiles_of_runs_as_they_are) {
  const matrix lines = bench_support::generate<double>("stencil(nx=40,ny=3,nz=1,points=9)");
  EXPECT_THAT(stored(lines).diagonal_tiles.span(), IsEmpty());
  // 20 rows without order, of which the run takes seven, since they have no other columns; and 20 behind it.
  const matrix a = on_offsets(20 + 24 + 20, 120, {0, 1, 5, 9, 20},
                              [](int i, int k) { return (i < 20 || i >= 44) && a_quarter(i, k); });
  const auto s = stored(a);
  ASSERT_EQ(s.run.size(), 3u);
  EXPECT_EQ(s.run[0], (pattern_run{0, 8, pattern_kind::diagonal_tiles, 1, 0, 0}));
  EXPECT_EQ(s.run[1].first, 13);
  EXPECT_EQ(s.run[1].kind, pattern_kind::tiles);
  EXPECT_GT(s.run[1].parts, 0);
  EXPECT_EQ(s.run[2],
            (pattern_run{s.run[1].last, s.run[1].last + 16, pattern_kind::diagonal_tiles, 2, 0, 1}));
  check_product<float>(a, isa::baseline, 1, "thread");
}

TEST(pattern_csr_diagonals, are_where_units_begin) {
  const matrix a = on_offsets(9000, 9100, {0, 1, 5, 9, 20, 30, 44}, a_quarter);
  for (const auto kernel : {formats::pattern_csr_kernel::thread, formats::pattern_csr_kernel::balanced}) {
    const auto s = formats::pattern_csr::build(a.view(), {.kernel = kernel}, {.kind = device_set::cpu});
    ASSERT_GT(s.meta.units, 20);
    EXPECT_EQ(s.diagonal_tiles.size(), 9000u / 8 + 1);
    for (std::size_t u = 0; u < static_cast<std::size_t>(s.meta.units); ++u)
      EXPECT_EQ(std::as_const(s.cut_row)[u] % 8, 0) << u;
  }
}

/// The first and the last rows lack columns before x and behind it; every number of rows behind the last
/// tile, diagonals of all rows and of some, in odd and in even numbers.
TEST(pattern_csr_diagonals, multiply_correctly) {
  int made = 0;
  int with_tiles = 0;
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (!runs_here(level)) continue;
    for (int count = 2; count <= 9; ++count) {
      for (const int whole : {0, 1, 2, 5}) {
        for (int rows = 16; rows < 16 + 9; ++rows) {
          std::vector<int> offsets;
          for (int k = 0; k < count; ++k) offsets.push_back(3 * k - count);
          const matrix a = on_offsets(rows, rows, offsets, [&](int i, int k) {
            return k >= whole && (5 * i + 3 * k + i / 8) % 8 == 0;
          });
          ++made;
          with_tiles += stored(a).diagonal_tiles.empty() ? 0 : 1;
          SCOPED_TRACE(testing::Message()
                       << count << " diagonals, " << whole << " of all rows, " << rows << " rows");
          check_product<float>(a, level, 1, "thread");
          check_product<double>(a, level, 1, "balanced");
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  // Where no entry is missing there are runs instead.
  EXPECT_GT(with_tiles, made / 2);
}

/// Values that fill more than the second-level caches stand without the zeros between.
TEST(pattern_csr_diagonals, without_zeros_have_the_right_products) {
  const matrix a = on_offsets(700'003, 700'003, {-9, -4, 0, 1, 5, 9, 20, 30, 44}, a_quarter);
  ASSERT_FALSE(formats::stores_zeros<float>(a.nnz()));
  const auto s = stored(a);
  ASSERT_GT(s.diagonal_tiles.size(), 80'000u);
  // Each run's values begin at a multiple of eight, and a tile reads eight behind the last.
  EXPECT_LE(s.tiled.size(), static_cast<std::size_t>(a.nnz()) + 8 + 7 * s.run.size());
  EXPECT_LT(7 * s.run.size(), static_cast<std::size_t>(a.nnz()) / 100);
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (!runs_here(level)) continue;
    check_product<float>(a, level, 2, "balanced");
    check_product<double>(a, level, 1, "thread");
    if (HasFatalFailure()) return;
  }
}

TEST(pattern_csr_diagonals, keep_inf_and_nan_to_the_rows_that_refer_to_them) {
  const matrix a = on_offsets(45, 45, {-7, -3, 0, 1, 2, 6, 11}, a_quarter);
  ASSERT_EQ(stored(a).diagonal_tiles.size(), 6u);
  check_inf_and_nan(a);
}

/// Tiles are multiplied without masks first; what x has where a row has no entry must not be in the sum that
/// stays.
TEST(pattern_csr_diagonals, without_zeros_keep_inf_and_nan_to_the_rows_that_refer_to_them) {
  const matrix a = on_offsets(330'000, 330'000, {-9, -4, 0, 1, 5, 9, 20, 30, 44}, a_quarter);
  ASSERT_FALSE(formats::stores_zeros<double>(a.nnz()));
  ASSERT_GT(stored(a).diagonal_tiles.size(), 30'000u);
  const auto plain = random_vector<double>(a.cols, 5);
  auto x = plain;
  for (std::size_t j = 1000; j + 1000 < x.size(); j += 997)
    x[j] = j % 2 == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (!runs_here(level)) continue;
    const auto plan = inspect(a.view(), cpu{.threads = 2, .level = level}, {.format = "pattern_csr"});
    std::vector<double> usual(static_cast<std::size_t>(a.rows));
    plan.multiply(1.0, plain, 0.0, usual);
    std::vector<double> y(usual.size());
    plan.multiply(1.0, x, 0.0, y);
    for (std::size_t i = 0; i < y.size(); ++i) {
      bool refers = false;
      for (auto e = a.row_ptr[i]; e < a.row_ptr[i + 1]; ++e)
        refers |= !std::isfinite(x[static_cast<std::size_t>(a.col[static_cast<std::size_t>(e)])]);
      if (refers)
        ASSERT_FALSE(std::isfinite(y[i])) << "row " << i;
      else
        ASSERT_EQ(y[i], usual[i]) << "row " << i;
    }
    ASSERT_NO_FATAL_FAILURE(check_pack(plan, x, 0.0));
  }
}

/// A sum that overflows is what makes a tile be multiplied twice where x is finite.
TEST(pattern_csr_diagonals, give_infinite_sums_where_values_are_infinite) {
  matrix a = on_offsets(64, 90, {0, 1, 5, 9, 20}, a_quarter);
  ASSERT_GT(stored(a).diagonal_tiles.size(), 5u);
  a.val[static_cast<std::size_t>(a.row_ptr[21])] = std::numeric_limits<double>::infinity();
  a.val[static_cast<std::size_t>(a.row_ptr[30])] = 1e308;
  a.val[static_cast<std::size_t>(a.row_ptr[30]) + 1] = 1e308;
  const std::vector<double> x(static_cast<std::size_t>(a.cols), 1);
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (!runs_here(level)) continue;
    std::vector<double> y(static_cast<std::size_t>(a.rows));
    inspect(a.view(), cpu{.threads = 1, .level = level}, {.format = "pattern_csr"}).multiply(1.0, x, 0.0, y);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isinf(y[i]), i == 21 || i == 30) << i;
  }
}

template <class V>
void check_new_values() {
  const matrix source = on_offsets(300, 310, {-2, 0, 1, 5, 9, 20}, a_quarter);
  ASSERT_GT(stored(source).diagonal_tiles.size(), 30u);
  csr_matrix<V, std::int64_t> a{.rows = source.rows,
                                .cols = source.cols,
                                .row_ptr = host_buffer<std::int64_t>::borrow(source.row_ptr.span()),
                                .col = host_buffer<std::int32_t>::borrow(source.col.span()),
                                .val = host_buffer<V>(source.val.size())};
  std::copy(source.val.data(), source.val.data() + source.val.size(), a.val.data());
  const auto fresh = random_vector<V>(a.nnz(), 9);
  auto plan =
      inspect(std::as_const(a).view(), cpu{.threads = 2}, {.format = "pattern_csr", .values_change = true});
  plan.update_values(fresh);
  std::copy(fresh.begin(), fresh.end(), a.val.data());
  const auto x = random_vector<V>(a.cols, 5);
  std::vector<V> updated(static_cast<std::size_t>(a.rows));
  std::vector<V> made(updated.size());
  plan.multiply(V{1}, x, V{0}, updated);
  inspect(std::as_const(a).view(), cpu{.threads = 2}, {.format = "pattern_csr"})
      .multiply(V{1}, x, V{0}, made);
  EXPECT_TRUE(same_bits(updated, made));
}

TEST(pattern_csr_diagonals, follow_new_values) {
  check_new_values<float>();
  check_new_values<double>();
}

TEST(pattern_csr_diagonals, give_the_same_bits_for_any_number_of_threads) {
  const matrix a = on_offsets(9001, 9100, {0, 1, 5, 9, 20, 30, 44}, a_quarter);
  ASSERT_GT(stored(a).diagonal_tiles.size(), 1000u);
  const auto x = random_vector<double>(a.cols, 5);
  for (const char* kernel : {"thread", "balanced"}) {
    std::vector<double> first(static_cast<std::size_t>(a.rows));
    for (const int threads : {1, 2, 3, 7}) {
      std::vector<double> y(first.size());
      inspect(a.view(), cpu{.threads = threads}, {.format = "pattern_csr", .options = {{"kernel", kernel}}})
          .multiply(1.0, x, 0.0, y);
      if (threads == 1) first = y;
      EXPECT_TRUE(same_bits(first, y)) << kernel << " " << threads;
    }
  }
}

/// Units that have tiles alone are multiplied as one run, up to units with other rows.
TEST(pattern_csr_diagonals, of_many_units_give_the_bits_of_unit_by_unit) {
  const matrix a = on_offsets(9000, 9100, {0, 1, 5, 9, 20, 30, 44}, [](int i, int k) {
    return i / 2000 % 2 == 1 && i % 500 < 9 ? k != i % 7 : a_quarter(i, k);
  });
  const auto s = stored(a);
  const auto view = s.view();
  std::vector<bool> tiles_alone;
  for (std::int64_t u = 0; u < view.meta.units; ++u) {
    const pattern_run& run = view.run[view.unit_run[u]];
    tiles_alone.push_back(view.unit_run[u + 1] - view.unit_run[u] == 1 &&
                          run.kind == pattern_kind::diagonal_tiles && run.first == view.cut_row[u] &&
                          run.last == view.cut_row[u + 1]);
  }
  ASSERT_GT(std::count(tiles_alone.begin(), tiles_alone.end(), true), 20);
  ASSERT_GT(std::count(tiles_alone.begin(), tiles_alone.end(), false), 5);
  ASSERT_NE(std::search_n(tiles_alone.begin(), tiles_alone.end(), 10, true), tiles_alone.end());
  auto x = random_vector<double>(a.cols, 5);
  x[4000] = std::numeric_limits<double>::infinity();
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (!runs_here(level)) continue;
    check_product<double>(a, level, 1, "thread");
    const auto pass = formats::pattern_csr::passes<f64>(view, level).front();
    const auto products_of = [&](std::int64_t units) {
      std::vector<double> y(static_cast<std::size_t>(a.rows));
      const product<f64> p{.alpha = 1, .x = x.data(), .beta = 0, .y = y.data()};
      for (std::int64_t u = 0; u < view.meta.units; u += units)
        pass.run(view, p, u, std::min(u + units, view.meta.units), nullptr);
      return y;
    };
    const auto one_by_one = products_of(1);
    EXPECT_GT(std::count_if(one_by_one.begin(), one_by_one.end(), [](double v) { return !std::isfinite(v); }),
              0);
    for (const std::int64_t units : {2, 5, 16, 1000})
      EXPECT_TRUE(same_bits(one_by_one, products_of(units))) << units;
  }
}

TEST(pattern_csr_diagonals, are_counted_in_bytes_and_cost) {
  const matrix a = on_offsets(64, 90, {0, 1, 5, 9, 20}, a_quarter);
  const auto s = stored(a);
  ASSERT_EQ(s.meta.units, 1);
  constexpr formats::pattern_cost cost = formats::pattern_cost_of<double>();
  EXPECT_EQ(s.unit_cost[1], 8 * cost.diagonal_tile + 8 * 5 * cost.diagonal);
  const auto plan = inspect(a.view(), cpu{}, {.format = "pattern_csr", .options = {{"kernel", "thread"}}});
  const std::int64_t nnz = a.nnz();
  EXPECT_EQ(plan.slots(), nnz);
  // One run, nine tiles' beginnings, 40 diagonals and a mask for each that is not of all rows.
  const auto masks = static_cast<std::int64_t>(s.diagonal_mask.size());
  EXPECT_GT(masks, 20);
  EXPECT_EQ(plan.bytes(), 65 * 8 + nnz * 12 + 2 * 32 + 24 + 9 * 8 + 40 * (8 * 8 + 4) + masks);
}

}  // namespace
}  // namespace gossamer::testing_support
