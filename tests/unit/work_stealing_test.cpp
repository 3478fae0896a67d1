// SPDX-License-Identifier: BSD-3-Clause
// Stolen units: each is taken once, whoever is slow, late or gone.
#include "exec/cpu/work_stealing.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace exec = gossamer::exec;
using testing::Each;

/// Runs one pass on `team` new threads. Returns how often each of `units` work units was taken.
/// begins(thread, part) is called before each part that a thread multiplies.
template <class Begins>
std::vector<int> pass_over(exec::work_stealing_units& shares, std::int64_t units, int team, Begins&& begins) {
  std::vector<std::atomic<int>> times(static_cast<std::size_t>(units));
  const std::uint32_t number = shares.begin();
  std::vector<std::thread> threads;
  for (int t = 0; t < team; ++t)
    threads.emplace_back([&, t] {
      shares.take(
          number, t, team, number % 2 == 0,
          [&](int owner) { return gossamer::core::share(units, owner, team); },
          [&](gossamer::core::range taken) {
            begins(t, taken);
            for (std::int64_t u = taken.begin; u < taken.end; ++u) ++times[static_cast<std::size_t>(u)];
          });
    });
  for (std::thread& each : threads) each.join();
  return {times.begin(), times.end()};
}

TEST(work_stealing_units, every_unit_is_taken_once_in_each_pass) {
  exec::work_stealing_units shares;
  for (int pass = 0; pass < 200; ++pass)
    for (const int team : {1, 2, 5, 16})
      for (const std::int64_t units : {0, 1, 7, 256})
        ASSERT_THAT(pass_over(shares, units, team, [](int, gossamer::core::range) {}), Each(1))
            << pass << " " << team << " " << units;
}

TEST(work_stealing_units, team_of_the_most_threads) {
  exec::work_stealing_units shares;
  for (int pass = 0; pass < 3; ++pass)
    EXPECT_THAT(
        pass_over(shares, 1000, exec::work_stealing_units::most_threads, [](int, gossamer::core::range) {}),
        Each(1));
}

TEST(work_stealing_units, of_a_slow_thread_are_taken_over_by_the_others) {
  exec::work_stealing_units shares;
  // Thread 1 has units 16 to 31 and takes half of them at once. It waits until others have taken four of the
  // rest.
  std::atomic<int> others{0};
  const std::vector<int> times = pass_over(shares, 64, 4, [&](int thread, gossamer::core::range part) {
    if (thread != 1 && part.begin >= 16 && part.begin < 32) others += static_cast<int>(part.end - part.begin);
    const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (thread == 1 && others < 4 && std::chrono::steady_clock::now() < late) std::this_thread::yield();
  });
  EXPECT_THAT(times, Each(1));
  EXPECT_GE(others, 4);
}

TEST(work_stealing_units, of_a_thread_that_has_not_come_yet_are_taken_over_too) {
  exec::work_stealing_units shares;
  const std::uint32_t number = shares.begin();
  std::vector<int> taken;
  const auto share = [](int owner) { return gossamer::core::share(32, owner, 2); };
  const auto run = [&](gossamer::core::range r) {
    for (std::int64_t u = r.begin; u < r.end; ++u) taken.push_back(static_cast<int>(u));
  };
  shares.take(number, 0, 2, false, share, run);
  EXPECT_EQ(taken.size(), 31u);  // but its last
  shares.take(number, 1, 2, false, share, run);
  EXPECT_EQ(taken.size(), 32u);
  EXPECT_EQ(taken.back(), 31);
}

TEST(work_stealing_units, of_a_backward_pass_are_taken_from_their_ends) {
  exec::work_stealing_units shares;
  std::vector<std::pair<std::int64_t, std::int64_t>> taken;
  const auto share = [](int owner) { return gossamer::core::share(16, owner, 2); };
  const auto take = [&](bool backwards) {
    taken.clear();
    shares.take(shares.begin(), 0, 2, backwards, share,
                [&](gossamer::core::range r) { taken.emplace_back(r.begin, r.end); });
    return taken;
  };
  using testing::ElementsAre;
  using testing::Pair;
  EXPECT_THAT(take(false), ElementsAre(Pair(0, 4), Pair(4, 6), Pair(6, 7), Pair(7, 8), Pair(8, 12),
                                       Pair(12, 14), Pair(14, 15)));
  EXPECT_THAT(take(true), ElementsAre(Pair(4, 8), Pair(2, 4), Pair(1, 2), Pair(0, 1), Pair(12, 16),
                                      Pair(10, 12), Pair(9, 10)));
}

TEST(work_stealing_units, steals_from_long_shares_of_long_storage) {
  constexpr std::int64_t mebibyte = 1 << 20;
  EXPECT_FALSE(exec::work_stealing_threads(16 * mebibyte - 1).any());
  EXPECT_FALSE(exec::work_stealing_threads(16 * mebibyte).has(1));
  EXPECT_TRUE(exec::work_stealing_threads(16 * mebibyte).has(2));
  EXPECT_TRUE(exec::work_stealing_threads(16 * mebibyte).has(16));
  EXPECT_FALSE(exec::work_stealing_threads(16 * mebibyte).has(17)) << "shares of under 1 MiB";
  EXPECT_TRUE(exec::work_stealing_threads(1024 * mebibyte).has(exec::work_stealing_units::most_threads));
  EXPECT_FALSE(exec::work_stealing_threads(1024 * mebibyte).has(exec::work_stealing_units::most_threads + 1));
}

}  // namespace
