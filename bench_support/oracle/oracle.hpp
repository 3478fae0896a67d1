// SPDX-License-Identifier: BSD-3-Clause
// The oracle: compares a product with a sum in long double and a bound of its rounding errors.
#pragma once

#include <cstdint>
#include <span>

#include "gossamer/matrix.hpp"
#include "gossamer/plan.hpp"

namespace gossamer::bench_support {

/// How far a product is from the exact one, in units of what rounding may do.
struct verification {
  /// The largest |got - exact| / bound over the rows; at most 1 where the product is right. Infinity for a
  /// NaN or Inf that should not be there, and for a finite value where there should be one.
  double error_ratio = 0;
  std::int64_t row = -1;    ///< where that is; -1 without rows
  std::int64_t column = 0;  ///< of several vectors
  /// Rows so long (over 5.5 million entries in f32) that the bound exceeds half the sum of magnitudes: of
  /// those error_ratio says next to nothing, and only whole numbers, whose sums are exact, can be checked.
  std::int64_t blind_rows = 0;
  [[nodiscard]] bool passed() const noexcept { return error_ratio <= 1.0; }
};

/// Compares `got` with alpha A x + beta y, summed in long double in the order of the matrix. The bound of row
/// i is
///   gamma(n + 3) (|alpha| sum |a_ij x_j| + |beta y_i|) + (n |alpha| + 3) eta,   gamma(k) = k u / (1 - k u),
/// with n the entries of the row, u half an epsilon of V and eta its smallest denormal: it holds for any
/// order of additions, with and without fused multiply-add (Higham 2002, section 3.1). Where the sum of
/// magnitudes exceeds V's range, Inf or NaN is right too. `y` is y before the product and is not read where
/// beta is 0. On all threads.
///
/// `flushes`: additions may take subnormal numbers for zero, both what they add and their results. The bound
/// then has 2 (n (|alpha| + 1) + 3) mu in addition, with mu the smallest normal number of V.
/// Throws size_mismatch.
template <value V, offset O>
verification verify(const csr_view<V, O>& a, V alpha, std::span<const V> x, V beta, std::span<const V> y,
                    std::span<const V> got, bool flushes = false);

}  // namespace gossamer::bench_support
