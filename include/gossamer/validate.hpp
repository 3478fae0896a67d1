// SPDX-License-Identifier: BSD-3-Clause
// The structural check that inspect makes once, so that kernels may trust every index.
#pragma once

#include "gossamer/coo_view.hpp"
#include "gossamer/csr_view.hpp"
#include "gossamer/export.hpp"

namespace gossamer::inline v0 {

/// Checks sizes, offsets (first 0, never falling, last = nnz) and columns (0 <= col < cols); O(rows + nnz), on all
/// threads. Throws invalid_matrix that names the first bad position, size_mismatch where arrays disagree in
/// length, or unsupported for a dimension over 2^31 - 1. Values are not looked at: Inf and NaN are values.
template <class V, offset O>
GOSSAMER_API void validate(const csr_view<V, O>& a);

/// Checks that the three arrays have one length and that every index lies inside the shape. Errors as above.
template <class V>
GOSSAMER_API void validate(const coo_view<V>& a);

}  // namespace gossamer::inline v0
