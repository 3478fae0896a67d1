// SPDX-License-Identifier: BSD-3-Clause
// The one door to threads: who runs what, and which exception comes out.
#include "core/parallel.hpp"

#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "unit/helpers.hpp"

namespace {

namespace core = gossamer::core;
using gossamer_test::thread_count;

TEST(parallel, share_covers_everything_once_in_order) {
  for (const std::int64_t size :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{6}, std::int64_t{7}, std::int64_t{8},
        std::int64_t{100}, std::int64_t{0x7fffffff} * 0x7fffffff}) {
    for (const int team : {1, 2, 7, 64}) {
      std::int64_t at = 0;
      for (int t = 0; t < team; ++t) {
        const core::range r = core::share(size, t, team);
        EXPECT_EQ(r.begin, at);
        EXPECT_GE(r.end - r.begin, size / team);
        EXPECT_LE(r.end - r.begin, size / team + 1);
        at = r.end;
      }
      EXPECT_EQ(at, size);
    }
  }
}

TEST(parallel, a_limit_holds_while_it_lives_and_where_it_was_made) {
  const thread_count eight(8);
  EXPECT_EQ(core::default_threads(), 8);
  const auto elsewhere = [] {
    int threads = 0;
    std::thread([&] { threads = core::default_threads(); }).join();
    return threads;
  };
  const int usual = elsewhere();
  {
    const gossamer::thread_limit three(3);
    EXPECT_EQ(core::default_threads(), 3);
    int most = 0;
    core::parallel(0, [&](int thread, int team) {
      if (thread == 0) most = team;
    });
    EXPECT_LE(most, 3);
    EXPECT_EQ(elsewhere(), usual);
    {
      const gossamer::thread_limit one(1);
      const gossamer::thread_limit unchanged(0);
      EXPECT_EQ(core::default_threads(), 1);
    }
    EXPECT_EQ(core::default_threads(), 3);
  }
  EXPECT_EQ(core::default_threads(), 8);
  const gossamer::thread_limit too_many(1 << 30);
  EXPECT_EQ(core::default_threads(), core::most_threads());
}

TEST(parallel, share_by_cost_covers_everything_once_in_order) {
  for (const auto& each : {std::vector<std::int64_t>{},
                           {5},
                           {0, 0, 7, 0, 0},
                           {9, 1, 1, 1, 1, 1, 1, 1, 9},
                           {1, 1000, 1},
                           {0, 0, 0}}) {
    std::vector<std::int64_t> cost{0};
    for (const std::int64_t c : each) cost.push_back(cost.back() + c);
    const auto size = static_cast<std::int64_t>(each.size());
    for (const int team : {1, 2, 3, 7, 64}) {
      std::int64_t at = 0;
      for (int t = 0; t < team; ++t) {
        const core::range r = core::share_by_cost(cost.data(), size, t, team);
        EXPECT_EQ(r.begin, at);
        EXPECT_GE(r.end, r.begin);
        at = r.end;
      }
      EXPECT_EQ(at, size);
    }
  }
}

TEST(parallel, share_by_cost_ends_at_the_boundary_nearest_to_equal_costs) {
  const std::int64_t cost[] = {0, 9, 10, 11, 12, 13, 14, 15, 16, 25};
  const auto ends = [&](int team) {
    std::vector<std::int64_t> all;
    for (int t = 0; t < team; ++t) all.push_back(core::share_by_cost(cost, 9, t, team).end);
    return all;
  };
  EXPECT_EQ(ends(2), (std::vector<std::int64_t>{4, 9}));     // 12 of 25
  EXPECT_EQ(ends(3), (std::vector<std::int64_t>{1, 8, 9}));  // 8 is nearer to 9 than to 0, 16 is there
  EXPECT_EQ(ends(5), (std::vector<std::int64_t>{1, 2, 7, 8, 9}));
  // Costs whose product with the team has more than 63 bits.
  const std::int64_t large[] = {0, std::int64_t{1} << 61, std::int64_t{1} << 62};
  EXPECT_EQ(core::share_by_cost(large, 2, 31, 64).end, 1);
  EXPECT_EQ(core::share_by_cost(large, 2, 0, 64).end, 0);
}

TEST(parallel, runs_the_body_once_on_each_thread_of_the_team) {
  for (const int threads : {1, 2, 7}) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(threads));
    std::atomic<int> smallest_team{threads};
    core::parallel(threads, [&](int thread, int team) {
      ++calls[static_cast<std::size_t>(thread)];
      if (team < smallest_team) smallest_team = team;
    });
    for (int t = 0; t < threads; ++t)
      EXPECT_EQ(calls[static_cast<std::size_t>(t)], t < smallest_team ? 1 : 0);
  }
}

TEST(parallel, no_number_means_the_default) {
  const thread_count three(3);
  EXPECT_EQ(core::default_threads(), 3);
  std::atomic<int> team_size{0};
  core::parallel(0, [&](int, int team) { team_size = team; });
  EXPECT_EQ(team_size, 3);
}

TEST(parallel, thread_0_is_the_caller) {
  for (const int threads : {1, 4}) {
    std::thread::id zero;
    core::parallel(threads, [&](int thread, int) {
      if (thread == 0) zero = std::this_thread::get_id();
    });
    EXPECT_EQ(zero, std::this_thread::get_id());
  }
}

TEST(parallel, the_lowest_threads_exception_wins) {
  for (int run = 0; run < 20; ++run) {
    std::atomic<int> finished{0};
    std::string text;
    try {
      core::parallel(7, [&](int thread, int) {
        if (thread == 0 || thread == 6) {
          ++finished;
          return;
        }
        // The lower ones are late.
        if (thread < 4) std::this_thread::sleep_for(std::chrono::microseconds(100 * (4 - thread)));
        throw std::out_of_range(std::to_string(thread));
      });
    } catch (const std::out_of_range& e) {
      text = e.what();
    }
    EXPECT_EQ(text, "1");
    EXPECT_EQ(finished, 2) << "threads that did not throw must finish";
  }
}

TEST(parallel, an_exception_keeps_its_type_with_one_thread_and_with_several) {
  for (const int threads : {1, 3}) {
    gossamer_test::expect_error(gossamer::errc::busy, "b", [&] {
      core::parallel(threads, [](int, int) { throw gossamer::error(gossamer::errc::busy, "b"); });
    });
  }
}

/// A body of the largest size there is.
struct body_of_56_bytes {
  std::atomic<std::int64_t>* sum;
  std::array<std::int64_t, 6> numbers;
  void operator()(int thread, int) const {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(this) % alignof(body_of_56_bytes), 0u);
    if (numbers[0] < 0) throw std::out_of_range(std::to_string(thread));
    for (const std::int64_t n : numbers) *sum += n;
  }
};
static_assert(sizeof(body_of_56_bytes) == sizeof(core::copied_body::words));

TEST(parallel, a_body_by_copy_is_each_threads_own) {
  for (const int threads : {1, 2, 7}) {
    std::atomic<std::int64_t> sum{0};
    std::atomic<int> team_size{0};
    core::parallel(threads, [&](int, int team) { team_size = team; });
    body_of_56_bytes body{.sum = &sum, .numbers = {}};
    for (std::size_t i = 0; i < body.numbers.size(); ++i) body.numbers[i] = static_cast<std::int64_t>(i);
    core::parallel_by_copy(threads, body);
    EXPECT_EQ(sum, 15 * team_size);
    body.numbers[0] = -1;
    try {
      core::parallel_by_copy(threads, body);
      ADD_FAILURE() << "no exception";
    } catch (const std::out_of_range& lowest) {
      EXPECT_STREQ(lowest.what(), "0");
    }
  }
}

TEST(parallel, works_again_after_an_exception) {
  EXPECT_ANY_THROW(core::parallel(4, [](int, int) { throw 1; }));
  std::atomic<int> calls{0};
  core::parallel(4, [&](int, int) { ++calls; });
  EXPECT_EQ(calls, 4);
}

TEST(parallel, nested_regions_do_all_their_work) {
  std::vector<std::atomic<int>> done(1000);
  core::parallel(3, [&](int thread, int team) {
    const core::range mine = core::share(1000, thread, team);
    core::parallel_for(
        mine.end - mine.begin, 1,
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) ++done[static_cast<std::size_t>(mine.begin + i)];
        },
        4);
  });
  for (const std::atomic<int>& d : done) EXPECT_EQ(d, 1);
}

TEST(parallel, an_exception_leaves_a_nested_region) {
  EXPECT_THROW(
      core::parallel(2, [](int, int) { core::parallel(2, [](int, int) { throw std::out_of_range("x"); }); }),
      std::out_of_range);
}

TEST(parallel, parallel_for_covers_the_range_once) {
  for (const int threads : {1, 2, 7}) {
    for (const std::int64_t size : {0, 1, 6, 100, 20'000}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(size));
      core::parallel_for(
          size, 10,
          [&](std::int64_t begin, std::int64_t end) {
            EXPECT_LT(begin, end);
            for (std::int64_t i = begin; i < end; ++i) ++done[static_cast<std::size_t>(i)];
          },
          threads);
      for (const std::atomic<int>& d : done) ASSERT_EQ(d, 1);
    }
  }
}

TEST(parallel, parallel_for_stays_on_the_caller_up_to_the_grain) {
  int calls = 0;  // not atomic: one thread
  core::parallel_for(
      100, 100,
      [&](std::int64_t begin, std::int64_t end) {
        ++calls;
        EXPECT_EQ(begin, 0);
        EXPECT_EQ(end, 100);
      },
      4);
  EXPECT_EQ(calls, 1);
  core::parallel_for(-5, 100, [&](std::int64_t, std::int64_t) { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(parallel, parallel_for_dynamic_runs_each_item_once) {
  for (const int threads : {0, 1, 2, 7}) {
    for (const std::int64_t size : {0, 1, 6, 127, 128, 1000, 20'000}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(size));
      core::parallel_for_dynamic(
          size, [&](std::int64_t i) { ++done[static_cast<std::size_t>(i)]; }, threads);
      for (const std::atomic<int>& d : done) ASSERT_EQ(d, 1) << size << " on " << threads;
    }
  }
  core::parallel_for_dynamic(-5, [](std::int64_t) { FAIL(); });
}

/// The first item does not end before almost all others have been done.
TEST(parallel, parallel_for_dynamic_does_not_wait_for_late_threads) {
  std::atomic<int> team_size{0};
  core::parallel(2, [&](int, int team) { team_size = team; });
  if (team_size < 2) GTEST_SKIP() << "this machine runs one thread at a time for us: nobody can go on";
  constexpr std::int64_t size = 1000;
  constexpr std::int64_t with_the_first = 7;
  std::atomic<std::int64_t> done{0};
  std::int64_t seen = 0;
  core::parallel_for_dynamic(
      size,
      [&](std::int64_t i) {
        if (i == 0) {
          const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(20);
          while (done < size - with_the_first && std::chrono::steady_clock::now() < late)
            std::this_thread::yield();
          seen = done;
        }
        ++done;
      },
      2);
  EXPECT_EQ(seen, size - with_the_first);
  EXPECT_EQ(done, size);
}

TEST(parallel, exceptions_leave_parallel_for_dynamic) {
  for (const int threads : {1, 3}) {
    std::atomic<int> team_size{1};
    core::parallel(threads, [&](int, int team) { team_size = team; });
    std::atomic<int> done{0};
    EXPECT_THROW(core::parallel_for_dynamic(
                     50,
                     [&](std::int64_t i) {
                       if (i == 20) throw std::out_of_range("20");
                       ++done;
                     },
                     threads),
                 std::out_of_range);
    EXPECT_EQ(done, team_size == 1 ? 20 : 49) << "others go on";
  }
}

TEST(function_ref, calls_what_it_refers_to_and_passes_references) {
  int calls = 0;
  auto counting = [&](int& x) { x = ++calls; };
  const gossamer::function_ref<void(int&)> f = counting;
  int x = 0;
  f(x);
  f(x);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(x, 2);
}

}  // namespace
