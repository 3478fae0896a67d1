// SPDX-License-Identifier: BSD-3-Clause
// Conjugate gradients from cuSPARSE's product and cuBLAS, scalars on the device.
#include "bench_support/loops/cublas_loops.hpp"

#if defined(GOSSAMER_HAVE_CUBLAS)

#include <cmath>
#include <optional>

#include "bench_support/loops/device_blas.hpp"
#include "bench_support/loops/fastest_variant.hpp"
#include "bench_support/loops/step_kernels.hpp"

namespace gossamer::bench_support::loops {
namespace {

template <value V>
class cublas_cg final : public loop_base<V> {
 public:
  cublas_cg(const loop_input<V>& in, std::span<const std::string_view> peers, bool captured)
      : device_(std::get<cuda>(in.where).device),
        guard_(device_),
        captured_(captured),
        size_(in.a.rows),
        blas_(*find_cublas().api, in.name, device_),
        b_(device_copy(in.problem.b, device_)),
        x_(b_.size(), device_),
        r_(b_.size(), device_),
        p_(b_.size(), device_),
        q_(b_.size(), device_),
        scalars_(1, device_) {
    const cg_scalars<V> initial{.one = V{1}};
    scalars_ = device_copy(std::span(&initial, 1), device_);
    choose(in, peers);
    guard_.reset();
  }
  ~cublas_cg() override { exec::finish_device(device_); }

  void start(cuda_stream stream) override {
    const exec::device_guard guard(device_);
    blas_.use(stream);
    zero_on_device(x_, stream);
    copy_on_device(r_, b_, stream);
    copy_on_device(p_, b_, stream);
    blas_.dot(size_, r_.data(), r_.data(), &s()->rr);
  }
  void advance(std::int64_t launches, cuda_stream stream) override {
    const exec::device_guard guard(device_);
    if (captured_) {
      for (std::int64_t i = 0; i < launches; ++i) step_.graph.launch(stream);
      return;
    }
    blas_.use(stream);
    for (std::int64_t i = 0; i < launches; ++i) iterate(step_, stream);
  }
  void advance_one(cuda_stream stream) override {
    const exec::device_guard guard(device_);
    blas_.use(stream);
    iterate(step_, stream);
  }
  double residual(cuda_stream stream) override {
    const exec::device_guard guard(device_);
    return std::sqrt(static_cast<double>(number_.fetch(&s()->rr, stream)));
  }
  [[nodiscard]] std::vector<V> solution() const override {
    const exec::device_guard guard(device_);
    return host_copy(x_);
  }
  [[nodiscard]] std::int64_t iterations_per_launch() const noexcept override {
    return captured_ ? iterations_per_graph : 1;
  }
  [[nodiscard]] std::string_view settings() const noexcept override { return settings_; }

 private:
  [[nodiscard]] cg_scalars<V>* s() noexcept { return scalars_.data(); }

  /// The steps of the method in the order that reads the fewest vectors; the stream is that of blas_.
  void iterate(const step_variant<V>& how, cuda_stream stream) {
    how.product->multiply(V{1}, p_.span(), V{0}, device_span<V>(q_.data(), q_.size()), stream);
    blas_.dot(size_, p_.data(), q_.data(), &s()->pq);
    quotient_alpha_on_device(s(), stream);
    blas_.axpy(size_, &s()->alpha, p_.data(), x_.data());
    blas_.axpy(size_, &s()->minus_alpha, q_.data(), r_.data());
    blas_.dot(size_, r_.data(), r_.data(), &s()->rr_next);
    quotient_beta_on_device(s(), stream);
    if (how.by_geam) {
      blas_.geam(size_, &s()->one, r_.data(), &s()->beta, p_.data());
    } else {
      blas_.scal(size_, &s()->beta, p_.data());
      blas_.axpy(size_, &s()->one, r_.data(), p_.data());
    }
  }

  void choose(const loop_input<V>& in, std::span<const std::string_view> peers) {
    std::string reason = "no product takes the matrix";
    std::vector<step_variant<V>> variants;
    for (const auto& product : products_of(peers, in.a, in.where, reason)) {
      for (const bool by_geam : {false, true}) {
        step_variant<V> one{.product = product, .transposed = nullptr, .by_geam = by_geam, .graph = {}};
        const auto capture = [&] {
          one.graph = captured_graph([&](cuda_stream stream) {
            blas_.use(stream);
            for (std::int64_t i = 0; i < iterations_per_graph; ++i) iterate(one, stream);
          });
        };
        if (succeeds(reason, capture)) variants.push_back(std::move(one));
      }
    }
    if (variants.empty()) refuse_loop(in.name, "{}", reason);
    step_ =
        std::move(variants[fastest_of(variants, in.where, [this](cuda_stream stream) { start(stream); })]);
    settings_ = message("product={} {} update={}", {step_.product->name(), step_.product->settings(),
                                                    step_.by_geam ? "geam" : "scal+axpy"});
    if (captured_) settings_ += message(" iterations={}", {iterations_per_graph});
  }

  int device_;
  std::optional<exec::device_guard> guard_;  ///< while the members are made
  bool captured_;
  std::int64_t size_;
  device_blas<V> blas_;
  exec::device_buffer<V> b_;
  exec::device_buffer<V> x_;
  exec::device_buffer<V> r_;
  exec::device_buffer<V> p_;
  exec::device_buffer<V> q_;
  exec::device_buffer<cg_scalars<V>> scalars_;
  pinned_number<V> number_;
  step_variant<V> step_;
  std::string settings_;
};

}  // namespace

template <value V>
prepared_loop<V> prepare_cublas_cg(const loop_input<V>& in, std::span<const std::string_view> peers,
                                   bool captured) {
  return std::make_unique<cublas_cg<V>>(in, peers, captured);
}

template prepared_loop<float> prepare_cublas_cg(const loop_input<float>&, std::span<const std::string_view>,
                                                bool);
template prepared_loop<double> prepare_cublas_cg(const loop_input<double>&, std::span<const std::string_view>,
                                                 bool);

}  // namespace gossamer::bench_support::loops

#endif
