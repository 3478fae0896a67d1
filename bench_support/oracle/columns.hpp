// SPDX-License-Identifier: BSD-3-Clause
// The oracle for products by several vectors, which checks all columns in one pass over the matrix.
#pragma once

#include <cstdint>
#include <span>

#include "bench_support/oracle/oracle.hpp"
#include "gossamer/matrix.hpp"

namespace gossamer::bench_support {

/// verify() of each column of Y = alpha A X + beta Y; returns the worst. X, Y and `got` have `columns`
/// columns, 1 or more, in that order and without gaps in memory. Throws size_mismatch,
/// and invalid_argument for less than one column.
template <value V, offset O>
verification verify_columns(const csr_view<V, O>& a, std::int64_t columns, layout order, V alpha,
                            std::span<const V> x, V beta, std::span<const V> y, std::span<const V> got,
                            bool flushes = false);

}  // namespace gossamer::bench_support
