// SPDX-License-Identifier: BSD-3-Clause
// Figures of small matrices worked out by hand, and of random ones against a slow and simple count.
#include "gossamer/statistics.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "unit/helpers.hpp"

namespace {

using gossamer_test::small_csr;
using gossamer_test::thread_count;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// Rows of 2, 0, 4, 0 and 3 entries.
template <class V>
small_csr<V> five_rows() {
  return {.rows = 5,
          .cols = 20,
          .row_ptr = {0, 2, 2, 6, 6, 9},
          .col = {0, 19, 1, 2, 3, 4, 4, 4, 0},
          .val = {1, 2, 1, 2, 3, 0, -0.0, 1, 1}};
}

TEST(measure_rows, by_hand) {
  const auto s = gossamer::measure_rows(five_rows<double>().view());
  EXPECT_EQ(s.rows, 5);
  EXPECT_EQ(s.cols, 20);
  EXPECT_EQ(s.nnz, 9);
  EXPECT_DOUBLE_EQ(s.mean, 1.8);
  EXPECT_DOUBLE_EQ(s.standard_deviation, 1.6);  // (4 + 16 + 9) / 5 - 1.8^2 = 2.56
  EXPECT_EQ(s.min, 0);
  EXPECT_EQ(s.max, 4);
  EXPECT_EQ(s.empty, 2);
}

TEST(measure_rows, rows_of_one_length_have_no_deviation) {
  small_csr<float, std::int32_t> a{.rows = 3, .cols = 9, .row_ptr = {0, 7, 14, 21}, .col = {}, .val = {}};
  a.col.assign(21, 1);
  a.val.assign(21, 1);
  const auto s = gossamer::measure_rows(a.view());
  EXPECT_EQ(s.standard_deviation, 0);
  EXPECT_EQ(s.min, 7);
  EXPECT_EQ(s.max, 7);
  EXPECT_EQ(s.empty, 0);
}

TEST(measure_rows, without_rows) {
  const auto s = gossamer::measure_rows(
      small_csr<double>{.rows = 0, .cols = 7, .row_ptr = {0}, .col = {}, .val = {}}.view());
  EXPECT_EQ(s.cols, 7);
  EXPECT_EQ(s.mean, 0);
  EXPECT_EQ(s.standard_deviation, 0);
  EXPECT_EQ(s.min, 0);
  EXPECT_EQ(s.max, 0);
  EXPECT_EQ(s.empty, 0);
}

TEST(measure_rows, without_entries) {
  const auto s = gossamer::measure_rows(
      small_csr<double>{.rows = 2, .cols = 0, .row_ptr = {0, 0, 0}, .col = {}, .val = {}}.view());
  EXPECT_EQ(s.mean, 0);
  EXPECT_EQ(s.min, 0);
  EXPECT_EQ(s.max, 0);
  EXPECT_EQ(s.empty, 2);
}

/// The shortest row is the first, the longest the second: what other threads see must not replace them.
TEST(measure_rows, extremes_in_the_first_threads_part) {
  small_csr<float> a{.rows = 40'000, .cols = 9, .row_ptr = {0, 1, 10}, .col = {}, .val = {}};
  while (a.row_ptr.size() < 40'001) a.row_ptr.push_back(a.row_ptr.back() + 3);
  a.col.resize(static_cast<std::size_t>(a.row_ptr.back()));
  a.val.resize(a.col.size());
  for (const int threads : {1, 2, 7}) {
    const thread_count t(threads);
    const auto s = gossamer::measure_rows(a.view());
    EXPECT_EQ(s.min, 1);
    EXPECT_EQ(s.max, 9);
    EXPECT_EQ(s.empty, 0);
  }
}

/// Random lengths, a row of 9000 among them, in groups of 32 of which the last has 9 rows.
TEST(measure_rows, sliced_slots_pad_each_32_rows_to_their_longest) {
  EXPECT_EQ(gossamer::measure_rows(five_rows<double>().view()).sliced_slots, 5 * 4);
  std::mt19937 random(3);
  constexpr std::size_t rows = 40'009;
  small_csr<float> a{.rows = rows, .cols = 9000, .row_ptr = {0}, .col = {}, .val = {}};
  std::int64_t expected = 0;
  std::int64_t longest = 0;
  std::int64_t in_group = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::int64_t length = i == 20'000 ? 9000 : random() % 50;
    a.row_ptr.push_back(a.row_ptr.back() + length);
    longest = std::max(longest, length);
    ++in_group;
    if (i % 32 == 31 || i + 1 == rows) {
      expected += longest * in_group;
      longest = in_group = 0;
    }
  }
  a.col.resize(static_cast<std::size_t>(a.row_ptr.back()));
  a.val.resize(a.col.size());
  for (const int threads : {1, 2, 7}) {
    const thread_count t(threads);
    EXPECT_EQ(gossamer::measure_rows(a.view()).sliced_slots, expected);
  }
}

/// Only offsets and the first columns of a group of rows are read, so a row of 4 * 10^12 entries costs
/// nothing to test: its square passes 2^63.
TEST(measure_rows, squares_of_long_rows_do_not_overflow) {
  constexpr std::int64_t n = 1'000'000'000'000;
  const std::vector<std::int64_t> row_ptr{0, 0, 4 * n, 4 * n, 4 * n};
  const std::vector<std::int32_t> columns(1024, 0);
  const double value = 0;
  const auto s = gossamer::measure_rows(gossamer::csr_view<double>{
      .rows = 4, .cols = 1, .row_ptr = row_ptr, .col = {columns.data(), 4 * n}, .val = {&value, 4 * n}});
  EXPECT_EQ(s.nnz, 4 * n);
  EXPECT_DOUBLE_EQ(s.mean, n);
  EXPECT_DOUBLE_EQ(s.standard_deviation, std::sqrt(3.0) * n);
  EXPECT_EQ(s.max, 4 * n);
  EXPECT_EQ(s.empty, 3);
}

/// 32 rows of a tridiagonal matrix touch columns 31 ... 64 of one group: 9 groups of four columns for 96
/// entries. Rows that are full share all of their columns. Random ones share nearly none.
TEST(measure_rows, spread_measures_how_little_rows_share_x) {
  const auto spread = [](const char* text) {
    return gossamer::measure_rows(gossamer::bench_support::generate<float>(text).view()).spread;
  };
  EXPECT_NEAR(spread("banded(n=100k,lower=1)"), 10.0 / 96, 1.0 / 96);
  EXPECT_DOUBLE_EQ(spread("dense(1024)"), 256.0 / 1024);  // a sample ends after 1024 entries, here one row
  EXPECT_DOUBLE_EQ(spread("dense(rows=3200,cols=32)"), 8.0 / 1024);
  EXPECT_GT(spread("uniform(rows=1M,per_row=8)"), 0.99);
  EXPECT_DOUBLE_EQ(spread("dense(rows=5,cols=1)"), 1.0 / 5);
  EXPECT_EQ(gossamer::measure_rows(gossamer::csr_matrix<double, std::int32_t>().view()).spread, 0);
}

TEST(measure_row_lengths, by_hand) {
  EXPECT_THAT(gossamer::measure_row_lengths(five_rows<double>().view()),
              ElementsAre(Pair(0, 2), Pair(2, 1), Pair(3, 1), Pair(4, 1)));
}

TEST(measure_row_lengths, on_both_sides_of_the_limit_between_short_and_long) {
  const small_csr<double> a{
      .rows = 5, .cols = 1, .row_ptr = {0, 4095, 8191, 12'288, 16'384, 1'016'384}, .col = {}, .val = {}};
  EXPECT_THAT(gossamer::measure_row_lengths(a.view()),
              ElementsAre(Pair(4095, 1), Pair(4096, 2), Pair(4097, 1), Pair(1'000'000, 1)));
}

TEST(measure_row_lengths, without_rows) {
  EXPECT_THAT(gossamer::measure_row_lengths(
                  small_csr<double>{.rows = 0, .cols = 3, .row_ptr = {0}, .col = {}, .val = {}}.view()),
              IsEmpty());
}

TEST(measure_entries, by_hand) {
  const auto s = gossamer::measure_entries(five_rows<double>().view());
  EXPECT_EQ(s.bandwidth, 19);           // row 0, column 19
  EXPECT_EQ(s.distinct_values, 5);      // 0 and -0 are two bit patterns
  EXPECT_EQ(s.sectors_per_32_rows, 3);  // columns 0-3, 4-7 and 16-19
  EXPECT_EQ(gossamer::measure_entries(five_rows<float>().view()).sectors_per_32_rows, 2);  // 0-7 and 16-23
}

TEST(measure_entries, bandwidth_counts_below_the_diagonal_too) {
  const small_csr<double> a{.rows = 4, .cols = 4, .row_ptr = {0, 0, 1, 1, 2}, .col = {2, 0}, .val = {1, 1}};
  EXPECT_EQ(gossamer::measure_entries(a.view()).bandwidth, 3);
}

/// 33 rows are two groups. The first touches columns 0, 3, 4 and 8 from several rows; the second column 3
/// alone.
TEST(measure_entries, sectors_are_counted_once_a_group_and_averaged) {
  small_csr<double> a{.rows = 33, .cols = 12, .row_ptr = {0, 3, 4}, .col = {8, 3, 0, 4}, .val = {1, 1, 1, 1}};
  while (a.row_ptr.size() < 32) a.row_ptr.push_back(4);  // rows 2 ... 30 are empty
  a.row_ptr.push_back(5);                                // row 31, in the first group
  a.col.push_back(9);
  a.row_ptr.push_back(6);  // row 32, in the second
  a.col.push_back(3);
  a.val.resize(6);
  EXPECT_EQ(gossamer::measure_entries(a.view()).sectors_per_32_rows, (3 + 1) / 2.0);
}

TEST(measure_entries, without_rows_or_entries) {
  const auto none = gossamer::measure_entries(
      small_csr<float>{.rows = 0, .cols = 0, .row_ptr = {0}, .col = {}, .val = {}}.view());
  EXPECT_EQ(none.sectors_per_32_rows, 0);
  EXPECT_EQ(none.distinct_values, 0);
  EXPECT_EQ(none.bandwidth, 0);
  const auto empty = gossamer::measure_entries(
      small_csr<float>{.rows = 2, .cols = 2, .row_ptr = {0, 0, 0}, .col = {}, .val = {}}.view());
  EXPECT_EQ(empty.sectors_per_32_rows, 0);
}

TEST(measure_entries, distinct_values_stop_at_257) {
  for (const int threads : {1, 2, 7}) {
    const thread_count t(threads);
    for (const std::int64_t distinct : {1, 255, 256, 257, 258, 5000}) {
      constexpr std::int64_t nnz = 40'000;
      small_csr<double> a{
          .rows = nnz, .cols = 1, .row_ptr = {0}, .col = std::vector<std::int32_t>(nnz), .val = {}};
      for (std::int64_t i = 0; i < nnz; ++i) {
        a.row_ptr.push_back(i + 1);
        a.val.push_back(static_cast<double>(i % distinct));
      }
      EXPECT_EQ(gossamer::measure_entries(a.view()).distinct_values, std::min<std::int64_t>(distinct, 257));
    }
  }
}

TEST(measure_entries, not_a_number_is_a_bit_pattern) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const small_csr<double> a{
      .rows = 1, .cols = 1, .row_ptr = {0, 3}, .col = {0, 0, 0}, .val = {nan, nan, -nan}};
  EXPECT_EQ(gossamer::measure_entries(a.view()).distinct_values, 2);
}

template <class V>
small_csr<V, std::int32_t> random_matrix(std::uint32_t seed, std::int32_t rows, std::int32_t cols) {
  std::mt19937 random(seed);
  small_csr<V, std::int32_t> a{.rows = rows, .cols = cols, .row_ptr = {0}, .col = {}, .val = {}};
  for (std::int32_t i = 0; i < rows; ++i) {
    const auto length = static_cast<int>(random() % 3 == 0 ? 0 : random() % 17);
    for (int k = 0; k < length; ++k) {
      a.col.push_back(static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(cols)));
      a.val.push_back(static_cast<V>(random() % 100));
    }
    a.row_ptr.push_back(static_cast<std::int32_t>(a.col.size()));
  }
  return a;
}

template <class V>
void compare_with_a_slow_count(const small_csr<V, std::int32_t>& a) {
  std::map<std::int64_t, std::int64_t> lengths;
  std::set<std::uint64_t> values;
  std::set<std::pair<std::int64_t, std::size_t>> sectors;
  std::int64_t bandwidth = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    const auto begin = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
    const auto end = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]);
    ++lengths[static_cast<std::int64_t>(end - begin)];
    for (std::size_t k = begin; k < end; ++k) {
      bandwidth = std::max(bandwidth, std::abs(i - a.col[k]));
      values.insert(std::bit_cast<std::uint64_t>(static_cast<double>(a.val[k])));
      sectors.insert({i / 32, static_cast<std::size_t>(a.col[k]) * sizeof(V) / 32});
    }
  }
  long double deviation = 0;
  const long double mean = static_cast<long double>(a.col.size()) / static_cast<long double>(a.rows);
  for (const auto& [length, count] : lengths) {
    const long double d = static_cast<long double>(length) - mean;
    deviation += static_cast<long double>(count) * d * d;
  }
  deviation = std::sqrt(deviation / static_cast<long double>(a.rows));

  const auto rows = gossamer::measure_rows(a.view());
  EXPECT_DOUBLE_EQ(rows.mean, static_cast<double>(mean));
  EXPECT_NEAR(rows.standard_deviation, static_cast<double>(deviation), 1e-14 * static_cast<double>(mean));
  EXPECT_EQ(rows.min, lengths.begin()->first);
  EXPECT_EQ(rows.max, lengths.rbegin()->first);
  EXPECT_EQ(rows.empty, lengths.count(0) != 0 ? lengths[0] : 0);

  const auto distribution = gossamer::measure_row_lengths(a.view());
  EXPECT_THAT(distribution, testing::ElementsAreArray(lengths.begin(), lengths.end()));

  const auto entries = gossamer::measure_entries(a.view());
  EXPECT_EQ(entries.bandwidth, bandwidth);
  EXPECT_EQ(entries.distinct_values, static_cast<std::int64_t>(values.size()));
  EXPECT_DOUBLE_EQ(entries.sectors_per_32_rows,
                   static_cast<double>(sectors.size()) / static_cast<double>((a.rows + 31) / 32));
}

TEST(statistics, agree_with_a_slow_count_for_any_number_of_threads) {
  for (const int threads : {1, 2, 7}) {
    const thread_count t(threads);
    for (const std::int32_t rows : {1, 31, 32, 33, 1000, 20'000}) {
      for (const std::int32_t cols : {1, 9, 5000}) {
        compare_with_a_slow_count(random_matrix<float>(7, rows, cols));
        compare_with_a_slow_count(random_matrix<double>(8, rows, cols));
      }
    }
  }
}

}  // namespace
