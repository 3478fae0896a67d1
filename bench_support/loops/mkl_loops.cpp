// SPDX-License-Identifier: BSD-3-Clause
// Reference solvers made of MKL's sparse product and its BLAS.
#include <utility>

#include "bench_support/loops/loop_base.hpp"
#include "bench_support/loops/methods.hpp"
#include "bench_support/loops/mkl_blas.hpp"
#include "core/parallel.hpp"

namespace gossamer::bench_support::loops {
namespace {

template <value V, template <class> class Steps>
class mkl_loop final : public loop_base<V> {
 public:
  explicit mkl_loop(const loop_input<V>& in)
      : blas_(*find_mkl_blas().api, threads_of(in.where)), steps_(blas_, in) {
    how_.forward = std::make_shared<peer_product<V>>(inspect_peer<V>("mkl", in.a, in.where));
    if (!Steps<host_blas<V>>::transposes) return;
    transpose_ = transpose(in.a);
    how_.transposed = std::make_shared<peer_product<V>>(inspect_peer<V>("mkl", transpose_.view(), in.where));
  }

  void start(cuda_stream) override { steps_.start(how_); }
  void advance(std::int64_t launches, cuda_stream) override {
    for (std::int64_t i = 0; i < launches; ++i) steps_.iterate(how_);
  }
  void advance_one(cuda_stream) override { steps_.iterate(how_); }
  double residual(cuda_stream) override {
    if constexpr (requires { steps_.residual(); })
      return steps_.residual();
    else
      refuse_loop(this->name, "the method has no residual of a recursion");
  }
  [[nodiscard]] std::vector<V> solution() const override { return steps_.solution(); }
  [[nodiscard]] std::int64_t iterations_per_launch() const noexcept override { return 1; }
  [[nodiscard]] std::string_view settings() const noexcept override { return how_.forward->settings(); }

 private:
  static int threads_of(const resource& where) {
    const int threads = std::get<cpu>(where).threads;
    return threads == 0 ? core::default_threads() : threads;
  }

  host_blas<V> blas_;
  Steps<host_blas<V>> steps_;
  csr_matrix<V, std::int32_t> transpose_;  // MKL refers to its arrays
  step_products<V> how_;
};

template <value V, template <class> class Steps>
prepared_loop<V> prepare_mkl(const loop_input<V>& in) {
  return std::make_unique<mkl_loop<V, Steps>>(in);
}

template <template <class> class Steps>
constexpr loop_entry mkl_entry(loop_method method) {
  return {.info = {.name = "mkl_cblas",
                   .method = method,
                   .library = "oneMKL",
                   .devices = device_set::cpu,
                   .help = "inspector-executor CSR, optimised for 1000 calls, and cblas"},
          .look = look_for_mkl_blas,
          .prepare_f32 = prepare_mkl<float, Steps>,
          .prepare_f64 = prepare_mkl<double, Steps>};
}

}  // namespace

std::span<const loop_entry> mkl_loops() {
  static constexpr loop_entry all[] = {
      mkl_entry<cg_steps>(loop_method::cg), mkl_entry<minres_steps>(loop_method::minres),
      mkl_entry<lsqr_steps>(loop_method::lsqr), mkl_entry<pdhg_steps>(loop_method::pdhg)};
  return all;
}

}  // namespace gossamer::bench_support::loops
