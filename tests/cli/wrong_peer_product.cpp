// SPDX-License-Identifier: BSD-3-Clause
// Replaces the host product of f64 peers by one that is wrong in every row (see LD_PRELOAD in ld.so(8)).
#include <algorithm>

#include "bench_support/peers/peers.hpp"

template <>
void gossamer::bench_support::peer_product<double>::multiply(double /*alpha*/, std::span<const double> /*x*/,
                                                             double /*beta*/, std::span<double> y) const {
  std::fill(y.begin(), y.end(), 12345.0);
}
