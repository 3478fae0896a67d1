// SPDX-License-Identifier: BSD-3-Clause
// A COO slice times many columns on a CUDA device, processed by one thread block. It decodes each entry once
// into shared memory. A chunk is eight consecutive entries, a pack is 16 bytes of a row of X, and a team has
// one thread for each pack. Each team multiplies consecutive chunks. All of its threads process the same
// entry, so their loads of X are coalesced, and they do not diverge where a row of the matrix ends. Each
// column is added in the order of a product by one vector (sum_coo_rows()), so it has the same bits.
#pragma once

#include <cstdint>

#include "formats/packed/cuda/pack_coo_slice.cuh"

namespace gossamer::inline v0::formats {

/// How the threads of a block form teams.
template <int Packs, int ThreadsOfBlock>
struct wide_teams {
  static constexpr int packs = Packs;  ///< of all columns; a team has as many threads
  static constexpr int threads_of_block = ThreadsOfBlock;
  static constexpr int chunks_of_team = packed_lanes * Packs / ThreadsOfBlock;
};

/// A slice, in the shared memory of its block.
template <class S, int Columns>
struct wide_slice {
  static constexpr int none = packed_lanes;  ///< no chunk: the chunks are 0 to packed_lanes - 1

  packed_decoded<S> entries;
  std::uint8_t ends[packed_lanes];   ///< bit i of element c: entry i of chunk c is the last of its row
  std::uint8_t empty[packed_lanes];  ///< bit i of element t: row 8 t + i has no entries
  unsigned ending_chunks;            ///< bit c: a row ends in chunk c
  /// The sums of chunks whose last row goes on in the next chunk, for each column. Only if that row has
  /// chunks of several teams.
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
  /// The chunk in which the first row that ends in `chunk` begins. A row must end in `chunk`.
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
/// sum_coo_rows(): a complete binary tree whose last leaf is the last of these chunks, without the leaves
/// that are missing at the front. For five chunks: c0 + ((c1 + c2) + (c3 + c4)).
template <class V, int Width>
class wide_tree {
 public:
  /// Call it for each of these chunks, in order. chunks: how many there are. after: how many follow this one.
  /// After the last call, `sum` is the sum of all.
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
  /// The left operand of each level: the sum of at most 1 << level chunks, until that of the next 1 << level
  /// chunks is known.
  alignas(packed_piece) V left_[levels][Width];
};

/// A thread of a team. It multiplies the team's chunks by its pack. AtOnce: the entries whose elements of X
/// it loads together.
template <class Teams, int AtOnce, class S, int Width>
class wide_thread {
 public:
  using slice = wide_slice<S, Teams::packs * Width>;

  __device__ __forceinline__ wide_thread(slice& of, const exec::vector_pack<S, Width>& pack,
                                         std::int32_t first_row, int entries, int team, int thread)
      : slice_(of),
        pack_(pack),
        first_row_(first_row),
        first_chunk_(team * Teams::chunks_of_team),
        end_chunk_(min(first_chunk_ + Teams::chunks_of_team, (entries + size - 1) / size)),
        thread_(thread),
        is_open_(first_chunk_ > 0 && first_chunk_ < end_chunk_ && !of.ends_with_row(first_chunk_ - 1)),
        open_spans_teams_(is_open_),
        began_(first_chunk_) {}

  /// All threads of a block call it, and wait for each other.
  __device__ __forceinline__ void multiply() {
    // Not a member: it is indexed dynamically, and would put the whole object in local memory.
    tree sums;
#pragma unroll 1
    for (int chunk = first_chunk_; chunk < end_chunk_; ++chunk) {
      sum_t<S> sum[Width];
      if (!multiply_chunk(chunk, sum)) continue;
      const int end = slice_.next_end(chunk);
      if (end == slice::none) break;  // the rest of the chunk is padding
      carry_row(chunk, end, sum, sums);
    }
    __syncthreads();
    if (shared_entry_ >= 0) finish_shared_row(sums);
  }

 private:
  static constexpr int size = packed_entries_of_chunk;
  using tree = wide_tree<sum_t<S>, Width>;

  /// Multiplies a chunk, and finishes the rows that end in it. Returns whether a row goes on in the next
  /// chunk; then `sum` is that of its entries in this one.
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
    if (open_spans_teams_) {
      shared_entry_ = entry;
#pragma unroll
      for (int j = 0; j < Width; ++j) shared_sum_[j] = sum[j];
    } else {
#pragma unroll
      for (int j = 0; j < Width; ++j) sum[j] += before_[j];
      finish(entry, sum);
    }
    is_open_ = open_spans_teams_ = false;
  }
  /// Keeps the chunk's sum of a row that ends in a later chunk, `end`.
  __device__ __forceinline__ void carry_row(int chunk, int end, sum_t<S> (&sum)[Width], tree& sums) {
    if (!is_open_) began_ = chunk;
    is_open_ = true;
    open_spans_teams_ = open_spans_teams_ || end >= first_chunk_ + Teams::chunks_of_team;
    if (open_spans_teams_) return exec::store_adjacent(&slice_.sum[chunk][thread_ * Width], sum);
    sums.add(end - 1 - chunk, end - began_, sum);
#pragma unroll
    for (int j = 0; j < Width; ++j) before_[j] = sum[j];
  }
  /// Adds the sums that several teams have stored of a row that ends in this team's chunks.
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
  const int first_chunk_;
  const int end_chunk_;  ///< the one after the team's last chunk
  const int thread_;
  /// A row is open if it began in an earlier chunk and has not ended.
  bool is_open_;
  bool open_spans_teams_;       ///< the open row has chunks of several teams
  int began_;                   ///< the first chunk of the open row
  sum_t<S> before_[Width];      ///< the sum of the open row so far, unless it spans teams
  int shared_entry_ = -1;       ///< the last entry of a row that began in another team's chunks; -1 if none
  sum_t<S> shared_sum_[Width];  ///< that row's sum in the chunk where it ends
};

/// Writes the rows of Y that have no entries. Groups of eight rows are divided among the teams as chunks are.
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
