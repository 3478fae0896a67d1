// SPDX-License-Identifier: BSD-3-Clause
// What several of a caller's threads do at once.
#pragma once

#include <cstdlib>
#include <thread>
#include <vector>

namespace gossamer::testing_support {

/// work(t) for each t of 0 .. threads - 1, by a thread each, all at once. With GOSSAMER_TEST_THREADS_IN_TURN set each begins when the one before it
/// has ended: for tools that lose track of kernels which several threads launch, and that look within a kernel alone.
template <class F>
void run_by_threads(int threads, F&& work) {
  const bool in_turn = std::getenv("GOSSAMER_TEST_THREADS_IN_TURN") != nullptr;
  std::vector<std::thread> team;
  for (int t = 0; t < threads; ++t) {
    team.emplace_back([&work, t] { work(t); });
    if (in_turn) team.back().join();
  }
  for (std::thread& each : team)
    if (each.joinable()) each.join();
}

}  // namespace gossamer::testing_support
