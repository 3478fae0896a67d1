// SPDX-License-Identifier: BSD-3-Clause
// The part of MKL's C interface that is called: functions with 32-bit integers, and the numbers of their
// constants.
#pragma once

#include <cstdint>

namespace gossamer::bench_support::peers::mkl_abi {

using sparse_matrix = struct sparse_matrix_handle*;

struct matrix_descr {
  int type;
  int mode;
  int diag;
};

inline constexpr int status_success = 0;
inline constexpr int status_alloc_failed = 2;
inline constexpr int operation_none = 10;
inline constexpr int operation_transpose = 11;
inline constexpr int index_base_zero = 0;
inline constexpr int memory_aggressive = 81;
inline constexpr int layout_row_major = 101;
inline constexpr int layout_column_major = 102;
inline constexpr int interface_lp64 = 0;
inline constexpr int threading_gnu = 3;
/// A general matrix; mode and diag are not read then, but have to be one of their values.
inline constexpr int type_general = 20;
inline constexpr int fill_lower = 40;
inline constexpr int diag_non_unit = 50;
inline constexpr matrix_descr general{type_general, fill_lower, diag_non_unit};

template <class V>
using create_csr = int(sparse_matrix* handle, int index_base, std::int32_t rows, std::int32_t cols,
                       std::int32_t* begins, std::int32_t* ends, std::int32_t* col, V* val);
template <class V>
using mv = int(int operation, V alpha, sparse_matrix a, matrix_descr kind, const V* x, V beta, V* y);
template <class V>
using mm = int(int operation, V alpha, sparse_matrix a, matrix_descr kind, int layout, const V* x,
               std::int32_t columns, std::int32_t x_leading, V beta, V* y, std::int32_t y_leading);
using set_mm_hint = int(sparse_matrix a, int operation, matrix_descr kind, int layout, std::int32_t columns,
                        std::int32_t expected_calls);
using set_mv_hint = int(sparse_matrix a, int operation, matrix_descr kind, std::int32_t expected_calls);
using set_memory_hint = int(sparse_matrix a, int policy);
using optimize = int(sparse_matrix a);
using destroy = int(sparse_matrix a);
using set_num_threads_local = int(int threads);
using set_dynamic = void(int dynamic);
using set_layer = int(int code);
using get_version_string = void(char* text, int length);

}  // namespace gossamer::bench_support::peers::mkl_abi
