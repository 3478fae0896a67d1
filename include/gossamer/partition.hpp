// SPDX-License-Identifier: BSD-3-Clause
// A matrix's rows shared out in sets, one for each processor, in proportion to what the processors do (paper
// 004).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gossamer/export.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/memory.hpp"

namespace gossamer::inline v0 {

/// Figures of a row-vector set: some rows of a matrix, thought of as padded to the longest of them. Paper
/// 004, Equations (3) to (6).
struct row_set {
  std::int64_t rows = 0;
  std::int64_t nnz = 0;    ///< stored entries, Equation (3)
  std::int64_t width = 0;  ///< entries of the longest row, Equation (4); 0 without rows

  /// rows * width, Equation (5); the largest int64 where it would be more.
  [[nodiscard]] GOSSAMER_API std::int64_t slots() const noexcept;
  /// Slots that hold no entry.
  [[nodiscard]] std::int64_t padded() const noexcept { return slots() - nnz; }
  /// D: entries a slot, Equation (6); 1 where there are no slots, since none is padding.
  [[nodiscard]] GOSSAMER_API double density() const noexcept;
  /// F = 1 - D.
  [[nodiscard]] double fill() const noexcept { return 1 - density(); }
};

/// Density of all sets together: entries a slot, Equation (7), or 1 without slots. It is 1 - F of
/// Equation (9).
GOSSAMER_API double mean_density(std::span<const row_set> sets) noexcept;

/// Padded slots of all sets together, at most the largest int64.
GOSSAMER_API std::int64_t padded_slots(std::span<const row_set> sets) noexcept;

enum class partition_algorithm {
  rows,      ///< Algorithm 1: numbers of rows in proportion to the powers, rows in the matrix's order
  nonzeros,  ///< Algorithm 2: numbers of entries in proportion, rows in the matrix's order
  pmf,       ///< Algorithm 3: numbers of entries in proportion, shorter rows before longer ones
};

/// "rows", "nnz" or "pmf".
GOSSAMER_API std::string_view name(partition_algorithm algorithm) noexcept;

struct partition_options {
  partition_algorithm algorithm = partition_algorithm::pmf;
  /// True: the difference between a set and its target is carried to the next set's target. Every cut is then
  /// within one row of its ideal place. False: every set counts from 0, as published.
  bool carry = false;
};

/// Every row is in exactly one set. Movable, not copyable.
struct row_partition {
  std::vector<row_set> sets;        ///< one for each power, in that order; some may be empty
  std::vector<double> target_nnz;   ///< for each set: power / (sum of powers) * nnz
  std::vector<std::int64_t> first;  ///< sets + 1: set k has row[first[k]] ... row[first[k + 1] - 1]
  host_buffer<std::int32_t> row;    ///< rows, as numbers in the matrix

  /// Set k's rows: ascending, or with Algorithm 3 by ascending length and rows of one length ascending.
  [[nodiscard]] std::span<const std::int32_t> rows_of(std::size_t k) const {
    return row.span().subspan(static_cast<std::size_t>(first[k]), static_cast<std::size_t>(sets[k].rows));
  }
};

/// Cuts the rows into powers.size() sets; `powers` are in any unit. Algorithm 1 rounds numbers of rows down.
/// Algorithm 2 ends a set before the row with which it would pass its target. Algorithm 3 ends it with the
/// row that reaches the target. The last set takes the rest, and with Algorithm 3 all rows without entries.
/// Paper 004, section 4.2; docs/guides/partition.md lists the differences from it. O(rows + entries of the
/// rows longer than 4095 + sets * log rows), whatever the entries are. `a` is valid (see validate). Throws
/// invalid_argument where there is no power or one is not positive and finite, out_of_memory.
template <value V, offset O>
GOSSAMER_API row_partition partition_rows(const csr_view<V, O>& a, std::span<const double> powers,
                                          const partition_options& options = {});

/// (nnz - target) / target, signed, of set k; 0 for a matrix without entries. Section 7.2.1.
GOSSAMER_API double relative_difference(const row_partition& p, std::size_t k) noexcept;

/// The sum of the absolute values of that over the sets. In section 7.2.1 they are signed, so they add up to
/// 0 if powers are equal.
GOSSAMER_API double relative_difference(const row_partition& p) noexcept;

/// Bytes of a set in ELLPACK with the length of each row: Equation (12), slots * (value_bytes +
/// index_bytes) + rows * index_bytes.
GOSSAMER_API double ell_bytes(const row_set& set, std::int64_t value_bytes,
                              std::int64_t index_bytes = 4) noexcept;

/// Seconds that all sets take to a device: Equation (13), the sum of ell_bytes over bytes_per_second. Throws
/// invalid_argument where bytes_per_second is not positive.
GOSSAMER_API double transfer_seconds(std::span<const row_set> sets, std::int64_t value_bytes,
                                     double bytes_per_second, std::int64_t index_bytes = 4);

/// The least density of a thread block's rows, with one thread a row and the shortest row first: Equations
/// (14) and (15). Each warp is busy for the share `utilisation` of its time, and the first row has one entry.
/// The result is 0.2494 for 0.9 and 1024. It differs from the equations as printed, which do not give that
/// number. The quotient of (14) is rounded down, at least to 1. The denominator of (15) is the block's own
/// size, threads times the longest row. Throws invalid_argument unless 1/16 <= utilisation <= 1 and `threads`
/// is a positive multiple of 32 up to 1024.
GOSSAMER_API double least_block_density(double utilisation = 0.9, int threads = 1024);

/// Two matrices of a's shape whose sum is a. Both may have entries in one row, so a product adds what both
/// make of it.
template <class V, offset O>
struct diagonal_blocks {
  csr_matrix<V, O>
      blocks;  ///< R1: entries whose row and column, each over the block size and rounded down, are equal
  csr_matrix<V, O> rest;  ///< R2: the others
  /// Number of diagonals with an entry of `blocks`. A diagonal counts as often as a row has entries on it,
  /// duplicates included. In the format dia, `blocks` takes rows * diagonals slots.
  std::int64_t diagonals = 0;
};

/// Every entry is in exactly one part; the entries of a row stay in their order. Blocks are cut off at the
/// ends of a matrix that is not square or not a multiple of the block. `block` is in rows; the paper takes 32
/// or 16. Paper 004, Algorithm 4; docs/guides/partition.md lists the differences from it. O(nnz + rows +
/// block). `a` is valid (see validate). Throws invalid_argument unless 1 <= block <= 2^30, out_of_memory.
template <value V, offset O>
GOSSAMER_API diagonal_blocks<V, O> split_diagonal_blocks(const csr_view<V, O>& a, std::int64_t block = 32);

}  // namespace gossamer::inline v0
