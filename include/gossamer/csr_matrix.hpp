// SPDX-License-Identifier: BSD-3-Clause
// A compressed sparse row matrix that owns its arrays, and the conversions that make one.
#pragma once

#include <cstdint>
#include <variant>

#include "gossamer/coo_view.hpp"
#include "gossamer/csr_view.hpp"
#include "gossamer/export.hpp"
#include "gossamer/host_buffer.hpp"

namespace gossamer::inline v0 {

/// Owns what a csr_view shows. An aggregate: fill the members and call view().
template <class V, offset O = std::int64_t>
struct csr_matrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  host_buffer<O> row_ptr;  ///< rows + 1
  host_buffer<std::int32_t> col;
  host_buffer<V> val;

  [[nodiscard]] std::int64_t nnz() const noexcept { return static_cast<std::int64_t>(col.size()); }
  [[nodiscard]] csr_view<V, O> view() const noexcept {
    return {.rows = rows, .cols = cols, .row_ptr = row_ptr.span(), .col = col.span(), .val = val.span()};
  }
};

/// A matrix whose offsets are as narrow as its number of nonzeros allows.
template <value V>
using any_csr = std::variant<csr_matrix<V, std::int32_t>, csr_matrix<V, std::int64_t>>;

/// Sorts the entries by row, keeping their order within a row (so duplicates stay, and stay in order).
/// O(nnz + rows). Throws invalid_matrix for an index outside the shape, unsupported for a dimension over 2^31 - 1,
/// and for more than 2^31 - 1 entries where O is int32.
template <value V, offset O = std::int64_t>
GOSSAMER_API csr_matrix<V, O> csr_from_coo(const coo_view<V>& coo);

/// A copy with its own arrays and offsets of type To. Throws unsupported where nnz does not fit in To.
template <value V, offset To, offset From>
GOSSAMER_API csr_matrix<V, To> copy(const csr_view<V, From>& a);

/// int32 offsets where nnz < 2^31, else int64; columns and values move, only the offsets are rewritten.
template <value V>
GOSSAMER_API any_csr<V> narrow_offsets(csr_matrix<V, std::int64_t>&& a);

}  // namespace gossamer::inline v0
