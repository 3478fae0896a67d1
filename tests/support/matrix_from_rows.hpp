// SPDX-License-Identifier: BSD-3-Clause
// Matrices that a test says row by row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "gossamer/matrix.hpp"

namespace gossamer::testing_support {

/// columns(i) are row i's, in that order; value(i, k, column) that of its k-th entry.
template <value V = double>
csr_matrix<V, std::int64_t> matrix_from_rows(
    std::int64_t rows, std::int64_t cols,
    const std::function<std::vector<std::int64_t>(std::int64_t)>& columns,
    const std::function<double(std::int64_t, std::size_t, std::int64_t)>& value) {
  std::vector<std::int64_t> row_ptr{0};
  std::vector<std::int32_t> col;
  std::vector<V> val;
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::vector<std::int64_t> of_row = columns(i);
    for (std::size_t k = 0; k < of_row.size(); ++k) {
      col.push_back(static_cast<std::int32_t>(of_row[k]));
      val.push_back(static_cast<V>(value(i, k, of_row[k])));
    }
    row_ptr.push_back(static_cast<std::int64_t>(col.size()));
  }
  csr_matrix<V, std::int64_t> a{.rows = rows,
                                .cols = cols,
                                .row_ptr = host_buffer<std::int64_t>(row_ptr.size()),
                                .col = host_buffer<std::int32_t>(col.size()),
                                .val = host_buffer<V>(val.size())};
  std::copy(row_ptr.begin(), row_ptr.end(), a.row_ptr.data());
  std::copy(col.begin(), col.end(), a.col.data());
  std::copy(val.begin(), val.end(), a.val.data());
  return a;
}

}  // namespace gossamer::testing_support
