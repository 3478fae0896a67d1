// SPDX-License-Identifier: BSD-3-Clause
// Steps of the primal-dual hybrid gradient method from cuSPARSE's products by A and by its explicit
// transpose, cuBLAS, and one kernel for the bounds.
#include "bench_support/loops/cublas_loops.hpp"

#if defined(GOSSAMER_HAVE_CUBLAS)

#include <optional>
#include <utility>

#include "bench_support/loops/device_blas.hpp"
#include "bench_support/loops/fastest_variant.hpp"
#include "bench_support/loops/step_kernels.hpp"

namespace gossamer::bench_support::loops {
namespace {

/// Factors of axpy and scal, in device memory.
template <class V>
struct pdhg_scalars {
  V minus_primal_step;
  V dual_step;
  V minus_one;
  V two;
};

template <value V>
class cublas_pdhg final : public loop_base<V> {
 public:
  cublas_pdhg(const loop_input<V>& in, std::span<const std::string_view> peers, bool captured)
      : device_(std::get<cuda>(in.where).device),
        guard_(device_),
        captured_(captured),
        rows_(in.a.rows),
        cols_(in.a.cols),
        primal_step_(static_cast<V>(in.problem.primal_step)),
        dual_step_(static_cast<V>(in.problem.dual_step)),
        blas_(*find_cublas().api, in.name, device_),
        b_(device_copy(in.problem.b, device_)),
        c_(device_copy(in.problem.c, device_)),
        lower_(device_copy(in.problem.lower, device_)),
        upper_(device_copy(in.problem.upper, device_)),
        y_(b_.size(), device_),
        x_{exec::device_buffer<V>(c_.size(), device_), exec::device_buffer<V>(c_.size(), device_)} {
    const pdhg_scalars<V> factors{
        .minus_primal_step = -primal_step_, .dual_step = dual_step_, .minus_one = V{-1}, .two = V{2}};
    scalars_ = device_copy(std::span(&factors, 1), device_);
    choose(in, peers);
    guard_.reset();
  }
  ~cublas_pdhg() override { exec::finish_device(device_); }

  void start(cuda_stream stream) override {
    const exec::device_guard guard(device_);
    zero_on_device(x_[0], stream);
    zero_on_device(y_, stream);
    current_ = 0;
  }
  void advance(std::int64_t launches, cuda_stream stream) override {
    const exec::device_guard guard(device_);
    if (captured_) {
      // A graph has an even number of steps and begins with x_[0].
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
  double residual(cuda_stream) override { refuse_loop(this->name, "pdhg has no residual of a recursion"); }
  [[nodiscard]] std::vector<V> solution() const override {
    const exec::device_guard guard(device_);
    return host_copy(x_[current_]);
  }
  [[nodiscard]] std::int64_t iterations_per_launch() const noexcept override {
    return captured_ ? iterations_per_graph : 1;
  }
  [[nodiscard]] std::string_view settings() const noexcept override { return settings_; }

 private:
  static_assert(iterations_per_graph % 2 == 0);

  /// next = clamp(x - tau c + tau A'y); x becomes 2 next - x; y += sigma b - sigma A x. Products add to their
  /// result, which saves a vector each.
  void iterate(const step_variant<V>& how, cuda_stream stream) {
    const pdhg_scalars<V>* const s = scalars_.data();
    exec::device_buffer<V>& x = x_[current_];
    exec::device_buffer<V>& next = x_[1 - current_];
    blas_.copy(cols_, x.data(), next.data());
    blas_.axpy(cols_, &s->minus_primal_step, c_.data(), next.data());
    how.transposed->multiply(primal_step_, y_.span(), V{1}, device_span<V>(next.data(), next.size()), stream);
    clamp_on_device(next.data(), lower_.data(), upper_.data(), cols_, stream);
    blas_.scal(cols_, &s->minus_one, x.data());
    blas_.axpy(cols_, &s->two, next.data(), x.data());
    how.product->multiply(-dual_step_, x.span(), V{1}, device_span<V>(y_.data(), y_.size()), stream);
    blas_.axpy(rows_, &s->dual_step, b_.data(), y_.data());
    current_ = 1 - current_;
  }

  void choose(const loop_input<V>& in, std::span<const std::string_view> peers) {
    const csr_matrix<V, std::int32_t> transposed = transpose(in.a);
    std::string reason = "no product takes the matrix";
    std::vector<step_variant<V>> variants;
    const auto forward = products_of(peers, in.a, in.where, reason);
    const auto backward = products_of(peers, transposed.view(), in.where, reason);
    for (const auto& product : forward) {
      for (const auto& back : backward) {
        step_variant<V> one{.product = product, .transposed = back, .by_geam = false, .graph = {}};
        const auto capture = [&] {
          current_ = 0;
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
    settings_ = message("product={} transposed={}", {step_.product->name(), step_.transposed->name()});
    if (captured_) settings_ += message(" iterations={}", {iterations_per_graph});
  }

  int device_;
  std::optional<exec::device_guard> guard_;  ///< while the members are made
  bool captured_;
  std::int64_t rows_;
  std::int64_t cols_;
  V primal_step_;
  V dual_step_;
  device_blas<V> blas_;
  exec::device_buffer<V> b_;
  exec::device_buffer<V> c_;
  exec::device_buffer<V> lower_;
  exec::device_buffer<V> upper_;
  exec::device_buffer<V> y_;
  exec::device_buffer<V> x_[2];
  exec::device_buffer<pdhg_scalars<V>> scalars_;
  std::size_t current_ = 0;  ///< of x_
  step_variant<V> step_;
  std::string settings_;
};

}  // namespace

template <value V>
prepared_loop<V> prepare_cublas_pdhg(const loop_input<V>& in, std::span<const std::string_view> peers,
                                     bool captured) {
  return std::make_unique<cublas_pdhg<V>>(in, peers, captured);
}

template prepared_loop<float> prepare_cublas_pdhg(const loop_input<float>&, std::span<const std::string_view>,
                                                  bool);
template prepared_loop<double> prepare_cublas_pdhg(const loop_input<double>&,
                                                   std::span<const std::string_view>, bool);

}  // namespace gossamer::bench_support::loops

#endif
