// SPDX-License-Identifier: BSD-3-Clause
// A CSR matrix whose arrays are allocated and still have to be written.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gossamer/matrix.hpp"

namespace gossamer::inline v0 {

/// The arrays are not initialised, so the threads that first write them place their pages.
template <value V, offset O = std::int64_t>
csr_matrix<V, O> csr_of_size(std::int64_t rows, std::int64_t cols, std::int64_t nnz) {
  return {.rows = rows,
          .cols = cols,
          .row_ptr = host_buffer<O>(static_cast<std::size_t>(rows) + 1),
          .col = host_buffer<std::int32_t>(static_cast<std::size_t>(nnz)),
          .val = host_buffer<V>(static_cast<std::size_t>(nnz))};
}

}  // namespace gossamer::inline v0
