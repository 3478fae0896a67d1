// SPDX-License-Identifier: BSD-3-Clause
// The arguments of products: y = alpha A x + beta y, which every kernel takes, and the same with several
// vectors.
#pragma once

#include <cstdint>

#include "core/host_device.hpp"
#include "core/scalars.hpp"

namespace gossamer::inline v0 {

/// A POD that is passed by value. x and y are host or device pointers, as the kernel is. alpha and beta have
/// the type of the sums' numbers, so that a row is rounded to y's type once, when it is written.
template <class S>
struct product {
  factor_t<S> alpha{};
  x_rows_t<S> x{};
  factor_t<S> beta{};
  y_rows_t<S> y{};
  /// Set for every second product of a device plan's workspace, whose kernel may then begin with the matrix's
  /// last part: where the one before went forwards a cache may still have it (docs/decisions/0020-sweeps.md).
  /// Changes no bit.
  bool backwards = false;

  /// Writes the finished sum of a row. y is read only where beta is not zero.
  GOSSAMER_HOST_DEVICE void finish_row(std::int64_t row, sum_t<S> sum) const {
    y[row] =
        static_cast<vector_t<S>>(beta == factor_t<S>{0} ? alpha * sum : add_product(alpha * sum, y[row]));
  }

 private:
  /// scaled + beta * before. On a device, fma() fixes which of two multiplications is fused. Otherwise nvcc
  /// may choose differently in each kernel, and the bits would differ.
  GOSSAMER_HOST_DEVICE sum_t<S> add_product(sum_t<S> scaled, sum_t<S> before) const {
#if defined(__CUDA_ARCH__)
    return fma(beta, before, scaled);
#else
    return scaled + beta * before;
#endif
  }
};

/// Y = alpha A X + beta Y for the columns of X and Y. Element i of column j is x[i * x_step + j * x_next]:
/// step leads from row to row, next from column to column. A column is contiguous if its step is 1.
template <class S>
struct columns_product {
  factor_t<S> alpha{};
  x_rows_t<S> x{};
  factor_t<S> beta{};
  y_rows_t<S> y{};
  std::int64_t columns = 0;
  std::int64_t x_step = 1;
  std::int64_t x_next = 0;
  std::int64_t y_step = 1;
  std::int64_t y_next = 0;

  [[nodiscard]] bool has_contiguous_columns() const noexcept { return x_step == 1 && y_step == 1; }
  /// The product of column j. Requires has_contiguous_columns().
  [[nodiscard]] product<S> column(std::int64_t j) const noexcept {
    return {.alpha = alpha, .x = further(x, j * x_next), .beta = beta, .y = further(y, j * y_next)};
  }
  /// The same for `count` columns from `first` on.
  [[nodiscard]] columns_product from(std::int64_t first, std::int64_t count) const noexcept {
    columns_product some = *this;
    some.x = further(x, first * x_next);
    some.y = further(y, first * y_next);
    some.columns = count;
    return some;
  }
};

}  // namespace gossamer::inline v0
