// SPDX-License-Identifier: BSD-3-Clause
// transpose() with the numbers of the entries, and whether a matrix is its own transpose.
#pragma once

#include <cstdint>

#include "gossamer/matrix.hpp"

namespace gossamer::inline v0::core {

/// As transpose() in gossamer/matrix.hpp. If `entries` is not null, entries[k] becomes the entry of `a` that is
/// entry k of the result.
template <value V, offset O>
csr_matrix<V, O> transpose(const csr_view<V, O>& a, std::int64_t* entries);

/// Whether both have the same arrays, bit for bit.
template <value V, offset O>
bool same_arrays(const csr_view<V, O>& a, const csr_view<V, O>& b);

}  // namespace gossamer::inline v0::core
