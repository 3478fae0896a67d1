// SPDX-License-Identifier: BSD-3-Clause
// Formats that pad groups of rows: arg_csr against the example and the greedy rule of paper 003, and
// row_grouped_csr.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include "bench_support/generate/generate.hpp"
#include "formats/papers/arg_csr/format.hpp"
#include "formats/papers/row_grouped_csr/format.hpp"
#include "support/stored_arrays.hpp"

namespace gossamer::formats {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing_support::list;
using testing_support::on_cpu;
using testing_support::on_cuda;

/// Rows of the given lengths; entry k of the matrix has the value k + 1 and the column k % cols.
struct rows_of_lengths {
  explicit rows_of_lengths(const std::vector<int>& lengths, int columns = 8) : cols(columns) {
    row_ptr.push_back(0);
    for (const int length : lengths) row_ptr.push_back(row_ptr.back() + length);
    for (int k = 0; k < row_ptr.back(); ++k) {
      col.push_back(k % cols);
      val.push_back(k + 1);
    }
  }
  int cols;
  std::vector<std::int32_t> row_ptr;
  std::vector<std::int32_t> col;
  std::vector<double> val;
  [[nodiscard]] csr_view<double, std::int32_t> view() const {
    return {.rows = static_cast<std::int64_t>(row_ptr.size()) - 1,
            .cols = cols,
            .row_ptr = row_ptr,
            .col = col,
            .val = val};
  }
};

/// Offsets alone, which is all that groups are made of.
struct offsets_of_lengths {
  explicit offsets_of_lengths(const std::vector<std::int64_t>& lengths) {
    row_ptr.push_back(0);
    for (const std::int64_t length : lengths) row_ptr.push_back(row_ptr.back() + length);
  }
  std::vector<std::int64_t> row_ptr;
  [[nodiscard]] csr_view<double, std::int64_t> view() const {
    return {.rows = static_cast<std::int64_t>(row_ptr.size()) - 1,
            .cols = 1,
            .row_ptr = row_ptr,
            .col = {},
            .val = {}};
  }
  /// What measure() asks for; there are no columns to look at.
  [[nodiscard]] row_statistics statistics() const {
    row_statistics s{.rows = view().rows, .cols = 1, .nnz = row_ptr.back()};
    for (std::size_t i = 0; i + 1 < row_ptr.size(); ++i) s.max = std::max(s.max, row_ptr[i + 1] - row_ptr[i]);
    return s;
  }
};

/// Paper 003, section 3: 8 rows, the first 7 with one entry and the last full, on 12 threads.
TEST(arg_csr, is_the_papers_example) {
  const rows_of_lengths a({1, 1, 1, 1, 1, 1, 1, 8});
  const auto s = arg_csr::build(a.view(), {.desired_chunk_size = 1, .block = 12}, on_cpu);
  ASSERT_EQ(s.group.size(), 1u);
  const arg_csr_group& g = s.group[0];
  EXPECT_EQ(g.offset, 0);
  EXPECT_EQ(g.first_row, 0);
  EXPECT_EQ(g.rows, 8);
  EXPECT_EQ(g.chunk_size, 2);
  EXPECT_EQ(g.chunks, 11) << "four threads for the last row, one thread free";
  EXPECT_THAT(list(s.thread_mapping), ElementsAre(1, 2, 3, 4, 5, 6, 7, 11));
  EXPECT_THAT(list(s.val), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 0,  //
                                       0, 0, 0, 0, 0, 0, 0, 9, 11, 13, 15, 0));
  EXPECT_THAT(list(s.col), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 1, 3, 5, -1,  //
                                       -1, -1, -1, -1, -1, -1, -1, 0, 2, 4, 6, -1));
  std::int64_t zeros = 0;
  std::int64_t zeros_of_chunks = 0;
  for (std::size_t slot = 0; slot < s.col.size(); ++slot) {
    zeros += s.col[slot] < 0;
    zeros_of_chunks += s.col[slot] < 0 && slot % 12 < 11;
  }
  EXPECT_EQ(zeros_of_chunks, 7);
  EXPECT_EQ(zeros, 9);
  const row_statistics rows = measure_rows(a.view());
  EXPECT_EQ(rows.rows * rows.max - rows.nnz, 49) << "what a table padded to the longest row would hold";
}

/// Four threads, two entries each: a group closes past 8 entries or with 4 rows.
TEST(arg_csr, closes_groups_by_rows_and_by_entries) {
  const rows_of_lengths a({1, 0, 2, 1,  // four rows
                           5, 4,        // 9 entries
                           4, 4, 1,     // 8 entries are not more than 8
                           9,           // alone
                           0, 0, 0, 0,  // four rows without entries
                           1, 3});      // what is left
  const auto s = arg_csr::build(a.view(), {.desired_chunk_size = 2, .block = 4}, on_cpu);
  std::vector<int> first;
  std::vector<int> rows;
  std::vector<int> chunk;
  std::vector<int> chunks;
  std::vector<int> offset;
  for (const arg_csr_group& g : s.group.span()) {
    first.push_back(g.first_row);
    rows.push_back(g.rows);
    chunk.push_back(static_cast<int>(g.chunk_size));
    chunks.push_back(g.chunks);
    offset.push_back(static_cast<int>(g.offset));
  }
  EXPECT_THAT(first, ElementsAre(0, 4, 6, 9, 10, 14));
  EXPECT_THAT(rows, ElementsAre(4, 2, 3, 1, 4, 2));
  // (4, 4, 1): a fourth thread makes one row of 4 shorter, not the other, so it stays free. (1, 3): three
  // threads for 3.
  EXPECT_THAT(chunk, ElementsAre(2, 3, 4, 3, 0, 1));
  EXPECT_THAT(chunks, ElementsAre(4, 4, 3, 3, 4, 4));
  EXPECT_THAT(offset, ElementsAre(0, 8, 20, 36, 48, 48));
  EXPECT_EQ(s.meta.slots, 52);
  EXPECT_THAT(list(s.thread_mapping), ElementsAre(1, 2, 3, 4, 2, 4, 1, 2, 3, 3, 1, 2, 3, 4, 1, 4))
      << "inclusive sums, each group from zero";
  // Rows of 5 and 4 entries, values 5 ... 13, in chunks of 3: (5 6 7) (8 9) (10 11 12) (13), stored by
  // columns.
  const auto val = list(s.val);
  EXPECT_THAT(std::vector<double>(val.begin() + 8, val.begin() + 20),
              ElementsAre(5, 8, 10, 13, 6, 9, 11, 0, 7, 0, 12, 0));
  const auto col = list(s.col);
  EXPECT_THAT(std::vector<int>(col.begin() + 8, col.begin() + 20),
              ElementsAre(4, 7, 1, 4, 5, 0, 2, -1, 6, -1, 3, -1));
}

/// The distribution as the paper words it: to the row with the greatest filling, until threads run out; then
/// without those given after the chunk size shrank last.
std::pair<std::int64_t, std::vector<std::int64_t>> greedy(const std::vector<std::int64_t>& lengths,
                                                          std::int64_t threads) {
  std::vector<std::int64_t> given(lengths.size(), 1);
  const auto filling = [&](std::size_t r) { return (lengths[r] + given[r] - 1) / given[r]; };
  const auto fullest = [&] {
    std::size_t best = 0;
    for (std::size_t r = 1; r < lengths.size(); ++r)
      if (filling(r) > filling(best)) best = r;
    return best;
  };
  std::int64_t chunk = filling(fullest());
  std::vector<std::int64_t> kept = given;
  for (auto left = threads - static_cast<std::int64_t>(lengths.size()); left > 0; --left) {
    ++given[fullest()];
    if (filling(fullest()) == chunk) continue;
    chunk = filling(fullest());
    kept = given;
  }
  return {chunk, kept};
}

TEST(arg_csr, gives_threads_as_the_greedy_rule_does) {
  std::mt19937 random(17);
  for (int round = 0; round < 2000; ++round) {
    const std::int64_t threads = 1 + random() % 40;
    std::vector<std::int64_t> lengths(1 + random() % static_cast<unsigned>(threads));
    for (std::int64_t& length : lengths) {
      length = random() % 12;
      if (random() % 8 == 0) length = random() % 3000;
    }
    const offsets_of_lengths a(lengths);
    const auto [chunk, given] = greedy(lengths, threads);
    const auto longest = *std::max_element(lengths.begin(), lengths.end());
    ASSERT_EQ(
        arg_csr_chunk_size(a.row_ptr.data(), static_cast<std::int64_t>(lengths.size()), longest, threads),
        chunk)
        << testing::PrintToString(lengths) << " on " << threads;
    for (std::size_t r = 0; r < lengths.size(); ++r)
      ASSERT_EQ(arg_csr_chunks_of_row(lengths[r], chunk), given[r])
          << testing::PrintToString(lengths) << " on " << threads << " row " << r;
  }
}

/// The rule said once more, row by row.
std::vector<std::int32_t> groups_one_by_one(const std::vector<std::int64_t>& row_ptr,
                                            const arg_csr_limits& limits) {
  std::vector<std::int32_t> first;
  const std::size_t rows = row_ptr.size() - 1;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto begin = first.empty() ? std::size_t{0} : static_cast<std::size_t>(first.back());
    if (i == 0 || row_ptr[i] - row_ptr[begin] > limits.entries ||
        i - begin == static_cast<std::size_t>(limits.rows))
      first.push_back(static_cast<std::int32_t>(i));
  }
  return first;
}

TEST(arg_csr, groups_do_not_depend_on_threads) {
  std::mt19937 random(5);
  for (const int kind : {0, 1, 2, 3}) {
    std::vector<std::int64_t> lengths(70000);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      if (kind == 0) lengths[i] = 5;
      if (kind == 1) lengths[i] = random() % 30;
      if (kind == 2) lengths[i] = random() % 100 == 0 ? random() % 50000 : random() % 4;
      if (kind == 3) lengths[i] = i % 1000 < 700 ? 0 : 200;
    }
    const offsets_of_lengths a(lengths);
    for (const arg_csr_limits limits :
         {arg_csr_limits{.entries = 128, .rows = 128}, arg_csr_limits{.entries = 1000, .rows = 32},
          arg_csr_limits{.entries = 65536 * 1024, .rows = 1024}}) {
      const auto one = make_arg_csr_groups(a.view(), limits, 1);
      std::vector<std::int32_t> first;
      for (const arg_csr_group& g : one.group) first.push_back(g.first_row);
      ASSERT_THAT(first, ElementsAreArray(groups_one_by_one(a.row_ptr, limits)));
      for (const int threads : {2, 3, 7}) {  // only more than two cut segments
        const auto several = make_arg_csr_groups(a.view(), limits, threads);
        ASSERT_EQ(several.columns, one.columns);
        ASSERT_EQ(several.group.size(), one.group.size());
        ASSERT_EQ(
            std::memcmp(several.group.data(), one.group.data(), one.group.size() * sizeof(arg_csr_group)), 0)
            << kind << " " << threads << " threads";
      }
    }
  }
}

TEST(arg_csr, shares_one_huge_row_among_the_threads_of_its_group) {
  const offsets_of_lengths a({1, 2, 1'000'000, 1});
  const auto made = make_arg_csr_groups(a.view(), arg_csr::limits({.desired_chunk_size = 1}));
  ASSERT_EQ(made.group.size(), 2u);
  EXPECT_EQ(made.group[0].rows, 3);
  EXPECT_EQ(made.group[0].chunk_size, 7937);  // ceil(10^6 / 126)
  EXPECT_EQ(made.group[0].chunks, 128);
  EXPECT_EQ(made.group[1].offset, 7937 * 128);
}

/// The worst case: every group's last row is long, and no thread is left for it.
TEST(arg_csr, refuses_what_padding_makes_too_large) {
  std::vector<std::int64_t> lengths;
  for (int i = 0; i < 128 * 100; ++i) lengths.push_back(i % 128 == 127 ? 1'000'000'000'000 : 1);
  const offsets_of_lengths a(lengths);
  const auto s = a.statistics();
  const arg_csr::options o{.desired_chunk_size = 1};
  const footprint f = arg_csr::measure(a.view(), s, o, on_cpu);
  EXPECT_EQ(f.bytes, 12800 * 4 + 100 * 24 + 1'000'000'000'000 * 128 * 100 * 12);
  EXPECT_THAT(f.refusal, AllOf(HasSubstr("1000000000000"), HasSubstr("1.28e+16 slots"), HasSubstr("bytes"),
                               HasSubstr("max_padding = 10")));
  EXPECT_TRUE(
      arg_csr::measure(a.view(), s, {.desired_chunk_size = 1, .max_padding = 128}, on_cpu).refusal.empty());
  const footprint rows = row_grouped_csr::measure(a.view(), s, {}, on_cpu);
  EXPECT_EQ(rows.bytes, 101 * 8 + 1'000'000'000'000 * 128 * 100 * 12);
  EXPECT_FALSE(rows.refusal.empty());
}

TEST(arg_csr, footprint_never_overflows) {
  constexpr std::int64_t long_row = std::int64_t{1} << 52;
  std::vector<std::int64_t> lengths(1024, 0);
  for (std::int64_t& length : lengths) length = long_row;
  const offsets_of_lengths a(lengths);
  const footprint f = row_grouped_csr::measure(a.view(), a.statistics(), {.group_rows = 32}, on_cpu);
  EXPECT_EQ(f.bytes, std::numeric_limits<std::int64_t>::max()) << "2^62 slots of 12 bytes";
}

row_statistics rows_with(double mean, double deviation, std::int64_t max) {
  return {.rows = 1000,
          .cols = 1000,
          .nnz = static_cast<std::int64_t>(1000 * mean),
          .mean = mean,
          .standard_deviation = deviation,
          .max = max};
}

TEST(arg_csr, automatic_chunks_are_larger_where_rows_are_more_regular) {
  const auto chosen = [](const row_statistics& s) {
    return arg_csr::resolve({}, s, on_cpu).desired_chunk_size;
  };
  EXPECT_EQ(chosen(rows_with(35, 0, 35)), 32);
  EXPECT_EQ(chosen(rows_with(35, 3, 40)), 32);
  EXPECT_EQ(chosen(rows_with(35, 7, 60)), 32);
  EXPECT_EQ(chosen(rows_with(35, 14, 60)), 16);
  EXPECT_EQ(chosen(rows_with(35, 26, 90)), 4);
  EXPECT_EQ(chosen(rows_with(5, 30, 3400)), 1);
  EXPECT_EQ(chosen(rows_with(5, 1, 3400)), 2) << "half of the threads of a group are left for the long row";
  EXPECT_EQ(chosen(rows_with(0, 0, 0)), 1);
  EXPECT_EQ(arg_csr::resolve({.desired_chunk_size = 7}, rows_with(5, 30, 3400), on_cpu).desired_chunk_size,
            7);
  for (const row_statistics& s : {rows_with(35, 3, 40), rows_with(5, 1, 3400)}) {
    std::vector<std::int64_t> sizes;
    for (const auto& o : arg_csr::candidates(s, on_cpu)) sizes.push_back(o.desired_chunk_size);
    EXPECT_EQ(sizes.front(), chosen(s));
    EXPECT_THAT(sizes, testing::UnorderedElementsAre(1, 2, 4, 8, 16, 32, 64));
  }
}

/// 1600 groups of 128 chunks of the size at least, where that asks for smaller chunks than regularity does.
TEST(arg_csr, automatic_chunks_leave_a_device_enough_groups) {
  const auto chosen = [](std::int64_t rows, double mean, double deviation) {
    row_statistics s = rows_with(mean, deviation, 2 * static_cast<std::int64_t>(mean));
    s.rows = rows;
    s.nnz = static_cast<std::int64_t>(static_cast<double>(rows) * mean);
    return arg_csr::resolve({}, s, on_cuda).desired_chunk_size;
  };
  EXPECT_EQ(chosen(1'000'000, 35, 0), 32);
  EXPECT_EQ(chosen(1'000'000, 35, 26), 4) << "regularity asks for less";
  EXPECT_EQ(chosen(10 * 128 * 1600, 1, 0), 8);
  EXPECT_EQ(chosen(128 * 1600, 1, 0), 1);
  EXPECT_EQ(chosen(1000, 35, 0), 1);
  EXPECT_EQ(chosen(0, 0, 0), 1);
}

/// cost() knows no more than the statistics; this says how far it may be off, for rows of the usual kinds
/// with every setting, and for very uneven ones with the automatic one.
TEST(row_groups, expect_about_the_slots_that_are_made) {
  struct subject {
    const char* text;
    bool even;
  };
  for (const subject& each :
       {subject{"stencil(nx=100,ny=100,points=5)", true},
        subject{"stencil(nx=20,ny=20,nz=20,points=27)", true},
        subject{"uniform(rows=20000,per_row=16)", true}, subject{"banded(n=3000,lower=90)", true},
        subject{"heavy_row(rows=20000,heavy=20000,per_row=5)", true},
        subject{"power_law(rows=20000,mean=12)", false}, subject{"rmat(scale=14)", false}}) {
    const auto a = bench_support::generate<double>(each.text);
    const row_statistics s = measure_rows(a.view());
    for (const arg_csr::options& o : arg_csr::candidates(s, on_cuda)) {
      SCOPED_TRACE(std::string(each.text) + " " + std::to_string(o.desired_chunk_size));
      const auto made = make_arg_csr_groups(a.view(), arg_csr::limits(o));
      const double ratio = arg_csr::expected_slots(s, o) / static_cast<double>(made.columns * o.block);
      EXPECT_GT(ratio, 0.5);
      EXPECT_LT(ratio, 2.0);
      if (!each.even) break;
    }
    if (!each.even) continue;
    for (const row_grouped_csr::options& o : row_grouped_csr::candidates(s, on_cuda)) {
      SCOPED_TRACE(std::string(each.text) + " " + std::to_string(o.group_rows));
      const auto slots = row_grouped_csr::build(a.view(), o, on_cuda).meta.slots;
      const double ratio = row_grouped_csr::expected_slots(s, o) / static_cast<double>(slots);
      EXPECT_GT(ratio, 0.5);
      EXPECT_LT(ratio, 2.0);
    }
  }
}

/// 64 rows and more: of the last group, a column has the rows that are left, rounded up to 32.
TEST(row_grouped_csr, has_a_last_group_of_fewer_rows) {
  std::vector<int> lengths(70, 1);
  lengths[69] = 3;
  const rows_of_lengths a(lengths);
  const auto s = row_grouped_csr::build(a.view(), {.group_rows = 64}, on_cpu);
  EXPECT_THAT(list(s.group_offset), ElementsAre(0, 64, 64 + 3 * 32));
  EXPECT_EQ(s.val[64 + 5], 70);
  EXPECT_EQ(s.val[64 + 32 + 5], 71);
  EXPECT_EQ(s.val[64 + 64 + 5], 72);
  EXPECT_EQ(s.col[64 + 32 + 4], -1);
}

/// Groups of 32 rows, of which the second has one row.
TEST(row_grouped_csr, pads_each_group_to_its_longest_row) {
  std::vector<int> lengths(33, 0);
  lengths[0] = 2;
  lengths[2] = 3;
  lengths[31] = 1;
  lengths[32] = 2;
  const rows_of_lengths a(lengths);
  const auto s = row_grouped_csr::build(a.view(), {.group_rows = 32}, on_cpu);
  EXPECT_THAT(list(s.group_offset), ElementsAre(0, 96, 160));
  ASSERT_EQ(s.val.size(), 160u);
  std::vector<double> val(160, 0.0);
  std::vector<std::int32_t> col(160, -1);
  const auto put = [&](std::size_t slot, int k) {
    val[slot] = k + 1;
    col[slot] = k;
  };
  put(0, 0);
  put(32, 1);
  put(2, 2);
  put(34, 3);
  put(66, 4);
  put(31, 5);
  put(96, 6);
  put(128, 7);
  EXPECT_THAT(list(s.val), ElementsAreArray(val));
  EXPECT_THAT(list(s.col), ElementsAreArray(col));
}

TEST(row_groups, sizes_that_warps_do_not_divide_are_refused) {
  const row_statistics s = rows_with(5, 1, 9);
  EXPECT_THROW(arg_csr::resolve({.block = 100}, s, on_cpu), error);
  EXPECT_THROW(row_grouped_csr::resolve({.group_rows = 33}, s, on_cpu), error);
}

}  // namespace
}  // namespace gossamer::formats
