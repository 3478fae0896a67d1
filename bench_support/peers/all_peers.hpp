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
              struct cusparse_csr_alg2_transposed, struct mkl, struct mkl_transposed, struct eigen,
              struct eigen_transposed, struct librsb>;

}  // namespace gossamer::bench_support::peers
