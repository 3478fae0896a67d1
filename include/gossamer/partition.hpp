// SPDX-License-Identifier: BSD-3-Clause
// Partitions of a matrix among processors, in proportion to their computing powers. Source: paper 004
// (docs/papers.md). The comments cite its equations, algorithms and sections.
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

/// Size of a set of rows that is padded to its longest row. The paper's name is row-vector set, Equations (3)
/// to (6).
struct row_set {
  std::int64_t rows = 0;   ///< number of rows
  std::int64_t nnz = 0;    ///< number of stored entries, Equation (3)
  std::int64_t width = 0;  ///< number of entries of the longest row, Equation (4); 0 without rows

  /// Number of slots, rows * width, Equation (5). It saturates at the largest int64.
  [[nodiscard]] GOSSAMER_API std::int64_t slots() const noexcept;
  /// Number of slots without an entry.
  [[nodiscard]] std::int64_t padded() const noexcept { return slots() - nnz; }
  /// Density D: entries per slot, Equation (6). A set without slots has density 1.
  [[nodiscard]] GOSSAMER_API double density() const noexcept;
  /// Fill F = 1 - D: the padded share of the slots.
  [[nodiscard]] double fill() const noexcept { return 1 - density(); }
};

/// Density of all sets together: entries per slot, Equation (7). It is 1 without slots. It equals 1 - F of
/// Equation (9).
GOSSAMER_API double mean_density(std::span<const row_set> sets) noexcept;

/// Padded slots of all sets together. The sum saturates at the largest int64.
GOSSAMER_API std::int64_t padded_slots(std::span<const row_set> sets) noexcept;

/// Algorithms that divide rows among sets, in proportion to the powers.
enum class partition_algorithm {
  rows,      ///< Algorithm 1: divides the number of rows; rows keep their order
  nonzeros,  ///< Algorithm 2: divides the number of entries; rows keep their order
  pmf,       ///< Algorithm 3: divides the number of entries; rows are sorted by ascending length
};

/// The name of an algorithm: "rows", "nnz" or "pmf".
GOSSAMER_API std::string_view name(partition_algorithm algorithm) noexcept;

/// Options of partition_rows().
struct partition_options {
  partition_algorithm algorithm = partition_algorithm::pmf;  ///< the algorithm
  /// True: if a set has more or fewer entries than its target, the difference is carried to the next set's
  /// target. Every cut is then within one row of its ideal place. False: each set has its own target only, as
  /// published.
  bool carry = false;
};

/// A division of the rows among sets. Each row is in exactly one set. Movable, not copyable.
struct row_partition {
  std::vector<row_set> sets;        ///< one set for each power, in the same order; some may be empty
  std::vector<double> target_nnz;   ///< target entries of each set: power / (sum of powers) * nnz
  std::vector<std::int64_t> first;  ///< sets + 1 offsets: set k has row[first[k]] ... row[first[k + 1] - 1]
  host_buffer<std::int32_t> row;    ///< row numbers, set by set

  /// The row numbers of set k, ascending. With Algorithm 3, they are sorted by length, then by number.
  [[nodiscard]] std::span<const std::int32_t> rows_of(std::size_t k) const {
    return row.span().subspan(static_cast<std::size_t>(first[k]), static_cast<std::size_t>(sets[k].rows));
  }
};

/// Divides the rows into one set for each power. Powers have any unit. `a` must be valid (see validate()).
/// - Algorithm 1 rounds the number of rows of a set down.
/// - Algorithm 2 ends a set before the row that would exceed its target.
/// - Algorithm 3 ends a set with the row that reaches its target.
///
/// The last set gets the remaining rows. With Algorithm 3, these include all rows without entries. Source:
/// section 4.2. docs/guides/partition.md lists the differences from the paper. The time is O(rows + entries
/// of the rows longer than 4095 + sets * log rows).
///
/// Throws out_of_memory. Throws invalid_argument if there is no power, or a power is not positive and finite.
template <value V, offset O>
GOSSAMER_API row_partition partition_rows(const csr_view<V, O>& a, std::span<const double> powers,
                                          const partition_options& options = {});

/// Relative difference of set k from its target: (nnz - target) / target, with sign. 0 for a matrix without
/// entries. Source: section 7.2.1.
GOSSAMER_API double relative_difference(const row_partition& p, std::size_t k) noexcept;

/// The sum of the absolute relative differences of all sets. Section 7.2.1 adds the differences with their
/// signs, so its sum is 0 if all powers are equal.
GOSSAMER_API double relative_difference(const row_partition& p) noexcept;

/// Bytes of a set in ELLPACK format with row lengths, Equation (12): slots * (value_bytes + index_bytes) +
/// rows * index_bytes.
GOSSAMER_API double ell_bytes(const row_set& set, std::int64_t value_bytes,
                              std::int64_t index_bytes = 4) noexcept;

/// Time in seconds to transfer all sets to a device, Equation (13): the sum of ell_bytes() divided by
/// bytes_per_second. Throws invalid_argument if bytes_per_second is not positive.
GOSSAMER_API double transfer_seconds(std::span<const row_set> sets, std::int64_t value_bytes,
                                     double bytes_per_second, std::int64_t index_bytes = 4);

/// The least density of the rows of a GPU thread block, Equations (14) and (15). The block has one thread per
/// row, and its rows are sorted by ascending length. Each warp is busy for the share `utilisation` of its
/// time. The first row has one entry.
///
/// For 0.9 and 1024, the result is 0.2494, as in the paper. The printed equations give another number, so
/// this function differs from them in two details. The quotient of (14) is rounded down, but not below 1. The
/// denominator of (15) is the size of the block, threads times the longest row. Throws invalid_argument
/// unless 1/16 <= utilisation <= 1 and `threads` is a multiple of 32 from 32 to 1024.
GOSSAMER_API double least_block_density(double utilisation = 0.9, int threads = 1024);

/// A matrix as the sum of two matrices of the same size. Both may have entries in one row, so y = blocks x +
/// rest x.
template <class V, offset O>
struct diagonal_blocks {
  /// R1: the entries in square blocks along the diagonal. An entry is in a block if its row and its column,
  /// divided by the block size and rounded down, are equal.
  csr_matrix<V, O> blocks;
  csr_matrix<V, O> rest;  ///< R2: all other entries
  /// Number of diagonals of `blocks` that have an entry. A diagonal counts n times if a row has n duplicate
  /// entries on it. In the format dia, `blocks` has rows * diagonals slots.
  std::int64_t diagonals = 0;
};

/// Splits a matrix into square blocks along the diagonal and the rest. Each entry is in one of the two
/// matrices; entries of a row keep their order. `a` must be valid (see validate()).
///
/// `block` is the number of rows of a block; the paper uses 32 or 16. Blocks end at the edges of the matrix.
/// Source: Algorithm 4. docs/guides/partition.md lists the differences from the paper. The time is O(nnz +
/// rows + block). Throws out_of_memory. Throws invalid_argument unless 1 <= block <= 2^30.
template <value V, offset O>
GOSSAMER_API diagonal_blocks<V, O> split_diagonal_blocks(const csr_view<V, O>& a, std::int64_t block = 32);

}  // namespace gossamer::inline v0
