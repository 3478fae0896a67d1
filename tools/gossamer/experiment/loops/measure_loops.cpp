// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/loops/measure_loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <new>
#include <stdexcept>
#include <variant>

#include "arguments/value_argument.hpp"
#include "arguments/without_prefix.hpp"
#include "bench_support/loops/device_vector.hpp"
#include "experiment/loops/loop_row.hpp"
#include "experiment/loops/peer_loop.hpp"
#include "experiment/row.hpp"
#include "gossamer/error.hpp"
#include "gossamer/timer.hpp"
#include "output/output.hpp"
#include "output/progress_bar.hpp"

namespace gossamer::cli {
namespace {

using bench_support::loop_method;
using bench_support::loop_stop;
using json = nlohmann::ordered_json;

/// In f32, the residual of the recursion falls below what the solution can have.
template <value V>
constexpr double tolerance_of = sizeof(V) == sizeof(float) ? 1e-4 : 1e-8;
constexpr std::int64_t most_iterations = 20000;
constexpr std::int64_t iterations_of_history = 32;

/// Runs `work`; what it cannot do becomes the status of the loop.
template <value V, class Work>
void attempt_loop(timed_loop<V>& loop, Work&& work) {
  if (!loop.ok()) return;
  try {
    work();
  } catch (const error& problem) {
    const errc code = problem.code();
    if (code != errc::unsupported && code != errc::out_of_memory && code != errc::device_error) throw;
    loop.status = {code == errc::unsupported ? "unsupported" : "failed",
                   without_prefix(problem.what(), loop.format)};
  } catch (const std::bad_alloc&) {
    loop.status = {"failed", "out of memory"};
  }
}

/// Two numbers of iterations whose times differ by whole iterations alone.
struct iteration_counts {
  std::int64_t few = 0;
  std::int64_t many = 0;
};

template <value V>
class loop_timing {
 public:
  loop_timing(const loop_task<V>& task, const experiment_settings& s, const std::string& title)
      : task_(task), seconds_(s.asked().seconds), bar_(title) {
    for (const planned_series& each : s.all_series) {
      timed_loop<V>& loop = loops_.emplace_back();
      loop.what = each.what;
      loop.peer = !each.what->peer.empty();
      loop.format = loop.peer ? each.what->peer : each.what->format;
      if (!each.absent.empty()) loop.status = {"absent", each.absent};
      prepare(loop);
      check(loop);
    }
  }

  const std::vector<timed_loop<V>>& measure() {
    std::vector<timed_loop<V>*> ready;
    for (timed_loop<V>& each : loops_) {
      if (each.ok()) ready.push_back(&each);
    }
    if (ready.empty()) return loops_;
    counts_ = choose_counts(ready);
    time_iterations(ready);
    time_solutions(ready);
    return loops_;
  }
  [[nodiscard]] const iteration_counts& counts() const { return counts_; }

 private:
  void prepare(timed_loop<V>& loop) {
    bar_.show("prepare", 0);
    attempt_loop(loop, [&] {
      if (loop.peer)
        prepare_peer_loop(loop, task_);
      else
        prepare_own_loop(loop, task_);
    });
  }

  /// Solves twice, looks at the solution, and takes the history.
  void check(timed_loop<V>& loop) {
    if (!loop.solve) return;
    bar_.show("solve", 0);
    attempt_loop(loop, [&] {
      loop.result = loop.solve(stop(), {});
      const std::vector<V> first = loop.solution();
      loop.true_residual =
          bench_support::relative_residual(task_.a, task_.problem.b, std::span<const V>(first));
      loop.solve(stop(), {});
      const std::vector<V> second = loop.solution();
      loop.repeatable = std::memcmp(first.data(), second.data(), first.size() * sizeof(V)) == 0;
      loop.norms = loop.history(std::min(iterations_of_history, loop.result.iterations));
      if (!loop.result.converged)
        loop.status = {"failed", fmt::format("not converged after {} iterations, residual {:.3g}",
                                             loop.result.iterations, loop.result.residual)};
    });
  }

  static loop_stop stop() { return {.rtol = tolerance_of<V>, .most_iterations = most_iterations}; }

  [[nodiscard]] product_call synchronous(const std::function<void(cuda_stream)>& run) const {
    if (std::holds_alternative<cpu>(task_.where)) return run;
    return [run](cuda_stream stream) {
      run(stream);
      bench_support::wait_for(stream);
    };
  }

  /// As many iterations as take some ten milliseconds, but not more than the solution takes: beyond it,
  /// numbers leave the range of their type.
  [[nodiscard]] iteration_counts choose_counts(const std::vector<timed_loop<V>*>& ready) const {
    constexpr double wanted_seconds = 0.03;
    constexpr std::int64_t most = 240;
    std::int64_t multiple = 1;
    for (const timed_loop<V>* each : ready) multiple = std::max(multiple, each->multiple);
    double slowest = 0;
    std::int64_t enough = most;
    for (const timed_loop<V>* each : ready) {
      const product_call probe = synchronous([&](cuda_stream stream) { each->iterate(multiple, stream); });
      slowest = std::max(slowest, call_latency(probe, task_.where, 3) / static_cast<double>(multiple));
      if (each->solve) enough = std::min(enough, each->result.iterations);
    }
    const auto affordable = static_cast<std::int64_t>(std::min(wanted_seconds / slowest, 1e6));
    const std::int64_t step = 3 * multiple;
    const auto whole_steps = [step](std::int64_t iterations) {
      return std::max(iterations / step, std::int64_t{1}) * step;
    };
    std::int64_t many = whole_steps(std::min(affordable, enough));
    // Some solvers stop where they cannot improve the result.
    for (const timed_loop<V>* each : ready) {
      std::int64_t done = 0;
      synchronous([&](cuda_stream stream) { done = each->iterate(many, stream); })({});
      many = std::min(many, whole_steps(done));
    }
    return {.few = many / 3, .many = many};
  }

  /// Prepared once, so that start and end of a run cancel in the difference of two.
  void time_iterations(const std::vector<timed_loop<V>*>& ready) {
    bar_.show("iterations", 0);
    std::vector<product_call> calls;
    std::vector<std::int64_t> done(2 * ready.size());
    for (std::size_t i = 0; i < ready.size(); ++i) {
      for (const std::size_t k : {2 * i, 2 * i + 1}) {
        const std::int64_t iterations = k % 2 == 0 ? counts_.few : counts_.many;
        calls.push_back(synchronous([loop = ready[i], iterations, &done, k](cuda_stream stream) {
          done[k] = loop->iterate(iterations, stream);
        }));
      }
    }
    const auto timed = time_interleaved(calls, task_.where, {.seconds = seconds_ / 2});
    for (std::size_t i = 0; i < ready.size(); ++i) {
      const std::int64_t difference = done[2 * i + 1] - done[2 * i];
      if (difference <= 0) {
        ready[i]->status = {"failed",
                            fmt::format("stopped after {} of {} iterations", done[2 * i + 1], counts_.many)};
        continue;
      }
      const std::vector<double>& few = timed.seconds[2 * i];
      const std::vector<double>& many = timed.seconds[2 * i + 1];
      for (std::size_t r = 0; r < few.size(); ++r)
        ready[i]->iteration_samples.push_back((many[r] - few[r]) / static_cast<double>(difference));
      if (!(summarise(ready[i]->iteration_samples).median > 0))
        ready[i]->status = {"failed", "not resolved: more iterations are not measurably longer"};
    }
  }

  void time_solutions(const std::vector<timed_loop<V>*>& ready) {
    bar_.show("solutions", 0);
    std::vector<product_call> calls;
    std::vector<timed_loop<V>*> solving;
    for (timed_loop<V>* each : ready) {
      if (!each->solve || !each->ok()) continue;
      solving.push_back(each);
      calls.push_back(synchronous([each](cuda_stream stream) { each->solve(stop(), stream); }));
    }
    if (solving.empty()) return;
    double longest = 0;
    for (const timed_loop<V>* each : solving)
      longest = std::max(
          longest, static_cast<double>(each->result.iterations) * summarise(each->iteration_samples).median);
    constexpr double long_solve = 0.5;
    const auto seconds =
        longest < long_solve
            ? time_interleaved(calls, task_.where, {.seconds = seconds_ / 2, .rounds = 7}).seconds
            : timed_once_a_round(calls);
    for (std::size_t i = 0; i < solving.size(); ++i) solving[i]->solution_samples = seconds[i];
  }

  /// Long solves: few rounds, which have no interval, and no untimed call before a timed one.
  static std::vector<std::vector<double>> timed_once_a_round(const std::vector<product_call>& calls) {
    constexpr int rounds = 3;
    std::vector<std::vector<double>> seconds(calls.size());
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < calls.size(); ++i) {
        const auto begin = std::chrono::steady_clock::now();
        calls[i]({});
        seconds[i].push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      }
    }
    return seconds;
  }

  const loop_task<V>& task_;
  double seconds_;
  progress_bar bar_;
  std::vector<timed_loop<V>> loops_;
  iteration_counts counts_;
};

template <value V>
experiments::rows measured_rows(const bench_member& member, const loop_task<V>& task, bool made,
                                const experiment_settings& s) {
  loop_timing<V> timing(task, s, fmt::format("{} {}", member.name, s.value));
  const std::vector<timed_loop<V>>& all = timing.measure();
  const json shared = matrix_part(member, measure_rows(task.a), value_name<V>());
  const loop_setting setting{.method = task.method,
                             .made = made,
                             .rtol = tolerance_of<V>,
                             .few = timing.counts().few,
                             .many = timing.counts().many,
                             .where = task.where};
  return loop_rows(shared, *s.what, all, setting);
}

template <value V, offset O>
experiments::rows solve_system(const bench_member& member, const csr_view<V, O>& a,
                               const experiment_settings& s) {
  const bench_support::spd_system<V> system = bench_support::make_spd_system(a);
  const std::vector<V> b = ramp<V>(system.a.rows);
  const loop_task<V> task{
      .method = loop_method_of(*s.what), .a = system.a.view(), .problem = {.b = b}, .where = s.asked().where};
  return measured_rows(member, task, system.made, s);
}

template <value V, offset O>
experiments::rows solve_least_squares(const bench_member& member, const csr_view<V, O>& a,
                                      const experiment_settings& s) {
  const csr_matrix<V, std::int32_t> narrow = copy<V, std::int32_t>(a);
  const std::vector<V> b = ramp<V>(a.rows);
  const loop_task<V> task{
      .method = loop_method::lsqr, .a = narrow.view(), .problem = {.b = b}, .where = s.asked().where};
  return measured_rows(member, task, false, s);
}

template <value V, offset O>
experiments::rows step_program(const bench_member& member, const csr_view<V, O>& a,
                               const experiment_settings& s) {
  const bench_support::linear_program<V> program = bench_support::make_linear_program(a);
  const csr_matrix<V, std::int32_t> narrow = copy<V, std::int32_t>(a);
  const loop_task<V> task{
      .method = loop_method::pdhg, .a = narrow.view(), .problem = program.view(), .where = s.asked().where};
  return measured_rows(member, task, false, s);
}

}  // namespace

loop_method loop_method_of(const experiments::experiment& what) {
  for (const loop_method method :
       {loop_method::cg, loop_method::minres, loop_method::lsqr, loop_method::pdhg}) {
    if (what.loop == bench_support::name(method)) return method;
  }
  throw std::logic_error(what.name + ": no method is called " + what.loop);
}

std::string reason_loop_is_absent(const experiments::experiment& what, const experiments::series& each,
                                  const resource& where) {
  const loop_method method = loop_method_of(what);
  if (each.peer.empty()) return {};
  const device_set device = std::holds_alternative<cuda>(where) ? device_set::cuda : device_set::cpu;
  const bench_support::loop_info& info = bench_support::find_loop(method, each.peer);
  if (!contains(info.devices, device)) return fmt::format("{} does not run on {}", each.peer, name(where));
  return bench_support::find_loop_here(method, each.peer).reason;
}

experiments::rows measure_loops_of(const bench_member& member, const experiment_settings& s) {
  const auto rows_of = [&]<class V>() {
    const any_csr<V> loaded = load<V>(member);
    return std::visit(
        [&](const auto& matrix) {
          const auto a = matrix.view();
          note(fmt::format("{}: {} x {}, {} nonzeros, {}", member.title(), a.rows, a.cols, a.nnz(),
                           value_name<V>()));
          validate(a);
          const loop_method method = loop_method_of(*s.what);
          if (method == loop_method::pdhg) return step_program(member, a, s);
          if (method == loop_method::lsqr) return solve_least_squares(member, a, s);
          return solve_system(member, a, s);
        },
        loaded);
  };
  return with_value_type(s.value, rows_of);
}

}  // namespace gossamer::cli
