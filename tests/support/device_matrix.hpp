// SPDX-License-Identifier: BSD-3-Clause
// A matrix in the memory of the current CUDA device, for tests.
#pragma once

#include <cstdint>

#include "gossamer/matrix.hpp"
#include "support/device_vectors.hpp"

namespace gossamer::testing_support {

template <value V, offset O>
struct device_matrix {
  explicit device_matrix(const csr_view<V, O>& a)
      : rows(a.rows), cols(a.cols), row_ptr(a.row_ptr), col(a.col), val(a.val) {}
  [[nodiscard]] csr_view<V, O, device_space> view() const {
    return {.rows = rows, .cols = cols, .row_ptr = row_ptr.span(), .col = col.span(), .val = val.span()};
  }
  std::int64_t rows;
  std::int64_t cols;
  device_vector<O> row_ptr;
  device_vector<std::int32_t> col;
  device_vector<V> val;
};

}  // namespace gossamer::testing_support
