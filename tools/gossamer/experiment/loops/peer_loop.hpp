// SPDX-License-Identifier: BSD-3-Clause
// Loops of other libraries as the benchmark calls them.
#pragma once

#include <memory>

#include "experiment/loops/timed_loop.hpp"

namespace gossamer::cli {

/// The loop that the series names. Throws what inspect_loop() throws.
template <value V>
void prepare_peer_loop(timed_loop<V>& loop, const loop_task<V>& task) {
  const auto peer = std::make_shared<bench_support::solver_loop<V>>(
      bench_support::inspect_loop(task.method, loop.what->peer, task.a, task.problem, task.where));
  loop.options = std::string(peer->settings());
  loop.inspect_seconds = peer->inspect_seconds();
  loop.multiple = peer->iterations_per_launch();
  loop.iterate = [peer](std::int64_t iterations, cuda_stream stream) {
    peer->iterate(iterations, stream);
    return iterations;
  };
  loop.solution = [peer] { return peer->solution(); };
  if (task.method != bench_support::loop_method::cg) return;
  loop.solve = [peer](const bench_support::loop_stop& stop, cuda_stream stream) {
    return peer->solve(stop, stream);
  };
  loop.history = [peer](std::int64_t iterations) { return peer->history(iterations); };
}

}  // namespace gossamer::cli
