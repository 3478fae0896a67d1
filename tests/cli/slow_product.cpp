// SPDX-License-Identifier: BSD-3-Clause
// Makes the host product of f64 plans take three times as long (see LD_PRELOAD in ld.so(8)): a regression to be found.
#include <chrono>

#include "gossamer/plan.hpp"

template <>
void gossamer::plan<double>::multiply(double alpha, std::span<const double> x, double beta,
                                      std::span<double> y) const {
  using clock = std::chrono::steady_clock;
  // The other overload is the library's own; a workspace of its own is small beside the product.
  workspace scratch = make_workspace();
  const auto begin = clock::now();
  multiply(alpha, x, beta, y, scratch);
  const auto end = begin + 3 * (clock::now() - begin);
  while (clock::now() < end) {
  }
}
