// SPDX-License-Identifier: BSD-3-Clause
// The rows of a chunk of consecutive entries, summed by one thread block (paper 001, sections 2.2 and 2.3), a warp some tiles, one after the
// other: each lane takes a few neighbouring entries of a tile, and what lanes have of one row is added by a segmented scan in registers. All
// that the warp reads is on its way to shared memory from the start, so that few registers are taken while it waits.
#pragma once

#include "exec/async_copy.cuh"
#include "exec/chunk_warps.cuh"

namespace gossamer::inline v0::exec {

/// Threads of a block that takes `steps` tiles a warp.
inline unsigned step_threads(int count, int steps, std::int64_t entries) {
  const std::int64_t each = std::int64_t{warp_size} * count * steps;
  return static_cast<unsigned>((std::min<std::int64_t>(entries, chunk_tile) + each - 1) / each * warp_size);
}

/// What the warps of a block leave each other, and what is on its way to them. Values: with room for those of the matrix.
template <int Count, int Steps, bool Values, class V>
struct step_room {
  static constexpr int tile = warp_size * Count;
  static constexpr int most_warps = chunk_tile / tile / Steps;
  struct of_tile {
    alignas(16) V x[tile];
    alignas(16) V values[Values ? tile : 1];
  };
  of_tile of_warp[most_warps][Steps];
  // Of each warp what it has of the row that is open at its end, and whether that row began in it; in turns, so that one barrier will do.
  V tails[2][most_warps];
  int begun[2][most_warps];
  std::int32_t last_row;
};

/// What is known of a chunk beside its entries and is not needed to ask for those.
struct chunk_rest {
  std::int32_t first_row;
  std::int32_t run_before;  ///< negative unless its first row has, or may have, entries in the chunk before
  std::int32_t next_row;    ///< for the first warp only, as the next
  std::int32_t run_behind;
};

/// As sum_chunk_by_warps(). Long: chunks may have more entries than a block takes at a time. ask_for_rest(wanted, is_first_warp, chunk_rest&) loads what is wanted. entries.ask(k, lane, room) asks for entries k ... k + Steps tile - 1 and returns what entries.take(asked, step, k, lane,
/// room, row, product) needs to give the rows and products of those of a tile.
template <bool Long, int Count, int Steps, bool Values, class V, class Entries, class AskForRest>
__device__ __forceinline__ void sum_chunk_in_steps(bool is_first, const Entries& entries,
                                                   const AskForRest& ask_for_rest, const product<V>& p, V* slots,
                                                   step_room<Count, Steps, Values, V>& all) {
  constexpr unsigned everyone = 0xffffffffu;
  using room_type = step_room<Count, Steps, Values, V>;
  constexpr int tile = room_type::tile;
  const int lane = static_cast<int>(threadIdx.x % warp_size);
  const int warp = room_type::most_warps == 1 ? 0 : static_cast<int>(threadIdx.x / warp_size);
  const int warps = room_type::most_warps == 1 ? 1 : static_cast<int>(blockDim.x / warp_size);
  const bool writes_empty = p.beta != V{1};
  chunk_rest rest{};
  const auto leave = [&](int which, std::int32_t row, V sum) {
    if (slots != nullptr)
      slots[which] = sum;
    else
      atomicAdd(p.y + rest.first_row + row, p.alpha * sum);
  };
  const auto finish = [&](std::int32_t row, V sum) {
    if (row == 0 && rest.run_before >= 0) {
      leave(0, row, sum);
    } else {
      V* const y = p.y + rest.first_row + row;
      *y = p.beta == V{0} ? p.alpha * sum : p.alpha * sum + p.beta * *y;
    }
  };

  V open{0};  // of the row at hand, in the tiles of warps before
  int turn = 0;
#pragma unroll 1
  for (int base = 0; base == 0 || (Long && base < entries.entries); base += warps * Steps * tile, turn ^= 1) {
    const int begin = base + warp * Steps * tile;
    const auto asked = entries.ask(begin, lane, all.of_warp[warp]);
    ask_for_rest(base == 0, warp == 0, rest);
    V carry{0};               // of the row at hand, in the steps before
    V kept{0};                // lane 0: what the warp has of the first row that ends in it, which others may have begun
    std::int32_t kept_row{};  // that row
    bool begun = false;       // one has ended
#pragma unroll
    for (int step = 0; step < Steps; ++step) {
      V* const room = all.of_warp[warp][step].x;
      std::int32_t row[Count];
      V sum[Count];
      const std::int32_t before =
          entries.take(asked, step, begin + step * tile, lane, all.of_warp[warp], row, sum);
#pragma unroll
      for (int i = 1; i < Count; ++i) add_if(row[i] == row[i - 1], sum[i], sum[i - 1]);
      if (step == Steps - 1 && warp == warps - 1 && lane == warp_size - 1) all.last_row = row[Count - 1];
      const unsigned ends = __ballot_sync(everyone, row[Count - 1] != before);
      const V tail = sum_open_rows(sum[Count - 1], ends, lane);
      if (ends == 0) {
        carry += __shfl_sync(everyone, tail, warp_size - 1);
        continue;
      }
      V head = __shfl_up_sync(everyone, tail, 1);
      if (lane == 0) head = V{0};
      if ((ends & ((1u << lane) - 1u)) == 0) head = carry + head;
      carry = __shfl_sync(everyone, tail, warp_size - 1);
      // Rows first ... end - 1 end here; those without entries are among them. Where there is room for all, neighbouring lanes write
      // neighbouring rows.
      const std::int32_t first = __shfl_sync(everyone, before, 0);
      const std::int32_t end = __shfl_sync(everyone, row[Count - 1], warp_size - 1);
      __syncwarp();  // all lanes have taken what lay here
      if (end - first <= tile) {
        using piece = typename warp_exchange<Count, V>::group;
#pragma unroll
        for (int g = 0; g < warp_exchange<Count, V>::groups; ++g)
          reinterpret_cast<piece*>(room)[g * warp_size + lane] = piece{};
        __syncwarp();
#pragma unroll
        for (int i = 0; i < Count; ++i) {
          const std::int32_t ended = i > 0 ? row[i - 1] : before;
          if (i > 0) store_shared_if(row[i] != ended, room + (ended - first), sum[i - 1]);
        }
        if ((ends >> lane & 1u) != 0) room[before - first] += head;
        __syncwarp();
        std::int32_t r = lane;
        if (!begun && lane == 0) {
          kept = room[0];
          r += warp_size;
        }
#pragma unroll 1
        for (; r < end - first; r += warp_size) finish(first + r, room[r]);
      } else {
#pragma unroll
        for (int i = 0; i < Count; ++i) {
          const std::int32_t ended = i > 0 ? row[i - 1] : before;
          if (row[i] != ended) {
            const V part = i > 0 ? sum[i - 1] : V{0};
            const V whole = ended == before ? head + part : part;
            if (ended == first && !begun)
              room[0] = whole;
            else
              finish(ended, whole);
            if (writes_empty)
#pragma unroll 1
              for (std::int32_t r = ended + 1; r < row[i]; ++r) finish(r, V{0});
          }
        }
        __syncwarp();
        if (!begun && lane == 0) kept = room[0];
      }
      if (!begun) kept_row = first;
      begun = true;
    }
    if (lane == 0) {
      all.tails[turn][warp] = carry;
      all.begun[turn][warp] = begun ? 1 : 0;
    }
    if constexpr (room_type::most_warps == 1)
      __syncwarp();
    else
      __syncthreads();
    // What warps before `end` have of the row that is open there.
    const auto open_before = [&](int end) {
      V sum{0};
      for (int w = end - 1; w >= 0; --w) {
        sum = all.tails[turn][w] + sum;
        if (all.begun[turn][w] != 0) return sum;
      }
      return open + sum;
    };
    if (begun && lane == 0) finish(kept_row, open_before(warp) + kept);
    const bool goes_on = Long && base + warps * Steps * tile < entries.entries;
    if (goes_on || warp == 0) open = open_before(warps);
    if constexpr (!Long) break;
  }

  if (warp != 0) return;
  const std::int32_t last_row = all.last_row;
  if (lane == 0) {
    if (last_row == 0 && rest.run_before >= 0) {
      leave(0, last_row, open);
      if (slots != nullptr) slots[1] = V{0};
    } else if (rest.run_behind >= 0) {
      leave(1, last_row, open);
    } else {
      p.finish_row(rest.first_row + last_row, open);
    }
  }
  if (!writes_empty) return;
  if (is_first)
#pragma unroll 1
    for (std::int32_t r = lane; r < rest.first_row; r += warp_size) p.finish_row(r, V{0});
#pragma unroll 1
  for (std::int32_t r = rest.first_row + last_row + 1 + lane; r < rest.next_row; r += warp_size)
    p.finish_row(r, V{0});
}

}  // namespace gossamer::inline v0::exec
