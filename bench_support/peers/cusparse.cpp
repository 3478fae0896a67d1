// SPDX-License-Identifier: BSD-3-Clause
// cuSPARSE's products by one vector, through its generic interface.
#include "bench_support/peers/cusparse.hpp"

#include <new>
#include <utility>

#include "bench_support/peers/blocks.hpp"
#include "bench_support/peers/cusparse_api.hpp"
#include "bench_support/peers/sliced_ell.hpp"

namespace gossamer::bench_support::peers::cusparse {

#if defined(GOSSAMER_HAVE_CUSPARSE)

namespace {

constexpr auto sliced_ell_algorithm = static_cast<cusparseSpMVAlg_t>(5);
constexpr auto bsr_algorithm = static_cast<cusparseSpMVAlg_t>(6);

template <value V>
class product final : public product_base<V> {
 public:
  product(const cusparse_api& api, kind which, const matrix<V>& a, int device)
      : product_base<V>(api, name_of(which), device),
        which_(which),
        x_(api.destroy_vector),
        y_(api.destroy_vector) {
    const exec::device_guard guard(device_);
    store(a);
    // Vectors of the right size, for analysis alone; those of each product are set with it.
    const auto [x_size, y_size] =
        is_transposed(which) ? std::pair(a.rows, a.cols) : std::pair(a.cols, a.rows);
    exec::device_buffer<V> x(static_cast<std::size_t>(x_size), device_);
    exec::device_buffer<V> y(static_cast<std::size_t>(y_size), device_);
    check(api_.create_vector(x_.out(), x_size, x.data(), type_of<V>), "cusparseCreateDnVec");
    check(api_.create_vector(y_.out(), y_size, y.data(), type_of<V>), "cusparseCreateDnVec");
    analyse();
    exec::synchronize_device();
  }
  ~product() override { exec::finish_device(device_); }

  void multiply_device(V alpha, const V* x, V beta, V* y, cuda_stream stream) const override {
    const exec::device_guard guard(device_);
    check(api_.set_stream(handle_.get(), stream.handle()), "cusparseSetStream");
    check(api_.set_values(x_.get(), const_cast<V*>(x)), "cusparseDnVecSetValues");
    check(api_.set_values(y_.get(), y), "cusparseDnVecSetValues");
    check(api_.multiply(handle_.get(), operation(), &alpha, matrix_.get(), x_.get(), &beta, y_.get(),
                        type_of<V>, algorithm(), scratch_pointer()),
          "cusparseSpMV");
  }

 private:
  using base = product_base<V>;
  using base::api_;
  using base::check;
  using base::col_;
  using base::device_;
  using base::handle_;
  using base::matrix_;
  using base::offset_;
  using base::scratch_pointer;
  using base::settings_;
  using base::val_;

  [[nodiscard]] cusparseOperation_t operation() const noexcept {
    return is_transposed(which_) ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
  }

  [[nodiscard]] cusparseSpMVAlg_t algorithm() const noexcept {
    switch (which_) {
      case kind::csr_alg1:
      case kind::csr_alg1_transposed:
        return CUSPARSE_SPMV_CSR_ALG1;
      case kind::csr_alg2:
      case kind::csr_alg2_transposed:
        return CUSPARSE_SPMV_CSR_ALG2;
      case kind::coo:
        return CUSPARSE_SPMV_COO_ALG1;
      case kind::sliced_ell:
        return sliced_ell_algorithm;
      case kind::bsr:
        return bsr_algorithm;
    }
    return CUSPARSE_SPMV_ALG_DEFAULT;
  }

  void store(const matrix<V>& a) {
    switch (which_) {
      case kind::csr_alg1:
      case kind::csr_alg2:
      case kind::csr_alg1_transposed:
      case kind::csr_alg2_transposed:
        return base::store_csr(a);
      case kind::coo:
        return base::store_coo(a);
      case kind::sliced_ell:
        return choose_sliced_ell(a);
      case kind::bsr:
        return a.wide() ? store_bsr<std::int64_t>(a) : store_bsr<std::int32_t>(a);
    }
  }

  void choose_sliced_ell(const matrix<V>& a) {
    if (api_.create_sell == nullptr)
      refuse(name_of(which_), "cuSPARSE {} has no sliced ELLPACK", api_.version);
    const host_buffer<std::int64_t> offset = slice_offsets(a);
    const std::int64_t slots = offset[offset.size() - 1];
    constexpr std::int64_t most_slots = 4;  // a nonzero; padding that no user would accept
    if (slots > most_slots * a.nnz())
      refuse(name_of(which_), "{} slots for {} nonzeros, over {} times as many", slots, a.nnz(), most_slots);
    if (a.wide() || slots > 0x7fffffff)
      store_sliced_ell<std::int64_t>(a, offset);
    else
      store_sliced_ell<std::int32_t>(a, offset);
  }

  template <class I>
  void store_sliced_ell(const matrix<V>& a, const host_buffer<std::int64_t>& offset) {
    const sliced_ell<I, V> here = make_sliced_ell<I>(a, offset);
    offset_ = upload(here.offset, device_);
    col_ = upload(here.col, device_);
    val_ = upload(here.val, device_);
    const auto slots = static_cast<std::int64_t>(here.val.size());
    settings_ =
        message("{} slice={} fill={:.2f}", {sizeof(I) == 4 ? "int32" : "int64", slice_rows,
                                            static_cast<double>(slots) / static_cast<double>(a.nnz())});
    check(api_.create_sell(matrix_.out(), a.rows, a.cols, a.nnz(), slots, slice_rows, offset_.data(),
                           col_.data(), val_.data(), index_of<I>, index_of<I>, CUSPARSE_INDEX_BASE_ZERO,
                           type_of<V>),
          "cusparseCreateSlicedEll");
  }

  template <class I>
  void store_bsr(const matrix<V>& a) {
    if (api_.create_bsr == nullptr)
      refuse(name_of(which_), "cuSPARSE {} has no BSR in cusparseSpMV", api_.version);
    const block_choice choice = choose_blocks(a);
    if (choice.size == 0)
      refuse(name_of(which_),
             "no block size from {} to {} divides rows and columns with at most {} slots a nonzero",
             smallest_block, largest_block, most_fill);
    const blocks<I, V> here = make_blocks<I>(a, choice);
    offset_ = upload(here.row_ptr, device_);
    col_ = upload(here.col, device_);
    val_ = upload(here.val, device_);
    settings_ =
        message("{} block={} fill={:.2f}", {sizeof(I) == 4 ? "int32" : "int64", choice.size, choice.fill});
    check(api_.create_bsr(matrix_.out(), a.rows / choice.size, a.cols / choice.size, choice.blocks,
                          choice.size, choice.size, offset_.data(), col_.data(), val_.data(), index_of<I>,
                          index_of<I>, CUSPARSE_INDEX_BASE_ZERO, type_of<V>, CUSPARSE_ORDER_ROW),
          "cusparseCreateBsr");
  }

  void analyse() {
    const V one{1};
    const V zero{0};
    std::size_t size = 0;
    check(api_.buffer_size(handle_.get(), operation(), &one, matrix_.get(), x_.get(), &zero, y_.get(),
                           type_of<V>, algorithm(), &size),
          "cusparseSpMV_bufferSize");
    base::make_scratch(size);
    base::note_preprocessing(
        api_.preprocess == nullptr
            ? CUSPARSE_STATUS_NOT_SUPPORTED
            : api_.preprocess(handle_.get(), operation(), &one, matrix_.get(), x_.get(), &zero, y_.get(),
                              type_of<V>, algorithm(), scratch_pointer()),
        "cusparseSpMV_preprocess");
  }

  kind which_;
  owned<cusparseDnVecDescr_t, decltype(&cusparseDestroyDnVec)> x_;
  owned<cusparseDnVecDescr_t, decltype(&cusparseDestroyDnVec)> y_;
};

}  // namespace

template <value V>
prepared<V> prepare(kind which, matrix<V>&& a, const exec::target& target, std::int64_t) {
  try {
    return std::make_unique<product<V>>(*find_cusparse().api, which, a, target.device);
  } catch (const std::bad_alloc&) {
    fail(errc::out_of_memory, "{}: host memory ran out while converting", name_of(which));
  }
}

#else

template <value V>
prepared<V> prepare(kind which, matrix<V>&&, const exec::target&, std::int64_t) {
  refuse(name_of(which), "{}", look().reason);
}

#endif

template prepared<float> prepare(kind, matrix<float>&&, const exec::target&, std::int64_t);
template prepared<double> prepare(kind, matrix<double>&&, const exec::target&, std::int64_t);

}  // namespace gossamer::bench_support::peers::cusparse
