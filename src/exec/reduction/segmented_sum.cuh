// SPDX-License-Identifier: BSD-3-Clause
// The rows of a chunk of consecutive entries, summed by one thread block (paper 001, sections 2.2 and 2.3), a
// warp a tile: each lane takes a few neighbouring entries, and what lanes have of one row is added by a
// segmented scan in registers.
#pragma once

#include "exec/cuda/kernel/launch.cuh"
#include "exec/cuda/kernel/shared_stores.cuh"
#include "exec/cuda/kernel/warp_exchange.cuh"
#include "exec/product.hpp"

namespace gossamer::inline v0::exec {

/// Entries that a block takes at a time at most; of a longer chunk it goes on with the next ones.
inline constexpr int chunk_tile = 1024;

/// Threads of a block that takes `count` entries a thread of chunks with so many.
inline unsigned chunk_threads(int count, std::int64_t entries) {
  const std::int64_t threads = (std::min<std::int64_t>(entries, chunk_tile) + count - 1) / count;
  return static_cast<unsigned>((threads + warp_size - 1) / warp_size * warp_size);
}

/// Blocks that one multiprocessor must have room for, which bounds the registers of a kernel to 64, 48 and 40
/// with 8, 4 and 2 entries a thread: while a block waits (where the chunk stands, its entries, x) others have
/// to fill the time.
constexpr int chunk_blocks(int count) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
  const int threads = 1024;  // there is no room for more
#else
  const int threads = count == 8 ? 1024 : count == 4 ? 1280 : 1536;
#endif
  return threads * count / chunk_tile;
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

/// What the warps of a block leave each other.
template <int Count, class V>
struct chunk_room {
  static constexpr int tile = warp_size * Count;
  static constexpr int most_warps = chunk_tile / tile;
  alignas(16) V of_warp[most_warps][tile];
  // Of each warp what it has of the row that is open at its end, and whether that row began in it; in turns,
  // so that one barrier will do.
  V tails[2][most_warps];
  int begun[2][most_warps];
};

/// Up to and with each lane, the sum of the row that is open behind it; `ends` has a bit for each lane in
/// which a row ends. No more steps are made than the longest row needs.
template <class V>
__device__ __forceinline__ V sum_open_rows(V sum, unsigned ends, int lane) {
  unsigned reaches = ~ends & ~1u;  // lanes whose row was open `distance` lanes before
#pragma unroll
  for (int distance = 1; distance < warp_size; distance *= 2) {
    if (reaches == 0) break;
    const V before = __shfl_up_sync(0xffffffffu, sum, distance);
    if ((reaches >> lane & 1u) != 0) sum += before;
    reaches &= reaches << distance;
  }
  return sum;
}

/// Finishes the rows that end in a chunk and, unless beta is 1, those without entries before the next chunk's
/// first row. What it has of a row that other chunks share goes to its two slots as carry_list says, or where
/// there are none (null) is added to y atomically, beta being 1 then.
///
/// Called by a whole block of chunk_threads(). entries.load(k, lane, room, row, product) is called by a warp
/// and gives the rows (from the chunk's first) and products of entries k + Count lane + 0 ... Count - 1, and
/// returns the row of the one before, 0 for the first; behind the last one product is 0 and row the last
/// one's. chunk.next_row, .goes_on and entries.last_row(), the row of the last entry, are asked for by the
/// first warp only. The order of additions depends on the rows alone.
template <int Count, class S, class Entries>
__device__ __forceinline__ void sum_chunk(const chunk_place& chunk, const Entries& entries,
                                          const product<S>& p, sum_t<S>* slots) {
  constexpr unsigned everyone = 0xffffffffu;
  constexpr int tile = chunk_room<Count, sum_t<S>>::tile;
  __shared__ chunk_room<Count, sum_t<S>> all;
  const int lane = static_cast<int>(threadIdx.x % warp_size);
  const int warp = static_cast<int>(threadIdx.x / warp_size);
  const int warps = static_cast<int>(blockDim.x / warp_size);
  const bool writes_empty = p.beta != sum_t<S>{1};
  sum_t<S>* const room = all.of_warp[warp];
  vector_t<S>* const y = p.y + chunk.first_row;
  const auto leave = [&](int which, std::int32_t row, sum_t<S> sum) {
    if (slots != nullptr)
      slots[which] = sum;
    else
      atomicAdd(y + row, p.alpha * sum);
  };
  const auto finish = [&](std::int32_t row, sum_t<S> sum) {
    if (row == 0 && chunk.began_before)
      leave(0, row, sum);
    else
      p.finish_row(chunk.first_row + row, sum);
  };
  const std::int32_t last_row = warp == 0 ? entries.last_row() : 0;

  sum_t<S> open{0};  // of the row at hand, in the tiles before
  int buffer = 0;
  for (int base = 0; base < chunk.entries; base += warps * tile, buffer ^= 1) {
    // What warps before `end` have of the row that is open there.
    const auto open_before = [&](int end) {
      sum_t<S> sum{0};
      for (int w = end - 1; w >= 0; --w) {
        sum = all.tails[buffer][w] + sum;
        if (all.begun[buffer][w] != 0) return sum;
      }
      return open + sum;
    };
    std::int32_t row[Count];
    sum_t<S> sum[Count];
    const std::int32_t before = entries.load(base + warp * tile, lane, room, row, sum);

    // Up to and with each entry, what the lane has of its row.
#pragma unroll
    for (int i = 1; i < Count; ++i)
      if (row[i] == row[i - 1]) sum[i] += sum[i - 1];
    const unsigned ends = __ballot_sync(everyone, row[Count - 1] != before);
    const sum_t<S> tail = sum_open_rows(sum[Count - 1], ends, lane);
    if (lane == warp_size - 1) {
      all.tails[buffer][warp] = tail;
      all.begun[buffer][warp] = ends != 0 ? 1 : 0;
    }
    sum_t<S> head = __shfl_up_sync(everyone, tail, 1);
    if (lane == 0) head = sum_t<S>{0};
    // Rows first ... end - 1 end here; those without entries are among them. Where there is room for all,
    // neighbouring lanes write neighbouring rows.
    const std::int32_t first = __shfl_sync(everyone, before, 0);
    const std::int32_t end = __shfl_sync(everyone, row[Count - 1], warp_size - 1);
    const bool has_room = end - first <= tile;
    if (ends != 0 && has_room) {
      __syncwarp();  // all lanes have taken what lay here
      using piece = typename warp_exchange<Count, sum_t<S>>::group;
#pragma unroll
      for (int g = 0; g < warp_exchange<Count, sum_t<S>>::groups; ++g)
        reinterpret_cast<piece*>(room)[g * warp_size + lane] = piece{};
      __syncwarp();
#pragma unroll
      for (int i = 0; i < Count; ++i) {
        const std::int32_t ended = i > 0 ? row[i - 1] : before;
        store_shared_if(row[i] != ended, room + (ended - first), i > 0 ? sum[i - 1] : sum_t<S>{0});
      }
    }
    __syncthreads();

    if (ends != 0) {
      // The row that ends first in a lane may have begun in others.
      if ((ends & ((1u << lane) - 1u)) == 0) head = open_before(warp) + head;
      if (has_room) {
        if ((ends >> lane & 1u) != 0) room[before - first] += head;
        __syncwarp();
#pragma unroll 1
        for (int r = lane; r < end - first; r += warp_size) finish(first + r, room[r]);
        __syncwarp();
      } else {
#pragma unroll
        for (int i = 0; i < Count; ++i) {
          const std::int32_t ended = i > 0 ? row[i - 1] : before;
          if (row[i] != ended) {
            const sum_t<S> part = i > 0 ? sum[i - 1] : sum_t<S>{0};
            finish(ended, ended == before ? head + part : part);
            if (writes_empty)
#pragma unroll 1
              for (std::int32_t r = ended + 1; r < row[i]; ++r) finish(r, sum_t<S>{0});
          }
        }
      }
    }
    const bool is_followed = base + warps * tile < chunk.entries;
    if (is_followed || warp == 0) open = open_before(warps);
  }

  if (warp != 0) return;
  if (lane == 0) {
    if (last_row == 0 && chunk.began_before) {
      leave(0, last_row, open);
      if (slots != nullptr) slots[1] = sum_t<S>{0};
    } else if (chunk.goes_on) {
      leave(1, last_row, open);
    } else {
      p.finish_row(chunk.first_row + last_row, open);
    }
  }
  if (!writes_empty) return;
  const auto finish_empty = [&](std::int32_t from, std::int32_t to) {
#pragma unroll 1
    for (std::int32_t r = from + lane; r < to; r += warp_size) p.finish_row(r, sum_t<S>{0});
  };
  if (chunk.is_first) finish_empty(0, chunk.first_row);
  finish_empty(chunk.first_row + last_row + 1, chunk.next_row);
}

}  // namespace gossamer::inline v0::exec
