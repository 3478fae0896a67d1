// SPDX-License-Identifier: BSD-3-Clause
// Matrix statistics. Formats choose options and predict their size from them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "gossamer/export.hpp"
#include "gossamer/matrix.hpp"

namespace gossamer::inline v0 {

/// Statistics of the row lengths. The length of a row is its number of stored entries. Explicit zeros and
/// duplicates count.
struct row_statistics {
  std::int64_t rows = 0;          ///< number of rows
  std::int64_t cols = 0;          ///< number of columns
  std::int64_t nnz = 0;           ///< number of stored entries
  double mean = 0;                ///< nnz / rows; 0 without rows
  double standard_deviation = 0;  ///< population standard deviation: sqrt(mean of squares - square of mean)
  std::int64_t min = 0;           ///< length of the shortest row
  std::int64_t max = 0;           ///< length of the longest row
  std::int64_t empty = 0;         ///< number of rows without entries
  /// The largest length L such that at least max(4096, rows / 3) rows have L or more entries. 0 if there is
  /// none.
  std::int64_t common_length = 0;
  /// Number of slots in sliced ELLPACK storage, in which each group of 32 consecutive rows is padded to its
  /// longest row.
  std::int64_t sliced_slots = 0;
  /// A measure of how scattered the columns are: small if neighbouring rows use the same elements of x. It is
  /// the number of distinct aligned groups of four columns in 32 consecutive rows, divided by the entries of
  /// these rows. A fixed sample of rows is used. Typical values are 0.03 for finite-element blocks, 0.2 for
  /// small stencils and 1 for random columns.
  double spread = 0;
};

/// Pairs of a length and the number of rows of that length, by ascending length. Lengths without rows are
/// absent. If the numbers are divided by the number of rows, the pairs are the probability mass function of
/// paper 004 (docs/papers.md).
using row_length_distribution = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Statistics that need a pass over the entries.
struct entry_statistics {
  std::int64_t bandwidth = 0;        ///< largest |i - j| of the entries (i, j)
  std::int64_t distinct_values = 0;  ///< number of different bit patterns of values; 257 means more than 256
  /// Number of distinct 32-byte sectors of x that 32 consecutive rows read, averaged over the groups of 32
  /// rows. A sector has 4 (f64) or 8 (f32) elements. x is assumed to begin at a sector boundary.
  double sectors_per_32_rows = 0;
};

/// Measures row lengths in O(rows), and `spread` from a sample of at most some ten thousand entries. `a` must
/// be valid (see validate()).
template <class V, offset O>
GOSSAMER_API row_statistics measure_rows(const csr_view<V, O>& a);

/// Counts the rows of each length. `a` must be valid (see validate()).
template <class V, offset O>
GOSSAMER_API row_length_distribution measure_row_lengths(const csr_view<V, O>& a);

/// Measures columns and values in one pass over the entries. `a` must be valid (see validate()).
template <value V, offset O>
GOSSAMER_API entry_statistics measure_entries(const csr_view<V, O>& a);

}  // namespace gossamer::inline v0
