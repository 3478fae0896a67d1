// SPDX-License-Identifier: BSD-3-Clause
// One product of a peer, held to the oracle over every alpha and beta that is special to somebody.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench_support/oracle/oracle.hpp"
#include "bench_support/peers/peers.hpp"
#include "gossamer/matrix.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support {

/// The matrix that a peer multiplies by: `a`, or the transpose where the peer's product is A^T x.
template <value V, offset O>
csr_matrix<V, O> multiplied_by(std::string_view peer, const csr_view<V, O>& a) {
  return bench_support::find_peer(peer).transposed ? transpose(a) : copy<V, O>(a);
}

/// multiply(alpha, x, beta, y) works on vectors in host memory. Returns "" or what the first wrong product
/// was.
template <value V, offset O, class Multiply>
std::string first_wrong_product(const csr_view<V, O>& a, Multiply&& multiply) {
  constexpr std::array<std::pair<double, double>, 6> factors{
      {{1.0, 0.0}, {1.0, 1.0}, {2.5, -0.5}, {-1.5, 0.0}, {0.0, 0.0}, {0.0, 1.5}}};
  const std::vector<V> x = random_vector<V>(a.cols, 11);
  const std::vector<V> before = random_vector<V>(a.rows, 12);
  for (const auto& [alpha, beta] : factors) {
    std::vector<V> y = beta == 0 ? poisoned<V>(a.rows) : before;
    multiply(static_cast<V>(alpha), std::span<const V>(x), static_cast<V>(beta), std::span<V>(y));
    const bench_support::verification found = bench_support::verify<V, O>(
        a, static_cast<V>(alpha), x, static_cast<V>(beta), std::span<const V>(before), y);
    if (!found.passed())
      return "alpha " + std::to_string(alpha) + ", beta " + std::to_string(beta) + ": row " +
             std::to_string(found.row) + " is wrong by " + std::to_string(found.error_ratio) +
             " times what rounding may do";
  }
  return "";
}

}  // namespace gossamer::testing_support
