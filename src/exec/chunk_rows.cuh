// SPDX-License-Identifier: BSD-3-Clause
// The rows of a chunk of consecutive entries, summed by one thread block (paper 001, sections 2.2 and 2.3): each thread takes a few
// neighbouring entries, and what threads have of one row is added by a segmented scan, in registers within a warp.
#pragma once

#include "exec/launch.cuh"
#include "exec/product.hpp"

namespace gossamer::inline v0::exec {

/// Entries that a block takes at a time at most; of a longer chunk it goes on with the next ones.
inline constexpr int chunk_tile = 1024;

/// Threads of a block that takes `count` entries a thread of chunks with so many.
inline unsigned chunk_threads(int count, std::int64_t entries) {
  const std::int64_t threads = (std::min<std::int64_t>(entries, chunk_tile) + count - 1) / count;
  return static_cast<unsigned>((threads + warp_size - 1) / warp_size * warp_size);
}

/// Where a chunk stands.
struct chunk_place {
  std::int32_t first_row;  ///< of its first entry
  std::int32_t next_row;   ///< of the next chunk's first entry; where there is none, the number of rows
  int entries;             ///< at least 1
  bool is_first;
  bool began_before;  ///< its first row has, or may have, entries in the chunk before
  bool goes_on;       ///< its last row has, or may have, some in the next
};

/// Finishes the rows that end in a chunk and, unless beta is 1, those without entries before the next chunk's first row. What it has of a row
/// that other chunks share goes to its two slots as carry_list says, or where there are none (null) is added to y atomically, beta being 1 then.
///
/// Called by a whole block of chunk_threads(). entries.load(k, lane, row, product) gives the rows (from the chunk's first) and products of entries
/// k ... k + Count - 1, and returns to lane 0 the row of entry k - 1; product is 0 behind the last. entries.last_row() is that of the last.
/// The order of additions depends on the rows alone.
template <int Count, class V, class Entries>
__device__ __forceinline__ void sum_chunk(const chunk_place& chunk, const Entries& entries,
                                          const product<V>& p, V* slots) {
  constexpr unsigned everyone = 0xffffffffu;
  constexpr int most_warps = chunk_tile / Count / warp_size;
  // Of each warp what it has of the row that is open at its end, and whether that row began in it; in turns, so that one barrier will do.
  __shared__ V tails[2][most_warps];
  __shared__ int begun[2][most_warps];
  const int tid = static_cast<int>(threadIdx.x);
  const int lane = tid % warp_size;
  const int warp = tid / warp_size;
  const int threads = static_cast<int>(blockDim.x);
  const bool writes_empty = p.beta != V{1};
  const auto finish_empty = [&](std::int32_t from, std::int32_t to) {
    for (std::int32_t row = from; row < to; ++row) p.finish_row(row, V{0});
  };
  const auto leave = [&](int which, std::int32_t row, V sum) {
    if (slots != nullptr)
      slots[which] = sum;
    else
      atomicAdd(p.y + row, p.alpha * sum);
  };
  const std::int32_t last_row = tid == 0 ? entries.last_row() : 0;

  V open{0};  // of the row at hand, in the tiles before
  int turn = 0;
  for (int base = 0; base < chunk.entries; base += threads * Count, turn ^= 1) {
    // What warps before `end` have of the row that is open there.
    const auto open_before = [&](int end) {
      V sum{0};
      for (int w = end - 1; w >= 0; --w) {
        sum = tails[turn][w] + sum;
        if (begun[turn][w] != 0) return sum;
      }
      return open + sum;
    };
    const int k = base + tid * Count;
    std::int32_t row[Count];
    V product[Count];
    std::int32_t previous = entries.load(k, lane, row, product);
    const std::int32_t of_lane_before = __shfl_up_sync(everyone, row[Count - 1], 1);
    if (lane > 0) previous = of_lane_before;

    // A row that began and ended here is finished at once; of the one that ends here first there may be more in the threads before.
    V head{0};
    V sum{0};
    std::int32_t ended = -1;
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      if (k + i < chunk.entries && row[i] != previous) {
        if (ended >= 0) {
          p.finish_row(chunk.first_row + previous, sum);
        } else {
          head = sum;
          ended = previous;
        }
        if (writes_empty) finish_empty(chunk.first_row + previous + 1, chunk.first_row + row[i]);
        sum = V{0};
      }
      sum += product[i];
      previous = row[i];
    }

    // Up to and with each lane, the row that is open behind it.
    const unsigned ends = __ballot_sync(everyone, ended >= 0);
    const unsigned so_far = ends & (everyone >> (warp_size - 1 - lane));
    const int from = so_far != 0 ? warp_size - 1 - __clz(static_cast<int>(so_far)) : 0;
#pragma unroll
    for (int distance = 1; distance < warp_size; distance *= 2) {
      const V before = __shfl_up_sync(everyone, sum, distance);
      if (lane - from >= distance) sum = before + sum;
    }
    const V of_lanes_before = __shfl_up_sync(everyone, sum, 1);
    if (lane > 0) head = of_lanes_before + head;
    if (lane == warp_size - 1) {
      tails[turn][warp] = sum;
      begun[turn][warp] = ends != 0 ? 1 : 0;
    }
    __syncthreads();
    if (ended >= 0) {
      if (__ffs(static_cast<int>(ends)) - 1 == lane) head = open_before(warp) + head;
      if (ended == 0 && chunk.began_before)
        leave(0, chunk.first_row, head);
      else
        p.finish_row(chunk.first_row + ended, head);
    }
    open = open_before(threads / warp_size);
  }

  if (tid != 0) return;
  const std::int32_t row = chunk.first_row + last_row;
  if (last_row == 0 && chunk.began_before) {
    leave(0, row, open);
    if (slots != nullptr) slots[1] = V{0};
  } else if (chunk.goes_on) {
    leave(1, row, open);
  } else {
    p.finish_row(row, open);
  }
  if (!writes_empty) return;
  if (chunk.is_first) finish_empty(0, chunk.first_row);
  finish_empty(row + 1, chunk.next_row);
}

}  // namespace gossamer::inline v0::exec
