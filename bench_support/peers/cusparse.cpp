// SPDX-License-Identifier: BSD-3-Clause
// cuSPARSE through its generic interface. The toolkit's header gives types and prototypes; the library itself
// is loaded when first asked for, so that ours is never linked with it.
#include "bench_support/peers/cusparse.hpp"

#include <cstddef>
#include <new>
#include <utility>

#include "bench_support/peers/blocks.hpp"
#include "bench_support/peers/library.hpp"
#include "bench_support/peers/sliced_ell.hpp"

#if defined(GOSSAMER_HAVE_CUDA) && __has_include(<cusparse.h>)
#define GOSSAMER_HAVE_CUSPARSE 1
#include <cusparse.h>

#include "exec/after_fork.hpp"
#include "exec/cuda/device_buffer.hpp"
#endif

namespace gossamer::bench_support::peers::cusparse {

#if defined(GOSSAMER_HAVE_CUSPARSE)

namespace {

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
constexpr auto sliced_ell_algorithm = static_cast<cusparseSpMVAlg_t>(5);
constexpr auto bsr_algorithm = static_cast<cusparseSpMVAlg_t>(6);

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
  decltype(&cusparseSpMV_bufferSize) buffer_size = nullptr;
  decltype(&cusparseSpMV) preprocess = nullptr;  // the same parameters
  decltype(&cusparseSpMV) multiply = nullptr;
};

std::string load_cusparse(cusparse_api& api) {
  const std::string soname = message("libcusparse.so.{}", {CUSPARSE_VER_MAJOR});
  const loaded_library library = load({.variable = "GOSSAMER_CUSPARSE",
                                       .names = {soname},
                                       .folders = {GOSSAMER_CUDA_LIBRARIES, "/usr/local/cuda/lib64"},
                                       .companions = {"libnvJitLink.so.12", "libnvJitLink.so.13"}});
  if (library.handle == nullptr) return library.reason;
  symbols all(library);
  decltype(&cusparseGetProperty) property = nullptr;
  all.bind(property, "cusparseGetProperty");
  all.bind(api.create, "cusparseCreate");
  all.bind(api.destroy, "cusparseDestroy");
  all.bind(api.set_stream, "cusparseSetStream");
  all.bind(api.text_of, "cusparseGetErrorString");
  all.bind(api.create_csr, "cusparseCreateCsr");
  all.bind(api.create_coo, "cusparseCreateCoo");
  all.bind_optional(api.create_sell, "cusparseCreateSlicedEll");
  all.bind_optional(api.create_bsr, "cusparseCreateBsr");
  all.bind(api.destroy_matrix, "cusparseDestroySpMat");
  all.bind(api.create_vector, "cusparseCreateDnVec");
  all.bind(api.destroy_vector, "cusparseDestroyDnVec");
  all.bind(api.set_values, "cusparseDnVecSetValues");
  all.bind(api.buffer_size, "cusparseSpMV_bufferSize");
  all.bind_optional(api.preprocess, "cusparseSpMV_preprocess");
  all.bind(api.multiply, "cusparseSpMV");
  if (std::string reason = all.reason(); !reason.empty()) return reason;
  int parts[3] = {};
  for (const auto part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) property(part, &parts[part]);
  api.version = message("{}.{}.{}", {parts[MAJOR_VERSION], parts[MINOR_VERSION], parts[PATCH_LEVEL]});
  return "";
}

found<cusparse_api> find_cusparse() {
  static looked_up<cusparse_api> api;
  return api.find(load_cusparse);
}

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

template <value V>
class product final : public peers::peer_base<V> {
 public:
  product(const cusparse_api& api, kind which, const matrix<V>& a, int device)
      : api_(api),
        which_(which),
        device_(device),
        handle_(api.destroy),
        matrix_(api.destroy_matrix),
        x_(api.destroy_vector),
        y_(api.destroy_vector) {
    const exec::device_guard guard(device_);
    check(api_.create(handle_.out()), "cusparseCreate");
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
  [[nodiscard]] std::int64_t bytes() const noexcept override {
    return static_cast<std::int64_t>(offset_.size() + col_.size() + val_.size() + scratch_.size());
  }
  [[nodiscard]] std::string_view settings() const noexcept override { return settings_; }

 private:
  void check(cusparseStatus_t status, const char* what) const {
    if (status == CUSPARSE_STATUS_SUCCESS) return;
    const std::string_view text = api_.text_of(status);
    if (status == CUSPARSE_STATUS_NOT_SUPPORTED)
      refuse(name_of(which_), "{} of cuSPARSE {}: {}", what, api_.version, text);
    const bool memory =
        status == CUSPARSE_STATUS_ALLOC_FAILED || status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
    fail(memory ? errc::out_of_memory : errc::device_error, "{}: {}: {}", name_of(which_), what, text);
  }

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

  [[nodiscard]] void* scratch_pointer() const noexcept { return const_cast<std::byte*>(scratch_.data()); }

  void store(const matrix<V>& a) {
    switch (which_) {
      case kind::csr_alg1:
      case kind::csr_alg2:
      case kind::csr_alg1_transposed:
      case kind::csr_alg2_transposed:
        return a.wide() ? store_csr<std::int64_t>(a) : store_csr<std::int32_t>(a);
      case kind::coo:
        return a.wide() ? store_coo<std::int64_t>(a) : store_coo<std::int32_t>(a);
      case kind::sliced_ell:
        return choose_sliced_ell(a);
      case kind::bsr:
        return a.wide() ? store_bsr<std::int64_t>(a) : store_bsr<std::int32_t>(a);
    }
  }

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
    scratch_ = byte_buffer(std::max<std::size_t>(size, 1), device_);  // a null buffer may be taken for none
    // Not every storage has a preprocessing; where it has none, the product does without.
    const cusparseStatus_t status =
        api_.preprocess == nullptr
            ? CUSPARSE_STATUS_NOT_SUPPORTED
            : api_.preprocess(handle_.get(), operation(), &one, matrix_.get(), x_.get(), &zero, y_.get(),
                              type_of<V>, algorithm(), scratch_pointer());
    if (status == CUSPARSE_STATUS_NOT_SUPPORTED)
      settings_ += " preprocess=none";
    else
      check(status, "cusparseSpMV_preprocess");
  }

  const cusparse_api& api_;
  kind which_;
  int device_;
  byte_buffer offset_;  // or COO's rows
  byte_buffer col_;
  byte_buffer val_;
  byte_buffer scratch_;
  std::string settings_;
  owned<cusparseHandle_t, decltype(&cusparseDestroy)> handle_;
  owned<cusparseSpMatDescr_t, decltype(&cusparseDestroySpMat)> matrix_;
  owned<cusparseDnVecDescr_t, decltype(&cusparseDestroyDnVec)> x_;
  owned<cusparseDnVecDescr_t, decltype(&cusparseDestroyDnVec)> y_;
};

}  // namespace

peer_presence look() {
  const found<cusparse_api> cusparse = find_cusparse();
  if (cusparse.api == nullptr) return {.reason = cusparse.reason};
  if (cuda_device_count() == 0)
    return {.version = cusparse.api->version, .reason = "this machine has no usable CUDA device"};
  return {.present = true, .version = cusparse.api->version};
}

template <value V>
prepared<V> prepare(kind which, matrix<V>&& a, const exec::target& target) {
  try {
    return std::make_unique<product<V>>(*find_cusparse().api, which, a, target.device);
  } catch (const std::bad_alloc&) {
    fail(errc::out_of_memory, "{}: host memory ran out while converting", name_of(which));
  }
}

#else

peer_presence look() {
  return {.reason =
              built_with_cuda()
                  ? "this build of gossamer was made without cuSPARSE's header (cusparse.h of the toolkit)"
                  : "this build of gossamer has no CUDA"};
}

template <value V>
prepared<V> prepare(kind which, matrix<V>&&, const exec::target&) {
  refuse(name_of(which), "{}", look().reason);
}

#endif

template prepared<float> prepare(kind, matrix<float>&&, const exec::target&);
template prepared<double> prepare(kind, matrix<double>&&, const exec::target&);

}  // namespace gossamer::bench_support::peers::cusparse
