// SPDX-License-Identifier: BSD-3-Clause
// Replaces the host products of f64 plans by wrong ones (see LD_PRELOAD in ld.so(8)): of one vector in every
// row, of several in every row of the last.
#include <algorithm>
#include <cstddef>

#include "gossamer/plan.hpp"

template <>
void gossamer::plan<double>::multiply(double /*alpha*/, std::span<const double> /*x*/, double /*beta*/,
                                      std::span<double> y) const {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = 12345.0;
}

template <>
void gossamer::plan<double>::multiply(double alpha, const dense_view<const double>& x, double beta,
                                      const dense_view<double>& y) const {
  // The other overload is the library's own.
  workspace scratch = make_workspace();
  multiply(alpha, x, beta, y, scratch);
  std::fill_n(&y.data[static_cast<std::size_t>((y.cols - 1) * y.leading)], y.rows, 12345.0);
}
