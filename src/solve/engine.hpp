// SPDX-License-Identifier: BSD-3-Clause
// An engine is where one solve executes: it owns vectors and scalars in host or device memory, and runs
// products, steps and the loop over iterations there. The two engines have the same members, so that a solver
// is written once for both.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "core/fail.hpp"
#include "core/function_ref.hpp"
#include "exec/cuda/device_buffer.hpp"
#include "gossamer/memory.hpp"
#include "gossamer/solve.hpp"
#include "solve/solver_stream.hpp"
#include "solve/start_steps.hpp"
#include "solve/step.hpp"

namespace gossamer::inline v0::solve {

using scalar_array = std::array<double, scalar::count>;

/// What an engine needs besides the plan.
struct engine_setup {
  workspace* scratch = nullptr;
  cuda_stream stream = {};
  /// Lengths of the vectors, as many as the solver takes with vector().
  std::vector<std::int64_t> lengths = {};
  bool may_record = true;  ///< whether CUDA graphs may capture an iteration
};

inline state state_of(const scalar_array& s) {
  return {.iterations = static_cast<std::int64_t>(s[scalar::iterations]), .residual = s[scalar::residual]};
}
/// Once there is a verdict.
inline status outcome_of(const scalar_array& s) {
  return static_cast<status>(static_cast<int>(s[scalar::verdict]) - 1);
}

/// How the iterations run.
class loop_setup {
 public:
  loop_setup(int every, const callback& after) : check_every(every), after_(after) {}
  int check_every;
  [[nodiscard]] bool reports() const { return static_cast<bool>(after_); }
  /// Calls the caller's function if an iteration has finished since the last call. False: it asks to stop.
  [[nodiscard]] bool report(const scalar_array& s) const {
    const state now = state_of(s);
    if (!after_ || now.iterations == reported_) return true;
    reported_ = now.iterations;
    return after_(now);
  }

 private:
  const callback& after_;
  mutable std::int64_t reported_ = 0;
};

/// The vectors of a solver in one block of memory, each at a multiple of 512 bytes.
template <value V>
class vector_block {
 public:
  explicit vector_block(const std::vector<std::int64_t>& lengths) : lengths_(lengths) {}
  [[nodiscard]] std::int64_t elements() const {
    return std::accumulate(lengths_.begin(), lengths_.end(), std::int64_t{0},
                           [](std::int64_t sum, std::int64_t length) { return sum + padded(length); });
  }
  V* next(V* block) {
    V* const result = block + used_;
    used_ += padded(lengths_.at(taken_++));
    return result;
  }
  static constexpr std::int64_t padded(std::int64_t length) {
    constexpr std::int64_t unit = 512 / sizeof(V);
    return (length + unit - 1) / unit * unit;
  }

 private:
  std::vector<std::int64_t> lengths_;
  std::size_t taken_ = 0;
  std::int64_t used_ = 0;
};

/// Whether the plan has several parts, on several resources.
template <value V>
bool is_hybrid(const plan<V>& a) {
  return !a.parts().empty();
}

template <value V, class Space>
class engine;

/// Vectors in host memory.
template <value V>
class engine<V, host_space> {
 public:
  engine(const plan<V>& a, const scalar_array& scalars, engine_setup setup)
      : a_(a),
        scratch_(setup.scratch),
        threads_(std::holds_alternative<cpu>(a.where()) ? std::get<cpu>(a.where()).threads : 0),
        layout_(setup.lengths),
        block_(static_cast<std::size_t>(layout_.elements())),
        tiles_(static_cast<std::size_t>(most_sums * host_tiles(longest(a, setup.lengths)))),
        scalars_(scalars) {
    core::parallel_for(
        static_cast<std::int64_t>(block_.size()), core::default_grain,
        [&](std::int64_t begin, std::int64_t end) {
          std::fill(block_.data() + begin, block_.data() + end, V{0});
        },
        threads_);
  }
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  [[nodiscard]] V* vector() { return layout_.next(block_.data()); }

  template <class Step>
  void run(const Step& step, std::int64_t size) {
    run_on_host(step, size, scalars_.data(), tiles_.data(), threads_);
  }

  /// y = alpha A x + beta y, or what an epilogue makes of it
  template <class... Epilogue>
  void multiply(V alpha, const V* x, V beta, V* y, const Epilogue&... e) {
    const std::span<const V> from(x, static_cast<std::size_t>(a_.cols()));
    const std::span<V> to(y, static_cast<std::size_t>(a_.rows()));
    scratch_ != nullptr ? a_.multiply(alpha, from, beta, to, e..., *scratch_)
                        : a_.multiply(alpha, from, beta, to, e...);
  }
  /// y = alpha A^T x + beta y, or what an epilogue makes of it
  template <class... Epilogue>
  void multiply_transposed(V alpha, const V* x, V beta, V* y, const Epilogue&... e) {
    const std::span<const V> from(x, static_cast<std::size_t>(a_.rows()));
    const std::span<V> to(y, static_cast<std::size_t>(a_.cols()));
    scratch_ != nullptr ? a_.multiply_transposed(alpha, from, beta, to, e..., *scratch_)
                        : a_.multiply_transposed(alpha, from, beta, to, e...);
  }
  /// y = A x, and scalar `to` becomes y . w.
  void multiply_and_dot(const V* x, V* y, const V* w, int to) {
    multiply(V{1}, x, V{0}, y, epilogue<V>{.dots = {dot(w, to)}});
  }
  /// y = A x, scalar `to` becomes y . w and the next one y . y.
  void multiply_and_two_dots(const V* x, V* y, const V* w, int to) {
    multiply(V{1}, x, V{0}, y, epilogue<V>{.dots = {dot(w, to), dot(y, to + 1)}});
  }
  /// z = M r for a function of the caller.
  void apply(const apply_function<V, host_space>& function, const V* r, V* z, std::int64_t size) {
    function({r, static_cast<std::size_t>(size)}, {z, static_cast<std::size_t>(size)});
  }
  /// Copies a vector, from any memory. Synchronous.
  void copy(V* to, const V* from, std::int64_t size) { std::copy(from, from + size, to); }

  /// Begins a call of an object that keeps its engine between calls. The result must live until the call
  /// ends.
  [[nodiscard]] int enter() const { return 0; }
  void leave() const {}

  [[nodiscard]] const scalar_array& read() { return scalars_; }
  void write(const scalar_array& s) { scalars_ = s; }

  /// Runs `count` iterations, or fewer if a step has set `done`.
  template <class Iteration>
  void repeat(std::int64_t count, recorded_work&, Iteration&& iteration, std::int64_t = 16) {
    for (std::int64_t k = 0; k < count && scalars_[scalar::done] == 0; ++k) iteration();
  }

  /// Runs iteration(0), iteration(1), iteration(0), ... until a step has found the end. Returns the reason.
  template <class Iteration>
  status iterate(const loop_setup& how, Iteration&& iteration) {
    for (int parity = 0; scalars_[scalar::verdict] == 0; parity = 1 - parity) {
      iteration(parity);
      if (!how.report(scalars_) && scalars_[scalar::verdict] == 0) return status::stopped;
    }
    return outcome_of(scalars_);
  }

 private:
  [[nodiscard]] dot_product<V> dot(const V* w, int to) {
    return {.with = {w, static_cast<std::size_t>(a_.rows())}, .result = {scalars_.data() + to, 1}};
  }
  static std::int64_t longest(const plan<V>& a, const std::vector<std::int64_t>& lengths) {
    return std::accumulate(lengths.begin(), lengths.end(), std::max(a.rows(), a.cols()),
                           [](std::int64_t most, std::int64_t length) { return std::max(most, length); });
  }
  const plan<V>& a_;
  workspace* scratch_;
  int threads_;
  vector_block<V> layout_;
  host_buffer<V> block_;
  host_buffer<double> tiles_;
  scalar_array scalars_;
};

/// Where the steps of device vectors run.
struct step_device {
  int number = 0;
  bool all_parts_on_gpus = true;
};

/// Throws unsupported if no part of the plan is on a GPU.
template <value V>
step_device step_device_of(const plan<V>& a) {
  const std::vector<plan_part> parts = a.parts();
  if (parts.empty()) {
    if (const auto* const gpu = std::get_if<cuda>(&a.where())) return {.number = gpu->device};
    fail(errc::unsupported, "solve: device vectors, but the plan is on a CPU");
  }
  step_device found{.number = -1};
  for (const plan_part& part : parts) {
    const auto* const gpu = std::get_if<cuda>(&part.where);
    if (gpu != nullptr && found.number < 0) found.number = gpu->device;
    if (gpu == nullptr) found.all_parts_on_gpus = false;
  }
  if (found.number < 0) fail(errc::unsupported, "solve: device vectors, but no part of the plan is on a GPU");
  return found;
}

/// Vectors in device memory. The iterations of one batch are captured in a CUDA graph, except for the first
/// batch: a solve of few iterations saves the capture.
template <value V>
class engine<V, device_space> {
 public:
  engine(const plan<V>& a, const scalar_array& scalars, engine_setup setup)
      : a_(a),
        scratch_(setup.scratch),
        device_(step_device_of(a)),
        guard_(std::in_place, device_.number),
        stream_(setup.stream),
        may_record_(setup.may_record && device_.all_parts_on_gpus),
        layout_(setup.lengths),
        block_(static_cast<std::size_t>(layout_.elements()), device_.number),
        own_(scalar::count + 1 + most_sums * most_device_blocks, device_.number) {
    std::array<double, scalar::count + 1> start{};  // the last one counts blocks; its bits are 0
    std::copy(scalars.begin(), scalars.end(), start.begin());
    exec::copy_async(own_.data(), start.data(), sizeof(start), exec::copy_kind::host_to_device,
                     stream_.get());
    exec::synchronize(stream_.get());
    memory_.scalars = own_.data();
    memory_.arrived = reinterpret_cast<unsigned*>(own_.data() + scalar::count);
    memory_.tiles = own_.data() + scalar::count + 1;
  }
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;
  /// After an exception, work may still use the vectors, and not every allocator waits for it.
  ~engine() {
    if (is_busy_) exec::finish_device(device_.number);
  }

  [[nodiscard]] V* vector() { return layout_.next(block_.data()); }

  template <class Step>
  void run(const Step& step, std::int64_t size) {
    is_busy_ = true;
    run_on_device(step, size, memory_, stream_.get());
  }

  template <class... Epilogue>
  void multiply(V alpha, const V* x, V beta, V* y, const Epilogue&... e) {
    const device_span<const V> from(x, static_cast<std::size_t>(a_.cols()));
    const device_span<V> to(y, static_cast<std::size_t>(a_.rows()));
    is_busy_ = true;
    scratch_ != nullptr ? a_.multiply(alpha, from, beta, to, e..., stream_.get(), *scratch_)
                        : a_.multiply(alpha, from, beta, to, e..., stream_.get());
  }
  template <class... Epilogue>
  void multiply_transposed(V alpha, const V* x, V beta, V* y, const Epilogue&... e) {
    const device_span<const V> from(x, static_cast<std::size_t>(a_.rows()));
    const device_span<V> to(y, static_cast<std::size_t>(a_.cols()));
    is_busy_ = true;
    scratch_ != nullptr ? a_.multiply_transposed(alpha, from, beta, to, e..., stream_.get(), *scratch_)
                        : a_.multiply_transposed(alpha, from, beta, to, e..., stream_.get());
  }
  void multiply_and_dot(const V* x, V* y, const V* w, int to) {
    multiply(V{1}, x, V{0}, y, epilogue<V, device_space>{.dots = {dot(w, to)}});
  }
  void multiply_and_two_dots(const V* x, V* y, const V* w, int to) {
    multiply(V{1}, x, V{0}, y, epilogue<V, device_space>{.dots = {dot(w, to), dot(y, to + 1)}});
  }
  void apply(const apply_function<V, device_space>& function, const V* r, V* z, std::int64_t size) {
    function({r, static_cast<std::size_t>(size)}, {z, static_cast<std::size_t>(size)}, stream_.get());
  }
  void copy(V* to, const V* from, std::int64_t size) {
    exec::copy_async(to, from, static_cast<std::size_t>(size) * sizeof(V), exec::copy_kind::by_address,
                     stream_.get());
    synchronize();
  }

  /// The work of this call is ordered after that of the caller's stream. The device is current as long as the
  /// result exists.
  [[nodiscard]] exec::device_guard enter() const {
    {
      const exec::device_guard guard(device_.number);
      stream_.wait_for_caller();
    }
    return exec::device_guard(device_.number);
  }
  /// Ends the constructor of such an object: the device that was current before is current again.
  void leave() { guard_.reset(); }

  /// Waits for the stream.
  [[nodiscard]] const scalar_array& read() {
    exec::copy_async(seen_.data(), own_.data(), sizeof(seen_), exec::copy_kind::device_to_host,
                     stream_.get());
    synchronize();
    return seen_;
  }

  void write(const scalar_array& s) {
    exec::copy_async(own_.data(), s.data(), sizeof(s), exec::copy_kind::host_to_device, stream_.get());
    synchronize();
  }

  /// Runs `count` iterations. After a step has set `done`, further steps do nothing. `recorded` is kept for
  /// the next call; it has `together` iterations.
  template <class Iteration>
  void repeat(std::int64_t count, recorded_work& recorded, Iteration&& iteration,
              std::int64_t together = 16) {
    const auto batch = [&](std::int64_t size) {
      for (std::int64_t k = 0; k < size; ++k) iteration();
    };
    if (!recorded && may_record_ && count >= 2 * together) {
      batch(together);  // the first product may allocate, which a capture forbids
      count -= together;
      recorded = recorded_work(stream_.get(), [&] { batch(together); });
    }
    is_busy_ = true;
    for (; recorded && count >= together; count -= together) recorded.launch(stream_.get());
    batch(count);
  }

  template <class Iteration>
  status iterate(const loop_setup& how, Iteration&& iteration) {
    const bool reports = how.reports();
    // Even, since a graph repeats the parities that it was captured with.
    const std::int64_t together = reports ? 1 : (std::int64_t{how.check_every} + 1) / 2 * 2;
    recorded_work recorded;
    std::int64_t begun = 0;
    const auto limit = static_cast<std::int64_t>(read()[scalar::limit]);
    while (seen_[scalar::verdict] == 0) {
      const auto batch = [&] {
        const std::int64_t end = std::min(begun + together, std::max(limit, begun + 1));
        for (; begun < end; ++begun) iteration(static_cast<int>(begun % 2));
      };
      if (begun == 0 || reports || !may_record_ || begun + together > limit) {
        batch();
      } else {
        if (!recorded) {
          recorded = recorded_work(stream_.get(), batch);
        } else {
          begun += together;
        }
        is_busy_ = true;
        recorded.launch(stream_.get());
      }
      (void)read();
      if (!how.report(seen_) && seen_[scalar::verdict] == 0) return status::stopped;
    }
    return outcome_of(seen_);
  }

 private:
  void synchronize() {
    exec::synchronize(stream_.get());
    is_busy_ = false;
  }
  [[nodiscard]] dot_product<V, device_space> dot(const V* w, int to) {
    return {.with = {w, static_cast<std::size_t>(a_.rows())}, .result = {memory_.scalars + to, 1}};
  }

  const plan<V>& a_;
  workspace* scratch_;
  step_device device_;
  std::optional<exec::device_guard> guard_;
  solver_stream stream_;
  bool may_record_;
  vector_block<V> layout_;
  exec::device_buffer<V> block_;
  exec::device_buffer<double> own_;
  device_scratch memory_;
  scalar_array seen_{};
  bool is_busy_ = false;  ///< whether work may be under way
};

}  // namespace gossamer::inline v0::solve
