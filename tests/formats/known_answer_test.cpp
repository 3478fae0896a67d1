// SPDX-License-Identifier: BSD-3-Clause
// The arrays of each format for matrices small enough to write down.
#include <gmock/gmock.h>

#include <set>

#include "bench_support/generate/generate.hpp"
#include "formats/coo/format.hpp"
#include "formats/csr/format.hpp"
#include "formats/dia/format.hpp"
#include "formats/ellpack/format.hpp"
#include "formats/papers/jds/format.hpp"
#include "formats/sliced_ell/format.hpp"
#include "support/paper_matrices.hpp"
#include "support/stored_arrays.hpp"

namespace gossamer::formats {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing_support::list;
using testing_support::on_cpu;
using testing_support::on_cuda;
using testing_support::paper_000;

TEST(known_answer, csr_is_the_callers_arrays) {
  const paper_000 a;
  const auto s = csr::build(a.view(), {.kernel = csr_kernel::thread}, on_cpu);
  EXPECT_EQ(s.row_ptr.data(), a.row_ptr.data());
  EXPECT_EQ(s.col.data(), a.col.data());
  EXPECT_EQ(s.val.data(), a.val.data());
  EXPECT_THAT(list(s.cut_row), ElementsAre(0, 4));
  EXPECT_EQ(s.carries.row.size(), 0u);
}

/// Figure 1 (a) of the paper.
TEST(known_answer, coo_is_figure_1a) {
  const paper_000 a;
  const auto s = coo::build(a.view(), {}, on_cpu);
  EXPECT_THAT(list(s.row), ElementsAre(0, 0, 1, 1, 2, 2, 2, 2, 2, 3));
  EXPECT_THAT(list(s.col), ElementsAreArray(a.col));
  EXPECT_THAT(list(s.val), ElementsAreArray(a.val));
}

/// Figure 1 (b): columns of the padded table one after the other; here each is rounded up to 32 slots,
/// padding has column -1.
TEST(known_answer, ellpack_is_figure_1b_with_marked_padding) {
  const paper_000 a;
  const auto s = ellpack::build(a.view(), {}, on_cpu);
  EXPECT_EQ(s.meta.width, 5);
  EXPECT_EQ(s.meta.stride, 32);
  ASSERT_EQ(s.col.size(), 160u);
  const std::vector<std::vector<int>> cols{
      {1, 2, 0, 3}, {3, 4, 1, -1}, {-1, -1, 2, -1}, {-1, -1, 4, -1}, {-1, -1, 5, -1}};
  const std::vector<std::vector<double>> vals{
      {1, 3, 5, 10}, {2, 4, 6, 0}, {0, 0, 7, 0}, {0, 0, 8, 0}, {0, 0, 9, 0}};
  for (std::size_t j = 0; j < 5; ++j) {
    for (std::size_t i = 0; i < 32; ++i) {
      EXPECT_EQ(s.col[j * 32 + i], i < 4 ? cols[j][i] : -1) << j << " " << i;
      EXPECT_EQ(s.val[j * 32 + i], i < 4 ? vals[j][i] : 0.0) << j << " " << i;
    }
  }
}

/// Paper 002, Figure 2's kind of matrix built over entry numbers: the map that refreshes values.
TEST(known_answer, entry_numbers_show_where_values_go) {
  const paper_000 a;
  std::vector<entry_number<double>> numbers(10);
  for (std::int64_t k = 0; k < 10; ++k) numbers[static_cast<std::size_t>(k)].index = k;
  const csr_view<entry_number<double>, std::int32_t> numbered{
      .rows = 4, .cols = 6, .row_ptr = a.row_ptr, .col = a.col, .val = numbers};
  const auto s = ellpack::build(numbered, {}, on_cpu);
  std::vector<std::int64_t> first_column;
  for (std::size_t i = 0; i < 5; ++i) first_column.push_back(s.val[32 + i].index);
  EXPECT_THAT(first_column, ElementsAre(1, 3, 5, -1, -1));
}

/// The rows 0, 1 and 2, 3, each pair padded to its longer row.
TEST(known_answer, sliced_ell_pads_each_slice_to_its_own_longest_row) {
  const paper_000 a;
  const sliced_ell::options o = sliced_ell::resolve({.slice_rows = 2, .sort_window = 1}, {}, on_cpu);
  const auto s = sliced_ell::build(a.view(), o, on_cpu);
  EXPECT_THAT(list(s.slice_ptr), ElementsAre(0, 4, 14));
  EXPECT_THAT(list(s.col), ElementsAre(1, 2, 3, 4, 0, 3, 1, -1, 2, -1, 4, -1, 5, -1));
  EXPECT_THAT(list(s.val), ElementsAre(1, 3, 2, 4, 5, 10, 6, 0, 7, 0, 8, 0, 9, 0));
  EXPECT_EQ(s.row_perm.size(), 0u);
  EXPECT_THAT(list(s.unit_slice), ElementsAre(0, 2));
}

TEST(known_answer, sliced_ell_sorts_rows_within_windows) {
  const paper_000 a;
  const sliced_ell::options o = sliced_ell::resolve({.slice_rows = 2, .sort_window = 4}, {}, on_cuda);
  const auto s = sliced_ell::build(a.view(), o, on_cuda);
  EXPECT_THAT(list(s.row_perm), ElementsAre(2, 0, 1, 3));
  EXPECT_THAT(list(s.slice_ptr), ElementsAre(0, 10, 14));
  EXPECT_THAT(list(s.col), ElementsAre(0, 1, 1, 3, 2, -1, 4, -1, 5, -1, 2, 3, 4, -1));
  EXPECT_THAT(list(s.val), ElementsAre(5, 1, 6, 2, 7, 0, 8, 0, 9, 0, 3, 10, 4, 0));
  EXPECT_EQ(s.unit_slice.size(), 0u);
  // In windows of two, row 2 stays behind the rows 0 and 1; a last slice of 16 positions has four rows.
  EXPECT_THAT(list(order_rows(a.view(), 2)), ElementsAre(0, 1, 2, 3));
  const auto wide = sliced_ell::build(
      a.view(), sliced_ell::resolve({.slice_rows = 16, .sort_window = 16}, {}, on_cuda), on_cuda);
  EXPECT_THAT(list(wide.slice_ptr), ElementsAre(0, 80));
}

/// Counting and comparing give one order: a row so long that it is not counted leaves the others where they
/// were.
TEST(known_answer, rows_of_one_length_keep_their_order) {
  const std::vector<std::int32_t> row_ptr{0, 1, 3, 3, 1003, 1004, 1006};
  const std::vector<std::int32_t> col(1006, 0);
  const std::vector<float> val(1006, 1.0f);
  const csr_view<float, std::int32_t> a{.rows = 6, .cols = 1, .row_ptr = row_ptr, .col = col, .val = val};
  EXPECT_THAT(list(order_rows(a, 6)), ElementsAre(3, 1, 5, 0, 4, 2));
  const csr_view<float, std::int32_t> first{.rows = 3, .cols = 1, .row_ptr = row_ptr, .col = col, .val = val};
  EXPECT_THAT(list(order_rows(first, 3)), ElementsAre(1, 0, 2));
}

/// Figure 1 (d): E A C J | F B D | G | H | I, the rows 2, 0, 1, 3.
TEST(known_answer, jds_is_figure_1d) {
  const paper_000 a;
  const auto s = jds::build(a.view(), {}, on_cpu);
  EXPECT_THAT(list(s.row_perm), ElementsAre(2, 0, 1, 3));
  EXPECT_THAT(list(s.jd_ptr), ElementsAre(0, 4, 7, 8, 9, 10));
  EXPECT_THAT(list(s.col), ElementsAre(0, 1, 2, 3, 1, 3, 4, 2, 4, 5));
  EXPECT_THAT(list(s.val), ElementsAre(5, 1, 3, 10, 6, 2, 4, 7, 8, 9));
  EXPECT_THAT(list(s.unit_block), ElementsAre(0, 1));
}

TEST(known_answer, dia_of_the_matrix_of_paper_000) {
  const paper_000 a;
  const auto s = dia::build(a.view(), {}, on_cpu);
  EXPECT_THAT(list(s.offset), ElementsAre(-2, -1, 0, 1, 2, 3));
  EXPECT_THAT(list(s.valid), ElementsAre(0b0100u, 0b0100u, 0b1100u, 0b0011u, 0b0100u, 0b0111u));
  ASSERT_EQ(s.val.size(), 6u * 32);
  const std::vector<std::vector<double>> vals{{0, 0, 5, 0}, {0, 0, 6, 0}, {0, 0, 7, 10},
                                              {1, 3, 0, 0}, {0, 0, 8, 0}, {2, 4, 9, 0}};
  for (std::size_t d = 0; d < 6; ++d) {
    for (std::size_t i = 0; i < 32; ++i)
      EXPECT_EQ(s.val[d * 32 + i], i < 4 ? vals[d][i] : 0.0) << d << " " << i;
  }
}

/// Columns 2 0 2 2 and 1 1: the row that has most entries of one column says how many copies of its diagonal
/// there are.
TEST(known_answer, dia_keeps_duplicates_apart) {
  const std::vector<std::int32_t> row_ptr{0, 4, 6};
  const std::vector<std::int32_t> col{2, 0, 2, 2, 1, 1};
  const std::vector<double> val{1, 2, 3, 4, 5, 6};
  const csr_view<double, std::int32_t> a{.rows = 2, .cols = 3, .row_ptr = row_ptr, .col = col, .val = val};
  const auto s = dia::build(a, {}, on_cpu);
  EXPECT_THAT(list(s.offset), ElementsAre(0, 0, 2, 2, 2));
  EXPECT_THAT(list(s.valid), ElementsAre(0b11u, 0b10u, 0b01u, 0b01u, 0b01u));
  const std::vector<double> row_0{2, 0, 1, 3, 4};
  const std::vector<double> row_1{5, 6, 0, 0, 0};
  for (std::size_t d = 0; d < 5; ++d) {
    EXPECT_EQ(s.val[d * 32], row_0[d]) << d;
    EXPECT_EQ(s.val[d * 32 + 1], row_1[d]) << d;
  }
  const auto back = dia::to_csr(s);
  EXPECT_THAT(list(back.col), ElementsAre(0, 2, 2, 2, 1, 1));
  EXPECT_THAT(list(back.val), ElementsAre(2, 1, 3, 4, 5, 6));
}

/// The merge of row ends with entries, for units of 4: e e R e | e R e e | e e e R | e R
TEST(known_answer, cuts_of_the_balanced_kernel) {
  const paper_000 a;
  EXPECT_THAT(list(cut_equally(a.view(), 4, 4)), ElementsAre(0, 1, 2, 3, 4));
  exec::carry_counts counts;
  const auto cut = cut_equally(a.view(), 4, 4);
  const auto entries = cut_entries(a.view(), cut, 4);
  EXPECT_THAT(list(entries), ElementsAre(0, 3, 6, 9, 10));
  const auto carries = exec::list_carries(
      4, [&](std::int64_t u) { return row_across_cut(a.view(), cut, entries, u); }, counts);
  // Cut 1 falls before entry 3 of row 1, which began at 2; cut 2 before entry 6 of row 2; cut 3 at entry 9,
  // where row 3 begins.
  EXPECT_THAT(list(carries.row), ElementsAre(1, 2));
  EXPECT_THAT(list(carries.first), ElementsAre(1, 3));
  EXPECT_THAT(list(carries.last), ElementsAre(3, 5));
  EXPECT_EQ(counts.slots, 8);
  EXPECT_EQ(counts.longest, 2);
}

TEST(known_answer, a_row_over_many_units_is_one_run) {
  const std::vector<std::int64_t> row_ptr{0, 0, 20, 20};
  const std::vector<std::int32_t> col(20, 0);
  const std::vector<float> val(20, 1.0f);
  const csr_view<float, std::int64_t> a{.rows = 3, .cols = 1, .row_ptr = row_ptr, .col = col, .val = val};
  const auto cut = cut_equally(a, 5, 5);
  EXPECT_THAT(list(cut), ElementsAre(0, 1, 1, 1, 1, 3));
  exec::carry_counts counts;
  const auto carries = exec::list_carries(
      5, [&](std::int64_t u) { return row_across_cut(a, cut, cut_entries(a, cut, 5), u); }, counts);
  EXPECT_THAT(list(carries.row), ElementsAre(1));
  EXPECT_THAT(list(carries.first), ElementsAre(1));
  EXPECT_THAT(list(carries.last), ElementsAre(9));
  EXPECT_EQ(counts.longest, 8);
}

/// Units of 16: rows of at most 2 entries stay whole, so the cut at entry 11 moves back to where row 5
/// begins.
TEST(known_answer, short_rows_are_not_cut) {
  const std::vector<std::int32_t> row_ptr{0, 2, 4, 6, 8, 10, 12, 30, 32};
  const std::vector<std::int32_t> col(32, 0);
  const std::vector<double> val(32, 1.0);
  const csr_view<double, std::int32_t> a{.rows = 8, .cols = 1, .row_ptr = row_ptr, .col = col, .val = val};
  const auto cut = cut_equally(a, 3, 16);
  EXPECT_THAT(list(cut), ElementsAre(0, 5, 6, 8));
  const auto entries = cut_entries(a, cut, 16);
  EXPECT_THAT(list(entries), ElementsAre(0, 10, 26, 32));
  EXPECT_EQ(row_across_cut(a, cut, entries, 1), -1);
  EXPECT_EQ(row_across_cut(a, cut, entries, 2), 6);
}

/// Tiles of 16, pieces of 8: rows over 4 entries are cut, so row 2 (20) becomes three pieces; the short rows
/// before it (weight 2 + 5) and after it (3 + 6) make one unit each.
TEST(known_answer, blocks_take_whole_short_rows_or_pieces_of_a_long_one) {
  const std::vector<std::int32_t> row_ptr{0, 2, 5, 25, 28, 28, 31};
  const std::vector<std::int32_t> col(31, 0);
  const std::vector<double> val(31, 1.0);
  const csr_view<double, std::int32_t> a{.rows = 6, .cols = 1, .row_ptr = row_ptr, .col = col, .val = val};
  EXPECT_EQ(longest_row(a), 20);
  const block_tile tile = block_tile_for(16, 8, 20);
  EXPECT_EQ(tile.longest_whole, 4);
  EXPECT_EQ(tile.weight(), 12);
  const auto cuts = cut_between_rows(a, tile);
  EXPECT_THAT(list(cuts.row), ElementsAre(0, 2, 2, 2, 3, 6));
  EXPECT_THAT(list(cuts.entry), ElementsAre(0, 5, 11, 18, 25, 31));
  EXPECT_LE(cuts.units(), units_at_most(6, 31, 20, tile));
  exec::carry_counts counts;
  const auto carries = exec::list_carries(
      cuts.units(), [&](std::int64_t u) { return row_across_cut(a, cuts.row, cuts.entry, u); }, counts);
  EXPECT_THAT(list(carries.row), ElementsAre(2));
  EXPECT_THAT(list(carries.first), ElementsAre(3));
  EXPECT_THAT(list(carries.last), ElementsAre(7));
  EXPECT_THAT(list(carries.run_at_cut), ElementsAre(-1, -1, 0, 0, -1, -1));
}

/// What a thread block relies on, for the sizes that blocks have: room in shared memory, nothing shared but
/// pieces, and no more units than were forecast.
TEST(cut_between_rows, gives_blocks_what_they_have_room_for) {
  for (const char* text :
       {"uniform(rows=40k,per_row=5)", "uniform(rows=3000,per_row=300)", "power_law(rows=50k,mean=6)",
        "empty_rows(rows=60k,cols=100,per_row=9,every=7)", "dense(rows=40,cols=5000)",
        "heavy_row(rows=30k,heavy=20k)", "banded(n=20k,lower=190)", "uniform(rows=700k,per_row=4)",
        "arrow(n=6000,width=3)"}) {
    SCOPED_TRACE(text);
    const auto a = bench_support::generate<float>(text);
    const auto v = a.view();
    const std::int64_t longest = longest_row(v);
    EXPECT_EQ(longest, measure_rows(v).max);
    const block_tile tile = device_block_tile(v.rows, v.nnz(), longest);
    const std::int64_t room = std::int64_t{device_tile::threads} * device_tile_items(v.rows + v.nnz());
    const auto cuts = cut_between_rows(v, tile);
    ASSERT_LE(cuts.units(), units_at_most(v.rows, v.nnz(), longest, tile));
    ASSERT_EQ(cuts.row[0], 0);
    ASSERT_EQ(cuts.entry[0], 0);
    for (std::size_t u = 0; u < static_cast<std::size_t>(cuts.units()); ++u) {
      const std::int64_t rows = cuts.row[u + 1] - cuts.row[u];
      const std::int64_t entries = cuts.entry[u + 1] - cuts.entry[u];
      const std::int64_t first = a.row_ptr[static_cast<std::size_t>(cuts.row[u])];
      ASSERT_GE(entries, 0) << u;
      if (cuts.entry[u] != first || rows == 0) {
        // A piece that is not the last, or does not begin its row.
        ASSERT_LE(rows, 1) << u;
        ASSERT_LE(entries, tile.piece) << u;
        ASSERT_GT(entries, 0) << u;
      } else if (rows == 1) {
        ASSERT_LE(entries, std::max(room, tile.piece)) << u;
      } else {
        ASSERT_LE(entries, room) << u;
        ASSERT_LE(rows, room) << u;
        ASSERT_EQ(cuts.entry[u + 1], a.row_ptr[static_cast<std::size_t>(cuts.row[u + 1])]) << u;
      }
    }
  }
}

row_statistics rows_of(std::int64_t rows, std::int64_t nnz, std::int64_t max, std::int64_t empty = 0) {
  return {.rows = rows,
          .cols = rows,
          .nnz = nnz,
          .mean = static_cast<double>(nnz) / static_cast<double>(rows),
          .max = max,
          .empty = empty};
}

TEST(automatic_kernel, follows_the_row_lengths) {
  EXPECT_EQ(csr::resolve({}, rows_of(1000000, 5000000, 5), on_cpu).kernel, csr_kernel::thread);
  EXPECT_EQ(csr::resolve({}, rows_of(1000000, 5000000, 1000000), on_cpu).kernel, csr_kernel::balanced);
  const auto few = csr::resolve({}, rows_of(1000000, 5000000, 5), on_cuda);
  EXPECT_EQ(few.kernel, csr_kernel::adaptive);
  EXPECT_EQ(few.threads_per_row, 1);
  EXPECT_EQ(csr::resolve({}, rows_of(100000, 2700000, 27), on_cuda).threads_per_row, 4);
  EXPECT_EQ(csr::resolve({}, rows_of(60000, 4800000, 81), on_cuda).threads_per_row, 16);
  EXPECT_EQ(csr::resolve({}, rows_of(1000000, 9000000, 1000000), on_cuda).kernel, csr_kernel::balanced);
  // Empty rows do not make the others shorter.
  EXPECT_EQ(csr::resolve({.kernel = csr_kernel::adaptive}, rows_of(1000000, 2000000, 20, 900000), on_cuda)
                .threads_per_row,
            4);
}

/// On a device, whole rows only where they are even, of some length, and close to each other in x; how many
/// they are does not matter.
TEST(automatic_kernel, balances_what_is_uneven_long_or_scattered) {
  row_statistics even = rows_of(100000, 1600000, 16);
  EXPECT_EQ(csr::resolve({}, even, on_cuda).kernel, csr_kernel::adaptive);
  row_statistics scattered = even;
  scattered.spread = 0.9;
  EXPECT_EQ(csr::resolve({}, scattered, on_cuda).kernel, csr_kernel::balanced);
  row_statistics uneven = even;
  uneven.max = 200;
  EXPECT_EQ(csr::resolve({}, uneven, on_cuda).kernel, csr_kernel::balanced);
  row_statistics uneven_short = rows_of(1000000, 5000000, 12);
  EXPECT_EQ(csr::resolve({}, uneven_short, on_cuda).kernel, csr_kernel::adaptive);
  uneven_short.standard_deviation = 3;
  EXPECT_EQ(csr::resolve({}, uneven_short, on_cuda).kernel, csr_kernel::balanced);
  EXPECT_EQ(csr::resolve({}, rows_of(1000000, 27000000, 27), on_cuda).kernel, csr_kernel::adaptive);
  EXPECT_EQ(csr::resolve({}, rows_of(2000, 4000000, 2000), on_cuda).kernel, csr_kernel::balanced);
}

TEST(footprint, refuses_padding_and_never_overflows) {
  const csr_view<double, std::int64_t> nothing{};
  const auto most = rows_of(max_dimension, 5000000000, max_dimension);
  const footprint f = ellpack::measure(nothing, most, {}, on_cpu);
  EXPECT_EQ(f.bytes, std::numeric_limits<std::int64_t>::max());
  EXPECT_FALSE(f.refusal.empty());
  EXPECT_TRUE(ellpack::measure(nothing, rows_of(1000000, 5000000, 5), {}, on_cpu).refusal.empty());
  EXPECT_TRUE(ellpack::measure(nothing, rows_of(1000000, 5000000, 50), {}, on_cpu).refusal.empty());
  EXPECT_FALSE(ellpack::measure(nothing, rows_of(1000000, 5000000, 51), {}, on_cpu).refusal.empty());
  EXPECT_TRUE(
      ellpack::measure(nothing, rows_of(1000000, 5000000, 51), {.max_padding = 11}, on_cpu).refusal.empty());
}

/// One row of 40,000 entries among 40,000 of one: slices pad its neighbours alone, diagonals the whole
/// matrix.
TEST(footprint, of_one_long_row) {
  const auto a = bench_support::generate<double>("heavy_row(rows=40k,heavy=40k,per_row=1)");
  const auto view = a.view();
  const row_statistics s = measure_rows(view);
  const auto sliced = [&](std::int64_t slice_rows, std::int64_t max_padding) {
    return sliced_ell::measure(
        view, s,
        sliced_ell::resolve({.slice_rows = slice_rows, .sort_window = 1, .max_padding = max_padding}, s,
                            on_cuda),
        on_cuda);
  };
  constexpr std::int64_t slots_32 = 32 * (40000 + 1249);
  EXPECT_EQ(sliced(32, 100).bytes, slots_32 * 12 + 1251 * 8 + 4);  // one wide group
  EXPECT_TRUE(sliced(32, 100).exact);
  EXPECT_TRUE(sliced(32, 17).refusal.empty());
  EXPECT_THAT(sliced(32, 16).refusal,
              testing::HasSubstr("need 1319968 slots for 79999 nonzeros, 16.5 a nonzero, "
                                 "15849628 bytes in all; max_padding = 16"));
  EXPECT_TRUE(sliced(1, 1).refusal.empty());
  EXPECT_TRUE(jds::measure(view, s, {}, on_cuda).refusal.empty());
  EXPECT_FALSE(dia::measure(view, s, {}, on_cuda).refusal.empty());
  EXPECT_FALSE(dia::measure(view, s, {.max_padding = 100}, on_cuda).refusal.empty());
}

/// Every copy of an entry is a diagonal.
TEST(footprint, of_diagonals_counts_duplicates) {
  const std::vector<std::int64_t> row_ptr{0, 100000};
  const std::vector<std::int32_t> col(100000, 0);
  const std::vector<float> val(100000, 1.0f);
  const csr_view<float, std::int64_t> a{.rows = 1, .cols = 1, .row_ptr = row_ptr, .col = col, .val = val};
  const footprint f = dia::measure(a, measure_rows(a), {}, on_cpu);
  EXPECT_EQ(f.bytes, 100000 * (32 * 4 + 4 + 4));
  EXPECT_FALSE(f.refusal.empty());
}

/// Copies are given up where they alone are too many; the message then knows no more than that.
TEST(footprint, of_diagonals_gives_up_on_many_duplicates) {
  // Thousands of diagonals in 5000 rows, each entry there twice: 20000 entries, so that 39 diagonals are
  // allowed.
  constexpr std::int64_t rows = 5000;
  std::vector<std::int64_t> row_ptr{0};
  std::vector<std::int32_t> col;
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto a_column = static_cast<std::int32_t>(i * 7 % rows);
    col.insert(col.end(), {a_column, a_column, 3, 3});
    row_ptr.push_back(static_cast<std::int64_t>(col.size()));
  }
  const std::vector<float> val(col.size(), 1.0f);
  const csr_view<float, std::int64_t> a{
      .rows = rows, .cols = rows, .row_ptr = row_ptr, .col = col, .val = val};
  const diagonal_set all(a);
  EXPECT_FALSE(all.gave_up());
  EXPECT_EQ(static_cast<std::int64_t>(all.list().size()), all.count());
  const auto offsets = all.list();
  const std::set<std::int32_t> different(offsets.data(), offsets.data() + offsets.size());
  const diagonal_set few(a, 39);
  EXPECT_TRUE(few.gave_up());
  EXPECT_EQ(few.count(), static_cast<std::int64_t>(different.size()) + 40);
  EXPECT_LT(few.count(), all.count());
  EXPECT_FALSE(diagonal_set(a, all.count()).gave_up());
  EXPECT_EQ(diagonal_set(a, all.count()).count(), all.count());

  const footprint f = dia::measure(a, measure_rows(a), {}, on_cpu);
  EXPECT_THAT(f.refusal, testing::HasSubstr("at least "));
  EXPECT_THAT(f.refusal,
              testing::HasSubstr(std::to_string(few.count()) + " diagonals of 5000 rows need at least "));
  EXPECT_FALSE(f.exact);
  EXPECT_GE(f.bytes, all.count() * (5024 * 4 + 5024 / 8 + 4));
}

TEST(automatic_sliced_ell, sorts_what_is_uneven_and_shares_rows_where_there_are_few) {
  row_statistics stencil = rows_of(1000000, 7000000, 7);
  stencil.sliced_slots = 8130000;  // 1.13 a row more than there are entries; 1.14 are worth sorting
  const auto plain = sliced_ell::resolve({}, stencil, on_cuda);
  EXPECT_EQ(plain.sort_window, 1);
  EXPECT_EQ(plain.threads_per_row, 1);
  row_statistics uneven = stencil;
  uneven.sliced_slots = 8150000;
  EXPECT_EQ(sliced_ell::resolve({}, uneven, on_cuda).sort_window, 1024);
  // 27-point 28^3 with three unknowns: 2058 warps of rows; brc, whose loop is the same, took 13.8 us with two
  // warps, 14.6 with four and 16.5 with one.
  EXPECT_EQ(sliced_ell::resolve({}, rows_of(65856, 5000000, 81), on_cuda).threads_per_row, 2);
  // Few and short rows are not worth sharing.
  EXPECT_EQ(sliced_ell::resolve({}, rows_of(1000, 7000, 7), on_cuda).threads_per_row, 1);
  EXPECT_EQ(sliced_ell::resolve({}, rows_of(2000, 4000000, 2000), on_cuda).threads_per_row, 16);
  EXPECT_EQ(sliced_ell::resolve({}, rows_of(2000, 4000000, 2000), on_cpu).threads_per_row, 1);
}

TEST(automatic_sliced_ell, refuses_settings_that_do_not_fit_together) {
  EXPECT_THROW(sliced_ell::resolve({.slice_rows = 24}, {}, on_cpu), error);
  EXPECT_THROW(sliced_ell::resolve({.slice_rows = 32, .sort_window = 48}, {}, on_cpu), error);
  EXPECT_THROW(sliced_ell::resolve({.threads_per_row = 3}, {}, on_cuda), error);
}

}  // namespace
}  // namespace gossamer::formats
