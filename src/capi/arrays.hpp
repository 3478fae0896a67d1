// SPDX-License-Identifier: BSD-3-Clause
// Makes a matrix of the caller's arrays: CSR, CSC or COO, with either index type and base.
#pragma once

#include "capi/any_matrix.hpp"

namespace gossamer::inline v0::capi {

/// Throws what gossamer_matrix_create() returns.
any_matrix matrix_of(const gossamer_arrays& arrays);

/// Arrays in device memory, whose sizes and types are checked. Synchronous in the default stream.
any_matrix matrix_on_device(const gossamer_arrays& arrays);

/// Rows of CSR arrays: those of the matrix, or its columns for CSC.
inline std::int64_t compressed_rows(const gossamer_arrays& a) {
  return a.layout == GOSSAMER_CSC ? a.cols : a.rows;
}
inline std::int64_t compressed_cols(const gossamer_arrays& a) {
  return a.layout == GOSSAMER_CSC ? a.rows : a.cols;
}

/// Calls f with a null pointer to the type.
template <class F>
decltype(auto) with_value_type(gossamer_type type, F&& f) {
  return type == GOSSAMER_F32 ? f(static_cast<float*>(nullptr)) : f(static_cast<double*>(nullptr));
}
template <class F>
decltype(auto) with_index_type(gossamer_type type, F&& f) {
  return type == GOSSAMER_I32 ? f(static_cast<std::int32_t*>(nullptr))
                              : f(static_cast<std::int64_t*>(nullptr));
}

/// Throws invalid_matrix unless these are the first and the last offset of the arrays.
void check_offsets(const gossamer_arrays& arrays, std::int64_t first, std::int64_t last);

/// Throws invalid_matrix for element k of the array `name`, which must be from `base` to base + limit - 1.
[[noreturn]] void fail_outside(std::string_view name, std::int64_t k, std::int64_t value, std::int32_t base,
                               std::int64_t limit);

}  // namespace gossamer::inline v0::capi
