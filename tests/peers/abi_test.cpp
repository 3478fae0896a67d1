// SPDX-License-Identifier: BSD-3-Clause
// Our own declarations of MKL and librsb beside their headers, where those are installed.
#include <gtest/gtest.h>

#include <type_traits>

#include "bench_support/loops/cblas_abi.hpp"
#include "bench_support/peers/librsb_abi.hpp"
#include "bench_support/peers/mkl_abi.hpp"

#if __has_include(<mkl_cblas.h>)
#include <mkl_cblas.h>
#endif
#if __has_include(<mkl_spblas.h>)
#include <mkl_service.h>
#include <mkl_spblas.h>
#endif
#if __has_include(<rsb.h>)
#include <rsb.h>
#endif

namespace gossamer::bench_support::peers {
namespace {

/// The same parameters up to const, enumerations for int and structures of the same size.
template <class A, class B>
struct alike : std::bool_constant<sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B> &&
                                  std::is_floating_point_v<A> == std::is_floating_point_v<B>> {};
template <class A>
struct alike<A, void> : std::is_void<A> {};
template <class R1, class... A1, class R2, class... A2>
struct alike<R1(A1...), R2(A2...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(A1) == sizeof...(A2))
      return alike<R1, R2>::value && (alike<A1, A2>::value && ...);
    else
      return false;
  }();
};
static_assert(alike<int(const double*, int), int(double*, int)>::value);
static_assert(!alike<int(const double*, int), int(double*, long)>::value);
static_assert(!alike<int(double), int(long)>::value);
static_assert(!alike<int(double), int(double, int)>::value);

TEST(abi, of_cblas) {
#if __has_include(<mkl_cblas.h>)
  namespace blas = loops::cblas_abi;
  EXPECT_TRUE((alike<blas::dot<float>, decltype(cblas_sdot)>::value));
  EXPECT_TRUE((alike<blas::dot<double>, decltype(cblas_ddot)>::value));
  EXPECT_TRUE((alike<blas::axpy<float>, decltype(cblas_saxpy)>::value));
  EXPECT_TRUE((alike<blas::axpy<double>, decltype(cblas_daxpy)>::value));
  EXPECT_TRUE((alike<blas::scal<float>, decltype(cblas_sscal)>::value));
  EXPECT_TRUE((alike<blas::scal<double>, decltype(cblas_dscal)>::value));
  EXPECT_TRUE((alike<blas::copy<float>, decltype(cblas_scopy)>::value));
  EXPECT_TRUE((alike<blas::copy<double>, decltype(cblas_dcopy)>::value));
  EXPECT_TRUE((alike<blas::axpby<float>, decltype(cblas_saxpby)>::value));
  EXPECT_TRUE((alike<blas::axpby<double>, decltype(cblas_daxpby)>::value));
#else
  GTEST_SKIP() << "no mkl_cblas.h here";
#endif
}

TEST(abi, of_mkl) {
#if __has_include(<mkl_spblas.h>)
  using namespace mkl_abi;
  EXPECT_EQ(status_success, SPARSE_STATUS_SUCCESS);
  EXPECT_EQ(status_alloc_failed, SPARSE_STATUS_ALLOC_FAILED);
  EXPECT_EQ(operation_none, SPARSE_OPERATION_NON_TRANSPOSE);
  EXPECT_EQ(index_base_zero, SPARSE_INDEX_BASE_ZERO);
  EXPECT_EQ(memory_aggressive, SPARSE_MEMORY_AGGRESSIVE);
  EXPECT_EQ(type_general, SPARSE_MATRIX_TYPE_GENERAL);
  EXPECT_EQ(fill_lower, SPARSE_FILL_MODE_LOWER);
  EXPECT_EQ(diag_non_unit, SPARSE_DIAG_NON_UNIT);
  EXPECT_EQ(layout_row_major, SPARSE_LAYOUT_ROW_MAJOR);
  EXPECT_EQ(layout_column_major, SPARSE_LAYOUT_COLUMN_MAJOR);
  EXPECT_EQ(interface_lp64, MKL_INTERFACE_LP64);
  EXPECT_EQ(threading_gnu, MKL_THREADING_GNU);
  EXPECT_EQ(sizeof(mkl_abi::matrix_descr), sizeof(::matrix_descr));
  EXPECT_TRUE((alike<create_csr<float>, decltype(mkl_sparse_s_create_csr)>::value));
  EXPECT_TRUE((alike<create_csr<double>, decltype(mkl_sparse_d_create_csr)>::value));
  EXPECT_TRUE((alike<mv<float>, decltype(mkl_sparse_s_mv)>::value));
  EXPECT_TRUE((alike<mv<double>, decltype(mkl_sparse_d_mv)>::value));
  EXPECT_TRUE((alike<mm<float>, decltype(mkl_sparse_s_mm)>::value));
  EXPECT_TRUE((alike<mm<double>, decltype(mkl_sparse_d_mm)>::value));
  EXPECT_TRUE((alike<set_mm_hint, decltype(mkl_sparse_set_mm_hint)>::value));
  EXPECT_TRUE((alike<set_mv_hint, decltype(mkl_sparse_set_mv_hint)>::value));
  EXPECT_TRUE((alike<set_memory_hint, decltype(mkl_sparse_set_memory_hint)>::value));
  EXPECT_TRUE((alike<optimize, decltype(mkl_sparse_optimize)>::value));
  EXPECT_TRUE((alike<destroy, decltype(mkl_sparse_destroy)>::value));
  EXPECT_TRUE((alike<set_num_threads_local, decltype(MKL_Set_Num_Threads_Local)>::value));
  EXPECT_TRUE((alike<set_dynamic, decltype(MKL_Set_Dynamic)>::value));
  EXPECT_TRUE((alike<set_layer, decltype(MKL_Set_Threading_Layer)>::value));
  EXPECT_TRUE((alike<get_version_string, decltype(MKL_Get_Version_String)>::value));
#else
  GTEST_SKIP() << "no mkl_spblas.h here";
#endif
}

TEST(abi, of_librsb) {
#if __has_include(<rsb.h>)
  using namespace librsb_abi;
  EXPECT_EQ(no_error, RSB_ERR_NO_ERROR);
  EXPECT_EQ(error_no_memory, RSB_ERR_ENOMEM);
  EXPECT_EQ(option_executing_threads, RSB_IO_WANT_EXECUTING_THREADS);
  EXPECT_EQ(trans_none, RSB_TRANSPOSITION_N);
  EXPECT_EQ(column_major, RSB_FLAG_WANT_COLUMN_MAJOR_ORDER);
  EXPECT_EQ(info_rows, RSB_MIF_MATRIX_ROWS__TO__RSB_COO_INDEX_T);
  EXPECT_EQ(info_total_size, RSB_MIF_TOTAL_SIZE__TO__SIZE_T);
  EXPECT_EQ(duplicates_sum, RSB_FLAG_DUPLICATES_SUM);
  EXPECT_EQ(recursive_blocks, RSB_FLAG_DEFAULT_RSB_MATRIX_FLAGS);
  EXPECT_EQ(type_code<float>, RSB_NUMERICAL_TYPE_FLOAT);
  EXPECT_EQ(type_code<double>, RSB_NUMERICAL_TYPE_DOUBLE);
  EXPECT_TRUE((alike<lib_init, decltype(rsb_lib_init)>::value));
  EXPECT_TRUE((alike<lib_set_opt, decltype(rsb_lib_set_opt)>::value));
  EXPECT_TRUE((alike<mtx_alloc_from_coo_const, decltype(rsb_mtx_alloc_from_coo_const)>::value));
  EXPECT_TRUE((alike<mtx_free, decltype(rsb_mtx_free)>::value));
  EXPECT_TRUE((alike<librsb_abi::spmv, decltype(rsb_spmv)>::value));
  EXPECT_TRUE((alike<tune_spmm, decltype(rsb_tune_spmm)>::value));
  EXPECT_TRUE((alike<mtx_get_info, decltype(rsb_mtx_get_info)>::value));
  EXPECT_TRUE((alike<librsb_abi::strerror_r, decltype(rsb_strerror_r)>::value));
#else
  GTEST_SKIP() << "no rsb.h here";
#endif
}

}  // namespace
}  // namespace gossamer::bench_support::peers
