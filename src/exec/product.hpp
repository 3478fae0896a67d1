// SPDX-License-Identifier: BSD-3-Clause
// The one argument of every kernel: y = alpha op(A) x + beta y.
#pragma once

#include <cstdint>

#include "gossamer/types.hpp"

#if defined(__CUDACC__)
#define GOSSAMER_HOST_DEVICE __host__ __device__
#else
#define GOSSAMER_HOST_DEVICE
#endif

namespace gossamer::inline v0 {

/// A POD that is passed by value. x and y are host or device pointers, as the kernel is.
template <class V>
struct product {
  operation op = operation::none;
  V alpha{};
  const V* x = nullptr;
  V beta{};
  V* y = nullptr;
  std::int64_t vectors = 1;  ///< columns of x and y
  std::int64_t ldx = 0;
  std::int64_t ldy = 0;
  /// Set for every second product of a device plan's workspace, whose kernel may then begin with the matrix's
  /// last part: where the one before went forwards a cache may still have it (docs/decisions/0020-sweeps.md).
  /// Changes no bit.
  bool backwards = false;

  /// Writes the finished sum of a row. y is read only where beta is not zero.
  GOSSAMER_HOST_DEVICE void finish_row(std::int64_t row, V sum) const {
    y[row] = beta == V{0} ? alpha * sum : alpha * sum + beta * y[row];
  }
};

}  // namespace gossamer::inline v0
