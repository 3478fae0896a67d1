// SPDX-License-Identifier: BSD-3-Clause
// The one argument of every kernel: y = alpha A x + beta y.
#pragma once

#include <cstdint>

#include "core/scalars.hpp"

#if defined(__CUDACC__)
#define GOSSAMER_HOST_DEVICE __host__ __device__
#else
#define GOSSAMER_HOST_DEVICE
#endif

namespace gossamer::inline v0 {

/// A POD that is passed by value. x and y are host or device pointers, as the kernel is. alpha and beta have
/// the type of the sums, so that a row is rounded to y's type once, when it is written.
template <class S>
struct product {
  sum_t<S> alpha{};
  const vector_t<S>* x = nullptr;
  sum_t<S> beta{};
  vector_t<S>* y = nullptr;
  std::int64_t vectors = 1;  ///< columns of x and y
  std::int64_t ldx = 0;
  std::int64_t ldy = 0;
  /// Set for every second product of a device plan's workspace, whose kernel may then begin with the matrix's
  /// last part: where the one before went forwards a cache may still have it (docs/decisions/0020-sweeps.md).
  /// Changes no bit.
  bool backwards = false;

  /// Writes the finished sum of a row. y is read only where beta is not zero.
  GOSSAMER_HOST_DEVICE void finish_row(std::int64_t row, sum_t<S> sum) const {
    y[row] = static_cast<vector_t<S>>(beta == sum_t<S>{0} ? alpha * sum : alpha * sum + beta * y[row]);
  }
};

}  // namespace gossamer::inline v0
