// SPDX-License-Identifier: BSD-3-Clause
#include "timer/sampler.hpp"

#include <cstdint>
#include <vector>

namespace gossamer::inline v0::timer {
namespace {

constexpr double shortest_sample = 50e-6;
constexpr std::int64_t most_calls = std::int64_t{1} << 20;  // of a product that does nothing

/// Calls that bring a product's arrays back into the caches after the others ran.
std::int64_t untimed_calls(std::int64_t calls_of_sample) {
  return calls_of_sample > 1 ? 2 : 1;
}

class hot_sampler final : public sampler {
 public:
  hot_sampler(std::span<const product_call> products, stopwatch& watch)
      : products_(products), watch_(watch), calls_(products.size(), 1) {}

  void prepare(std::size_t p) override {
    watch_.run(products_[p], 1);  // page faults, module loading, thread start
    std::int64_t& calls = calls_[p];
    while (calls < most_calls && watch_.time(products_[p], calls) < shortest_sample) calls *= 2;
  }
  sample take(std::size_t p) override {
    // A product alone is hot already.
    if (products_.size() > 1) watch_.run(products_[p], untimed_calls(calls_[p]));
    return {.seconds = watch_.time(products_[p], calls_[p]) / static_cast<double>(calls_[p])};
  }

 private:
  std::span<const product_call> products_;
  stopwatch& watch_;
  std::vector<std::int64_t> calls_;
};

class cold_sampler final : public sampler {
 public:
  cold_sampler(std::span<const product_call> products, stopwatch& watch)
      : products_(products), watch_(watch) {}

  void prepare(std::size_t p) override { watch_.run(products_[p], 1); }
  sample take(std::size_t p) override { return {.seconds = watch_.time_cold(products_[p])}; }

 private:
  std::span<const product_call> products_;
  stopwatch& watch_;
};

class solver_sampler final : public sampler {
 public:
  solver_sampler(std::span<const product_call> products, stopwatch& watch, const vector_kernels& around)
      : watch_(watch), kernels_([&around](cuda_stream stream) {
          around.before(stream);
          around.after(stream);
        }) {
    for (const product_call& product : products)
      steps_.push_back({.call = [&around, &product](cuda_stream stream) {
        around.before(stream);
        product(stream);
        around.after(stream);
      }});
  }

  void prepare(std::size_t p) override {
    watch_.run(steps_[p].call, 1);
    watch_.run(kernels_, 1);
    time_until(steps_[p], shortest_sample);
  }
  sample take(std::size_t p) override {
    const batch timed = time_until(steps_[p], shortest_difference);
    const auto calls = static_cast<double>(steps_[p].calls);
    return {.seconds = timed.product() / calls,
            .vector_seconds = timed.kernels / calls,
            .resolved = timed.product() >= shortest_difference};
  }

 private:
  static constexpr double shortest_difference = 5e-6;  // ten times the resolution of CUDA's events
  static constexpr double longest_batch = 10e-3;
  static constexpr int most_batches = 20;  // for one sample

  struct step {
    product_call call;
    std::int64_t calls = 1;
    bool kernels_first = false;
  };
  struct batch {
    double steps = 0;
    double kernels = 0;
    [[nodiscard]] double product() const { return steps - kernels; }
  };

  double time_hot(const product_call& call, std::int64_t calls) {
    watch_.run(call, untimed_calls(calls));
    return watch_.time(call, calls);
  }

  /// The two orders alternate, so that a steady change of the machine's speed cancels.
  batch time_both(step& s) {
    batch timed;
    if (s.kernels_first) timed.kernels = time_hot(kernels_, s.calls);
    timed.steps = time_hot(s.call, s.calls);
    if (!s.kernels_first) timed.kernels = time_hot(kernels_, s.calls);
    s.kernels_first = !s.kernels_first;
    return timed;
  }

  /// Doubles the calls until the product's part is `least` seconds or the batch reaches its greatest length.
  batch time_until(step& s, double least) {
    batch timed = time_both(s);
    for (int batches = 1; timed.product() < least && batches < most_batches; ++batches) {
      if (timed.steps < longest_batch && s.calls < most_calls) s.calls *= 2;
      timed = time_both(s);
    }
    return timed;
  }

  stopwatch& watch_;
  product_call kernels_;
  std::vector<step> steps_;
};

}  // namespace

std::unique_ptr<sampler> make_sampler(std::span<const product_call> products, stopwatch& watch,
                                      const interleaving& how) {
  if (how.cache == cache_state::solver) return std::make_unique<solver_sampler>(products, watch, how.kernels);
  if (how.cache == cache_state::cold) return std::make_unique<cold_sampler>(products, watch);
  return std::make_unique<hot_sampler>(products, watch);
}

}  // namespace gossamer::inline v0::timer
