// SPDX-License-Identifier: BSD-3-Clause
// The one list of peers. A new one is a file that defines its entry_of, and its name here.
#pragma once

#include <cstddef>

namespace gossamer::bench_support::peers {

struct entry;

/// Defined by the peer's own file; a missing one is a link error that names it.
template <class Peer>
const entry& entry_of();

template <class... Peers>
struct peer_list {
  static constexpr std::size_t size = sizeof...(Peers);
  /// f.template operator()<Peer>() for each.
  template <class F>
  static void for_each(F&& f) {
    (f.template operator()<Peers>(), ...);
  }
};

using all_peers =
    peer_list<struct cusparse_csr_alg1, struct cusparse_csr_alg2, struct cusparse_coo,
              struct cusparse_sliced_ell, struct cusparse_bsr, struct cusparse_csr_alg1_transposed,
              struct cusparse_csr_alg2_transposed, struct cusparse_spmvop_alg1, struct cusparse_spmvop_alg2,
              struct cusparse_spmm_csr_alg1_row, struct cusparse_spmm_csr_alg1_column,
              struct cusparse_spmm_csr_alg2_row, struct cusparse_spmm_csr_alg3_row,
              struct cusparse_spmm_csr_alg3_column, struct cusparse_spmm_coo_alg4_row,
              struct cusparse_spmm_csr_alg1_row_transposed, struct mkl, struct mkl_transposed,
              struct mkl_mm_row, struct mkl_mm_column, struct eigen, struct eigen_transposed,
              struct eigen_spmm_row, struct librsb>;

}  // namespace gossamer::bench_support::peers
