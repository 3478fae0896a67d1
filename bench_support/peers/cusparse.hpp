// SPDX-License-Identifier: BSD-3-Clause
// cuSPARSE's products of a sparse matrix by one vector, over each storage that it takes, and by several.
#pragma once

#include "bench_support/peers/peer.hpp"

namespace gossamer::bench_support::peers::cusparse {

/// cusparseSpMV: by one vector.
enum class kind { csr_alg1, csr_alg2, coo, sliced_ell, bsr, csr_alg1_transposed, csr_alg2_transposed };

/// cusparseSpMM: by several vectors, row-major or column-major.
enum class spmm_kind {
  csr_alg1_row,
  csr_alg1_column,
  csr_alg2_row,
  csr_alg3_row,
  csr_alg3_column,
  coo_alg4_row,
  csr_alg1_row_transposed
};

/// cusparseSpMVOp: by one vector, without an epilogue.
enum class spmvop_kind { alg1, alg2 };

constexpr std::string_view name_of(kind which) {
  constexpr std::string_view names[] = {
      "cusparse_csr_alg1",           "cusparse_csr_alg2", "cusparse_coo",
      "cusparse_sliced_ell",         "cusparse_bsr",      "cusparse_csr_alg1_transposed",
      "cusparse_csr_alg2_transposed"};
  return names[static_cast<int>(which)];
}
constexpr std::string_view name_of(spmm_kind which) {
  constexpr std::string_view names[] = {
      "cusparse_spmm_csr_alg1_row",           "cusparse_spmm_csr_alg1_column", "cusparse_spmm_csr_alg2_row",
      "cusparse_spmm_csr_alg3_row",           "cusparse_spmm_csr_alg3_column", "cusparse_spmm_coo_alg4_row",
      "cusparse_spmm_csr_alg1_row_transposed"};
  return names[static_cast<int>(which)];
}

constexpr std::string_view name_of(spmvop_kind which) {
  return which == spmvop_kind::alg1 ? "cusparse_spmvop_alg1" : "cusparse_spmvop_alg2";
}

constexpr bool is_transposed(kind which) {
  return which == kind::csr_alg1_transposed || which == kind::csr_alg2_transposed;
}
constexpr bool is_transposed(spmm_kind which) {
  return which == spmm_kind::csr_alg1_row_transposed;
}
constexpr bool is_transposed(spmvop_kind) {
  return false;
}

constexpr layout order_of(kind) {
  return layout::column_major;
}
constexpr layout order_of(spmvop_kind) {
  return layout::column_major;
}
constexpr layout order_of(spmm_kind which) {
  const bool by_columns = which == spmm_kind::csr_alg1_column || which == spmm_kind::csr_alg3_column;
  return by_columns ? layout::column_major : layout::row_major;
}

constexpr bool multiplies_several(kind) {
  return false;
}
constexpr bool multiplies_several(spmvop_kind) {
  return false;
}
constexpr bool multiplies_several(spmm_kind) {
  return true;
}

peer_presence look();
/// The same; a library without SpMVOp is absent.
peer_presence look_for_spmvop();

/// `columns` of X and Y; a kind of one vector does not need it.
template <value V>
prepared<V> prepare(kind which, matrix<V>&& a, const exec::target& target, std::int64_t columns);
template <value V>
prepared<V> prepare(spmm_kind which, matrix<V>&& a, const exec::target& target, std::int64_t columns);
/// Refuses 64-bit offsets and several columns, also where the library is absent.
template <value V>
prepared<V> prepare(spmvop_kind which, matrix<V>&& a, const exec::target& target, std::int64_t columns);

}  // namespace gossamer::bench_support::peers::cusparse
