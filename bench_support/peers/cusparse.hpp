// SPDX-License-Identifier: BSD-3-Clause
// cuSPARSE's sparse matrix-vector product over each storage that it takes.
#pragma once

#include "bench_support/peers/peer.hpp"

namespace gossamer::bench_support::peers::cusparse {

enum class kind { csr_alg1, csr_alg2, coo, sliced_ell, bsr, csr_alg1_transposed, csr_alg2_transposed };

constexpr std::string_view name_of(kind which) {
  constexpr std::string_view names[] = {
      "cusparse_csr_alg1",           "cusparse_csr_alg2", "cusparse_coo",
      "cusparse_sliced_ell",         "cusparse_bsr",      "cusparse_csr_alg1_transposed",
      "cusparse_csr_alg2_transposed"};
  return names[static_cast<int>(which)];
}

constexpr bool is_transposed(kind which) {
  return which == kind::csr_alg1_transposed || which == kind::csr_alg2_transposed;
}

peer_presence look();

template <value V>
prepared<V> prepare(kind which, matrix<V>&& a, const exec::target& target);

}  // namespace gossamer::bench_support::peers::cusparse
