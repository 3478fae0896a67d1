// SPDX-License-Identifier: BSD-3-Clause
// HYB: the paper's example and its tables, what is split and what is not, and products at every width.
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench_support/catalog/matrix_catalog.hpp"
#include "bench_support/generate/generate.hpp"
#include "bench_support/generate/make_pattern.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "formats/hyb/format.hpp"
#include "gossamer/gossamer.hpp"
#include "plans/storage.hpp"
#include "support/paper_matrices.hpp"
#include "support/stored_arrays.hpp"
#include "support/vectors.hpp"
#include "unit/helpers.hpp"

namespace gossamer::formats {
namespace {

using gossamer_test::expect_error;
using gossamer_test::small_csr;
using gossamer_test::thread_count;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::StartsWith;
using testing_support::array_names;
using testing_support::integer_vector;
using testing_support::list;
using testing_support::on_cpu;
using testing_support::on_cuda;
using testing_support::paper_000;
using testing_support::poisoned;
using testing_support::random_vector;
using testing_support::same_bits;

/// Figure 1 (c): A C E J | B D F 0 in the table (columns rounded up to 32 slots, padding marked), G H I
/// behind it.
TEST(hyb, is_figure_1c) {
  const auto a = paper_000();
  const auto s = hyb::build(a.view(), {.width = 2}, on_cpu);
  EXPECT_EQ(s.head_ell.meta.width, 2);
  ASSERT_EQ(s.head_ell.col.size(), 64u);
  const std::vector<std::vector<int>> cols{{1, 2, 0, 3}, {3, 4, 1, -1}};
  const std::vector<std::vector<double>> vals{{1, 3, 5, 10}, {2, 4, 6, 0}};
  for (std::size_t j = 0; j < 2; ++j) {
    for (std::size_t i = 0; i < 32; ++i) {
      EXPECT_EQ(s.head_ell.col[j * 32 + i], i < 4 ? cols[j][i] : -1) << j << " " << i;
      EXPECT_EQ(s.head_ell.val[j * 32 + i], i < 4 ? vals[j][i] : 0.0) << j << " " << i;
    }
  }
  EXPECT_THAT(list(s.tail_coo.row), ElementsAre(2, 2, 2));
  EXPECT_THAT(list(s.tail_coo.col), ElementsAre(2, 4, 5));
  EXPECT_THAT(list(s.tail_coo.val), ElementsAre(7, 8, 9));
  EXPECT_TRUE(s.tail_coo.col.owned() && s.tail_coo.val.owned()) << "what they were split into is gone";
  EXPECT_THAT(array_names(s), ElementsAre("head_col", "head_val", "tail_row", "tail_col", "tail_val",
                                          "tail_cut_row", "tail_cut_entry", "tail_carry_row",
                                          "tail_carry_first", "tail_carry_last", "tail_carry_run_at_cut"));
  EXPECT_EQ(hyb::passes<f64>(s.view(), isa::baseline).size(), 2u);
}

/// The same two parts as blocks of 32 rows. In the head all rows have at most round(1.75 + 0.43) = 2 entries,
/// in order of length: 0, 1, 2, 3. In the tail row 2 has all three, min(round(3 + 0), 3) wide: its mean is
/// that of the rows that are there.
TEST(hyb, of_two_times_brc) {
  const auto a = paper_000();
  const auto s = hyb::build(a.view(), {.width = 2, .tail = hyb_tail::brc, .head = hyb_head::brc}, on_cpu);
  const auto first = [](const auto& buffer, std::size_t at, std::size_t n) {
    return std::vector(buffer.data() + at, buffer.data() + at + n);
  };
  EXPECT_THAT(first(s.head_brc.row_perm, 0, 5), ElementsAre(0, 1, 2, 3, -1));
  EXPECT_THAT(list(s.head_brc.block_offset), ElementsAre(0, 64));
  EXPECT_THAT(first(s.head_brc.col, 0, 4), ElementsAre(1, 2, 0, 3));
  EXPECT_THAT(first(s.head_brc.val, 0, 5), ElementsAre(1, 3, 5, 10, 0));
  EXPECT_THAT(first(s.head_brc.col, 32, 4),
              ElementsAre(3, 4, 1, ~1));  // padding repeats the column before it
  EXPECT_THAT(first(s.head_brc.val, 32, 5), ElementsAre(2, 4, 6, 0, 0));
  EXPECT_THAT(first(s.tail_brc.row_perm, 0, 5), ElementsAre(2, 0, 1, 3, -1));
  EXPECT_THAT(list(s.tail_brc.block_offset), ElementsAre(0, 96));
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_EQ(s.tail_brc.col[32 * j], (std::array{2, 4, 5})[j]);
    EXPECT_EQ(s.tail_brc.val[32 * j], 7.0 + static_cast<double>(j));
    EXPECT_LT(s.tail_brc.col[32 * j + 1], 0);
  }
  EXPECT_THAT(array_names(s), testing::Contains("head_row_perm"));
  EXPECT_THAT(array_names(s), testing::Contains("tail_row_perm"));
  EXPECT_EQ(s.head_ell.col.size() + s.tail_coo.col.size(), 0u);
}

TEST(hyb, without_a_head_or_a_tail_is_the_other_over_the_callers_arrays) {
  const auto a = paper_000();
  const auto tail = hyb::build(a.view(), {.width = 0}, on_cpu);
  EXPECT_EQ(tail.tail_coo.col.data(), a.col.data());
  EXPECT_EQ(tail.tail_coo.val.data(), a.val.data());
  EXPECT_THAT(array_names(tail).front(), StartsWith("tail_"));
  EXPECT_EQ(hyb::passes<f64>(tail.view(), isa::baseline).size(), 1u);
  for (const std::int64_t width : {5, 6, 1 << 30}) {
    const auto head = hyb::build(a.view(), {.width = width}, on_cpu);
    EXPECT_EQ(head.head_ell.meta.width, 5);
    EXPECT_THAT(array_names(head), ElementsAre("head_col", "head_val"));
    EXPECT_EQ(hyb::passes<f64>(head.view(), isa::baseline).size(), 1u);
  }
}

std::vector<hyb::options> every_setting() {
  std::vector<hyb::options> all;
  for (const std::int64_t width : {0, 1, 2, 3, 4, 5, 6}) {
    for (const hyb_tail tail : {hyb_tail::coo, hyb_tail::brc}) {
      for (const hyb_head head : {hyb_head::ell, hyb_head::brc})
        all.push_back({.width = width, .tail = tail, .head = head});
    }
  }
  return all;
}

TEST(hyb, gives_the_entries_back_in_their_order_at_every_width) {
  const auto a = paper_000();
  for (const hyb::options& o : every_setting()) {
    for (const exec::target& target : {on_cpu, on_cuda}) {
      const auto back = hyb::to_csr(hyb::build(a.view(), o, target));
      EXPECT_EQ(back.cols, 6);
      EXPECT_THAT(list(back.row_ptr), ElementsAre(0, 2, 4, 9, 10));
      EXPECT_EQ(list(back.col), a.col) << o.width;
      EXPECT_EQ(list(back.val), a.val) << o.width;
    }
  }
}

TEST(hyb, counts_the_bytes_of_its_parts) {
  const auto a = paper_000();
  const row_statistics s = measure_rows(a.view());
  // 32 slots a column; 3 entries with their rows; the list of shared rows of one unit.
  EXPECT_EQ(hyb::measure(a.view(), s, {.width = 2}, on_cpu).bytes, 64 * 12 + 3 * 16 + 2 * 4);
  EXPECT_TRUE(hyb::measure(a.view(), s, {.width = 2}, on_cpu).exact);
  EXPECT_EQ(hyb::measure(a.view(), s, {.width = 0}, on_cpu).bytes, 10 * 16 + 2 * 4);
  EXPECT_EQ(hyb::measure(a.view(), s, {.width = 5}, on_cpu).bytes, 160 * 12);
  for (const hyb::options& o : every_setting()) {
    for (const exec::target& target : {on_cpu, on_cuda}) {
      EXPECT_EQ(gossamer::plans::bytes_of(hyb::build(a.view(), o, target)),
                hyb::measure(a.view(), s, o, target).bytes)
          << o.width;
    }
  }
}

/// One row of 40,000 among 40,000 rows of one, which no width over 10 can store as a table.
TEST(hyb, names_the_refusing_part) {
  const auto a = bench_support::generate<double>("heavy_row(rows=40k,heavy=40k,per_row=1)");
  const row_statistics s = measure_rows(a.view());
  const auto refusal = [&](const hyb::options& o) {
    return hyb::measure(a.view(), s, hyb::resolve(o, s, on_cuda), on_cuda).refusal;
  };
  EXPECT_THAT(refusal({}), IsEmpty());
  EXPECT_THAT(refusal({.width = 10}), IsEmpty());
  EXPECT_THAT(refusal({.width = 100}), StartsWith("head: 40000 rows padded to the longest of 100 entries"));
  EXPECT_THAT(refusal({.width = 1 << 30}), HasSubstr("max_padding = 10"));
  EXPECT_THAT(refusal({.width = 100, .max_padding = 100}), IsEmpty());
}

TEST(hyb, adds_footprints_up_to_the_largest_number) {
  footprint whole;
  add_part(whole, "head", {.bytes = 7});
  add_part(whole, "tail", {.bytes = 5, .exact = false});
  EXPECT_EQ(whole.bytes, 12);
  EXPECT_FALSE(whole.exact);
  add_part(whole, "tail", {.bytes = std::numeric_limits<std::int64_t>::max(), .refusal = "too large"});
  EXPECT_EQ(whole.bytes, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(whole.refusal, "tail: too large");
}

TEST(hyb, takes_widths_and_auto) {
  const row_statistics s{
      .rows = 10000, .cols = 10000, .nnz = 70000, .mean = 7, .max = 20, .common_length = 9};
  const auto width = [&](const std::string& text) {
    return hyb::resolve(parse_options<hyb>({{"width", text}}, device_set::cpu), s, on_cpu).width;
  };
  EXPECT_EQ(hyb::resolve({}, s, on_cpu).width, 9);
  EXPECT_EQ(width("auto"), 9);
  EXPECT_EQ(width("0"), 0);
  EXPECT_EQ(width("17"), 17);
  for (const char* text : {"-1", "1073741825", "2.5", "", "none"})
    expect_error(errc::invalid_argument, HasSubstr("auto or a whole number from 0 to 1073741824"),
                 [&] { width(text); });
  EXPECT_EQ(texts_of(hyb::options{}, device_set::cpu).front(),
            (std::pair<std::string, std::string>{"width", "auto"}));
}

/// The tail is a second pass, and reads and writes y of a third of the rows again.
TEST(hyb, costs_two_passes_where_there_is_a_tail) {
  const row_statistics s{.rows = 300, .cols = 200, .nnz = 1000, .max = 5};
  const machine m{.bandwidth_gbs = 1};
  const auto cost = [&](std::int64_t width) {
    return hyb::cost<double, std::int64_t>(s, {.width = width}, on_cpu, m, {.bytes = 5000});
  };
  EXPECT_DOUBLE_EQ(cost(5), m.starts.first_seconds + (5000 + 500 * 8) * 1e-9);
  EXPECT_DOUBLE_EQ(cost(0), cost(5));
  EXPECT_NEAR(cost(4), cost(5) + m.starts.next_seconds + 200 * 8 * 1e-9, 1e-15);
}

/// Candidates surround the rule's width, and none is there twice.
TEST(hyb, candidates_differ) {
  const row_statistics s{
      .rows = 10000, .cols = 10000, .nnz = 70000, .mean = 7, .max = 20, .common_length = 9};
  std::set<option_texts> seen;
  std::set<std::int64_t> widths;
  for (const hyb::options& o : hyb::candidates(s, on_cuda)) {
    EXPECT_TRUE(seen.insert(texts_of(o, device_set::cuda)).second);
    widths.insert(o.width);
  }
  EXPECT_THAT(widths, ElementsAre(4, 7, 9));
}

// --- The width ---

row_length_distribution lengths_of_stand_in(std::string_view name) {
  const auto where = bench_support::generation::make_pattern("like(" + std::string(name) + ")");
  std::map<std::int64_t, std::int64_t> count;
  for (std::int64_t i = 0; i < where->rows; ++i) ++count[where->row_length(i)];
  return {count.begin(), count.end()};
}

/// The figures of Tables 1 (HYB-k) and 4 (CNZ) of paper 000, from row lengths with the printed rows,
/// nonzeros, mean, deviation, least and most.
TEST(common_length, is_the_one_of_table_1) {
  struct printed {
    const char* name;
    std::int64_t k;
    double percent_in_tail;
  };
  constexpr printed table[] = {
      {"CAN", 75, 0.323},  {"SPH", 81, 0},      {"ACC", 23, 17.248}, {"DEN", 0, 100},   {"ECO", 7, 18.879},
      {"EPI", 4, 0},       {"PRO", 138, 4.026}, {"WIN", 54, 0.561},  {"QCD", 39, 0},    {"LP", 23, 99.147},
      {"HAR", 55, 18.673}, {"CIR", 5, 21.775},  {"SHI", 54, 6.850},  {"WEB", 2, 35.788}};
  for (const printed& row : table) {
    SCOPED_TRACE(row.name);
    const auto lengths = lengths_of_stand_in(row.name);
    EXPECT_EQ(common_length(lengths), row.k);
    const row_statistics whole = statistics_of(lengths, 1);
    const row_statistics tail = statistics_of(lengths_beyond(lengths, row.k), 1);
    const row_statistics head = statistics_of(lengths_up_to(lengths, row.k), 1);
    EXPECT_EQ(head.nnz + tail.nnz, whole.nnz);
    EXPECT_EQ(head.max, std::min(row.k, whole.max));
    // Half a unit of the last digit; "0" and "100" are none and all.
    EXPECT_NEAR(100.0 * static_cast<double>(tail.nnz) / static_cast<double>(whole.nnz), row.percent_in_tail,
                row.percent_in_tail == std::floor(row.percent_in_tail) ? 0 : 0.0005);
  }
}

/// With a third of the nonzeros, as the text has it, no matrix of the table has rows enough for any width.
TEST(common_length, follows_from_rows_and_not_from_nonzeros) {
  for (const bench_support::known_matrix& m : bench_support::known_matrices()) {
    if (std::find(m.tables.begin(), m.tables.end(), "000") == m.tables.end()) continue;
    const auto lengths = lengths_of_stand_in(m.name);
    const auto enough = std::max(4096.0, static_cast<double>(m.nnz) / 3);
    std::int64_t reaching = 0;
    std::int64_t by_the_text = 0;
    for (auto each = lengths.rbegin(); each != lengths.rend() && by_the_text == 0; ++each) {
      reaching += each->second;
      if (static_cast<double>(reaching) >= enough) by_the_text = each->first;
    }
    EXPECT_EQ(by_the_text, 0) << m.name;
    EXPECT_EQ(common_length(lengths) == 0, m.name == "dense2") << m.name;
  }
}

/// 4096 rows are the least, so a dense matrix of 2000 rows has no table, and one of 4284 has one as wide as
/// all but its 188 shortest rows.
TEST(common_length, of_few_rows) {
  EXPECT_EQ(common_length({}), 0);
  EXPECT_EQ(common_length({{2000, 2000}}), 0);
  EXPECT_EQ(common_length({{5, 4095}}), 0);
  EXPECT_EQ(common_length({{5, 4096}}), 5);
  const auto lp = lengths_of_stand_in("LP");
  std::int64_t shorter = 0;
  for (const auto& [length, rows] : lp) shorter += length < 23 ? rows : 0;
  EXPECT_LE(shorter, 4284 - 4096);
  EXPECT_EQ(statistics_of(lp, 1).common_length, 23);
}

TEST(common_length, of_a_third_of_the_rows_rounded_up) {
  EXPECT_EQ(common_length({{2, 10'000}, {7, 5000}}), 7);
  EXPECT_EQ(common_length({{2, 10'001}, {7, 4999}}), 2);
  EXPECT_EQ(common_length({{2, 10'001}, {7, 5000}}), 2);  // 15,001 / 3 = 5000.3
  EXPECT_EQ(common_length({{0, 20'000}}), 0);
}

/// The same from the data as from the pattern: row_statistics counts rows longer than its counters apart, in
/// several threads.
TEST(common_length, of_long_rows_and_several_threads) {
  std::vector<std::int64_t> row_ptr{0};
  std::map<std::int64_t, std::int64_t> count;
  for (std::int64_t i = 0; i < 40'000; ++i) {
    const std::int64_t length = i % 8 == 7 ? 4095 + i % 3 : i % 5;
    ++count[length];
    row_ptr.push_back(row_ptr.back() + length);
  }
  const std::vector<std::int32_t> col(static_cast<std::size_t>(row_ptr.back()), 0);
  const std::vector<float> val(col.size(), 1.0f);
  const csr_view<float, std::int64_t> a{
      .rows = 40'000, .cols = 1, .row_ptr = row_ptr, .col = col, .val = val};
  for (const int threads : {1, 2, 7}) {
    const thread_count set(threads);
    const row_length_distribution lengths = measure_row_lengths(a);
    EXPECT_EQ(lengths, row_length_distribution(count.begin(), count.end()));
    const row_statistics s = measure_rows(a);
    EXPECT_EQ(s.common_length, common_length(lengths));
    EXPECT_EQ(s.max, 4097);
    EXPECT_EQ(s.empty, count[0]);
    EXPECT_EQ(s.nnz, row_ptr.back());
  }
}

TEST(row_lengths, of_rows_cut_in_two) {
  const row_length_distribution lengths{{0, 2}, {1, 3}, {4, 1}, {9, 2}};
  EXPECT_THAT(lengths_up_to(lengths, 4), ElementsAre(Pair(0, 2), Pair(1, 3), Pair(4, 3)));
  EXPECT_THAT(lengths_beyond(lengths, 4), ElementsAre(Pair(0, 6), Pair(5, 2)));
  EXPECT_THAT(lengths_up_to(lengths, 0), ElementsAre(Pair(0, 8)));
  EXPECT_EQ(lengths_beyond(lengths, 0), lengths);
  EXPECT_EQ(lengths_up_to(lengths, 9), lengths);
  EXPECT_THAT(lengths_beyond(lengths, 9), ElementsAre(Pair(0, 8)));
  const row_statistics s = statistics_of(lengths, 12);
  EXPECT_EQ(s.rows, 8);
  EXPECT_EQ(s.cols, 12);
  EXPECT_EQ(s.nnz, 25);
  EXPECT_DOUBLE_EQ(s.mean, 25.0 / 8);
  EXPECT_DOUBLE_EQ(s.standard_deviation, std::sqrt((3 + 16 + 2 * 81) / 8.0 - 25.0 * 25 / 64));
  EXPECT_EQ(s.min, 0);
  EXPECT_EQ(s.max, 9);
  EXPECT_EQ(s.empty, 2);
}

// --- Products ---

/// Rows of length i % 11, columns unsorted and repeated, every seventh value a stored zero.
csr_matrix<double, std::int64_t> uneven(std::int64_t rows, std::int64_t cols) {
  csr_matrix<double, std::int64_t> a{.rows = rows,
                                     .cols = cols,
                                     .row_ptr = host_buffer<std::int64_t>(static_cast<std::size_t>(rows) + 1),
                                     .col = {},
                                     .val = {}};
  a.row_ptr[0] = 0;
  for (std::int64_t i = 0; i < rows; ++i) a.row_ptr.data()[i + 1] = a.row_ptr.data()[i] + i % 11;
  const auto nnz = static_cast<std::size_t>(a.row_ptr.data()[rows]);
  a.col = host_buffer<std::int32_t>(nnz);
  a.val = host_buffer<double>(nnz);
  const auto values = random_vector<double>(static_cast<std::int64_t>(nnz), 3);
  for (std::size_t k = 0; k < nnz; ++k) {
    a.col[k] = static_cast<std::int32_t>((k * 7919 + k / 5) % static_cast<std::size_t>(cols));
    a.val[k] = k % 7 == 0 ? 0.0 : values[k];
  }
  return a;
}

std::vector<resource> processors() {
  std::vector<resource> all;
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (runs_here(level)) all.emplace_back(cpu{.threads = 3, .level = level});
  }
  return all;
}

constexpr std::array<std::pair<const char*, const char*>, 4> heads_and_tails{
    {{"ell", "coo"}, {"ell", "brc"}, {"brc", "coo"}, {"brc", "brc"}}};

/// Three products with each head and tail, and the same again after new values.
void expect_right(const gossamer::csr_matrix<double, std::int64_t>& a, const resource& where,
                  const char* width) {
  const auto x = random_vector<double>(a.cols, 5);
  for (const auto& [head, tail] : heads_and_tails) {
    auto plan =
        inspect(a.view(), where,
                {.format = "hyb", .options = {{"head", head}, {"tail", tail}}, .values_change = true});
    EXPECT_THAT(plan.options(), testing::Contains(Pair("width", width)));
    auto now = a.view();
    std::vector<double> values(now.val.begin(), now.val.end());
    now.val = values;
    for (int round = 0; round < 2; ++round) {
      for (const double beta : {0.0, 1.0, -0.5}) {
        const auto y = beta == 0 ? poisoned<double>(a.rows) : random_vector<double>(a.rows, 6);
        auto got = y;
        plan.multiply(1.5, x, beta, got);
        const bench_support::verification v =
            bench_support::verify<double, std::int64_t>(now, 1.5, x, beta, y, got);
        EXPECT_TRUE(v.passed()) << "row " << v.row << " beta " << beta << " " << plan.describe();
      }
      for (double& value : values) value = 1 - 2 * value;
      plan.update_values(values);
    }
  }
}

/// So many rows that the rule finds a width, so that `auto` splits: 7 of 11 rows have 4 entries or more, 4
/// have 7.
TEST(hyb, multiplies_where_the_rule_splits) {
  const auto a = uneven(20'011, 1234);
  for (const resource& where : processors()) expect_right(a, where, "7");
}

TEST(hyb, multiplies_where_the_rule_splits_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_right(uneven(20'011, 1234), gossamer::cuda{0}, "7");
}

/// A tail of one row that thousands of thread blocks share, behind a head whose sums stand in front of the
/// tail's slots.
TEST(hyb, multiplies_a_tail_of_one_long_row_cuda) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  expect_right(bench_support::generate<double>("heavy_row(rows=5000,cols=1500k,per_row=3,heavy=1M)"),
               gossamer::cuda{0}, "3");
}

/// A tail of one row of 10^6: cut into units that share the row, and the same bits for any number of threads.
TEST(hyb, multiplies_a_tail_of_one_long_row) {
  const auto a = bench_support::generate<float>("heavy_row(rows=5000,cols=1500k,per_row=3,heavy=1M)");
  const auto x = integer_vector<float>(a.cols);
  std::vector<float> first;
  for (const int threads : {1, 2, 7}) {
    const auto plan = inspect(a.view(), cpu{.threads = threads}, {.format = "hyb"});
    EXPECT_THAT(plan.options(), testing::Contains(Pair("width", "3")));
    auto y = integer_vector<float>(a.rows);
    const auto before = y;
    plan.multiply(2.0f, x, -1.0f, y);
    const bench_support::verification v =
        bench_support::verify<float, std::int64_t>(a.view(), 2.0f, x, -1.0f, before, y);
    EXPECT_TRUE(v.passed()) << "row " << v.row;
    if (first.empty()) first = y;
    EXPECT_TRUE(same_bits(first, y)) << threads;
  }
}

/// What makes a tail cheap: the contract's rule that with beta = 1 a row without entries is left alone. A sum
/// of nothing added to -0 would leave +0.
TEST(hyb, coo_leaves_rows_without_entries_alone_where_beta_is_one) {
  const small_csr<double, std::int32_t> a{
      .rows = 6, .cols = 2, .row_ptr = {0, 0, 1, 1, 1, 3, 3}, .col = {1, 0, 1}, .val = {2, 3, 4}};
  const std::vector<double> x{1, 10};
  for (const resource& where : processors()) {
    const auto plan = inspect(a.view(), where, {.format = "coo"});
    std::vector<double> y(6, -0.0);
    plan.multiply(1.0, x, 1.0, y);
    EXPECT_THAT(y, ElementsAre(0, 20, 0, 0, 43, 0));
    for (const std::size_t row : {0, 2, 3, 5}) EXPECT_TRUE(std::signbit(y[row])) << row;
    plan.multiply(1.0, x, 2.0, y);
    EXPECT_THAT(y, ElementsAre(0, 60, 0, 0, 129, 0));
  }
}

// --- From the data ---

/// The division of Tables 1 and 4 as it is stored: one matrix here, all of them (GOSSAMER_TEST_FULL=1) where
/// there is time.
TEST(hyb, stores_the_stand_ins_as_the_tables_have_them) {
  const char* full = std::getenv("GOSSAMER_TEST_FULL");
  const bool all = full != nullptr && std::string(full) == "1";
  int built = 0;
  for (const bench_support::known_matrix& m : bench_support::known_matrices()) {
    if (std::find(m.tables.begin(), m.tables.end(), "000") == m.tables.end()) continue;
    if (!all && m.name != "scircuit") continue;
    SCOPED_TRACE(m.name);
    const auto a = bench_support::generate<float>("like(" + std::string(m.name) + ")");
    const row_statistics s = measure_rows(a.view());
    const auto stored = hyb::build(a.view(), hyb::resolve({}, s, on_cuda), on_cuda);
    for (const bench_support::published_figure& f : m.figures) {
      if (f.figure == "hyb_k") {
        EXPECT_EQ(stored.meta.width, std::stoll(f.printed));
      }
      if (f.figure != "coo_percent") continue;
      const double share =
          100.0 * static_cast<double>(stored.tail_coo.meta.nnz) / static_cast<double>(a.nnz());
      EXPECT_NEAR(share, std::stod(f.printed), f.printed.find('.') == std::string::npos ? 0 : 0.0005);
    }
    ++built;
  }
  EXPECT_EQ(built, all ? 14 : 1);
}

}  // namespace
}  // namespace gossamer::formats
