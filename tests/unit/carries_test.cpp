// SPDX-License-Identifier: BSD-3-Clause
// The sums of rows that units share: which order they are added in, for any number of threads.
#include "exec/reduction/carries.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <random>
#include <vector>

namespace {

namespace exec = gossamer::exec;

/// Runs of the given numbers of slots, side by side, of rows 0, 1 ...; the slots' sums depend on their order.
struct runs_of {
  explicit runs_of(const std::vector<std::int64_t>& lengths) {
    std::int64_t at = 0;
    for (const std::int64_t length : lengths) {
      row.push_back(static_cast<std::int32_t>(row.size()));
      first.push_back(at);
      at += length;
      last.push_back(at);
      longest = std::max(longest, length);
    }
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> any(-1.0, 1.0);
    for (std::int64_t s = 0; s < at; ++s) slots.push_back(any(random));
  }

  [[nodiscard]] std::vector<double> combined(int threads) const {
    std::vector<double> room = slots;
    std::vector<double> y(row.size(), 0.0);
    const exec::carry_view view{.row = row.data(),
                                .first = first.data(),
                                .last = last.data(),
                                .runs = static_cast<std::int64_t>(row.size()),
                                .longest = longest,
                                .slots = static_cast<std::int64_t>(slots.size())};
    exec::combine(view, room.data(), gossamer::product<gossamer::f64>{.alpha = 1, .beta = 0, .y = y.data()},
                  threads);
    return y;
  }

  [[nodiscard]] double sum(std::int64_t begin, std::int64_t end) const {
    double sum = 0;
    for (std::int64_t s = begin; s < end; ++s) sum += slots[static_cast<std::size_t>(s)];
    return sum;
  }

  std::vector<std::int32_t> row;
  std::vector<std::int64_t> first, last;
  std::int64_t longest = 0;
  std::vector<double> slots;
};

constexpr std::int64_t block_of_runs = exec::combine_block;

TEST(combine, adds_blocks_from_left_to_right_and_then_their_sums) {
  const runs_of runs({3, block_of_runs, block_of_runs + 1, 1, 5 * block_of_runs, 0, 7 * block_of_runs - 1, 2,
                      3 * block_of_runs + 17});
  std::vector<double> expected;
  for (std::size_t r = 0; r < runs.row.size(); ++r) {
    double total = 0;
    for (std::int64_t begin = runs.first[r]; begin < runs.last[r]; begin += block_of_runs)
      total += runs.sum(begin, std::min(runs.last[r], begin + block_of_runs));
    expected.push_back(total);
  }
  for (const int threads : {1, 2, 3, 7, 16})
    EXPECT_THAT(runs.combined(threads), testing::ElementsAreArray(expected)) << threads;
}

TEST(combine, adds_a_run_of_up_to_a_block_from_left_to_right) {
  const runs_of runs({block_of_runs, 2, block_of_runs - 1});
  for (const int threads : {1, 3})
    EXPECT_THAT(runs.combined(threads),
                testing::ElementsAre(runs.sum(0, block_of_runs), runs.sum(block_of_runs, block_of_runs + 2),
                                     runs.sum(block_of_runs + 2, 2 * block_of_runs + 1)));
}

TEST(combine, shares_out_many_runs_with_long_ones_among_them) {
  std::vector<std::int64_t> lengths(10000, 3);
  lengths[17] = lengths[9000] = 2 * block_of_runs;
  const runs_of runs(lengths);
  const auto alone = runs.combined(1);
  EXPECT_EQ(alone[17], runs.sum(runs.first[17], runs.first[17] + block_of_runs) +
                           runs.sum(runs.first[17] + block_of_runs, runs.last[17]));
  EXPECT_EQ(alone[9999], runs.sum(runs.first[9999], runs.last[9999]));
  for (const int threads : {2, 5}) EXPECT_EQ(runs.combined(threads), alone) << threads;
}

}  // namespace
