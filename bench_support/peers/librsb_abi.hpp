// SPDX-License-Identifier: BSD-3-Clause
// The part of librsb's C interface that is called, as of version 1.3 with 32-bit indices.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gossamer::bench_support::peers::librsb_abi {

struct rsb_mtx;

inline constexpr int no_error = 0;
inline constexpr int error_no_memory = -0x40;
inline constexpr int option_executing_threads = 0x9;
inline constexpr int trans_none = 'N';
inline constexpr int column_major = 0x4000000;
inline constexpr int info_rows = 0x4;         ///< as an index
inline constexpr int info_total_size = 0x20;  ///< bytes, as size_t
inline constexpr int duplicates_sum = 0x200;
/// Blocks by recursive quartering, 16-bit indices inside a block where they do, each block as CSR or COO.
inline constexpr int recursive_blocks = 0x2000 | 0x2 | 0x100 | 0x4000;

template <class V>
inline constexpr char type_code = sizeof(V) == sizeof(float) ? 'S' : 'D';

using lib_init = int(void* options);
using lib_set_opt = int(int option, const void* value);
using mtx_alloc_from_coo_const = rsb_mtx*(const void* val, const std::int32_t* row, const std::int32_t* col,
                                          std::int32_t nnz, char type, std::int32_t rows, std::int32_t cols,
                                          std::int32_t row_block, std::int32_t col_block, int flags,
                                          int* error);
using mtx_free = rsb_mtx*(rsb_mtx* a);
using spmv = int(int trans, const void* alpha, const rsb_mtx* a, const void* x, std::int32_t x_step,
                 const void* beta, void* y, std::int32_t y_step);
using tune_spmm = int(rsb_mtx** a, double* speedup, std::int32_t* threads, std::int32_t rounds,
                      double seconds, int trans, const void* alpha, const rsb_mtx* other,
                      std::int32_t vectors, int order, const void* x, std::int32_t x_stride, const void* beta,
                      void* y, std::int32_t y_stride);
using mtx_get_info = int(const rsb_mtx* a, int what, void* to);
using strerror_r = int(int error, char* text, std::size_t size);

}  // namespace gossamer::bench_support::peers::librsb_abi
