// SPDX-License-Identifier: BSD-3-Clause
// cuSPARSE's products by several vectors at once, through its generic interface.
#include <new>
#include <utility>

#include "bench_support/peers/cusparse_api.hpp"

namespace gossamer::bench_support::peers::cusparse {

#if defined(GOSSAMER_HAVE_CUSPARSE)

namespace {

template <value V>
class spmm_product final : public product_base<V> {
 public:
  spmm_product(const cusparse_api& api, spmm_kind which, const matrix<V>& a, int device, std::int64_t columns)
      : product_base<V>(api, name_of(which), device),
        which_(which),
        x_(api.destroy_dense),
        y_(api.destroy_dense) {
    const exec::device_guard guard(device_);
    if (which == spmm_kind::coo_alg4_row)
      base::store_coo(a);
    else
      base::store_csr(a);
    // Vectors of the right size, for analysis alone; those of each product are set with it.
    const auto [x_rows, y_rows] =
        is_transposed(which) ? std::pair(a.rows, a.cols) : std::pair(a.cols, a.rows);
    exec::device_buffer<V> x(static_cast<std::size_t>(x_rows * columns), device_);
    exec::device_buffer<V> y(static_cast<std::size_t>(y_rows * columns), device_);
    describe(x_, x_rows, columns, x.data());
    describe(y_, y_rows, columns, y.data());
    analyse();
    exec::synchronize_device();
  }
  ~spmm_product() override { exec::finish_device(device_); }

  void multiply_device(V alpha, const V* x, V beta, V* y, cuda_stream stream) const override {
    const exec::device_guard guard(device_);
    check(api_.set_stream(handle_.get(), stream.handle()), "cusparseSetStream");
    check(api_.set_dense_values(x_.get(), const_cast<V*>(x)), "cusparseDnMatSetValues");
    check(api_.set_dense_values(y_.get(), y), "cusparseDnMatSetValues");
    check(with(api_.spmm, &alpha, &beta, base::scratch_pointer()), "cusparseSpMM");
  }

 private:
  using base = product_base<V>;
  using base::api_;
  using base::check;
  using base::device_;
  using base::handle_;
  using base::matrix_;
  using dense = owned<cusparseDnMatDescr_t, decltype(&cusparseDestroyDnMat)>;

  void describe(dense& to, std::int64_t rows, std::int64_t columns, V* values) {
    const bool by_rows = order_of(which_) == layout::row_major;
    check(api_.create_dense(to.out(), rows, columns, by_rows ? columns : rows, values, type_of<V>,
                            by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
          "cusparseCreateDnMat");
  }

  [[nodiscard]] cusparseSpMMAlg_t algorithm() const noexcept {
    switch (which_) {
      case spmm_kind::csr_alg1_row:
      case spmm_kind::csr_alg1_column:
      case spmm_kind::csr_alg1_row_transposed:
        return CUSPARSE_SPMM_CSR_ALG1;
      case spmm_kind::csr_alg2_row:
        return CUSPARSE_SPMM_CSR_ALG2;
      case spmm_kind::csr_alg3_row:
      case spmm_kind::csr_alg3_column:
        return CUSPARSE_SPMM_CSR_ALG3;
      case spmm_kind::coo_alg4_row:
        return CUSPARSE_SPMM_COO_ALG4;
    }
    return CUSPARSE_SPMM_ALG_DEFAULT;
  }

  /// `function` is one of cusparseSpMM, its preprocessing and its buffer's size; `last` is its last argument.
  template <class Function, class Last>
  cusparseStatus_t with(Function function, const V* alpha, const V* beta, Last last) const {
    const cusparseOperation_t operation =
        is_transposed(which_) ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
    return function(handle_.get(), operation, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, matrix_.get(),
                    x_.get(), beta, y_.get(), type_of<V>, algorithm(), last);
  }

  void analyse() {
    const V one{1};
    const V zero{0};
    std::size_t size = 0;
    check(with(api_.spmm_buffer_size, &one, &zero, &size), "cusparseSpMM_bufferSize");
    base::make_scratch(size);
    base::note_preprocessing(api_.spmm_preprocess == nullptr
                                 ? CUSPARSE_STATUS_NOT_SUPPORTED
                                 : with(api_.spmm_preprocess, &one, &zero, base::scratch_pointer()),
                             "cusparseSpMM_preprocess");
  }

  spmm_kind which_;
  dense x_;
  dense y_;
};

}  // namespace

template <value V>
prepared<V> prepare(spmm_kind which, matrix<V>&& a, const exec::target& target, std::int64_t columns) {
  try {
    return std::make_unique<spmm_product<V>>(*find_cusparse().api, which, a, target.device, columns);
  } catch (const std::bad_alloc&) {
    fail(errc::out_of_memory, "{}: host memory ran out while converting", name_of(which));
  }
}

#else

template <value V>
prepared<V> prepare(spmm_kind which, matrix<V>&&, const exec::target&, std::int64_t) {
  refuse(name_of(which), "{}", look().reason);
}

#endif

template prepared<float> prepare(spmm_kind, matrix<float>&&, const exec::target&, std::int64_t);
template prepared<double> prepare(spmm_kind, matrix<double>&&, const exec::target&, std::int64_t);

}  // namespace gossamer::bench_support::peers::cusparse
