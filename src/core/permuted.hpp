// SPDX-License-Identifier: BSD-3-Clause
// permuted() with the numbers of the entries, and the inverse of a permutation.
#pragma once

#include <cstdint>
#include <span>

#include "gossamer/matrix.hpp"
#include "gossamer/memory.hpp"

namespace gossamer::inline v0::core {

/// q with q[p[i]] = i. Throws invalid_argument unless `p` is a permutation of 0 ... size - 1; `call` begins
/// the message.
host_buffer<std::int32_t> inverse_permutation(std::span<const std::int32_t> p, std::string_view call);

/// As permuted() in gossamer/reorder.hpp, for a square matrix. `inverse` is that of `p`. If `entries` is not
/// null, entries[k] becomes the index in `a` of entry k of the result.
template <value V, offset O>
csr_matrix<V, O> permuted(const csr_view<V, O>& a, std::span<const std::int32_t> p,
                          std::span<const std::int32_t> inverse, std::int64_t* entries);

/// Throws invalid_argument unless the matrix is square; `call` begins the message.
void check_square(std::int64_t rows, std::int64_t cols, std::string_view call);

}  // namespace gossamer::inline v0::core
