// SPDX-License-Identifier: BSD-3-Clause
// A COO slice times many columns on a CUDA device, processed by one block. Each of its entries is decoded
// once. Then the threads form teams, one thread for each pack. A team multiplies some of the slice's chunks,
// and all of its threads process the same entries. So they read a row of X together, and do not diverge at
// the end of a row of the matrix. Each column is added in the order of a single product (sum_coo_rows()), so
// it has the same bits.
#pragma once

#include <cstdint>

#include "formats/packed/cuda/pack_coo_slice.cuh"

namespace gossamer::inline v0::formats {

/// How the threads of a block form teams.
template <int Packs, int ThreadsOfBlock>
struct wide_teams {
  static constexpr int packs = Packs;  ///< and threads of a team
  static constexpr int threads_of_block = ThreadsOfBlock;
  static constexpr int chunks_of_team = packed_lanes * Packs / ThreadsOfBlock;
};

/// A slice, in the shared memory of its block.
template <class S, int Columns>
struct wide_slice {
  static constexpr int none = packed_lanes;  ///< instead of a chunk

  packed_decoded<S> entries;
  std::uint8_t ends[packed_lanes];   ///< bit i of element c: entry i of chunk c is the last of its row
  std::uint8_t empty[packed_lanes];  ///< bit i of element c: row 8 c + i has no entries
  unsigned ending_chunks;            ///< bit c: a row ends in chunk c
  /// For each chunk and column, the sum of the row that goes on in the next chunk, if it has chunks of
  /// several teams.
  alignas(packed_piece) sum_t<S> sum[packed_lanes][Columns];

  /// Whether the last entry of a chunk is the last of its row.
  [[nodiscard]] __device__ __forceinline__ bool ends_with_row(int chunk) const {
    return ends[chunk] >> (packed_entries_of_chunk - 1) != 0;
  }
  /// The next chunk in which a row ends, or none.
  [[nodiscard]] __device__ __forceinline__ int next_end(int chunk) const {
    const unsigned later = ending_chunks >> chunk >> 1;
    return later == 0 ? none : chunk + __ffs(static_cast<int>(later));
  }
  /// The chunk in which the first row begins that ends in `chunk`. There is one.
  [[nodiscard]] __device__ __forceinline__ int begin_of_row(int chunk) const {
    const unsigned earlier = ending_chunks & ((1u << chunk) - 1);
    if (earlier == 0) return 0;
    const int last = packed_lanes - 1 - __clz(static_cast<int>(earlier));
    return ends_with_row(last) ? last + 1 : last;
  }
};

/// Reads where rows end, and which are empty. A whole warp calls it.
template <class S, int Columns>
__device__ __forceinline__ void mark_rows(const packed_coo_entries<S>& of, wide_slice<S, Columns>& slice) {
  unsigned empty = 0;
  mark_ends_of_rows(of, load_row_starts(of), slice.entries,
                    [&](int row) { empty |= 1u << row % packed_entries_of_chunk; });
  __syncwarp();
  const uint4 marks = reinterpret_cast<const uint4*>(slice.entries.end)[of.lane];
  const std::uint32_t word[] = {marks.x, marks.y, marks.z, marks.w};
  static_assert(packed_decoded<S>::ends_row == 1u << 8);
  unsigned ends = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) ends |= (word[i] >> 8 & 1u) << 2 * i | (word[i] >> 24 & 1u) << (2 * i + 1);
  slice.ends[of.lane] = static_cast<std::uint8_t>(ends);
  slice.empty[of.lane] = static_cast<std::uint8_t>(empty);
  const unsigned chunks = __ballot_sync(0xffffffffu, ends != 0);
  if (of.lane == 0) slice.ending_chunks = chunks;
}

/// Adds the sums of a row's chunks before its last chunk, in the order of the scan over lanes in
/// sum_coo_rows(). It is a binary tree whose last leaf is the last of these chunks. For five chunks:
/// c0 + ((c1 + c2) + (c3 + c4)).
template <class V, int Width>
class wide_tree {
 public:
  /// Called for each of the row's `chunks`, from the first to the last. after: how many of them follow this
  /// one. After the last call, `sum` is the sum of all.
  __device__ __forceinline__ void add(int after, int chunks, V (&sum)[Width]) {
#pragma unroll 1
    for (int level = 0; 1 << level < chunks; ++level) {
      if ((after >> level & 1) != 0) return exec::store_adjacent(left_[level], sum);
      if (after + (1 << level) >= chunks) continue;
#pragma unroll
      for (int j = 0; j < Width; ++j) sum[j] += left_[level][j];
    }
  }

 private:
  static constexpr int levels = 5;
  static_assert(1 << levels == packed_lanes);
  /// The sum of at most 1 << level chunks, until that of as many later ones is known.
  alignas(packed_piece) V left_[levels][Width];
};

/// A thread of a team. It multiplies the team's chunks by its pack. AtOnce: the entries whose elements of X
/// it loads together.
template <class Teams, int AtOnce, class S, int Width>
class wide_thread {
 public:
  using slice = wide_slice<S, Teams::packs * Width>;

  __device__ __forceinline__ wide_thread(slice& of, const exec::vector_pack<S, Width>& pack,
                                         std::int32_t first_row, int count, int team, int thread)
      : slice_(of),
        pack_(pack),
        first_row_(first_row),
        first_(team * Teams::chunks_of_team),
        last_(min(first_ + Teams::chunks_of_team, (count + size - 1) / size)),
        thread_(thread),
        is_open_(first_ > 0 && first_ < last_ && !of.ends_with_row(first_ - 1)),
        spans_teams_(is_open_),
        began_(first_) {}

  /// All threads of a block call it, and wait for each other.
  __device__ __forceinline__ void multiply() {
    // Not a member: since it is indexed, it is in memory, and this object would be there too.
    tree sums;
#pragma unroll 1
    for (int chunk = first_; chunk < last_; ++chunk) {
      sum_t<S> sum[Width];
      if (!multiply_chunk(chunk, sum)) continue;
      const int end = slice_.next_end(chunk);
      if (end == slice::none) break;  // the rest of the chunk is padding
      hand_on(chunk, end, sum, sums);
    }
    __syncthreads();
    if (shared_entry_ >= 0) finish_shared_row(sums);
  }

 private:
  static constexpr int size = packed_entries_of_chunk;
  using tree = wide_tree<sum_t<S>, Width>;

  /// Multiplies a chunk, and finishes the rows that end in it. Returns whether a row goes on, and its sum.
  __device__ __forceinline__ bool multiply_chunk(int chunk, sum_t<S> (&sum)[Width]) {
    const int ends = slice_.ends[chunk];
    const int end_of_open = is_open_ ? ends & -ends : 0;  // the lowest bit that is set
    sum_t<S> of_open[Width];
    clear(sum);
#pragma unroll 1
    for (int first = 0; first < size; first += AtOnce) {
      std::int32_t column[AtOnce];
      vector_t<S> x[AtOnce][Width];
      matrix_t<S> value[AtOnce];
      load_pieces(slice_.entries.column + chunk * size + first, column);
#pragma unroll
      for (int i = 0; i < AtOnce; ++i)
        pack_.template load<true>(true, exec::element_after(pack_.x, column[i], pack_.x_step_bytes), x[i]);
      load_pieces(slice_.entries.value + chunk * size + first, value);
#pragma unroll
      for (int i = 0; i < AtOnce; ++i) {
#pragma unroll
        for (int j = 0; j < Width; ++j) sum[j] += rounded_product(value[i], x[i][j]);
        const int bit = 1 << (first + i);
        if ((ends & bit) == 0) continue;
        if ((end_of_open & bit) == 0) finish(chunk * size + first + i, sum);
#pragma unroll
        for (int j = 0; j < Width; ++j)
          if ((end_of_open & bit) != 0) of_open[j] = sum[j];
        clear(sum);
      }
    }
    if (end_of_open != 0) finish_open_row(chunk * size + __ffs(end_of_open) - 1, of_open);
    return ends >> (size - 1) == 0;
  }
  /// -0, so that adding a first product of -0 gives -0.
  static __device__ __forceinline__ void clear(sum_t<S> (&sum)[Width]) {
#pragma unroll
    for (int j = 0; j < Width; ++j) sum[j] = -sum_t<S>{0};
  }
  /// Writes the row of Y whose last entry this is.
  __device__ __forceinline__ void finish(int entry, const sum_t<S> (&sum)[Width]) const {
    pack_.template finish_row<true>(first_row_ + (slice_.entries.end[entry] & 0xff), sum);
  }
  /// Adds the row's last chunk, or keeps it for finish_shared_row().
  __device__ __forceinline__ void finish_open_row(int entry, sum_t<S> (&sum)[Width]) {
    if (spans_teams_) {
      shared_entry_ = entry;
#pragma unroll
      for (int j = 0; j < Width; ++j) shared_sum_[j] = sum[j];
    } else {
#pragma unroll
      for (int j = 0; j < Width; ++j) sum[j] += before_[j];
      finish(entry, sum);
    }
    is_open_ = spans_teams_ = false;
  }
  /// Keeps the sum of a row that ends in chunk `end`, a later one.
  __device__ __forceinline__ void hand_on(int chunk, int end, sum_t<S> (&sum)[Width], tree& sums) {
    if (!is_open_) began_ = chunk;
    is_open_ = true;
    spans_teams_ = spans_teams_ || end >= first_ + Teams::chunks_of_team;
    if (spans_teams_) return exec::store_adjacent(&slice_.sum[chunk][thread_ * Width], sum);
    sums.add(end - 1 - chunk, end - began_, sum);
#pragma unroll
    for (int j = 0; j < Width; ++j) before_[j] = sum[j];
  }
  /// Adds what several teams have of the row that ends in this one. All of them have stored their sums.
  __device__ __forceinline__ void finish_shared_row(tree& sums) {
    const int end = shared_entry_ / size;
    const int begin = slice_.begin_of_row(end);
    sum_t<S> sum[Width];
#pragma unroll 1
    for (int chunk = begin; chunk < end; ++chunk) {
      exec::load_adjacent(&slice_.sum[chunk][thread_ * Width], sum);
      sums.add(end - 1 - chunk, end - begin, sum);
    }
#pragma unroll
    for (int j = 0; j < Width; ++j) shared_sum_[j] += sum[j];
    finish(shared_entry_, shared_sum_);
  }

  slice& slice_;
  const exec::vector_pack<S, Width>& pack_;
  const std::int32_t first_row_;
  const int first_;  ///< chunk
  const int last_;   ///< the chunk after the last one
  const int thread_;
  /// The open row began in an earlier chunk, and has not ended.
  bool is_open_;
  bool spans_teams_;            ///< it has chunks of several teams
  int began_;                   ///< in this chunk
  sum_t<S> before_[Width];      ///< its sum so far, unless it spans teams
  int shared_entry_ = -1;       ///< the last entry of a row that spans teams, if this team has one
  sum_t<S> shared_sum_[Width];  ///< of that row's last chunk
};

/// Writes the rows of Y that have no entries, each team some.
template <class Teams, class S, int Width, int Columns>
__device__ __forceinline__ void write_empty_rows(const wide_slice<S, Columns>& slice, std::int32_t first_row,
                                                 int team, const exec::vector_pack<S, Width>& pack) {
#pragma unroll 1
  for (int i = team * Teams::chunks_of_team; i < (team + 1) * Teams::chunks_of_team; ++i)
    for (unsigned empty = slice.empty[i]; empty != 0; empty &= empty - 1) {
      const sum_t<S> zeros[Width] = {};
      const int row = i * packed_entries_of_chunk + __ffs(static_cast<int>(empty)) - 1;
      pack.template finish_row<true>(first_row + row, zeros);
    }
}

}  // namespace gossamer::inline v0::formats
