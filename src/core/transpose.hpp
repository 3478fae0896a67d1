// SPDX-License-Identifier: BSD-3-Clause
// transpose() with the numbers of the entries, and whether a matrix is its own transpose.
#pragma once

#include <cstdint>

#include "gossamer/matrix.hpp"

namespace gossamer::inline v0::core {

/// As transpose() in gossamer/matrix.hpp. If `permutation` is not null, permutation[k] becomes the index in
/// `a` of entry k of the result.
template <value V, offset O>
csr_matrix<V, O> transpose(const csr_view<V, O>& a, std::int64_t* permutation);

/// Whether both have the same arrays, bit for bit.
template <value V, offset O>
bool same_arrays(const csr_view<V, O>& a, const csr_view<V, O>& b);

}  // namespace gossamer::inline v0::core
