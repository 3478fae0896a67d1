// SPDX-License-Identifier: BSD-3-Clause
// A reference solver made of cuSPARSE's products and cuBLAS, with separate launches or as a CUDA graph.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench_support/loops/device_blas.hpp"
#include "bench_support/loops/fastest_variant.hpp"
#include "bench_support/loops/methods.hpp"

namespace gossamer::bench_support::loops {

/// Even, so that vectors that alternate between two places are back after a graph.
inline constexpr std::int64_t iterations_per_graph = 16;

template <value V, template <class> class Steps>
class cublas_loop final : public loop_base<V> {
 public:
  cublas_loop(const loop_input<V>& in, std::span<const std::string_view> peers, bool captured)
      : device_(std::get<cuda>(in.where).device),
        guard_(device_),
        captured_(captured),
        blas_(*find_cublas().api, in.name, device_),
        steps_(blas_, in) {
    choose(in, peers);
    guard_.reset();
  }
  ~cublas_loop() override { exec::finish_device(device_); }

  void start(cuda_stream stream) override {
    const exec::device_guard guard(device_);
    start_with(step_.how, stream);
  }
  void advance(std::int64_t launches, cuda_stream stream) override {
    const exec::device_guard guard(device_);
    blas_.use(stream);
    for (std::int64_t i = 0; i < launches; ++i) {
      if (captured_)
        step_.graph.launch(stream);
      else
        steps_.iterate(step_.how);
    }
  }
  void advance_one(cuda_stream stream) override {
    const exec::device_guard guard(device_);
    blas_.use(stream);
    steps_.iterate(step_.how);
  }
  double residual(cuda_stream stream) override {
    if constexpr (requires { steps_.residual(); }) {
      const exec::device_guard guard(device_);
      blas_.use(stream);
      return steps_.residual();
    } else {
      refuse_loop(this->name, "the method has no residual of a recursion");
    }
  }
  [[nodiscard]] std::vector<V> solution() const override {
    const exec::device_guard guard(device_);
    return blas_.fetch(steps_.solution());
  }
  [[nodiscard]] std::int64_t iterations_per_launch() const noexcept override {
    return captured_ ? iterations_per_graph : 1;
  }
  [[nodiscard]] std::string_view settings() const noexcept override { return settings_; }

 private:
  using shared_product = std::shared_ptr<peer_product<V>>;
  static_assert(iterations_per_graph % 2 == 0);

  void start_with(const step_products<V>& how, cuda_stream stream) {
    blas_.use(stream);
    steps_.start(how);
  }

  [[nodiscard]] step_variant<V> captured_variant(step_products<V> how) {
    step_variant<V> made{.how = std::move(how), .graph = {}};
    // Kernels are loaded when they first run, which may not be during a capture.
    start_with(made.how, {});
    for (int i = 0; i < 2; ++i) steps_.iterate(made.how);
    exec::synchronize({});
    made.graph = captured_graph([&](cuda_stream stream) {
      blas_.use(stream);
      for (std::int64_t i = 0; i < iterations_per_graph; ++i) steps_.iterate(made.how);
    });
    blas_.use({});  // the stream of the capture is gone
    return made;
  }

  void choose(const loop_input<V>& in, std::span<const std::string_view> peers) {
    std::string reason = "no product takes the matrix";
    const std::vector<shared_product> forward = products_of(peers, in.a, in.where, reason);
    std::vector<shared_product> transposed{nullptr};
    if (Steps<device_blas<V>>::transposes)
      transposed = products_of(peers, transpose(in.a).view(), in.where, reason);
    std::vector<step_variant<V>> variants;
    for (const shared_product& product : forward) {
      for (const shared_product& back : transposed) {
        for (const bool by_geam : {false, true})
          succeeds(reason, [&] {
            variants.push_back(
                captured_variant({.forward = product, .transposed = back, .by_geam = by_geam}));
          });
      }
    }
    if (variants.empty()) refuse_loop(in.name, "{}", reason);
    const auto begin = [this](const step_products<V>& how, cuda_stream stream) { start_with(how, stream); };
    step_ = std::move(variants[fastest_of(variants, in.where, begin)]);
    settings_ = message("product={}", {step_.how.forward->name()});
    if (step_.how.transposed) settings_ += message(" transposed={}", {step_.how.transposed->name()});
    settings_ +=
        message(" {} update={}", {step_.how.forward->settings(), step_.how.by_geam ? "geam" : "scal+axpy"});
    if (captured_) settings_ += message(" iterations={}", {iterations_per_graph});
  }

  int device_;
  std::optional<exec::device_guard> guard_;  ///< while the members are made
  bool captured_;
  device_blas<V> blas_;
  Steps<device_blas<V>> steps_;
  step_variant<V> step_;
  std::string settings_;
};

}  // namespace gossamer::bench_support::loops
