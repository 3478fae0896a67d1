// SPDX-License-Identifier: BSD-3-Clause
// What formats share that store a row number for each entry and borrow the caller's columns and values.
#pragma once

#include <cstdint>

#include "core/parallel.hpp"
#include "formats/common/equal_cuts.hpp"
#include "formats/common/stored_as.hpp"

namespace gossamer::inline v0::formats {

/// Writes s.row, and borrows s.col and s.val. Cut by entries, not rows, so that one huge row is written by
/// many threads.
template <class Storage, class T, offset O>
void make_coordinates(Storage& s, const csr_view<T, O>& a) {
  s.row = host_buffer<std::int32_t>(static_cast<std::size_t>(a.nnz()));
  s.col = host_buffer<std::int32_t>::borrow(a.col);
  s.val = host_buffer<T>::borrow(a.val);
  core::parallel_for(a.nnz(), core::default_grain, [&](std::int64_t begin, std::int64_t end) {
    std::int32_t row = row_of_entry(a, begin);
    for (std::int64_t k = begin; k < end; ++k) {
      while (k >= static_cast<std::int64_t>(a.row_ptr.data()[row + 1])) ++row;
      s.row.data()[k] = row;
    }
  });
}

template <value V, class Stored>
csr_matrix<V, std::int64_t> csr_of_coordinates(const Stored& stored) {
  return csr_from_coo<V, std::int64_t>({.rows = stored.meta.rows,
                                        .cols = stored.meta.cols,
                                        .row = stored.row.span(),
                                        .col = stored.col.span(),
                                        .val = stored.val.span()});
}

}  // namespace gossamer::inline v0::formats
