// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/loops/loops.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "bench_support/loops/loop_base.hpp"
#include "core/instantiate.hpp"
#include "core/out_of_memory.hpp"
#include "exec/cuda/device.hpp"

namespace gossamer::bench_support {
namespace {

template <class F>
void for_each_loop(F&& f) {
  for (const auto& all : {loops::cublas_loops(), loops::mkl_loops(), loops::eigen_loops()}) {
    for (const loops::loop_entry& each : all) f(each);
  }
}

const loops::loop_entry& find_loop_entry(loop_method method, std::string_view wanted) {
  const loops::loop_entry* found = nullptr;
  std::string names;
  for_each_loop([&](const loops::loop_entry& each) {
    if (each.info.method != method) return;
    if (each.info.name == wanted) found = &each;
    names += (names.empty() ? "" : ", ") + std::string(each.info.name);
  });
  if (found == nullptr)
    fail(errc::invalid_argument, "loop of {} = \"{}\" is not one of {}", name(method), wanted, names);
  return *found;
}

void check_length(std::string_view vector, std::size_t size, std::int64_t expected) {
  if (size != static_cast<std::size_t>(expected))
    fail(errc::size_mismatch, "inspect_loop: {} has {} elements, not {}", vector, size, expected);
}

void check_step(std::string_view step, double value) {
  if (!(value > 0) || std::isinf(value))
    fail(errc::invalid_argument, "inspect_loop: {} = {} is not a positive number", step, value);
}

template <value V, offset O>
void check_problem(loop_method method, std::string_view loop, const csr_view<V, O>& a,
                   const loop_problem<V>& problem) {
  check_length("b", problem.b.size(), a.rows);
  const bool square = method == loop_method::cg || method == loop_method::minres;
  if (square && a.rows != a.cols)
    loops::refuse_loop(loop, "a matrix of {} x {} is not square", a.rows, a.cols);
  if (method == loop_method::pdhg) {
    check_length("c", problem.c.size(), a.cols);
    check_length("lower", problem.lower.size(), a.cols);
    check_length("upper", problem.upper.size(), a.cols);
    check_step("primal_step", problem.primal_step);
    check_step("dual_step", problem.dual_step);
  }
  if (a.rows == 0 || a.cols == 0 || a.nnz() == 0)
    loops::refuse_loop(loop, "a matrix of {} x {} with {} nonzeros has nothing to multiply", a.rows, a.cols,
                       a.nnz());
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (a.rows > most || a.nnz() > most)
    loops::refuse_loop(loop, "{} rows and {} nonzeros need 64-bit integers, which are not used", a.rows,
                       a.nnz());
}

/// Row offsets of 32 bits, in `own` if the caller's are wider.
template <value V, offset O>
csr_view<V, std::int32_t> narrow_view(const csr_view<V, O>& a, std::vector<std::int32_t>& own) {
  csr_view<V, std::int32_t> view{.rows = a.rows, .cols = a.cols, .row_ptr = {}, .col = a.col, .val = a.val};
  if constexpr (std::is_same_v<O, std::int32_t>) {
    view.row_ptr = a.row_ptr;
  } else {
    own.resize(a.row_ptr.size());
    std::transform(a.row_ptr.begin(), a.row_ptr.end(), own.begin(),
                   [](std::int64_t each) { return static_cast<std::int32_t>(each); });
    view.row_ptr = own;
  }
  return view;
}

template <value V>
double norm_of(std::span<const V> x) {
  double sum = 0;
  for (const V each : x) sum += static_cast<double>(each) * static_cast<double>(each);
  return std::sqrt(sum);
}

}  // namespace

std::string_view name(loop_method method) noexcept {
  constexpr std::string_view names[] = {"cg", "minres", "lsqr", "pdhg"};
  return names[static_cast<int>(method)];
}

std::span<const loop_info> list_loops() {
  static const std::vector<loop_info> all = [] {
    std::vector<loop_info> infos;
    for_each_loop([&](const loops::loop_entry& each) { infos.push_back(each.info); });
    return infos;
  }();
  return all;
}

const loop_info& find_loop(loop_method method, std::string_view name) {
  return naming_out_of_memory(
      "find_loop", [&]() -> const auto& { return find_loop_entry(method, name).info; });
}

peer_presence find_loop_here(loop_method method, std::string_view name) {
  return naming_out_of_memory("find_loop_here", [&] { return find_loop_entry(method, name).look(); });
}

template <value V, offset O>
solver_loop<V> inspect_loop(loop_method method, std::string_view name, const csr_view<V, O>& a,
                            const loop_problem<V>& problem, const resource& where) {
  return naming_out_of_memory("inspect_loop", [&] {
    const loops::loop_entry& chosen = find_loop_entry(method, name);
    const std::string_view known = chosen.info.name;
    const device_set kind = std::holds_alternative<cpu>(where) ? device_set::cpu : device_set::cuda;
    if (!contains(chosen.info.devices, kind))
      loops::refuse_loop(known, "it does not run on {}", gossamer::name(where));
    check_problem(method, known, a, problem);
    if (const peer_presence here = chosen.look(); !here.present) loops::refuse_loop(known, "{}", here.reason);
    if (const auto* gpu = std::get_if<cuda>(&where)) exec::require_device(gpu->device);
    validate(a);

    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::int32_t> own;
    const loops::loop_input<V> input{
        .name = known, .a = narrow_view(a, own), .problem = problem, .where = where};
    loops::prepared_loop<V> made;
    if constexpr (sizeof(V) == sizeof(float))
      made = chosen.prepare_f32(input);
    else
      made = chosen.prepare_f64(input);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    made->row_ptr = std::move(own);
    made->name = known;
    made->method = method;
    made->inspect_seconds = taken.count();
    made->norm_of_b = norm_of(problem.b);
    return solver_loop<V>(std::move(made));
  });
}

template <value V>
solver_loop<V>::solver_loop(std::unique_ptr<loops::loop_base<V>> base) noexcept : base_(std::move(base)) {}
template <value V>
solver_loop<V>::solver_loop(solver_loop&&) noexcept = default;
template <value V>
solver_loop<V>& solver_loop<V>::operator=(solver_loop&&) noexcept = default;
template <value V>
solver_loop<V>::~solver_loop() = default;

template <value V>
void solver_loop<V>::iterate(std::int64_t iterations, cuda_stream stream) {
  const std::int64_t each = iterations_per_launch();
  if (iterations < 0 || iterations % each != 0)
    fail(errc::invalid_argument, "iterate: iterations = {} is not a multiple of {}", iterations, each);
  base_->start(stream);
  if (iterations > 0) base_->advance(iterations / each, stream);
}

template <value V>
loop_result solver_loop<V>::solve(const loop_stop& stop, cuda_stream stream) {
  if (base_->method == loop_method::pdhg)
    loops::refuse_loop(base_->name, "{} has no test of convergence here",
                       gossamer::bench_support::name(base_->method));
  loop_result result;
  if (base_->solve_whole(stop, result)) return result;
  const double target = stop.rtol * base_->norm_of_b;
  base_->start(stream);
  result.residual = base_->residual(stream);
  while (result.residual > target && result.iterations < stop.most_iterations) {
    base_->advance(1, stream);
    result.iterations += iterations_per_launch();
    result.residual = base_->residual(stream);
  }
  result.converged = result.residual <= target;
  return result;
}

template <value V>
std::vector<double> solver_loop<V>::history(std::int64_t iterations) {
  if (base_->method == loop_method::pdhg)
    loops::refuse_loop(base_->name, "{} has no residual of a recursion",
                       gossamer::bench_support::name(base_->method));
  return base_->history(iterations);
}

template <value V>
std::vector<V> solver_loop<V>::solution() const {
  return base_->solution();
}
template <value V>
std::int64_t solver_loop<V>::iterations_per_launch() const noexcept {
  return base_->iterations_per_launch();
}
template <value V>
std::string_view solver_loop<V>::name() const noexcept {
  return base_->name;
}
template <value V>
std::string_view solver_loop<V>::settings() const noexcept {
  return base_->settings();
}
template <value V>
double solver_loop<V>::inspect_seconds() const noexcept {
  return base_->inspect_seconds;
}

template class solver_loop<float>;
template class solver_loop<double>;
#define GOSSAMER_INSTANCE(V, O)                                                              \
  template solver_loop<V> inspect_loop(loop_method, std::string_view, const csr_view<V, O>&, \
                                       const loop_problem<V>&, const resource&);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::bench_support
