// SPDX-License-Identifier: BSD-3-Clause
// The threads of tests: that they do meet, and that they do not where they are to alternate.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "support/threads.hpp"
#include "support/variable.hpp"

namespace gossamer::testing_support {
namespace {

constexpr const char* in_turn = "GOSSAMER_TEST_THREADS_IN_TURN";
constexpr int four = 4;

TEST(test_threads, run_at_the_same_time) {
  const variable unset(in_turn, nullptr);
  std::atomic<int> here{0};
  std::atomic<int> met{0};
  run_by_threads(four, [&](int) {
    ++here;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(15);
    while (here < four && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    if (here == four) ++met;
  });
  EXPECT_EQ(met, four);
}

TEST(test_threads, run_one_after_another_on_request) {
  const variable set(in_turn, "1");
  int next = 0;
  run_by_threads(four, [&](int t) {
    EXPECT_EQ(t, next);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ++next;
  });
  EXPECT_EQ(next, four);
}

TEST(test_threads, are_configured_in_one_way) {
  for (const char* const text : {"0", "", "yes"}) {
    const variable set(in_turn, text);
    EXPECT_THROW(run_by_threads(four, [](int) {}), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace gossamer::testing_support
