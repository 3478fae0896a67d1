// SPDX-License-Identifier: BSD-3-Clause
// Matrix statistics, from which formats choose options and predict their size.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "gossamer/export.hpp"
#include "gossamer/matrix.hpp"

namespace gossamer::inline v0 {

/// Cheap figures, O(rows) and at most some ten thousand entries. Lengths count stored entries, explicit zeros
/// and duplicates included.
struct row_statistics {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  double mean = 0;                ///< nnz / rows, 0 without rows
  double standard_deviation = 0;  ///< of the population: sqrt(mean of squares - square of mean)
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::int64_t empty = 0;  ///< rows without an entry
  /// The largest length that at least max(4096, rows / 3) rows have or exceed; 0 where there is none.
  std::int64_t common_length = 0;
  /// Slots if 32 consecutive rows (0 ... 31, 32 ... 63, ...) are each padded to the longest of them.
  std::int64_t sliced_slots = 0;
  /// How little of x neighbouring rows share: distinct aligned groups of four columns in 32 consecutive rows,
  /// per entry of those rows. It comes from a fixed sample of rows. Near 0.03 for blocks of a finite-element
  /// matrix, 0.2 for a stencil of few points, 1 for random columns.
  double spread = 0;
};

/// (length, number of rows of that length), ascending, only lengths that occur: the distribution that paper
/// 004 calls the probability mass function, times rows.
using row_length_distribution = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Statistics that need a pass over the entries.
struct entry_statistics {
  std::int64_t bandwidth = 0;        ///< the largest |i - j| over entries
  std::int64_t distinct_values = 0;  ///< counted by bit pattern, up to 256; 257 means more
  /// Distinct 32-byte sectors of x that 32 consecutive rows touch, averaged over the groups of 32 rows; a
  /// sector holds 4 (f64) or 8 (f32) elements and x is taken to start on a sector.
  double sectors_per_32_rows = 0;
};

/// Preconditions of all three: a valid view (see validate).
template <class V, offset O>
GOSSAMER_API row_statistics measure_rows(const csr_view<V, O>& a);

template <class V, offset O>
GOSSAMER_API row_length_distribution measure_row_lengths(const csr_view<V, O>& a);

template <value V, offset O>
GOSSAMER_API entry_statistics measure_entries(const csr_view<V, O>& a);

}  // namespace gossamer::inline v0
