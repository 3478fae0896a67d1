// SPDX-License-Identifier: BSD-3-Clause
// A compressed sparse row matrix that somebody else owns.
#pragma once

#include <cstdint>

#include "gossamer/span.hpp"
#include "gossamer/types.hpp"

namespace gossamer::inline v0 {

/// rows x cols; row i holds the entries row_ptr[i] ... row_ptr[i + 1] - 1 of col and val. Indices start at 0.
/// Columns may be unsorted; an entry that stands twice counts twice; a stored zero is an entry.
/// A view is trusted only after validate() (inspect calls it).
template <class V, offset O = std::int64_t, class Space = host_space>
struct csr_view {
  using value_type = V;
  using offset_type = O;

  std::int64_t rows = 0;
  std::int64_t cols = 0;
  span_in<const O, Space> row_ptr;         ///< rows + 1 offsets, the first is 0
  span_in<const std::int32_t, Space> col;  ///< nnz columns, 0 <= col < cols
  span_in<const V, Space> val;             ///< nnz values

  [[nodiscard]] constexpr std::int64_t nnz() const noexcept { return static_cast<std::int64_t>(col.size()); }
};

}  // namespace gossamer::inline v0
