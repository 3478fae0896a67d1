// SPDX-License-Identifier: BSD-3-Clause
// One solver that others are timed with: ours or a loop of other libraries, behind the same few functions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench_support/loops/loops.hpp"
#include "bench_support/loops/problems.hpp"
#include "experiments/experiment.hpp"
#include "gossamer/resource.hpp"
#include "gossamer/timer.hpp"

namespace gossamer::cli {

/// What it came to as the row has it: "ok", "absent", "unsupported" or "failed".
struct loop_status {
  std::string word = "ok";
  std::string reason;
};

template <value V>
struct timed_loop {
  const experiments::series* what = nullptr;
  std::string format;  ///< of the plan, or the name of the loop
  std::string options;
  bool peer = false;
  loop_status status;
  double inspect_seconds = 0;
  std::optional<std::int64_t> bytes;

  /// So many iterations from zero, a multiple of `multiple`, without a test of convergence. May be
  /// asynchronous. Returns how many were run: a solver may find that it cannot go on.
  std::function<std::int64_t(std::int64_t iterations, cuda_stream stream)> iterate;
  std::int64_t multiple = 1;
  /// Empty if the method has no test of convergence here; then `history` is empty too.
  std::function<bench_support::loop_result(const bench_support::loop_stop& stop, cuda_stream stream)> solve;
  std::function<std::vector<double>(std::int64_t iterations)> history;
  std::function<std::vector<V>()> solution;  ///< of the last call

  // What was measured.
  bench_support::loop_result result;
  std::optional<double> true_residual;
  std::optional<bool> repeatable;  ///< whether two solves gave the same bits
  std::vector<double> norms;
  std::vector<double> iteration_samples;  ///< seconds of one iteration, round by round
  std::vector<double> solution_samples;   ///< seconds of a solve, round by round

  [[nodiscard]] bool ok() const { return status.word == "ok"; }
};

/// What is solved: by cg and minres a system, by lsqr and pdhg a linear program or its equations.
template <value V>
struct loop_task {
  bench_support::loop_method method = bench_support::loop_method::cg;
  csr_view<V, std::int32_t> a;
  bench_support::loop_problem<V> problem;
  resource where;
};

/// Our solver with the plan of the series' format. Throws what inspect() and the solver throw.
template <value V>
void prepare_own_loop(timed_loop<V>& loop, const loop_task<V>& task);

}  // namespace gossamer::cli
