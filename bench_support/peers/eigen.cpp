// SPDX-License-Identifier: BSD-3-Clause
// Eigen's row-major sparse matrix times a dense vector or several. Header-only, so it is here or not when the
// library is built.
#include <algorithm>
#include <type_traits>

#include "bench_support/peers/all_peers.hpp"
#include "bench_support/peers/peer.hpp"

#if __has_include(<Eigen/SparseCore>)
#define GOSSAMER_HAVE_EIGEN 1
#define EIGEN_NO_DEBUG  // its assertions would end the process; sizes are checked before
#include <Eigen/SparseCore>
#endif

namespace gossamer::bench_support::peers {
namespace {

enum class kind { forward, transposed, several };

constexpr std::string_view name_of(kind which) {
  constexpr std::string_view names[] = {"eigen", "eigen_transposed", "eigen_spmm_row"};
  return names[static_cast<int>(which)];
}

#if defined(GOSSAMER_HAVE_EIGEN)

template <value V, kind Which>
class eigen_product final : public peers::peer_base<V> {
 public:
  using dense = std::conditional_t<Which == kind::several,
                                   Eigen::Matrix<V, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>,
                                   Eigen::Matrix<V, Eigen::Dynamic, 1>>;
  using view = Eigen::Map<const Eigen::SparseMatrix<V, Eigen::RowMajor, std::int32_t>>;

  eigen_product(matrix<V>&& a, int threads, std::int64_t columns)
      : a_(std::move(a)),
        view_(a_.rows, a_.cols, a_.nnz(), a_.row_ptr.span().data(), a_.col.data(), a_.val.data()),
        threads_(threads),
        columns_(Which == kind::several ? columns : 1) {}

  void multiply_host(V alpha, const V* x, V beta, V* y) const override {
    Eigen::setNbThreads(threads_);  // one setting for the whole process
    const Eigen::Map<const dense> x_view(x, Which == kind::transposed ? a_.rows : a_.cols, columns_);
    Eigen::Map<dense> y_view(y, Which == kind::transposed ? a_.cols : a_.rows, columns_);
    if (beta == V{0})
      y_view.setZero();
    else if (beta != V{1})
      y_view *= beta;
    const auto add = [&](const auto& matrix) {
      if (alpha == V{1})
        y_view.noalias() += matrix * x_view;
      else
        y_view.noalias() += alpha * (matrix * x_view);
    };
    if constexpr (Which == kind::transposed)
      add(view_.transpose());
    else
      add(view_);
  }
  [[nodiscard]] std::int64_t bytes() const noexcept override {
    return static_cast<std::int64_t>(a_.row_ptr.size() * sizeof(std::int32_t) + a_.col.size_bytes() +
                                     a_.val.size_bytes());
  }
  [[nodiscard]] std::string_view settings() const noexcept override { return "row-major, int32"; }

 private:
  matrix<V> a_;
  view view_;
  int threads_;
  std::int64_t columns_;
};

peer_presence look() {
  return {.present = true,
          .version = message("{}.{}.{}", {EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION})};
}

template <value V, kind Which>
prepared<V> prepare(matrix<V>&& a, const exec::target& target, std::int64_t columns) {
  require_narrow(name_of(Which), a);
  return std::make_unique<eigen_product<V, Which>>(std::move(a), target.threads, columns);
}

#else

peer_presence look() {
  return {.reason =
              "this build of gossamer was made without Eigen's headers (libeigen3-dev; -D "
              "GOSSAMER_EIGEN=FOLDER)"};
}

template <value V, kind Which>
prepared<V> prepare(matrix<V>&&, const exec::target&, std::int64_t) {
  refuse(name_of(Which), "{}", look().reason);
}

#endif

template <kind Which>
constexpr entry make(std::string_view help) {
  return {.info = {.name = name_of(Which),
                   .library = "Eigen",
                   .devices = device_set::cpu,
                   .help = help,
                   .transposed = Which == kind::transposed,
                   .order = Which == kind::several ? layout::row_major : layout::column_major,
                   .several = Which == kind::several},
          .look = look,
          .prepare_f32 = prepare<float, Which>,
          .prepare_f64 = prepare<double, Which>};
}

}  // namespace

template <>
const entry& entry_of<struct eigen>() {
  static constexpr entry all = make<kind::forward>("row-major SparseMatrix times a vector, with OpenMP");
  return all;
}
template <>
const entry& entry_of<struct eigen_transposed>() {
  static constexpr entry all =
      make<kind::transposed>("transpose() of the row-major SparseMatrix times a vector");
  return all;
}
template <>
const entry& entry_of<struct eigen_spmm_row>() {
  static constexpr entry all =
      make<kind::several>("row-major SparseMatrix times a row-major Matrix, with OpenMP");
  return all;
}

}  // namespace gossamer::bench_support::peers
