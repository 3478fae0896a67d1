// SPDX-License-Identifier: BSD-3-Clause
// CG and PDHG from MKL's sparse product and its BLAS.
#include <algorithm>
#include <cmath>
#include <optional>

#include "bench_support/loops/loop_base.hpp"
#include "bench_support/loops/mkl_blas.hpp"
#include "core/parallel.hpp"

namespace gossamer::bench_support::loops {
namespace {

/// What both loops begin with.
template <value V>
class mkl_loop : public loop_base<V> {
 public:
  explicit mkl_loop(const loop_input<V>& in)
      : threads_(std::get<cpu>(in.where).threads),
        blas_(*find_mkl_blas().api, threads_ == 0 ? core::default_threads() : threads_),
        product_(inspect_peer<V>("mkl", in.a, in.where)) {}

  void advance(std::int64_t launches, cuda_stream stream) override {
    for (std::int64_t i = 0; i < launches; ++i) this->advance_one(stream);
  }
  [[nodiscard]] std::int64_t iterations_per_launch() const noexcept override { return 1; }
  [[nodiscard]] std::string_view settings() const noexcept override { return product_.settings(); }

 protected:
  int threads_;
  host_blas<V> blas_;
  peer_product<V> product_;
};

template <value V>
class mkl_cg final : public mkl_loop<V> {
 public:
  explicit mkl_cg(const loop_input<V>& in)
      : mkl_loop<V>(in),
        size_(in.a.rows),
        b_(in.problem.b.begin(), in.problem.b.end()),
        x_(b_.size()),
        r_(b_.size()),
        p_(b_.size()),
        q_(b_.size()) {}

  void start(cuda_stream) override {
    core::parallel_for(
        size_, core::default_grain,
        [&](std::int64_t begin, std::int64_t end) { std::fill(x_.data() + begin, x_.data() + end, V{0}); },
        threads_);
    blas_.copy(size_, b_.data(), r_.data());
    blas_.copy(size_, b_.data(), p_.data());
    rr_ = blas_.dot(size_, r_.data(), r_.data());
  }
  void advance_one(cuda_stream) override {
    product_.multiply(V{1}, std::span<const V>(p_), V{0}, std::span<V>(q_));
    const V pq = blas_.dot(size_, p_.data(), q_.data());
    const V alpha = pq == V{0} ? V{0} : rr_ / pq;
    blas_.axpy(size_, alpha, p_.data(), x_.data());
    blas_.axpy(size_, -alpha, q_.data(), r_.data());
    const V next = blas_.dot(size_, r_.data(), r_.data());
    blas_.axpby(size_, V{1}, r_.data(), rr_ == V{0} ? V{0} : next / rr_, p_.data());
    rr_ = next;
  }
  double residual(cuda_stream) override { return std::sqrt(static_cast<double>(rr_)); }
  [[nodiscard]] std::vector<V> solution() const override { return x_; }

 private:
  using mkl_loop<V>::blas_;
  using mkl_loop<V>::product_;
  using mkl_loop<V>::threads_;

  std::int64_t size_;
  std::vector<V> b_;
  std::vector<V> x_;
  std::vector<V> r_;
  std::vector<V> p_;
  std::vector<V> q_;
  V rr_ = 0;
};

template <value V>
class mkl_pdhg final : public mkl_loop<V> {
 public:
  explicit mkl_pdhg(const loop_input<V>& in)
      : mkl_loop<V>(in),
        rows_(in.a.rows),
        cols_(in.a.cols),
        transpose_(transpose(in.a)),
        transposed_(inspect_peer<V>("mkl", transpose_.view(), in.where)),
        primal_step_(static_cast<V>(in.problem.primal_step)),
        dual_step_(static_cast<V>(in.problem.dual_step)),
        b_(in.problem.b.begin(), in.problem.b.end()),
        c_(in.problem.c.begin(), in.problem.c.end()),
        lower_(in.problem.lower.begin(), in.problem.lower.end()),
        upper_(in.problem.upper.begin(), in.problem.upper.end()),
        y_(b_.size()),
        x_(c_.size()),
        next_(c_.size()) {}

  void start(cuda_stream) override {
    std::fill(x_.begin(), x_.end(), V{0});
    std::fill(y_.begin(), y_.end(), V{0});
  }
  /// As the loop of cuSPARSE and cuBLAS.
  void advance_one(cuda_stream) override {
    blas_.copy(cols_, x_.data(), next_.data());
    blas_.axpy(cols_, -primal_step_, c_.data(), next_.data());
    transposed_.multiply(primal_step_, std::span<const V>(y_), V{1}, std::span<V>(next_));
    core::parallel_for(
        cols_, core::default_grain,
        [&](std::int64_t begin, std::int64_t end) {
          for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
            next_[i] = std::min(std::max(next_[i], lower_[i]), upper_[i]);
        },
        threads_);
    blas_.axpby(cols_, V{2}, next_.data(), V{-1}, x_.data());
    product_.multiply(-dual_step_, std::span<const V>(x_), V{1}, std::span<V>(y_));
    blas_.axpy(rows_, dual_step_, b_.data(), y_.data());
    std::swap(x_, next_);
  }
  double residual(cuda_stream) override { refuse_loop(this->name, "pdhg has no residual of a recursion"); }
  [[nodiscard]] std::vector<V> solution() const override { return x_; }

 private:
  using mkl_loop<V>::blas_;
  using mkl_loop<V>::product_;
  using mkl_loop<V>::threads_;

  std::int64_t rows_;
  std::int64_t cols_;
  csr_matrix<V, std::int32_t> transpose_;
  peer_product<V> transposed_;
  V primal_step_;
  V dual_step_;
  std::vector<V> b_;
  std::vector<V> c_;
  std::vector<V> lower_;
  std::vector<V> upper_;
  std::vector<V> y_;
  std::vector<V> x_;
  std::vector<V> next_;
};

template <value V, template <value> class Loop>
prepared_loop<V> prepare_mkl(const loop_input<V>& in) {
  return std::make_unique<Loop<V>>(in);
}

template <template <value> class Loop>
constexpr loop_entry mkl_entry(loop_method method, std::string_view help) {
  return {.info = {.name = "mkl_cblas",
                   .method = method,
                   .library = "oneMKL",
                   .devices = device_set::cpu,
                   .help = help},
          .look = look_for_mkl_blas,
          .prepare_f32 = prepare_mkl<float, Loop>,
          .prepare_f64 = prepare_mkl<double, Loop>};
}

}  // namespace

std::span<const loop_entry> mkl_loops() {
  static constexpr loop_entry all[] = {
      mkl_entry<mkl_cg>(loop_method::cg, "inspector-executor CSR, optimised for 1000 calls, and cblas"),
      mkl_entry<mkl_pdhg>(loop_method::pdhg, "the same with the explicit transpose of A")};
  return all;
}

}  // namespace gossamer::bench_support::loops
