// SPDX-License-Identifier: BSD-3-Clause
// Sets of rows in proportion to computing powers: the example and the numbers that paper 004 prints, and what
// its listings leave out.
#include "gossamer/partition.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "unit/helpers.hpp"

namespace gossamer_test::partitions {
namespace {

using gossamer::errc;
using gossamer::partition_algorithm;
using gossamer::partition_options;
using gossamer::row_partition;
using gossamer::row_set;
using gossamer_test::expect_error;
using gossamer_test::small_csr;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using numbers = std::vector<int>;

/// Rows of these lengths; which columns they have plays no part.
template <class V = double, class O = std::int64_t>
small_csr<V, O> with_lengths(const numbers& lengths) {
  small_csr<V, O> a{.rows = static_cast<std::int64_t>(lengths.size()), .cols = 20, .row_ptr = {0}};
  for (const int length : lengths) {
    for (int k = 0; k < length; ++k) a.col.push_back(k % 20);
    a.val.resize(a.col.size(), V{1});
    a.row_ptr.push_back(static_cast<O>(a.col.size()));
  }
  return a;
}

row_partition cut(const numbers& lengths, const std::vector<double>& powers, partition_options options) {
  return gossamer::partition_rows(with_lengths(lengths).view(), powers, options);
}

row_partition cut(const numbers& lengths, const std::vector<double>& powers, partition_algorithm algorithm) {
  return cut(lengths, powers, partition_options{.algorithm = algorithm});
}

/// The rows of each set as they stand, counted from 1 as in the paper.
std::vector<numbers> from_one(const row_partition& p) {
  std::vector<numbers> sets;
  for (std::size_t k = 0; k < p.sets.size(); ++k) {
    sets.emplace_back();
    for (const std::int32_t i : p.rows_of(k)) sets.back().push_back(i + 1);
  }
  return sets;
}

std::vector<numbers> sorted(std::vector<numbers> sets) {
  for (numbers& set : sets) std::sort(set.begin(), set.end());
  return sets;
}

numbers run(int first, int last) {
  numbers all;
  for (int i = first; i <= last; ++i) all.push_back(i);
  return all;
}

template <class Member>
numbers of_sets(const row_partition& p, Member&& member) {
  numbers all;
  for (const row_set& set : p.sets) all.push_back(static_cast<int>(member(set)));
  return all;
}

numbers nonzeros(const row_partition& p) {
  return of_sets(p, [](const row_set& s) { return s.nnz; });
}

// The example of section 4: the nine sets of rows of one length, by their lengths.
const numbers example{2, 5, 3, 7, 1, 5, 2, 6, 13, 5, 7, 9, 3, 10, 7, 1, 6, 13, 2, 10};
const std::vector<double> powers{1, 2, 6};

struct printed {
  std::vector<numbers> sets;
  numbers nnz, width, padded, percent;  ///< of each set
  int mean_percent, all_padded;
};

void expect_printed(const row_partition& p, const printed& expected) {
  EXPECT_EQ(sorted(from_one(p)), expected.sets);
  EXPECT_EQ(nonzeros(p), expected.nnz);
  EXPECT_EQ(of_sets(p, [](const row_set& s) { return s.width; }), expected.width);
  EXPECT_EQ(of_sets(p, [](const row_set& s) { return s.padded(); }), expected.padded);
  EXPECT_EQ(of_sets(p, [](const row_set& s) { return std::lround(100 * s.density()); }), expected.percent);
  EXPECT_EQ(std::lround(100 * gossamer::mean_density(p.sets)), expected.mean_percent);
  EXPECT_EQ(gossamer::padded_slots(p.sets), expected.all_padded);
  EXPECT_THAT(p.target_nnz, ElementsAre(13, 26, 78));
}

TEST(partition_example, is_the_same_where_shortages_are_carried) {
  for (const auto algorithm :
       {partition_algorithm::rows, partition_algorithm::nonzeros, partition_algorithm::pmf}) {
    const auto carried = cut(example, powers, partition_options{.algorithm = algorithm, .carry = true});
    EXPECT_EQ(from_one(carried), from_one(cut(example, powers, algorithm))) << name(algorithm);
  }
}

TEST(partition_example, is_the_papers) {
  EXPECT_THAT(example, testing::SizeIs(20));
  EXPECT_EQ(with_lengths(example).view().nnz(), 117);
}

TEST(partition_example, by_rows) {
  expect_printed(cut(example, powers, partition_algorithm::rows), {.sets = {run(1, 2), run(3, 6), run(7, 20)},
                                                                   .nnz = {7, 16, 94},
                                                                   .width = {5, 7, 13},
                                                                   .padded = {3, 12, 88},
                                                                   .percent = {70, 57, 52},
                                                                   .mean_percent = 53,
                                                                   .all_padded = 103});
}

TEST(partition_example, by_nonzeros) {
  expect_printed(cut(example, powers, partition_algorithm::nonzeros),
                 {.sets = {run(1, 3), run(4, 8), run(9, 20)},
                  .nnz = {10, 21, 86},
                  .width = {5, 7, 13},
                  .padded = {5, 14, 70},
                  .percent = {67, 60, 55},
                  .mean_percent = 57,
                  .all_padded = 89});
}

TEST(partition_example, by_pmf) {
  const row_partition p = cut(example, powers, partition_algorithm::pmf);
  expect_printed(p, {.sets = {{1, 3, 5, 7, 13, 16, 19}, {2, 6, 8, 10, 17}, {4, 9, 11, 12, 14, 15, 18, 20}},
                     .nnz = {14, 27, 76},
                     .width = {3, 6, 13},
                     .padded = {7, 3, 28},
                     .percent = {67, 90, 73},
                     .mean_percent = 75,
                     .all_padded = 38});
  EXPECT_EQ(from_one(p), (std::vector<numbers>{
                             {5, 16, 1, 7, 19, 3, 13}, {2, 6, 10, 8, 17}, {4, 11, 15, 12, 14, 20, 9, 18}}));
}

TEST(partition_example, uncut) {
  const row_partition p = cut(example, {1}, partition_algorithm::rows);
  EXPECT_EQ(p.sets[0].slots(), 260);
  EXPECT_EQ(std::lround(100 * gossamer::mean_density(p.sets)), 45);
  EXPECT_DOUBLE_EQ(p.sets[0].fill(), 143.0 / 260);
}

TEST(partition_example, relative_differences) {
  const row_partition p = cut(example, powers, partition_algorithm::pmf);
  EXPECT_DOUBLE_EQ(gossamer::relative_difference(p, 0), 1.0 / 13);
  EXPECT_DOUBLE_EQ(gossamer::relative_difference(p, 1), 1.0 / 26);
  EXPECT_DOUBLE_EQ(gossamer::relative_difference(p, 2), -2.0 / 78);
  EXPECT_DOUBLE_EQ(gossamer::relative_difference(p), 1.0 / 13 + 1.0 / 26 + 2.0 / 78);
}

TEST(partition_example, is_the_same_for_any_types_and_units_of_power) {
  const std::vector<double> milli{0.001, 0.002, 0.006};
  for (const auto algorithm :
       {partition_algorithm::rows, partition_algorithm::nonzeros, partition_algorithm::pmf}) {
    const auto expected = from_one(cut(example, powers, algorithm));
    EXPECT_EQ(from_one(cut(example, milli, algorithm)), expected);
    EXPECT_EQ(from_one(gossamer::partition_rows(with_lengths<float, std::int32_t>(example).view(), powers,
                                                {.algorithm = algorithm})),
              expected);
    EXPECT_EQ(from_one(gossamer::partition_rows(with_lengths<float, std::int64_t>(example).view(), powers,
                                                {.algorithm = algorithm})),
              expected);
    EXPECT_EQ(from_one(gossamer::partition_rows(with_lengths<double, std::int32_t>(example).view(), powers,
                                                {.algorithm = algorithm})),
              expected);
  }
}

/// Theorem 1 says that no sets with the same numbers of entries have fewer slots than Algorithm 3's.
TEST(partition_theorem, is_false_as_stated) {
  const numbers lengths{1, 1, 1, 1, 1, 1, 3, 3};
  const row_partition p = cut(lengths, {3, 1}, partition_algorithm::pmf);
  EXPECT_EQ(sorted(from_one(p)), (std::vector<numbers>{run(1, 7), {8}}));
  EXPECT_THAT(nonzeros(p), ElementsAre(9, 3));
  EXPECT_EQ(p.sets[0].slots() + p.sets[1].slots(), 24);
  const row_set with_long_rows{.rows = 5, .nnz = 9, .width = 3};  // {3, 3, 1, 1, 1}
  const row_set with_short_rows{.rows = 3, .nnz = 3, .width = 1};
  EXPECT_EQ(with_long_rows.slots() + with_short_rows.slots(), 18);
}

TEST(partition_by_rows, rounds_down_and_leaves_the_rest_to_the_last_set) {
  const numbers lengths(11, 1);
  const auto counts = [](const row_partition& p) {
    return of_sets(p, [](const row_set& s) { return s.rows; });
  };
  EXPECT_THAT(counts(cut(lengths, {1, 1, 1, 1}, partition_algorithm::rows)), ElementsAre(2, 2, 2, 5));
  EXPECT_THAT(counts(cut(lengths, {1, 1, 1, 1}, {partition_algorithm::rows, true})), ElementsAre(2, 3, 3, 3));
  EXPECT_THAT(counts(cut(numbers(6, 1), {0.1, 0.2, 0.3}, partition_algorithm::rows)), ElementsAre(1, 2, 3));
  EXPECT_THAT(counts(cut(numbers(6, 1), {0.3, 0.2, 0.1}, partition_algorithm::rows)), ElementsAre(3, 2, 1));
}

TEST(partition_by_nonzeros, ends_before_a_row_that_passes_the_target) {
  EXPECT_THAT(nonzeros(cut({2, 2, 2, 2}, {1, 1}, partition_algorithm::nonzeros)), ElementsAre(4, 4));
  EXPECT_THAT(nonzeros(cut({2, 3, 2, 1}, {1, 1}, partition_algorithm::nonzeros)), ElementsAre(2, 6));
  // Rows without entries pass nothing.
  EXPECT_EQ(from_one(cut({0, 2, 0, 2, 0}, {1, 1}, partition_algorithm::nonzeros)),
            (std::vector<numbers>{{1, 2, 3}, {4, 5}}));
}

TEST(partition_by_nonzeros, carries_what_does_not_fit) {
  // No share has room for the first row, so as published all is the last set's.
  const numbers lengths{30, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_THAT(nonzeros(cut(lengths, {1, 1, 1, 1}, partition_algorithm::nonzeros)), ElementsAre(0, 0, 0, 40));
  EXPECT_THAT(nonzeros(cut(lengths, {1, 1, 1, 1}, {partition_algorithm::nonzeros, true})),
              ElementsAre(0, 0, 30, 10));
}

TEST(partition_by_pmf, ends_where_no_rows_are_left) {
  // A target of 10 / 4 = 2.5 takes one row of 3.
  EXPECT_THAT(nonzeros(cut({5, 5}, {1, 1, 1, 1}, partition_algorithm::pmf)), ElementsAre(5, 5, 0, 0));
  EXPECT_THAT(nonzeros(cut({5, 5}, {1, 1, 1, 1}, {partition_algorithm::pmf, true})), ElementsAre(5, 0, 5, 0));
}

TEST(partition_by_pmf, leaves_rows_without_entries_to_the_last_set) {
  EXPECT_EQ(from_one(cut({0, 4, 1, 0, 3, 0}, {1, 1}, partition_algorithm::pmf)),
            (std::vector<numbers>{{3, 5}, {1, 4, 6, 2}}));
  const row_partition none = cut({0, 0, 0}, powers, partition_algorithm::pmf);
  EXPECT_EQ(from_one(none), (std::vector<numbers>{{}, {}, {1, 2, 3}}));
  EXPECT_EQ(none.sets[2].slots(), 0);
  EXPECT_EQ(none.sets[2].density(), 1);
  EXPECT_EQ(gossamer::relative_difference(none), 0);
}

/// Rows longer than are counted, of several lengths, between rows that are.
TEST(partition_by_pmf, orders_very_long_rows_too) {
  EXPECT_EQ(from_one(cut({4097, 5000, 4095, 4096, 0, 4097, 4096}, {1}, partition_algorithm::pmf)),
            (std::vector<numbers>{{5, 3, 4, 7, 1, 6, 2}}));
}

TEST(partition, of_nothing) {
  for (const auto algorithm :
       {partition_algorithm::rows, partition_algorithm::nonzeros, partition_algorithm::pmf}) {
    const row_partition p = cut({}, powers, algorithm);
    EXPECT_THAT(p.sets, testing::SizeIs(3));
    EXPECT_THAT(p.row.span(), IsEmpty());
    EXPECT_THAT(p.first, ElementsAre(0, 0, 0, 0));
    EXPECT_EQ(gossamer::mean_density(p.sets), 1);
  }
}

TEST(partition, refuses_powers_that_are_none) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](const std::vector<double>& bad, const char* text) {
    for (const auto algorithm :
         {partition_algorithm::rows, partition_algorithm::nonzeros, partition_algorithm::pmf}) {
      expect_error(errc::invalid_argument, HasSubstr(text), [&] { cut(example, bad, algorithm); });
    }
  };
  refused({}, "partition_rows: powers is empty");
  refused({0}, "partition_rows: powers[0] = 0 is not a positive finite number");
  refused({1, -2.5}, "powers[1] = -2.5");
  refused({1, 2, infinity}, "powers[2] = inf");
  refused({nan}, "powers[0] = nan");
}

TEST(partition, takes_powers_of_any_size) {
  const double largest = std::numeric_limits<double>::max();
  const double smallest = std::numeric_limits<double>::denorm_min();
  for (const auto algorithm :
       {partition_algorithm::rows, partition_algorithm::nonzeros, partition_algorithm::pmf}) {
    EXPECT_THAT(nonzeros(cut({1, 1, 1, 1}, {largest, largest}, algorithm)), ElementsAre(2, 2));
    EXPECT_THAT(nonzeros(cut({1, 1, 1, 1}, {smallest, smallest}, algorithm)), ElementsAre(2, 2));
    EXPECT_THAT(nonzeros(cut({1, 1, 1, 1}, {largest, smallest}, {algorithm, true})),
                testing::AnyOf(ElementsAre(4, 0), ElementsAre(3, 1)));
  }
}

TEST(partition_set, has_more_slots_than_int64_counts) {
  const row_set huge{
      .rows = std::int64_t{1} << 31, .nnz = std::int64_t{1} << 33, .width = std::int64_t{1} << 33};
  EXPECT_EQ(huge.slots(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(huge.density(), 0x1p-31);
  EXPECT_EQ(gossamer::padded_slots({{huge, huge}}), std::numeric_limits<std::int64_t>::max());
}

/// Equation (12): 21 slots of a value and a column and 7 lengths, and so on; (13) at 1000 bytes a second.
TEST(partition_model, of_the_example) {
  const row_partition p = cut(example, powers, partition_algorithm::pmf);
  EXPECT_EQ(gossamer::ell_bytes(p.sets[0], 4), 21 * 8 + 7 * 4);
  EXPECT_EQ(gossamer::ell_bytes(p.sets[0], 8), 21 * 12 + 7 * 4);
  EXPECT_EQ(gossamer::ell_bytes(p.sets[0], 8, 8), 21 * 16 + 7 * 8);
  EXPECT_DOUBLE_EQ(gossamer::transfer_seconds(p.sets, 4, 1000), (155 * 8 + 20 * 4) / 1000.0);
  for (const double none : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    expect_error(errc::invalid_argument, HasSubstr("bytes_per_second"),
                 [&] { gossamer::transfer_seconds(p.sets, 4, none); });
}

TEST(partition_model, least_block_density_is_the_papers) {
  EXPECT_THAT(gossamer::least_block_density(), DoubleNear(0.24940, 0.000006));
  EXPECT_EQ(gossamer::least_block_density(0.9, 32), 1);  // 32 rows of one entry
  EXPECT_DOUBLE_EQ(gossamer::least_block_density(0.9, 64), (32 + 64) / (64 * 2.0));
  // Every warp full: 32 (1 + 2 + ... + 32) entries in 32 * 32 * 32 slots.
  EXPECT_DOUBLE_EQ(gossamer::least_block_density(1), 32 * 528.0 / (1024 * 32));
}

TEST(partition_model, least_block_density_refuses_what_is_no_block) {
  for (const double bad : {0.0, 0.06, 1.01, std::numeric_limits<double>::quiet_NaN()})
    expect_error(errc::invalid_argument, HasSubstr("utilisation = "),
                 [&] { gossamer::least_block_density(bad); });
  for (const int bad : {0, -32, 31, 33, 1056})
    expect_error(errc::invalid_argument, HasSubstr("threads = " + std::to_string(bad)),
                 [&] { gossamer::least_block_density(0.9, bad); });
}

TEST(partition, has_names_for_its_algorithms) {
  EXPECT_EQ(name(partition_algorithm::rows), "rows");
  EXPECT_EQ(name(partition_algorithm::nonzeros), "nnz");
  EXPECT_EQ(name(partition_algorithm::pmf), "pmf");
}

}  // namespace
}  // namespace gossamer_test::partitions
