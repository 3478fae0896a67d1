// SPDX-License-Identifier: BSD-3-Clause
// Threads that help with a job: all of it is done once, by whoever comes, and what fails comes out.
#include "exec/cpu/worker_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using gossamer::exec::worker_pool;

/// Each item once, whoever takes it; more and fewer threads from one job to the next.
TEST(worker_pool_test, do_each_item_once) {
  worker_pool team;
  std::vector<int> times(1000);
  int jobs = 0;
  for (const std::size_t wanted : {3, 0, 7, 1, 7, 2}) {
    for (int again = 0; again < 50; ++again, ++jobs) {
      std::atomic<std::size_t> next{0};
      team.run(wanted, [&](std::size_t k) {
        EXPECT_LE(k, wanted);
        for (std::size_t i = next++; i < times.size(); i = next++) ++times[i];
      });
    }
  }
  EXPECT_EQ(times, std::vector<int>(times.size(), jobs));
}

/// The caller waits for a helper here, so that one has come for sure.
TEST(worker_pool_test, help) {
  worker_pool team;
  const std::thread::id own = std::this_thread::get_id();
  for (int again = 0; again < 20; ++again) {
    std::atomic<int> others{0};
    team.run(2, [&](std::size_t k) {
      EXPECT_EQ(std::this_thread::get_id() == own, k == 0);
      if (k != 0)
        ++others;
      else
        while (others == 0) std::this_thread::yield();
    });
    EXPECT_GE(others, 1);
    EXPECT_LE(others, 2);
  }
}

TEST(worker_pool_test, rethrows_the_exception_of_a_worker) {
  worker_pool team;
  for (const std::size_t failing : {0, 1}) {
    std::atomic<bool> failed{false};
    std::string caught;
    try {
      team.run(1, [&](std::size_t k) {
        if (k == failing) {
          failed = true;
          throw std::runtime_error("number " + std::to_string(k));
        }
        while (k == 0 && !failed) std::this_thread::yield();
      });
    } catch (const std::runtime_error& problem) {
      caught = problem.what();
    }
    EXPECT_EQ(caught, "number " + std::to_string(failing));
    std::atomic<int> after{0};
    team.run(1, [&](std::size_t) { ++after; });
    EXPECT_GE(after, 1) << "usable after a failure";
  }
}

}  // namespace
