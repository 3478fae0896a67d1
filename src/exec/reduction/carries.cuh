// SPDX-License-Identifier: BSD-3-Clause
// Combining shared rows on a device, inside the kernel that made the slots: the block that arrives last at a
// row adds all of the row's slots, in a fixed order, so that the bits do not depend on who was last. No
// second launch.
#pragma once

#include "exec/reduction/carries.hpp"
#include "exec/reduction/row_sums.cuh"

namespace gossamer::inline v0::exec {

/// A unit that is a whole row or a piece of one.
struct row_piece {
  std::int32_t run = -1;  ///< of the row's pieces; -1: the whole row
  std::uint32_t first =
      0;  ///< slots of the run; two for each block of a grid fit in 32 bits, which saves registers
  std::uint32_t last = 0;
  bool begins_before = false;
  bool goes_on = false;
};

/// Of what finding a piece waits for, this is asked for first.
struct runs_at_ends {
  std::int32_t head;
  std::int32_t tail;
};

__device__ __forceinline__ row_piece find_piece(const carry_view& carries, const runs_at_ends& ends) {
  row_piece piece;
  piece.begins_before = ends.head >= 0;
  piece.goes_on = ends.tail >= 0;
  piece.run = piece.begins_before ? ends.head : ends.tail;
  if (piece.run >= 0) {
    piece.first = static_cast<std::uint32_t>(carries.first[piece.run]);
    piece.last = static_cast<std::uint32_t>(carries.last[piece.run]);
  }
  return piece;
}

/// Asks for the count that the piece's arrival will change, which no cache may hold. Nothing waits for it.
template <class V>
__device__ __forceinline__ void expect_arrival(const carry_view& carries, const row_piece& piece,
                                               const carry_room<V>& room) {
  if (piece.run >= 0 && !carries.apart && threadIdx.x == 0)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(room.arrivals(carries) + piece.run));
}

/// Of a slot that another block has filled: not through the L1 cache.
template <class V>
__device__ __forceinline__ V load_slot(const V* slot) {
  if constexpr (is_pack<V>) {
    V all;
    constexpr int numbers = sizeof(V) / sizeof(all.v[0]);
#pragma unroll
    for (int j = 0; j < numbers; ++j) all.v[j] = __ldcg(slot->v + j);
    return all;
  } else {
    return __ldcg(slot);
  }
}

/// What block u ends with, whose unit is a row or a piece of one: `sum` is each thread's part. The whole row
/// is finished at once; of a piece the sum is left in its slot, and the block that arrives last at the row
/// adds them all, unless they are combined apart.
template <int Threads, class S>
__device__ __forceinline__ void finish_piece(const carry_view& carries, const row_piece& piece,
                                             std::int64_t u, std::int64_t row, sum_t<S> sum,
                                             const carry_room<sum_t<S>>& room, const product<S>& p) {
  sum = sum_block<Threads>(sum);
  if (threadIdx.x >= warp_size) return;
  if (piece.run < 0) {
    if (threadIdx.x == 0) p.finish_row(row, sum);
    return;
  }
  int is_last = 0;
  if (threadIdx.x == 0) {
    sum_t<S>* const slots = room.slots + slots_per_unit * u;
    slots[piece.begins_before ? 0 : 1] = sum;
    if (piece.begins_before && piece.goes_on) slots[1] = sum_t<S>{0};  // one sum for both
    if (!carries.apart) {
      unsigned* arrived = room.arrivals(carries) + piece.run;
      const unsigned units = (piece.last - piece.first) / static_cast<unsigned>(slots_per_unit) + 1;
      __threadfence();  // the slot is visible before the arrival is
      // Wraps to zero at the last arrival, so that the next product finds it so.
      is_last = atomicInc(arrived, units - 1) == units - 1 ? 1 : 0;
      __threadfence();
    }
  }
  if (__shfl_sync(0xffffffffu, is_last, 0) == 0) return;
  __syncwarp();  // orders the other lanes' reads after the first one's fence
  sum_t<S> total{0};
#pragma unroll 4
  for (std::int64_t s = piece.first + threadIdx.x; s < piece.last; s += warp_size)
    total += load_slot(room.slots + s);
  total = sum_lanes<warp_size>(total);
  if (threadIdx.x == 0) p.finish_row(row, total);
}

/// A block's unit that is a row or a piece of one: val, col are its entries. In f32 the look-up of the piece
/// goes on while the entries are on their way, since each load that waits for another takes most of a
/// microsecond where no cache holds it; of f64's there would be more than the registers that least_blocks
/// leaves can hold (docs/notes/csr.md).
template <int Threads, class S>
__device__ __forceinline__ void multiply_and_finish_piece(const carry_view& carries, std::int64_t u,
                                                          std::int64_t row, const matrix_t<S>* val,
                                                          const std::int32_t* col, int entries,
                                                          const carry_room<sum_t<S>>& room,
                                                          const product<S>& p) {
  const runs_at_ends ends{.head = carries.run_at_cut[u], .tail = carries.run_at_cut[u + 1]};
  row_piece piece;
  const auto look_up = [&] {
    piece = find_piece(carries, ends);
    expect_arrival(carries, piece, room);
  };
  constexpr bool at_once = sizeof(sum_t<S>) <= 4;
  if (!at_once) look_up();
  const sum_t<S> sum = multiply_piece<Threads, S>(val, col, entries, p.x, [&] {
    if (at_once) look_up();
  });
  finish_piece<Threads>(carries, piece, u, row, sum, room, p);
}

}  // namespace gossamer::inline v0::exec
