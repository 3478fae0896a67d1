// SPDX-License-Identifier: BSD-3-Clause
// Combining shared rows on a device, inside the kernel that made the slots: the block that arrives last at a row adds all of
// the row's slots, in a fixed order, so that the bits do not depend on who was last. No second launch.
#pragma once

#include "exec/carries.hpp"
#include "exec/row_sums.cuh"

namespace gossamer::inline v0::exec {

/// The scratch of one product: slots, then one count of arrivals a run, all zero before and after a product.
template <class V>
__device__ __forceinline__ unsigned* arrivals_of(const carry_view& carries, V* scratch) {
  return reinterpret_cast<unsigned*>(scratch + carries.slots);
}

/// A unit that is a whole row or a piece of one. Looked up before the entries are read, so that the look-up costs no time of its own.
struct row_piece {
  std::int32_t run = -1;   ///< of the row's pieces; -1: the whole row
  std::int64_t first = 0;  ///< slots of the run
  std::int64_t last = 0;
  std::int64_t slot = 0;     ///< of this piece
  bool clears_next = false;  ///< the piece has two slots and one sum
};

__device__ __forceinline__ row_piece find_piece(const carry_view& carries, std::int64_t u) {
  row_piece piece;
  const std::int32_t head_run = carries.run_at_cut[u];
  const std::int32_t tail_run = carries.run_at_cut[u + 1];
  piece.run = head_run >= 0 ? head_run : tail_run;
  piece.slot = slots_per_unit * u + (head_run >= 0 ? 0 : 1);
  piece.clears_next = head_run >= 0 && tail_run >= 0;
  if (piece.run >= 0) {
    piece.first = carries.first[piece.run];
    piece.last = carries.last[piece.run];
  }
  return piece;
}

/// What a block ends with whose unit is a row or a piece of one: `sum` is each thread's part. The whole row is finished at once; of a
/// piece the sum is left in its slot, and the block that arrives last at the row adds them all, unless they are combined apart.
template <int Threads, class V>
__device__ __forceinline__ void finish_piece(const carry_view& carries, const row_piece& piece,
                                             std::int64_t row, V sum, V* scratch, const product<V>& p) {
  sum = sum_block<Threads>(sum);
  if (threadIdx.x >= warp_size) return;
  if (piece.run < 0) {
    if (threadIdx.x == 0) p.finish_row(row, sum);
    return;
  }
  int is_last = 0;
  if (threadIdx.x == 0) {
    scratch[piece.slot] = sum;
    if (piece.clears_next) scratch[piece.slot + 1] = V{0};
    if (!carries.apart) {
      unsigned* arrived = arrivals_of(carries, scratch) + piece.run;
      const auto units = static_cast<unsigned>((piece.last - piece.first) / slots_per_unit + 1);
      __threadfence();  // the slot is visible before the arrival is
      // Wraps to zero at the last arrival, so that the next product finds it so.
      is_last = atomicInc(arrived, units - 1) == units - 1 ? 1 : 0;
      __threadfence();
    }
  }
  if (__shfl_sync(0xffffffffu, is_last, 0) == 0) return;
  __syncwarp();  // orders the other lanes' reads after the first one's fence
  V total{0};
#pragma unroll 4
  for (std::int64_t s = piece.first + threadIdx.x; s < piece.last; s += warp_size)
    total += __ldcg(scratch + s);
  total = sum_lanes<warp_size>(total);
  if (threadIdx.x == 0) p.finish_row(row, total);
}

}  // namespace gossamer::inline v0::exec
