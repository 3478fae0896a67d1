// SPDX-License-Identifier: BSD-3-Clause
// Row lengths that meet figures: exact where the figures are exact, and as near as arithmetic allows.
#include "bench_support/generate/like/row_lengths.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "unit/helpers.hpp"

namespace {

using gossamer::bench_support::generation::draw;
using gossamer::bench_support::generation::fit_row_lengths;
using gossamer::bench_support::generation::length_wishes;
using gossamer::bench_support::generation::ranked_rows;
using gossamer::bench_support::generation::tail;

struct figures {
  std::int64_t rows = 0, entries = 0, over = 0, rows_over = 0, rows_under = 0;
  double sd = 0;
};

figures figures_of(const gossamer::row_length_distribution& lengths, std::int64_t pivot) {
  figures f;
  double squares = 0;
  for (const auto& [length, count] : lengths) {
    f.rows += count;
    f.entries += length * count;
    f.over += std::max<std::int64_t>(length - pivot, 0) * count;
    f.rows_over += length > pivot ? count : 0;
    f.rows_under += length < pivot ? count : 0;
    squares += static_cast<double>(length) * static_cast<double>(length) * static_cast<double>(count);
  }
  const double mean = static_cast<double>(f.entries) / static_cast<double>(f.rows);
  f.sd = std::sqrt(squares / static_cast<double>(f.rows) - mean * mean);
  return f;
}

void expect_met(const length_wishes& w, const gossamer::row_length_distribution& lengths) {
  const figures f = figures_of(lengths, w.pivot);
  EXPECT_EQ(f.rows, w.rows);
  EXPECT_EQ(f.entries, w.entries);
  EXPECT_EQ(f.over, w.over);
  EXPECT_LE(f.rows_over, w.most_over);
  EXPECT_LE(f.rows_under, w.most_under);
  EXPECT_EQ(lengths.front().first, w.min);
  EXPECT_EQ(lengths.back().first, w.max);
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    EXPECT_GT(lengths[k].second, 0);
    EXPECT_GT(lengths[k].first, k == 0 ? -1 : lengths[k - 1].first);
  }
}

/// 10 rows, pivot 5, one of 9 and one of 1: 4 over, 4 under, and eight rows of 5.
TEST(fit_row_lengths, of_a_case_that_leaves_no_choice) {
  const length_wishes w{.rows = 10,
                        .entries = 50,
                        .min = 1,
                        .max = 9,
                        .sd = 1,
                        .pivot = 5,
                        .over = 4,
                        .most_over = 5,
                        .most_under = 5};
  const auto lengths = fit_row_lengths(w);
  expect_met(w, lengths);
  EXPECT_EQ(lengths, (gossamer::row_length_distribution{{1, 1}, {5, 8}, {9, 1}}));
}

TEST(fit_row_lengths, all_alike) {
  const length_wishes w{.rows = 7,
                        .entries = 21,
                        .min = 3,
                        .max = 3,
                        .sd = 0,
                        .pivot = 3,
                        .over = 0,
                        .most_over = 2,
                        .most_under = 2};
  EXPECT_EQ(fit_row_lengths(w), (gossamer::row_length_distribution{{3, 7}}));
}

/// Figures of lengths drawn at random can be met, so they have to be.
TEST(fit_row_lengths, meets_the_figures_of_random_lengths) {
  for (std::int64_t measurement = 0; measurement < 200; ++measurement) {
    const std::uint64_t key = draw(99, measurement);
    const auto pick = [&](std::int64_t counter, std::int64_t size) {
      return gossamer::bench_support::generation::below(draw(key, counter), size);
    };
    length_wishes w{.rows = 200 + pick(0, 3000), .min = pick(1, 4), .max = 20 + pick(2, 400)};
    w.pivot = w.min + 1 + pick(3, 15);
    w.over_tail = measurement % 2 == 0 ? tail::power : tail::geometric;
    std::map<std::int64_t, std::int64_t> drawn;
    for (std::int64_t i = 0; i < w.rows; ++i) {
      std::int64_t length = w.min + pick(10 + 2 * i, w.pivot - w.min + 3);
      if (pick(11 + 2 * i, 20) == 0) length += pick(12 + 2 * i, w.max - length + 1);
      if (i == 0) length = w.min;
      if (i == 1) length = w.max;
      ++drawn[length];
    }
    const figures real = figures_of({drawn.begin(), drawn.end()}, w.pivot);
    w.entries = real.entries;
    w.over = real.over;
    w.sd = real.sd;
    w.most_over = real.rows_over;
    w.most_under = real.rows_under;
    SCOPED_TRACE(measurement);
    const auto lengths = fit_row_lengths(w);
    expect_met(w, lengths);
    // A few rows more or less in the tail are what the curve cannot resolve in so few rows.
    EXPECT_NEAR(figures_of(lengths, w.pivot).sd / real.sd, 1, 0.15);
  }
}

TEST(fit_row_lengths, goes_to_the_extremes_where_the_deviation_is_out_of_reach) {
  length_wishes w{.rows = 10'000,
                  .entries = 100'000,
                  .min = 1,
                  .max = 19,
                  .sd = 0,
                  .pivot = 10,
                  .over = 9000,
                  .most_over = 5000,
                  .most_under = 5000};
  const auto narrow = fit_row_lengths(w);
  expect_met(w, narrow);
  // One row at each end, and the other 8,991 over and under spread by twos over 4,999 rows: 4 * 3992 + 1007.
  EXPECT_NEAR(figures_of(narrow, 10).sd, std::sqrt(2 * (81 + 4 * 3992 + 1007) / 10'000.0), 0.05);
  w.sd = 100;
  const auto wide = fit_row_lengths(w);
  expect_met(w, wide);
  EXPECT_NEAR(figures_of(wide, 10).sd, std::sqrt(2 * 1000 * 81 / 10'000.0), 0.05);
}

TEST(fit_row_lengths, refuses_what_cannot_be) {
  length_wishes w{.rows = 10,
                  .entries = 50,
                  .min = 1,
                  .max = 9,
                  .sd = 1,
                  .pivot = 5,
                  .over = 3,
                  .most_over = 5,
                  .most_under = 5};
  gossamer_test::expect_error(
      gossamer::errc::unsupported,
      "row lengths: 5 rows can be over the pivot by 4 at most, which does not give a sum of 3",
      [&] { fit_row_lengths(w); });
  w.over = 21;
  gossamer_test::expect_error(gossamer::errc::unsupported, testing::HasSubstr("a sum of 21"),
                              [&] { fit_row_lengths(w); });
}

TEST(ranked_rows, every_rank_has_a_row_and_groups_stay_together) {
  const gossamer::row_length_distribution lengths{{1, 30}, {2, 50}, {7, 23}};
  for (const std::int64_t group : {1, 4, 12, 200}) {
    const ranked_rows rows(lengths, group, 5);
    std::map<std::int64_t, std::int64_t> count;
    std::int64_t changes = 0;
    for (std::int64_t i = 0; i < 103; ++i) {
      ++count[rows.length_of(i)];
      changes += i > 0 && i % group != 0 && rows.length_of(i) != rows.length_of(i - 1);
    }
    EXPECT_EQ((gossamer::row_length_distribution{count.begin(), count.end()}), lengths) << group;
    EXPECT_LE(changes, 2) << group << ": inside groups lengths change where the next length begins";
  }
}

}  // namespace
