// SPDX-License-Identifier: BSD-3-Clause
// The first entries of each row as a matrix, or the others: what a format that divides rows has in each of
// its parts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "experiments/experiment.hpp"
#include "gossamer/matrix.hpp"

namespace gossamer::cli {

/// Of each row the first `k` entries as they are stored (head), those behind them (tail), or all. A copy of
/// a's shape; the order of entries stays. `k` is at least 0.
template <value V, offset O>
csr_matrix<V, O> portion_of(const csr_view<V, O>& a, experiments::portion of, std::int64_t k) {
  using experiments::portion;
  const auto begin = [&](std::int64_t i) {
    const std::int64_t first = a.row_ptr[i];
    return of == portion::tail ? std::min<std::int64_t>(first + k, a.row_ptr[i + 1]) : first;
  };
  const auto end = [&](std::int64_t i) {
    const std::int64_t last = a.row_ptr[i + 1];
    return of == portion::head ? std::min<std::int64_t>(a.row_ptr[i] + k, last) : last;
  };
  csr_matrix<V, O> part{.rows = a.rows,
                        .cols = a.cols,
                        .row_ptr = host_buffer<O>(static_cast<std::size_t>(a.rows) + 1),
                        .col = {},
                        .val = {}};
  part.row_ptr[0] = 0;
  for (std::int64_t i = 0; i < a.rows; ++i)
    part.row_ptr[i + 1] = static_cast<O>(part.row_ptr[i] + (end(i) - begin(i)));
  const auto nnz = static_cast<std::size_t>(part.row_ptr[a.rows]);
  part.col = host_buffer<std::int32_t>(nnz);
  part.val = host_buffer<V>(nnz);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    std::copy(a.col.data() + begin(i), a.col.data() + end(i), part.col.data() + part.row_ptr[i]);
    std::copy(a.val.data() + begin(i), a.val.data() + end(i), part.val.data() + part.row_ptr[i]);
  }
  return part;
}

}  // namespace gossamer::cli
