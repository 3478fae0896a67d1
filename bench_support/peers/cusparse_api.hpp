// SPDX-License-Identifier: BSD-3-Clause
// What products by one vector and by several have in common: cuSPARSE's functions, loaded when first asked
// for, and the matrix in a device's memory as CSR or COO. The toolkit's header gives types and prototypes.
#pragma once

#include "bench_support/peers/cusparse.hpp"

#if defined(GOSSAMER_HAVE_CUDA) && __has_include(<cusparse.h>)
#define GOSSAMER_HAVE_CUSPARSE 1
#include <cusparse.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "bench_support/peers/library.hpp"
#include "core/parallel.hpp"
#include "exec/after_fork.hpp"
#include "exec/cuda/device_buffer.hpp"

namespace gossamer::bench_support::peers::cusparse {

// Prototypes that older headers of the same library lack; the library that is loaded decides whether it has
// them.
using create_sliced_ell = cusparseStatus_t(cusparseSpMatDescr_t*, std::int64_t rows, std::int64_t cols,
                                           std::int64_t nnz, std::int64_t slots, std::int64_t slice,
                                           void* offset, void* col, void* val, cusparseIndexType_t,
                                           cusparseIndexType_t, cusparseIndexBase_t, cudaDataType);
using create_bsr = cusparseStatus_t(cusparseSpMatDescr_t*, std::int64_t rows, std::int64_t cols,
                                    std::int64_t blocks, std::int64_t block_rows, std::int64_t block_cols,
                                    void* offset, void* col, void* val, cusparseIndexType_t,
                                    cusparseIndexType_t, cusparseIndexBase_t, cudaDataType, cusparseOrder_t);

// SpMVOp, z = epilogue(alpha A x + beta y), as declared since cuSPARSE 12.8. It is experimental there.
enum class spmvop_algorithm : int { alg1 = 1, alg2 = 2 };
using spmvop_descriptor = struct spmvop_descriptor_data*;
using spmvop_plan = struct spmvop_plan_data*;
using spmvop_buffer_size = cusparseStatus_t(cusparseHandle_t, cusparseOperation_t, cusparseConstSpMatDescr_t,
                                            cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                                            cusparseDnVecDescr_t z, cudaDataType, spmvop_algorithm,
                                            std::size_t* size);
using spmvop_create_descriptor = cusparseStatus_t(cusparseHandle_t, spmvop_descriptor*, cusparseOperation_t,
                                                  cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t x,
                                                  cusparseDnVecDescr_t y, cusparseDnVecDescr_t z,
                                                  cudaDataType, spmvop_algorithm, void* buffer);
using spmvop_destroy_descriptor = cusparseStatus_t(spmvop_descriptor);
using spmvop_create_plan = cusparseStatus_t(cusparseHandle_t, spmvop_descriptor, spmvop_plan*,
                                            const void* epilogue, std::size_t epilogue_size);
using spmvop_destroy_plan = cusparseStatus_t(spmvop_plan);
using spmvop_multiply = cusparseStatus_t(cusparseHandle_t, spmvop_plan, const void* alpha, const void* beta,
                                         cusparseConstDnVecDescr_t x, cusparseConstDnVecDescr_t y,
                                         cusparseDnVecDescr_t z);

struct spmvop_api {
  std::string reason;  ///< one line that says why it cannot be used; empty if it can
  spmvop_buffer_size* buffer_size = nullptr;
  spmvop_create_descriptor* create_descriptor = nullptr;
  spmvop_destroy_descriptor* destroy_descriptor = nullptr;
  spmvop_create_plan* create_plan = nullptr;
  spmvop_destroy_plan* destroy_plan = nullptr;
  spmvop_multiply* multiply = nullptr;
};

struct cusparse_api {
  std::string version;
  decltype(&cusparseCreate) create = nullptr;
  decltype(&cusparseDestroy) destroy = nullptr;
  decltype(&cusparseSetStream) set_stream = nullptr;
  decltype(&cusparseGetErrorString) text_of = nullptr;
  decltype(&cusparseCreateCsr) create_csr = nullptr;
  decltype(&cusparseCreateCoo) create_coo = nullptr;
  create_sliced_ell* create_sell = nullptr;
  cusparse::create_bsr* create_bsr = nullptr;
  decltype(&cusparseDestroySpMat) destroy_matrix = nullptr;
  decltype(&cusparseCreateDnVec) create_vector = nullptr;
  decltype(&cusparseDestroyDnVec) destroy_vector = nullptr;
  decltype(&cusparseDnVecSetValues) set_values = nullptr;
  decltype(&cusparseCreateDnMat) create_dense = nullptr;
  decltype(&cusparseDestroyDnMat) destroy_dense = nullptr;
  decltype(&cusparseDnMatSetValues) set_dense_values = nullptr;
  decltype(&cusparseSpMV_bufferSize) buffer_size = nullptr;
  decltype(&cusparseSpMV) preprocess = nullptr;  // the same parameters
  decltype(&cusparseSpMV) multiply = nullptr;
  decltype(&cusparseSpMM_bufferSize) spmm_buffer_size = nullptr;
  decltype(&cusparseSpMM) spmm_preprocess = nullptr;  // the same parameters
  decltype(&cusparseSpMM) spmm = nullptr;
  spmvop_api spmvop;
};

/// Looks the library up until it is there once.
found<cusparse_api> find_cusparse();

template <class V>
constexpr cudaDataType type_of = sizeof(V) == sizeof(float) ? CUDA_R_32F : CUDA_R_64F;
template <class I>
constexpr cusparseIndexType_t index_of = sizeof(I) == 4 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;

/// Frees with the library's own function; a null pointer is none.
template <class Handle, class Destroy>
class owned {
 public:
  explicit owned(Destroy destroy) noexcept : destroy_(destroy) {}
  ~owned() {
    if (handle_ != nullptr && exec::cuda_is_ours()) (void)destroy_(handle_);
  }
  owned(const owned&) = delete;
  owned& operator=(const owned&) = delete;
  [[nodiscard]] Handle get() const noexcept { return handle_; }
  [[nodiscard]] Handle* out() noexcept { return &handle_; }

 private:
  Destroy destroy_;
  Handle handle_ = nullptr;
};

using byte_buffer = exec::device_buffer<std::byte>;

/// Returns when the copy is done.
template <class T>
byte_buffer upload(const T* from, std::size_t count, int device) {
  byte_buffer to(count * sizeof(T), device);
  exec::copy_async(to.data(), from, count * sizeof(T), exec::copy_kind::host_to_device, {});
  exec::synchronize({});
  return to;
}
template <class T>
byte_buffer upload(const host_buffer<T>& from, int device) {
  return upload(from.data(), from.size(), device);
}

template <class I, value V>
host_buffer<I> row_of_each_entry(const matrix<V>& a) {
  host_buffer<I> row(a.col.size());
  core::parallel_for(a.rows, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      std::fill(row.data() + a.row_begin(i), row.data() + a.row_begin(i + 1), static_cast<I>(i));
  });
  return row;
}

/// A matrix of cuSPARSE's and its memory on a device. A product adds its vectors and its buffer.
template <value V>
class product_base : public peers::peer_base<V> {
 public:
  /// `peer`: its name in our list.
  product_base(const cusparse_api& api, std::string_view peer, int device)
      : api_(api), peer_(peer), device_(device), handle_(api.destroy), matrix_(api.destroy_matrix) {
    const exec::device_guard guard(device_);
    check(api_.create(handle_.out()), "cusparseCreate");
  }
  [[nodiscard]] std::int64_t bytes() const noexcept override {
    return static_cast<std::int64_t>(offset_.size() + col_.size() + val_.size() + scratch_.size());
  }
  [[nodiscard]] std::string_view settings() const noexcept override { return settings_; }

 protected:
  void check(cusparseStatus_t status, const char* what) const {
    if (status == CUSPARSE_STATUS_SUCCESS) return;
    const std::string_view text = api_.text_of(status);
    if (status == CUSPARSE_STATUS_NOT_SUPPORTED)
      refuse(peer_, "{} of cuSPARSE {}: {}", what, api_.version, text);
    const bool memory =
        status == CUSPARSE_STATUS_ALLOC_FAILED || status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
    fail(memory ? errc::out_of_memory : errc::device_error, "{}: {}: {}", peer_, what, text);
  }
  /// Not every storage has a preprocessing; where it has none, the product does without.
  void note_preprocessing(cusparseStatus_t status, const char* what) {
    if (status == CUSPARSE_STATUS_NOT_SUPPORTED)
      settings_ += " preprocess=none";
    else
      check(status, what);
  }
  void make_scratch(std::size_t size) {
    scratch_ = byte_buffer(std::max<std::size_t>(size, 1), device_);  // a null buffer may be taken for none
  }
  [[nodiscard]] void* scratch_pointer() const noexcept { return const_cast<std::byte*>(scratch_.data()); }

  void store_csr(const matrix<V>& a) { a.wide() ? store_csr<std::int64_t>(a) : store_csr<std::int32_t>(a); }
  void store_coo(const matrix<V>& a) { a.wide() ? store_coo<std::int64_t>(a) : store_coo<std::int32_t>(a); }

  const cusparse_api& api_;
  std::string_view peer_;
  int device_;
  byte_buffer offset_;  // or COO's rows
  byte_buffer col_;
  byte_buffer val_;
  byte_buffer scratch_;
  std::string settings_;
  owned<cusparseHandle_t, decltype(&cusparseDestroy)> handle_;
  owned<cusparseSpMatDescr_t, decltype(&cusparseDestroySpMat)> matrix_;

 private:
  /// cuSPARSE takes one width for offsets and columns, so wide offsets make the columns wide.
  template <class I>
  void upload_columns_and_values(const matrix<V>& a) {
    if constexpr (sizeof(I) == sizeof(std::int32_t)) {
      col_ = upload(a.col.data(), a.col.size(), device_);
    } else {
      host_buffer<I> col(a.col.size());
      core::parallel_for(a.nnz(), core::default_grain, [&](std::int64_t begin, std::int64_t end) {
        std::copy(a.col.data() + begin, a.col.data() + end, col.data() + begin);
      });
      col_ = upload(col, device_);
    }
    val_ = upload(a.val.data(), a.val.size(), device_);
    settings_ = sizeof(I) == 4 ? "int32" : "int64";
  }

  template <class I>
  void store_csr(const matrix<V>& a) {
    if constexpr (sizeof(I) == sizeof(std::int32_t))
      offset_ = upload(a.row_ptr, device_);
    else
      offset_ = upload(a.wide_row_ptr, device_);
    upload_columns_and_values<I>(a);
    check(api_.create_csr(matrix_.out(), a.rows, a.cols, a.nnz(), offset_.data(), col_.data(), val_.data(),
                          index_of<I>, index_of<I>, CUSPARSE_INDEX_BASE_ZERO, type_of<V>),
          "cusparseCreateCsr");
  }

  template <class I>
  void store_coo(const matrix<V>& a) {
    offset_ = upload(row_of_each_entry<I>(a), device_);
    upload_columns_and_values<I>(a);
    check(api_.create_coo(matrix_.out(), a.rows, a.cols, a.nnz(), offset_.data(), col_.data(), val_.data(),
                          index_of<I>, CUSPARSE_INDEX_BASE_ZERO, type_of<V>),
          "cusparseCreateCoo");
  }
};

}  // namespace gossamer::bench_support::peers::cusparse

#endif
