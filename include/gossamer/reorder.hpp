// SPDX-License-Identifier: BSD-3-Clause
// Symmetric reordering: permutations that bring the entries of a matrix close to its diagonal.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gossamer/export.hpp"
#include "gossamer/matrix.hpp"

namespace gossamer::inline v0 {

/// How a plan reorders the rows and columns of its matrix (inspect_options::reorder).
enum class reordering : std::int32_t {
  none,  ///< the order of the caller
  rcm    ///< reverse Cuthill-McKee, see reverse_cuthill_mckee()
};

/// Name of a reordering: "none" or "rcm". Throws invalid_argument for any other value.
GOSSAMER_API std::string_view name(reordering order);
/// The reordering of this name. Throws invalid_argument for an unknown name.
GOSSAMER_API reordering parse_reordering(std::string_view text);

/// The reverse Cuthill-McKee permutation of a square matrix: new row i is row p[i] of `a`.
///
/// The result has a.rows elements. It is empty if the matrix is.
///
/// It numbers the graph of A + A^T breadth-first, and so reduces the bandwidth. Connected components are
/// numbered one after another. The numbering of a component starts at a pseudo-peripheral row. Values,
/// duplicate entries and the order of columns have no influence. One build gives equal permutations for equal
/// structures, for any number of threads.
///
/// The Boost Graph Library computes it on one thread. It does at least four breadth-first searches of each
/// component, each in O(nnz log(most entries of a row)). The graph takes 8 bytes a nonzero and about 24 bytes
/// a row of temporary memory. While it is built, there is also a transposed copy of `a`.
///
/// `a` must be valid (see validate()). Throws invalid_argument if `a` is not square. Throws unsupported if
/// this build of Gossamer has no Boost. Throws out_of_memory.
template <value V, offset O>
GOSSAMER_API std::vector<std::int32_t> reverse_cuthill_mckee(const csr_view<V, O>& a);

/// Reorders the rows and columns of a square matrix: entry (i, j) of the result is entry (p[i], p[j]) of `a`.
/// The columns of each row ascend. Duplicates keep their order. The result has the size of `a` and owns its
/// arrays.
///
/// It takes O(nnz log(most entries of a row)) on all threads, and 4 bytes a row of temporary memory. A caller
/// who keeps vectors in the new order multiplies by an ordinary plan of the result:
///
/// @code
/// const std::vector<std::int32_t> p = gossamer::reverse_cuthill_mckee(a);
/// const auto b = gossamer::permuted(a, p);
/// const auto plan = gossamer::inspect(b.view());
/// for (std::size_t i = 0; i < p.size(); ++i) new_x[i] = x[p[i]];  // once
/// plan.multiply(1.0, new_x, 0.0, new_y);                          // many times
/// for (std::size_t i = 0; i < p.size(); ++i) y[p[i]] = new_y[i];  // once
/// @endcode
///
/// `a` must be valid (see validate()). Throws invalid_argument if `a` is not square, or if `p` is not a
/// permutation of 0 ... rows - 1. Throws out_of_memory.
template <value V, offset O>
GOSSAMER_API csr_matrix<V, O> permuted(const csr_view<V, O>& a, std::span<const std::int32_t> p);

}  // namespace gossamer::inline v0
