// SPDX-License-Identifier: BSD-3-Clause
// Our solvers as the benchmark calls them.
#include <cmath>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "arguments/option_texts.hpp"
#include "bench_support/loops/device_vector.hpp"
#include "experiment/loops/timed_loop.hpp"
#include "gossamer/linear_program.hpp"
#include "gossamer/plan.hpp"
#include "gossamer/solve.hpp"

namespace gossamer::cli {
namespace {

using bench_support::loop_method;
using bench_support::loop_result;
using bench_support::loop_stop;

loop_result result_of(const solve::result& from) {
  return {.converged = from.outcome == solve::status::converged,
          .iterations = from.iterations,
          .residual = from.residual};
}

/// Vectors in the memory where the plan multiplies.
template <value V>
class own_solver {
 public:
  own_solver(const csr_view<V, std::int32_t>& a, std::span<const V> b, const resource& where,
             const inspect_options& how)
      : plan_(inspect(a, where, how)), b_(b.begin(), b.end()), x_(static_cast<std::size_t>(a.cols)) {
    const auto* gpu = std::get_if<cuda>(&where);
    if (gpu == nullptr) return;
    b_on_device_.emplace(b, *gpu);
    x_on_device_.emplace(std::span<const V>(x_), *gpu);
  }

  [[nodiscard]] const plan<V>& made() const { return plan_; }

  /// adjust(options) sets what differs from the defaults. x begins at 0.
  template <class Adjust>
  solve::result cg(cuda_stream stream, Adjust&& adjust) {
    return run(stream, adjust, [&](const auto&... all) { return solve::cg(plan_, all...); });
  }
  template <class Adjust>
  solve::result minres(cuda_stream stream, Adjust&& adjust) {
    return run(stream, adjust, [&](const auto&... all) { return solve::minres(plan_, all...); });
  }
  /// Without a stopping test.
  solve::lsqr_result lsqr(cuda_stream stream, std::int64_t iterations) {
    const solve::lsqr_options how{
        .atol = 0, .btol = 0, .conlim = 0, .maxiter = iterations, .zero_initial_guess = true};
    if (!x_on_device_) return solve::lsqr(plan_, std::span<const V>(b_), std::span<V>(x_), how);
    return solve::lsqr(plan_, std::as_const(*b_on_device_).span(), x_on_device_->span(), stream, how);
  }

  [[nodiscard]] std::vector<V> solution() const { return x_on_device_ ? x_on_device_->fetch() : x_; }

 private:
  /// solver(b, x, options) or solver(b, x, stream, options).
  template <class Adjust, class Solver>
  solve::result run(cuda_stream stream, Adjust&& adjust, Solver&& solver) {
    if (!x_on_device_) {
      solve::options<V> how;
      adjust(how);
      how.zero_initial_guess = true;
      return solver(std::span<const V>(b_), std::span<V>(x_), how);
    }
    solve::options<V, device_space> how;
    adjust(how);
    how.zero_initial_guess = true;
    return solver(std::as_const(*b_on_device_).span(), x_on_device_->span(), stream, how);
  }

  plan<V> plan_;
  std::vector<V> b_;
  std::vector<V> x_;
  std::optional<bench_support::device_vector<V>> b_on_device_;
  std::optional<bench_support::device_vector<V>> x_on_device_;
};

/// Steps for a linear program, with vectors in the memory where the plan multiplies. It stays where it is:
/// the steps refer to its members.
template <value V>
class own_pdhg {
 public:
  own_pdhg(const csr_view<V, std::int32_t>& a, const bench_support::loop_problem<V>& problem,
           const resource& where, const inspect_options& how)
      : plan_(inspect(a, where, how)), x_(problem.c.size()), y_(problem.b.size()) {
    parameters_.primal_step = problem.primal_step;
    parameters_.dual_step = problem.dual_step;
    if (const auto* gpu = std::get_if<cuda>(&where)) {
      gpu_ = *gpu;
      const auto add = [&](std::span<const V> vector) { return &on_device_.emplace_back(vector, *gpu); };
      const auto* const b = add(problem.b);
      const auto* const c = add(problem.c);
      const auto* const lower = add(problem.lower);
      const auto* const upper = add(problem.upper);
      steps_on_device_.emplace(plan_, solve::linear_program<V, device_space>{.cost = c->span(),
                                                                             .lower = lower->span(),
                                                                             .upper = upper->span(),
                                                                             .row_lower = b->span(),
                                                                             .row_upper = b->span()});
      x_on_device_ = add(x_);
      y_on_device_ = add(y_);
      return;
    }
    steps_.emplace(plan_, solve::linear_program<V>{.cost = problem.c,
                                                   .lower = problem.lower,
                                                   .upper = problem.upper,
                                                   .row_lower = problem.b,
                                                   .row_upper = problem.b});
  }
  own_pdhg(const own_pdhg&) = delete;
  own_pdhg& operator=(const own_pdhg&) = delete;
  ~own_pdhg() = default;

  [[nodiscard]] const plan<V>& made() const { return plan_; }

  /// From x = 0 and y = 0.
  void run(std::int64_t steps) {
    if (steps_on_device_) {
      steps_on_device_->restart(std::as_const(*x_on_device_).span(), std::as_const(*y_on_device_).span());
      steps_on_device_->advance(steps, parameters_);
    } else {
      steps_->restart(std::span<const V>(x_), std::span<const V>(y_));
      steps_->advance(steps, parameters_);
    }
  }

  [[nodiscard]] std::vector<V> solution() {
    std::vector<V> x = x_;
    std::vector<V> y = y_;
    if (!steps_on_device_) {
      steps_->copy_to(std::span<V>(x), std::span<V>(y));
      return x;
    }
    bench_support::device_vector<V> last(std::span<const V>(x), gpu_);
    bench_support::device_vector<V> last_dual(std::span<const V>(y), gpu_);
    steps_on_device_->copy_to(last.span(), last_dual.span());
    return last.fetch();
  }

 private:
  plan<V> plan_;
  cuda gpu_;
  std::vector<V> x_;  ///< all 0
  std::vector<V> y_;  ///< all 0
  std::deque<bench_support::device_vector<V>> on_device_;
  bench_support::device_vector<V>* x_on_device_ = nullptr;
  bench_support::device_vector<V>* y_on_device_ = nullptr;
  solve::pdhg_parameters parameters_;
  std::optional<solve::pdhg<V>> steps_;
  std::optional<solve::pdhg<V, device_space>> steps_on_device_;
};

double norm_of_vector(const auto& x) {
  double sum = 0;
  for (const auto each : x) sum += static_cast<double>(each) * static_cast<double>(each);
  return std::sqrt(sum);
}

template <value V>
void note_own_plan(timed_loop<V>& loop, const plan<V>& made) {
  loop.format = std::string(made.format());
  loop.options = joined(made.options());
  loop.inspect_seconds = made.inspect_seconds();
  loop.bytes = made.bytes();
}

/// So many iterations without a stopping test.
constexpr auto of_iterations(std::int64_t iterations) {
  return [iterations](auto& options) {
    options.rtol = 0;
    options.maxiter = iterations;
  };
}

template <value V>
void prepare_own_solver(timed_loop<V>& loop, const loop_task<V>& task, inspect_options how) {
  if (task.method == loop_method::lsqr) how.operations = operation_set::both;
  const auto own = std::make_shared<own_solver<V>>(task.a, task.problem.b, task.where, how);
  note_own_plan(loop, own->made());
  loop.iterate = [own, method = task.method](std::int64_t iterations, cuda_stream stream) {
    if (method == loop_method::lsqr) return own->lsqr(stream, iterations).iterations;
    if (method == loop_method::minres) return own->minres(stream, of_iterations(iterations)).iterations;
    return own->cg(stream, of_iterations(iterations)).iterations;
  };
  loop.solution = [own] { return own->solution(); };
  if (task.method != loop_method::cg) return;
  loop.solve = [own](const loop_stop& stop, cuda_stream stream) {
    return result_of(own->cg(stream, [&](auto& options) {
      options.rtol = stop.rtol;
      options.maxiter = stop.most_iterations;
    }));
  };
  loop.history = [own, first = norm_of_vector(task.problem.b)](std::int64_t iterations) {
    std::vector<double> norms{first};
    own->cg({}, [&](auto& options) {
      of_iterations(iterations)(options);
      options.after_iteration = [&](const solve::state& now) {
        norms.push_back(now.residual);
        return true;
      };
    });
    return norms;
  };
}

template <value V>
void prepare_own_pdhg(timed_loop<V>& loop, const loop_task<V>& task, inspect_options how) {
  how.operations = operation_set::both;
  const auto own = std::make_shared<own_pdhg<V>>(task.a, task.problem, task.where, how);
  note_own_plan(loop, own->made());
  loop.iterate = [own, on_gpu = std::holds_alternative<cuda>(task.where)](std::int64_t iterations,
                                                                          cuda_stream stream) {
    // The steps run in another stream than the one with the caller's events.
    if (on_gpu) bench_support::wait_for(stream);
    own->run(iterations);
    return iterations;
  };
  loop.solution = [own] { return own->solution(); };
}

}  // namespace

template <value V>
void prepare_own_loop(timed_loop<V>& loop, const loop_task<V>& task) {
  const inspect_options how{.format = loop.what->format, .options = loop.what->options};
  if (task.method == loop_method::pdhg)
    prepare_own_pdhg(loop, task, how);
  else
    prepare_own_solver(loop, task, how);
}

template void prepare_own_loop(timed_loop<float>&, const loop_task<float>&);
template void prepare_own_loop(timed_loop<double>&, const loop_task<double>&);

}  // namespace gossamer::cli
