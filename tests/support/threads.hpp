// SPDX-License-Identifier: BSD-3-Clause
// What several of a caller's threads do at once.
#pragma once

#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace gossamer::testing_support {

/// GOSSAMER_TEST_THREADS_IN_TURN=1 for tools that lose track of kernels which several threads launch, and
/// that look within a kernel alone.
inline bool threads_run_serially() {
  const char* const text = std::getenv("GOSSAMER_TEST_THREADS_IN_TURN");
  if (text == nullptr) return false;
  if (std::string_view(text) != "1")
    throw std::invalid_argument(std::string("GOSSAMER_TEST_THREADS_IN_TURN = ") + text + ": not 1");
  std::cout << "threads take turns: GOSSAMER_TEST_THREADS_IN_TURN = 1\n";
  return true;
}

/// work(t) for each t of 0 .. threads - 1, by a thread each: all at once, or each when the one before it has
/// ended where threads alternate.
template <class F>
void run_by_threads(int threads, const F& work) {
  const bool in_turn = threads_run_serially();
  std::vector<std::thread> team;
  for (int t = 0; t < threads; ++t) {
    team.emplace_back([&work, t] { work(t); });
    if (in_turn) team.back().join();
  }
  for (std::thread& each : team)
    if (each.joinable()) each.join();
}

}  // namespace gossamer::testing_support
