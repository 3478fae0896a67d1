// SPDX-License-Identifier: BSD-3-Clause
// Eigen's conjugate gradient solver, without a preconditioner. Eigen is header-only: it must be present when
// bench_support is compiled.
#include <algorithm>
#include <cmath>

#include "bench_support/loops/loop_base.hpp"
#include "core/parallel.hpp"

#if __has_include(<Eigen/IterativeLinearSolvers>)
#define GOSSAMER_HAVE_EIGEN_SOLVERS 1
#define EIGEN_NO_DEBUG  // its assertions would end the process; sizes are checked before
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#endif

namespace gossamer::bench_support::loops {
namespace {

#if defined(GOSSAMER_HAVE_EIGEN_SOLVERS)

template <value V>
class eigen_cg final : public loop_base<V> {
 public:
  using dense = Eigen::Matrix<V, Eigen::Dynamic, 1>;
  using sparse = Eigen::SparseMatrix<V, Eigen::RowMajor, std::int32_t>;

  explicit eigen_cg(const loop_input<V>& in)
      : a_(Eigen::Map<const sparse>(in.a.rows, in.a.cols, in.a.nnz(), in.a.row_ptr.data(), in.a.col.data(),
                                    in.a.val.data())),
        b_(Eigen::Map<const dense>(in.problem.b.data(), in.a.rows)),
        x_(dense::Zero(in.a.rows)),
        threads_(std::get<cpu>(in.where).threads) {
    solver_.compute(a_);
  }

  void start(cuda_stream) override {}
  /// The library runs whole solves: each begins at zero.
  void advance(std::int64_t launches, cuda_stream) override { run({.rtol = 0, .most_iterations = launches}); }
  void advance_one(cuda_stream) override { advance(1, {}); }
  /// ||r|| of the recursion of the last solve.
  double residual(cuda_stream) override { return static_cast<double>(solver_.error()) * norm(); }
  std::vector<double> history(std::int64_t iterations) override {
    std::vector<double> norms{norm()};
    for (std::int64_t k = 1; k <= iterations; ++k) {
      advance(k, {});
      norms.push_back(residual({}));
    }
    return norms;
  }
  bool solve_whole(const loop_stop& stop, loop_result& result) override {
    run(stop);
    result = {.converged = solver_.info() == Eigen::Success,
              .iterations = static_cast<std::int64_t>(solver_.iterations()),
              .residual = residual({})};
    return true;
  }
  [[nodiscard]] std::vector<V> solution() const override { return {x_.data(), x_.data() + x_.size()}; }
  [[nodiscard]] std::int64_t iterations_per_launch() const noexcept override { return 1; }
  [[nodiscard]] std::string_view settings() const noexcept override { return "row-major, int32"; }

 private:
  [[nodiscard]] double norm() const { return static_cast<double>(b_.norm()); }

  void run(const loop_stop& stop) {
    Eigen::setNbThreads(threads_ == 0 ? core::default_threads() : threads_);  // of the whole process
    solver_.setTolerance(static_cast<V>(stop.rtol));
    solver_.setMaxIterations(stop.most_iterations);
    x_ = solver_.solve(b_);
  }

  sparse a_;
  dense b_;
  dense x_;
  int threads_;
  Eigen::ConjugateGradient<sparse, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner> solver_;
};

peer_presence look_for_solvers() {
  return {.present = true,
          .version = message("{}.{}.{}", {EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION})};
}

template <value V>
prepared_loop<V> prepare_eigen(const loop_input<V>& in) {
  return std::make_unique<eigen_cg<V>>(in);
}

#else

peer_presence look_for_solvers() {
  return {.reason =
              "this build of gossamer was made without Eigen's headers (libeigen3-dev; -D "
              "GOSSAMER_EIGEN=FOLDER)"};
}

template <value V>
prepared_loop<V> prepare_eigen(const loop_input<V>& in) {
  refuse_loop(in.name, "{}", look_for_solvers().reason);
}

#endif

}  // namespace

std::span<const loop_entry> eigen_loops() {
  static constexpr loop_entry all[] = {
      {.info = {.name = "eigen_cg",
                .method = loop_method::cg,
                .library = "Eigen",
                .devices = device_set::cpu,
                .help = "ConjugateGradient with both triangles of a row-major SparseMatrix, and OpenMP"},
       .look = look_for_solvers,
       .prepare_f32 = prepare_eigen<float>,
       .prepare_f64 = prepare_eigen<double>}};
  return all;
}

}  // namespace gossamer::bench_support::loops
