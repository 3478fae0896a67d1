// SPDX-License-Identifier: BSD-3-Clause
// Our solvers as the benchmark calls them.
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "arguments/option_texts.hpp"
#include "bench_support/loops/device_vector.hpp"
#include "experiment/loops/timed_loop.hpp"
#include "gossamer/error.hpp"
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
class own_cg {
 public:
  own_cg(const csr_view<V, std::int32_t>& a, std::span<const V> b, const resource& where,
         const inspect_options& how)
      : plan_(inspect(a, where, how)), b_(b.begin(), b.end()), x_(b.size()) {
    const auto* gpu = std::get_if<cuda>(&where);
    if (gpu == nullptr) return;
    b_on_device_.emplace(b, *gpu);
    x_on_device_.emplace(std::span<const V>(x_), *gpu);
  }

  [[nodiscard]] const plan<V>& made() const { return plan_; }

  /// adjust(options) sets what differs from the defaults. x begins at 0.
  template <class Adjust>
  solve::result run(cuda_stream stream, Adjust&& adjust) {
    if (!x_on_device_) {
      solve::options<V> how;
      adjust(how);
      how.zero_start = true;
      return solve::cg(plan_, std::span<const V>(b_), std::span<V>(x_), how);
    }
    solve::options<V, device_space> how;
    adjust(how);
    how.zero_start = true;
    return solve::cg(plan_, std::as_const(*b_on_device_).span(), x_on_device_->span(), stream, how);
  }

  [[nodiscard]] std::vector<V> solution() const { return x_on_device_ ? x_on_device_->fetch() : x_; }

 private:
  plan<V> plan_;
  std::vector<V> b_;
  std::vector<V> x_;
  std::optional<bench_support::device_vector<V>> b_on_device_;
  std::optional<bench_support::device_vector<V>> x_on_device_;
};

double norm_of_vector(const auto& x) {
  double sum = 0;
  for (const auto each : x) sum += static_cast<double>(each) * static_cast<double>(each);
  return std::sqrt(sum);
}

}  // namespace

std::string reason_own_loop_is_absent(loop_method method) {
  return method == loop_method::cg ? "" : "this build has no pdhg of its own";
}

template <value V>
void prepare_own_loop(timed_loop<V>& loop, const loop_task<V>& task) {
  if (const std::string reason = reason_own_loop_is_absent(task.method); !reason.empty())
    throw error(errc::unsupported, reason);
  const inspect_options how{.format = loop.what->format, .options = loop.what->options};
  const auto own = std::make_shared<own_cg<V>>(task.a, task.problem.b, task.where, how);
  loop.format = std::string(own->made().format());
  loop.options = joined(own->made().options());
  loop.inspect_seconds = own->made().inspect_seconds();
  loop.bytes = own->made().bytes();
  loop.iterate = [own](std::int64_t iterations, cuda_stream stream) {
    return own
        ->run(stream,
              [&](auto& options) {
                options.rtol = 0;
                options.maxiter = iterations;
              })
        .iterations;
  };
  loop.multiple = 1;
  loop.solve = [own](const loop_stop& stop, cuda_stream stream) {
    return result_of(own->run(stream, [&](auto& options) {
      options.rtol = stop.rtol;
      options.maxiter = stop.most_iterations;
    }));
  };
  loop.history = [own, first = norm_of_vector(task.problem.b)](std::int64_t iterations) {
    std::vector<double> norms{first};
    own->run({}, [&](auto& options) {
      options.rtol = 0;
      options.maxiter = iterations;
      options.after_iteration = [&](const solve::state& now) {
        norms.push_back(now.residual);
        return true;
      };
    });
    return norms;
  };
  loop.solution = [own] { return own->solution(); };
}

template void prepare_own_loop(timed_loop<float>&, const loop_task<float>&);
template void prepare_own_loop(timed_loop<double>&, const loop_task<double>&);

}  // namespace gossamer::cli
