// SPDX-License-Identifier: BSD-3-Clause
// A matrix cut in two: what stands in square blocks along the main diagonal, and the rest (paper 004, Algorithm 4).
#pragma once

#include <cstdint>

#include "gossamer/csr_matrix.hpp"
#include "gossamer/csr_view.hpp"
#include "gossamer/export.hpp"

namespace gossamer::inline v0 {

/// Two matrices of a's shape whose sum is a. Both may have entries in one row, so a product adds what both make of it.
template <class V, offset O>
struct diagonal_blocks {
  csr_matrix<V, O>
      blocks;  ///< R1: entries whose row and column, each over the block size and rounded down, are equal
  csr_matrix<V, O> rest;  ///< R2: the others
  /// That have an entry of `blocks`, each as often as a row has entries on it. Stored by them, as dia does, it takes rows * diagonals slots.
  std::int64_t diagonals = 0;
};

/// Every entry is in exactly one part; the entries of a row stay in their order. At the ends of a matrix, and where it is not square, blocks
/// are as much as there is of them. `block` is in rows; the paper takes 32 or 16. Paper 004, Algorithm 4; where this departs from the
/// listing is in docs/partition.md. O(nnz + rows + block). `a` is valid (see validate). Throws invalid_argument unless 1 <= block <= 2^30,
/// out_of_memory.
template <value V, offset O>
GOSSAMER_API diagonal_blocks<V, O> split_diagonal_blocks(const csr_view<V, O>& a, std::int64_t block = 32);

}  // namespace gossamer::inline v0
