// SPDX-License-Identifier: BSD-3-Clause
// The oracle for products by several vectors, column by column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench_support/oracle/oracle.hpp"
#include "gossamer/matrix.hpp"

namespace gossamer::bench_support {

/// verify() of each column of Y = alpha A X + beta Y; returns the worst. X, Y and `got` have `columns`
/// columns, 1 or more, in that order and without gaps in memory. Throws size_mismatch.
template <value V, offset O>
verification verify_columns(const csr_view<V, O>& a, std::int64_t columns, layout order, V alpha,
                            std::span<const V> x, V beta, std::span<const V> y, std::span<const V> got,
                            bool flushes = false) {
  const bool by_columns = order == layout::column_major;
  const auto column_of = [&](std::span<const V> all, std::int64_t j) {
    std::vector<V> column(all.size() / static_cast<std::size_t>(columns));
    const std::size_t first = static_cast<std::size_t>(j) * (by_columns ? column.size() : 1);
    const std::size_t step = by_columns ? 1 : static_cast<std::size_t>(columns);
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = all[first + i * step];
    return column;
  };
  verification worst;
  for (std::int64_t j = 0; j < columns; ++j) {
    verification each =
        verify<V, O>(a, alpha, column_of(x, j), beta, column_of(y, j), column_of(got, j), flushes);
    each.column = j;
    if (j == 0 || each.error_ratio > worst.error_ratio) worst = each;
  }
  return worst;
}

}  // namespace gossamer::bench_support
