// SPDX-License-Identifier: BSD-3-Clause
// What the kernels that code a matrix on a device hand to each other: the matrix, how each window is cut, and
// each slice before it is coded.
#pragma once

#include <cstdint>

#include "formats/packed/device_table.hpp"
#include "formats/packed/scheme.hpp"

namespace gossamer::inline v0::formats {

/// The matrix, and how it is to be cut.
template <value V, offset O>
struct packed_to_cut {
  std::int64_t rows;
  const O* row_ptr;
  const std::int32_t* col;
  const V* val;
  const packed_device_table<V>* table;
  std::int64_t longest_walk;
  std::int64_t longest_part;
  std::int64_t entries_per_slice;
  std::int64_t slot_bytes_without_table;
  packed_short_rows short_rows;
  packed_costs costs;

  [[nodiscard]] GOSSAMER_HOST_DEVICE std::int64_t windows() const {
    return (rows + packed_window - 1) / packed_window;
  }
};

enum class packed_way : std::int32_t { in_order, sorted, entries };

inline constexpr int packed_groups_of_window = packed_window / packed_rows_on_diagonals;

/// What was decided of a window.
struct packed_window_cut {
  packed_way way;
  std::int32_t sharing;                             ///< in_order
  std::int32_t diagonals[packed_groups_of_window];  ///< of each 128 rows; 0 where they are not stored on any
};

/// How many of everything a window has; added up, what stands before it.
struct packed_window_sums {
  std::int64_t in_lanes = 0;  ///< slices
  std::int64_t of_entries = 0;
  std::int64_t on_diagonals = 0;
  std::int64_t diagonals = 0;  ///< of all those
  std::int64_t parts = 0;
  std::int64_t runs = 0;  ///< rows that are cut into parts

  [[nodiscard]] GOSSAMER_HOST_DEVICE std::int64_t slices() const { return in_lanes + of_entries; }
  GOSSAMER_HOST_DEVICE friend packed_window_sums operator+(const packed_window_sums& a,
                                                           const packed_window_sums& b) {
    return {.in_lanes = a.in_lanes + b.in_lanes,
            .of_entries = a.of_entries + b.of_entries,
            .on_diagonals = a.on_diagonals + b.on_diagonals,
            .diagonals = a.diagonals + b.diagonals,
            .parts = a.parts + b.parts,
            .runs = a.runs + b.runs};
  }
};

enum class packed_kind : std::int32_t { consecutive, listed, diagonals, entries };

/// A slice's rows, as packed_rows.
struct packed_cut_slice {
  packed_kind kind;
  std::int32_t first;   ///< row; of listed ones the place of the first in the order of rows
  std::int32_t count;   ///< rows
  std::int32_t steps;   ///< on diagonals: those
  std::int64_t detail;  ///< on diagonals: where they stand among all; of a part of a row: which part, else -1
  std::int32_t slot;    ///< of a part
  std::int16_t sharing;
  std::int16_t is_part;
  std::uint32_t place;   ///< of its header among all
  std::int32_t run = 0;  ///< of a part: of its row among those that are cut
};

/// Where cutting puts what it finds.
struct packed_cut_arrays {
  const packed_window_cut* window;
  const packed_window_sums* before;  ///< each window, and behind the last
  std::int32_t* order;               ///< rows: window by window, where they are sorted, else not written
  std::int32_t* diagonal;            ///< of all slices that are on some, column minus row, ascending
  packed_cut_slice* slice;           ///< in the order in which their arrays stand
  std::int32_t* carry_row;
  std::int64_t* carry_first;
  std::int64_t* carry_last;
};

}  // namespace gossamer::inline v0::formats
