// SPDX-License-Identifier: BSD-3-Clause
// One product of a peer, held to the oracle over every alpha and beta that is special to somebody.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench_support/oracle/columns.hpp"
#include "bench_support/peers/peers.hpp"
#include "gossamer/matrix.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support {

/// The matrix that a peer multiplies by: `a`, or the transpose where the peer's product is A^T x.
template <value V, offset O>
csr_matrix<V, O> multiplied_by(std::string_view peer, const csr_view<V, O>& a) {
  return bench_support::find_peer(peer).transposed ? transpose(a) : copy<V, O>(a);
}

/// Numbers of vectors that a peer is tested with. Peers that multiply several at once are not for one. SpMVOp
/// takes one only.
inline std::vector<std::int64_t> tested_columns(std::string_view peer) {
  if (peer.starts_with("cusparse_spmvop")) return {1};
  return bench_support::find_peer(peer).several ? std::vector<std::int64_t>{3}
                                                : std::vector<std::int64_t>{1, 3};
}

/// multiply(alpha, x, beta, y) works on vectors in host memory, or on `columns` of them in the layout of
/// `peer`. Returns "" or what the first wrong product was.
template <value V, offset O, class Multiply>
std::string first_wrong_product(const csr_view<V, O>& a, Multiply&& multiply, std::int64_t columns = 1,
                                const bench_support::peer_info& peer = {}) {
  constexpr std::array<std::pair<double, double>, 6> factors{
      {{1.0, 0.0}, {1.0, 1.0}, {2.5, -0.5}, {-1.5, 0.0}, {0.0, 0.0}, {0.0, 1.5}}};
  const std::vector<V> x = random_vector<V>(a.cols * columns, 11);
  const std::vector<V> before = random_vector<V>(a.rows * columns, 12);
  for (const auto& [alpha, beta] : factors) {
    std::vector<V> y = beta == 0 ? poisoned<V>(a.rows * columns) : before;
    multiply(static_cast<V>(alpha), std::span<const V>(x), static_cast<V>(beta), std::span<V>(y));
    const bench_support::verification found =
        bench_support::verify_columns<V, O>(a, columns, peer.order, static_cast<V>(alpha), x,
                                            static_cast<V>(beta), before, y, peer.template flushes<V>());
    if (!found.passed())
      return "alpha " + std::to_string(alpha) + ", beta " + std::to_string(beta) + ": row " +
             std::to_string(found.row) + " is wrong by " + std::to_string(found.error_ratio) +
             " times what rounding may do";
  }
  return "";
}

}  // namespace gossamer::testing_support
