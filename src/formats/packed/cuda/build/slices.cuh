// SPDX-License-Identifier: BSD-3-Clause
// Data that the kernels for building on a device share: the matrix, how each window is cut, and each slice
// before it is encoded. Also the loops of a warp over such a slice: by steps, by consecutive entries, or
// along diagonals.
#pragma once

#include <cstdint>

#include "exec/cuda/kernel/warp_numbers.cuh"
#include "formats/common/device_value_table.cuh"
#include "formats/packed/choose/header.hpp"

namespace gossamer::inline v0::formats {

/// The matrix, and the rules by which it is cut.
template <value V, offset O>
struct packed_to_cut {
  std::int64_t rows;
  const O* row_ptr;
  const std::int32_t* col;
  const V* val;
  const device_value_table<V>* table;
  std::int64_t slot_bytes_without_table;
  packed_cut_rules rules;
};

enum class packed_way : std::int32_t { in_order, sorted, coo_slices };

inline constexpr int packed_groups_of_window = packed_window / packed_diagonal_slice_rows;

/// How a window is cut.
struct packed_window_cut {
  packed_way way;
  std::int32_t sharing;                             ///< in_order
  std::int32_t diagonals[packed_groups_of_window];  ///< of each 128 rows; 0 if they are no diagonal slice
};

enum class packed_kind : std::int32_t { consecutive, listed, diagonal_slice, coo_slice };

/// The rows of a slice, like packed_rows.
struct packed_cut_slice {
  packed_kind kind;
  std::int32_t first;   ///< the first row; of listed rows its position in the order of rows
  std::int32_t count;   ///< rows
  std::uint32_t place;  ///< the index of its header
  std::int32_t sharing = 0;
  std::int32_t steps = 0;  ///< of a diagonal slice: its diagonals
  /// Diagonal slice: the position of its diagonals. Row part: its index in the cut row. Otherwise -1.
  std::int64_t detail = -1;
  std::int32_t slot = 0;     ///< of a row part
  std::int32_t cut_row = 0;  ///< of a row part: the index of its cut row

  [[nodiscard]] __device__ bool is_row_part() const {
    return kind == packed_kind::consecutive && detail >= 0;
  }
};

/// Inputs and outputs of the kernel that writes the slices of windows.
struct packed_cut_arrays {
  const packed_window_cut* window;
  const packed_code::cut_amounts* before;  ///< before each window, and after the last
  std::int32_t* order;                     ///< rows of sorted windows; not written for other windows
  std::int32_t* diagonal;                  ///< of all diagonal slices: column minus row, ascending
  packed_cut_slice* slice;                 ///< in the order of their arrays
  std::int32_t* carry_row;
  std::int64_t* carry_first;
  std::int64_t* carry_last;
};

inline constexpr int packed_encoding_threads = 128;
/// Steps whose columns and values are loaded at once.
inline constexpr int packed_steps_at_once = 4;

template <value V, offset O>
struct packed_to_encode {
  packed_to_cut<V, O> a;
  const packed_cut_slice* slice;
  std::int64_t slices;
  const std::int32_t* order;
  const std::int32_t* diagonal;
  short_float half;
  bool whole;      ///< values are not encoded
  bool may_elide;  ///< steps may elide their deltas
};

/// The slice of this warp, in kernels with a warp for each slice.
__device__ __forceinline__ std::int64_t packed_slice_of_warp() {
  return (static_cast<std::int64_t>(blockIdx.x) * packed_encoding_threads + threadIdx.x) / exec::warp_size;
}

/// The entries of lane `lane` of a lane slice, like packed_code::lanes.
struct packed_lane_entries {
  std::int64_t first = 0;
  std::int32_t count = 0;
  std::int32_t row = 0;  ///< relative to the header's row
  std::int32_t header_row = 0;
  std::int32_t steps = 0;
  std::int32_t shortest = 0;

  template <value V, offset O>
  __device__ packed_lane_entries(const packed_to_encode<V, O>& all, const packed_cut_slice& s, int lane) {
    const auto row_number = [&](int i) {
      return s.kind == packed_kind::listed ? all.order[s.first + i] : s.first + i;
    };
    header_row = row_number(0);
    if (s.kind == packed_kind::listed)
      header_row =
          header_row / static_cast<std::int32_t>(packed_window) * static_cast<std::int32_t>(packed_window);
    const int which = lane >> s.sharing;
    if (which < s.count) {
      const std::int32_t r = row_number(which);
      row = r - header_row;
      const std::int64_t begin = static_cast<std::int64_t>(all.a.row_ptr[r]);
      const std::int64_t length = static_cast<std::int64_t>(all.a.row_ptr[r + 1]) - begin;
      const packed_lane_share mine = packed_share_of_lane(begin, length, s.is_row_part() ? s.detail : -1,
                                                          all.a.rules.longest_part, s.sharing, lane);
      first = mine.first;
      count = static_cast<std::int32_t>(mine.count);
    }
    steps = exec::greatest_of_warp(count);
    shortest = exec::least_of_warp(count);
  }
};

/// f(step, whether this lane has it, its column, its value) for each step of a slice. The columns and values
/// of packed_steps_at_once steps are loaded at once.
template <value V, offset O, class F>
__device__ __forceinline__ void for_each_step(const packed_to_cut<V, O>& a, const packed_lane_entries& mine,
                                              int sharing, std::int32_t steps, F&& f) {
  for (std::int32_t first = 0; first < steps; first += packed_steps_at_once) {
    std::int32_t column[packed_steps_at_once];
    V v[packed_steps_at_once];
#pragma unroll
    for (int i = 0; i < packed_steps_at_once; ++i) {
      const bool has = first + i < mine.count;
      const std::int64_t k = mine.first + (static_cast<std::int64_t>(first + i) << sharing);
      column[i] = has ? a.col[k] : 0;
      v[i] = has ? a.val[k] : V{0};
    }
#pragma unroll
    for (int i = 0; i < packed_steps_at_once; ++i)
      if (first + i < steps) f(first + i, first + i < mine.count, column[i], v[i]);
  }
}

/// f(index, column, value) for a lane's share of `size` consecutive entries.
template <value V, offset O, class F>
__device__ __forceinline__ void for_each_consecutive_entry(const packed_to_cut<V, O>& a, std::int64_t begin,
                                                           std::int32_t size, int lane, F&& f) {
  for (std::int32_t first = lane; first < size; first += packed_steps_at_once * packed_lanes) {
    std::int32_t column[packed_steps_at_once];
    V v[packed_steps_at_once];
#pragma unroll
    for (int i = 0; i < packed_steps_at_once; ++i) {
      const std::int32_t k = first + i * packed_lanes;
      column[i] = k < size ? a.col[begin + k] : 0;
      v[i] = k < size ? a.val[begin + k] : V{0};
    }
#pragma unroll
    for (int i = 0; i < packed_steps_at_once; ++i)
      if (first + i * packed_lanes < size) f(first + i * packed_lanes, column[i], v[i]);
  }
}

/// The rows of a diagonal slice. A lane goes along its four rows at once, diagonal by diagonal, and
/// prefetches the next entry of each row.
template <value V, offset O>
class packed_diagonal_rows {
 public:
  __device__ packed_diagonal_rows(const packed_to_encode<V, O>& all, const packed_cut_slice& s, int lane)
      : a_(all.a) {
#pragma unroll
    for (int r = 0; r < packed_rows_of_lane; ++r) {
      const int of_slice = r * packed_lanes + lane;
      const bool is_row = of_slice < s.count;
      row_[r] = s.first + of_slice;
      next_[r] = is_row ? static_cast<std::int64_t>(a_.row_ptr[row_[r]]) : 0;
      end_[r] = is_row ? static_cast<std::int64_t>(a_.row_ptr[row_[r] + 1]) : 0;
      prefetch(r);
    }
  }
  /// f(index of the row in its lane, value) for the lane's entries on the diagonal. Calls must come with
  /// ascending diagonals.
  template <class F>
  __device__ void for_each_on(std::int32_t diagonal, F&& f) {
#pragma unroll
    for (int r = 0; r < packed_rows_of_lane; ++r) {
      if (next_[r] >= end_[r] || column_[r] - row_[r] != diagonal) continue;
      const V v = value_[r];
      ++next_[r];
      prefetch(r);
      f(r, v);
    }
  }

 private:
  __device__ void prefetch(int r) {
    if (next_[r] >= end_[r]) return;
    column_[r] = a_.col[next_[r]];
    value_[r] = a_.val[next_[r]];
  }

  const packed_to_cut<V, O>& a_;
  std::int64_t next_[packed_rows_of_lane];
  std::int64_t end_[packed_rows_of_lane];
  std::int32_t row_[packed_rows_of_lane];
  std::int32_t column_[packed_rows_of_lane] = {};
  V value_[packed_rows_of_lane] = {};
};

}  // namespace gossamer::inline v0::formats
