// SPDX-License-Identifier: BSD-3-Clause
// packed_windows on a device. A block cuts a window exactly as the host does (cut_window.cuh).
#pragma once

#include <cub/block/block_radix_sort.cuh>

#include "exec/cuda/kernel/warp_numbers.cuh"
#include "formats/packed/cuda/build/slices.cuh"

namespace gossamer::inline v0::formats {

inline constexpr int packed_cut_threads = 256;
inline constexpr int packed_rows_of_thread = packed_window / packed_cut_threads;
/// Classes of rows: those that 1, 2, 4, 8, 16 or 32 lanes share, and cut rows.
inline constexpr int packed_classes = 7;
inline constexpr int packed_cut_into_parts = 6;

/// The number of rows in each class, and of row parts.
struct packed_class_counts {
  std::int32_t rows[packed_classes];
  std::int32_t row_parts;

  [[nodiscard]] __device__ std::int32_t slices() const {
    std::int32_t n = row_parts;
    for (int c = 0; c < packed_cut_into_parts; ++c) n += slices_of(c);
    return n;
  }
  [[nodiscard]] __device__ std::int32_t slices_of(int c) const {
    const int together = packed_lanes >> c;
    return (rows[c] + together - 1) / together;
  }
  /// Sorted rows, and slices, before those of a class. The longest rows come first.
  [[nodiscard]] __device__ std::int32_t rows_before(int c) const {
    std::int32_t n = 0;
    for (int longer = packed_classes - 1; longer > c; --longer) n += rows[longer];
    return n;
  }
  [[nodiscard]] __device__ std::int32_t slices_before(int c) const {
    if (c == packed_cut_into_parts) return 0;
    std::int32_t n = row_parts;
    for (int longer = packed_cut_into_parts - 1; longer > c; --longer) n += slices_of(longer);
    return n;
  }
};

/// The window of a block, and its data in shared memory.
template <value V, offset O>
class packed_block_of_window {
  using sort = cub::BlockRadixSort<std::uint64_t, packed_cut_threads, packed_rows_of_thread>;
  static constexpr int most_sums = 3;

 public:
  struct shared {
    typename sort::TempStorage sort_room;
    std::int64_t before[packed_window + 1];  ///< entries before each row
    std::uint16_t next[packed_window];       ///< for each row, the end of a COO slice that begins there
    std::uint16_t start[packed_window];      ///< first rows of COO slices
    std::uint16_t order[packed_window];      ///< rows, sorted
    std::int32_t diagonals[packed_groups_of_window];
    packed_class_counts counts;
    unsigned long long sums[most_sums];
    std::int32_t coo_slices_of;
  };

  __device__ packed_block_of_window(const packed_to_cut<V, O>& a, std::int64_t window, shared& s)
      : a_(a),
        s_(s),
        first_(window * packed_window),
        rows_(static_cast<int>(std::min(std::int64_t{packed_window}, a.rows - window * packed_window))),
        slot_bytes_(a.table->holds_all != 0 ? packed_slot_bytes_by_table : a.slot_bytes_without_table) {
    const auto begin = static_cast<std::int64_t>(a.row_ptr[first_]);
    for (int i = static_cast<int>(threadIdx.x); i <= rows_; i += packed_cut_threads)
      s_.before[i] = static_cast<std::int64_t>(a.row_ptr[first_ + i]) - begin;
    __syncthreads();
    std::int64_t mine = 0;
    for (int i = static_cast<int>(threadIdx.x); i < rows_; i += packed_cut_threads)
      mine = std::max(mine, length(i));
    longest_ = greatest_of_block(mine);
  }

  [[nodiscard]] __device__ std::int64_t length(int row) const { return s_.before[row + 1] - s_.before[row]; }

  /// The first pass.
  __device__ void decide(packed_window_cut& cut, packed_code::cut_amounts& sums);

  /// The second pass.
  __device__ void write(const packed_window_cut& cut, const packed_code::cut_amounts& before,
                        const packed_code::cut_amounts& all, const packed_cut_arrays& to);

 private:
  [[nodiscard]] __device__ int rows_of_group(int g) const {
    return max(0, min(packed_diagonal_slice_rows, rows_ - g * packed_diagonal_slice_rows));
  }

  /// Sums over the block, in all threads.
  template <int N>
  __device__ void sum_over_block(std::int64_t (&mine)[N]) {
    static_assert(N <= most_sums);
    __syncthreads();
    if (threadIdx.x < N) s_.sums[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const std::int64_t of_warp =
          exec::join_lanes(mine[i], [](std::int64_t a, std::int64_t b) { return a + b; });
      if (threadIdx.x % exec::warp_size == 0)
        atomicAdd(s_.sums + i, static_cast<unsigned long long>(of_warp));
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; ++i) mine[i] = static_cast<std::int64_t>(s_.sums[i]);
  }
  __device__ std::int64_t greatest_of_block(std::int64_t mine) {
    const std::int64_t of_warp = exec::greatest_of_warp(mine);
    __syncthreads();
    // `next` is unused at this time.
    auto* const room = reinterpret_cast<std::int64_t*>(s_.next);
    if (threadIdx.x % exec::warp_size == 0) room[threadIdx.x / exec::warp_size] = of_warp;
    __syncthreads();
    std::int64_t greatest = 0;
    for (int w = 0; w < packed_cut_threads / exec::warp_size; ++w) greatest = std::max(greatest, room[w]);
    __syncthreads();
    return greatest;
  }
  __device__ packed_fill sum_of_block(const packed_fill& mine) {
    std::int64_t sums[] = {mine.slots, mine.slices, mine.eights};
    sum_over_block(sums);
    return {.slots = sums[0], .slices = sums[1], .eights = sums[2]};
  }

  __device__ packed_fill fill_in_order(int sharing) {
    packed_fill mine;
    const int together = packed_lanes >> sharing;
    for (int first = static_cast<int>(threadIdx.x) * together; first < rows_;
         first += packed_cut_threads * together) {
      std::int64_t longest = 0;
      for (int i = first; i < min(rows_, first + together); ++i) longest = std::max(longest, length(i));
      mine.add(packed_steps_of(longest, sharing), packed_lanes);
    }
    return sum_of_block(mine);
  }

  [[nodiscard]] __device__ int class_of(std::int64_t length) const {
    return length > a_.rules.longest_part ? packed_cut_into_parts
                                          : packed_sharing(length, a_.rules.longest_walk);
  }
  [[nodiscard]] __device__ int parts_of(std::int64_t length) const {
    return static_cast<int>((length + a_.rules.longest_part - 1) / a_.rules.longest_part);
  }

  /// Counts the classes of rows [begin, end) with more than `more_than` entries; 0: of all rows.
  __device__ void count_classes(int begin, int end, std::int64_t more_than) {
    __syncthreads();
    if (threadIdx.x < packed_classes) s_.counts.rows[threadIdx.x] = 0;
    if (threadIdx.x == 0) s_.counts.row_parts = 0;
    __syncthreads();
    for (int i = begin + static_cast<int>(threadIdx.x); i < end; i += packed_cut_threads) {
      const std::int64_t n = length(i);
      if (n <= more_than && more_than > 0) continue;
      const int c = class_of(n);
      atomicAdd(s_.counts.rows + c, 1);
      if (c == packed_cut_into_parts) atomicAdd(&s_.counts.row_parts, parts_of(n));
    }
    __syncthreads();
  }

  /// Sorts rows [begin, end) with more than `more_than` entries (0: all) into `order`, the longest first.
  /// Rows of equal length keep their order.
  __device__ void sort_rows(int begin, int end, std::int64_t more_than) {
    std::uint64_t key[packed_rows_of_thread];
    const auto behind_all = static_cast<std::uint64_t>(longest_) + 1;
    __syncthreads();
    for (int i = 0; i < packed_rows_of_thread; ++i) {
      const int row = static_cast<int>(threadIdx.x) * packed_rows_of_thread + i;
      std::uint64_t shorter = behind_all;
      if (row >= begin && row < end && (more_than == 0 || length(row) > more_than))
        shorter = static_cast<std::uint64_t>(longest_ - length(row));
      key[i] = shorter << 10 | static_cast<std::uint64_t>(row);
    }
    static_assert(packed_window == 1 << 10);
    const int bits = 64 - __clzll(static_cast<long long>(behind_all));
    sort(s_.sort_room).Sort(key, 10, 10 + bits);
    for (int i = 0; i < packed_rows_of_thread; ++i)
      s_.order[static_cast<int>(threadIdx.x) * packed_rows_of_thread + i] =
          static_cast<std::uint16_t>(key[i] & (packed_window - 1));
    __syncthreads();
  }

  /// The slots and slices of the first rows of `order`.
  __device__ packed_fill fill_sorted(int rows) {
    // The rows are all, or those that are too long for COO slices.
    count_classes(0, rows_, rows == rows_ ? 0 : a_.rules.entries_per_slice);
    packed_fill mine;
    for (int p = static_cast<int>(threadIdx.x); p < rows; p += packed_cut_threads) {
      const std::int64_t n = length(s_.order[p]);
      const int c = class_of(n);
      if (c == packed_cut_into_parts) {
        for (int part = 0; part < parts_of(n); ++part)
          mine.add(packed_steps_of(a_.rules.longest_part, 5), packed_lanes);
      } else if ((p - s_.counts.rows_before(c)) % (packed_lanes >> c) == 0) {
        mine.add(packed_steps_of(n, c), packed_lanes);
      }
    }
    return sum_of_block(mine);
  }

  /// Sets next[i]: the end of a COO slice that begins with row i, or the end of the window.
  __device__ void find_ends() {
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < rows_; i += packed_cut_threads) {
      int low = i + 1;
      int high = min(rows_, i + packed_max_coo_entries);
      while (low < high) {
        const int middle = low + (high - low) / 2;
        const bool has_room = s_.before[middle] - s_.before[i] < a_.rules.entries_per_slice &&
                              s_.before[middle + 1] - s_.before[i] <= a_.rules.entries_per_slice;
        if (has_room)
          low = middle + 1;
        else
          high = middle;
      }
      s_.next[i] = static_cast<std::uint16_t>(low);
    }
    __syncthreads();
  }

  /// The number of COO slices of rows [begin, end). Their first rows are written to s_.start.
  __device__ int coo_slices_of(int begin, int end) {
    __syncthreads();
    if (threadIdx.x == 0) {
      int n = 0;
      for (int i = begin; i < end;) {
        if (length(i) > a_.rules.entries_per_slice) {
          ++i;
          continue;
        }
        s_.start[n++] = static_cast<std::uint16_t>(i);
        i = min(static_cast<int>(s_.next[i]), end);
      }
      s_.coo_slices_of = n;
    }
    __syncthreads();
    return s_.coo_slices_of;
  }

  __device__ std::int64_t entries_of_long_rows(int begin, int end, int& rows) {
    std::int64_t mine = 0;
    std::int64_t mine_rows = 0;
    for (int i = begin + static_cast<int>(threadIdx.x); i < end; i += packed_cut_threads) {
      if (length(i) <= a_.rules.entries_per_slice) continue;
      mine += length(i);
      ++mine_rows;
    }
    std::int64_t sums[] = {mine, mine_rows};
    sum_over_block(sums);
    rows = static_cast<int>(sums[1]);
    return sums[0];
  }

  /// f(begin, end) for each range of rows between diagonal slices. The whole block calls it, and f.
  template <class F>
  __device__ void for_each_row_range(F&& f) {
    int open = 0;
    for (int g = 0; g * packed_diagonal_slice_rows < rows_; ++g) {
      if (s_.diagonals[g] == 0) continue;
      if (open < g * packed_diagonal_slice_rows) f(open, g * packed_diagonal_slice_rows);
      open = min(rows_, (g + 1) * packed_diagonal_slice_rows);
    }
    if (open < rows_) f(open, rows_);
  }

  /// Finds the diagonals of each group of 128 rows, one warp a group. The first pass (null pointers) writes
  /// their numbers to s_.diagonals. The second writes the diagonals themselves to `to`, group after group.
  __device__ void find_diagonals(const packed_window_cut* cut, std::int32_t* to) {
    static_assert(packed_cut_threads / exec::warp_size == packed_groups_of_window);
    const int g = static_cast<int>(threadIdx.x) / exec::warp_size;
    const int lane = static_cast<int>(threadIdx.x) % exec::warp_size;
    int most = 0;
    if (cut != nullptr) {
      for (int before = 0; before < g; ++before) to += cut->diagonals[before];
      most = cut->diagonals[g];
    } else if (rows_of_group(g) > 0) {
      const int begin = g * packed_diagonal_slice_rows;
      most = packed_most_diagonals(s_.before[begin + rows_of_group(g)] - s_.before[begin], slot_bytes_);
    }
    // A row has a diagonal for each entry, so a group with a longer row needs no search.
    std::int64_t longest = 0;
    for (int i = lane; i < rows_of_group(g); i += exec::warp_size)
      longest = std::max(longest, length(g * packed_diagonal_slice_rows + i));
    longest = exec::greatest_of_warp(longest);
    const int found = most < longest || most == 0 ? 0 : merge_diagonals(g, lane, most, to);
    if (cut == nullptr && lane == 0) s_.diagonals[g] = found;
  }

  /// Merges the diagonals of all rows of a group in ascending order. Returns their number, or 0 if there are
  /// more than `most` or columns do not ascend.
  __device__ int merge_diagonals(int g, int lane, int most, std::int32_t* to) const;

  __device__ void write_diagonals(int g, packed_code::cut_amounts& at, const packed_cut_arrays& to) const;

  /// Writes the slices of the sorted rows in s_.order: rows [begin, end) with more than `more_than` entries.
  /// They are written to the window's order from `listed` on.
  __device__ void write_listed(int begin, int end, std::int64_t more_than, int listed,
                               packed_code::cut_amounts& at, const packed_cut_arrays& to);

  const packed_to_cut<V, O>& a_;
  shared& s_;
  std::int64_t first_;
  int rows_;
  std::int64_t slot_bytes_;
  std::int64_t longest_ = 0;
};

__device__ __forceinline__ void packed_prefetch_column(const std::int32_t* column) {
  asm volatile("prefetch.global.L1 [%0];" ::"l"(column));
}

template <value V, offset O>
__device__ int packed_block_of_window<V, O>::merge_diagonals(int g, int lane, int most,
                                                             std::int32_t* to) const {
  constexpr std::int32_t none = 0x7fffffff;
  constexpr std::int64_t ahead = 16;       // columns: two sectors
  std::int64_t next[packed_rows_of_lane];  // the entry after `later`
  std::int64_t end[packed_rows_of_lane] = {};
  std::int32_t diagonal[packed_rows_of_lane];
  std::int32_t later[packed_rows_of_lane];  // prefetched one iteration ahead
  std::int32_t row[packed_rows_of_lane] = {};
  const auto diagonal_at = [&](int r, std::int64_t k) { return k < end[r] ? a_.col[k] - row[r] : none; };
#pragma unroll
  for (int r = 0; r < packed_rows_of_lane; ++r) {
    const int of_window = g * packed_diagonal_slice_rows + r * packed_lanes + lane;
    const bool is_row = of_window < rows_;
    row[r] = static_cast<std::int32_t>(first_) + of_window;
    const std::int64_t first = is_row ? static_cast<std::int64_t>(a_.row_ptr[first_ + of_window]) : 0;
    end[r] = is_row ? static_cast<std::int64_t>(a_.row_ptr[first_ + of_window + 1]) : 0;
    diagonal[r] = diagonal_at(r, first);
    later[r] = diagonal_at(r, first + 1);
    next[r] = first + 2;
  }
  int found = 0;
  while (true) {
    std::int32_t least = none;
#pragma unroll
    for (int r = 0; r < packed_rows_of_lane; ++r) least = min(least, diagonal[r]);
    least = exec::least_of_warp(least);
    if (least == none) return found;
    if (found == most) return 0;
    if (to != nullptr && lane == 0) to[found] = least;
    ++found;
    bool ascends = true;
#pragma unroll
    for (int r = 0; r < packed_rows_of_lane; ++r) {
      if (diagonal[r] != least) continue;
      diagonal[r] = later[r];
      later[r] = diagonal_at(r, next[r]++);
      packed_prefetch_column(a_.col + min(next[r] + ahead, end[r] - 1));
      ascends = ascends && diagonal[r] > least;
    }
    if (__all_sync(0xffffffffu, ascends) == 0) return 0;
  }
}

}  // namespace gossamer::inline v0::formats
