// SPDX-License-Identifier: BSD-3-Clause
// The kernel for CUDA devices. A lane of a slice is a lane of a warp; one or more warps share the steps of a
// slice. Kernels for matrices with COO slices are in coo_kernels.cu, all others in gpu.cu.
#pragma once

#include <cstdint>

#include "exec/cuda/kernel/dependent_launch.cuh"
#include "exec/cuda/kernel/l2_share.cuh"
#include "exec/cuda/kernel/prefetch.cuh"
#include "exec/reduction/warp_reduction.cuh"
#include "formats/packed/cuda/diagonals.cuh"
#include "formats/packed/cuda/entries.cuh"
#include "formats/packed/layout.hpp"

namespace gossamer::inline v0::formats {

inline constexpr int packed_most_in_table = 256;
inline constexpr int packed_usual_threads = 128;  // of a block, or as many as the warps of a slice have
inline constexpr int packed_most_threads = 256;
/// That one multiprocessor must have room for, which sets the registers: 64 for 4 blocks, 48 for 5, 40 for 6.
template <class V>
constexpr int packed_least_blocks(bool lanes, bool entries, bool repeats) {
  if (repeats) return sizeof(V) > sizeof(float) ? 4 : 5;
  if (!entries) return 0;  // ptxas's own choice: 64 and, for f32, 48 without spills
  if (lanes) return 4;
  return sizeof(V) > sizeof(float) ? 5 : 6;
}

/// What the host finds out of a launch, so that no warp has to in front of its first load.
struct packed_grid {
  unsigned in_lanes;             ///< blocks whose warps have slices in lanes; they come first
  exec::block_partition matrix;  ///< what is asked for at the start: nothing, or the coded bytes
  exec::block_partition vector;  ///< or x
  bool late;                     ///< packed_prefetch_policy::late
  bool backwards;                ///< blocks go through the slices from the last to the first
};

__device__ __forceinline__ packed_slice packed_load_slice(const packed_slice* from) {
  const uint4 first = __ldg(reinterpret_cast<const uint4*>(from));
  const uint4 second = __ldg(reinterpret_cast<const uint4*>(from) + 1);
  packed_slice s;
  s.at = first.x;
  s.row = static_cast<std::int32_t>(first.y);
  s.steps = static_cast<std::uint16_t>(first.z & 0xffffu);
  s.shortest = static_cast<std::uint16_t>(first.z >> 16);
  s.bits = first.w;
  s.masks = second.x;
  s.columns_at = second.y;
  s.values_at = second.z;
  s.bases = second.w;
  return s;
}

/// What a block has of shared memory beside the table: sums of its threads where warps share a slice, and
/// behind them a room for each warp where there are slices of entries.
constexpr unsigned packed_bytes_of_sums(int warps, unsigned threads, unsigned value_bytes) {
  return warps > 1 ? threads * packed_rows_of_lane * value_bytes : 0;
}
template <class V>
constexpr unsigned packed_bytes_of_rooms(bool has_entries, unsigned threads) {
  return has_entries ? threads / exec::warp_size * static_cast<unsigned>(sizeof(packed_entry_room<V>)) : 0;
}

/// Of a header what is needed at the end.
struct packed_end {
  std::int32_t row;
  std::uint32_t bits;
  std::uint32_t run;  ///< of a part of a row
};

/// Adds what the warps of a slice have, in their order, in the first of them. A whole block calls it.
template <class V>
__device__ __forceinline__ void packed_add_warps(int warps, int rows, V* sums,
                                                 V (&sum)[packed_rows_of_lane]) {
#pragma unroll
  for (int r = 0; r < packed_rows_of_lane; ++r)
    if (r < rows) sums[r * blockDim.x + threadIdx.x] = sum[r];
  __syncthreads();
  if ((static_cast<int>(threadIdx.x) / exec::warp_size & (warps - 1)) != 0) return;
  for (int w = 1; w < warps; ++w)
#pragma unroll
    for (int r = 0; r < packed_rows_of_lane; ++r)
      if (r < rows) sum[r] += sums[r * blockDim.x + threadIdx.x + w * exec::warp_size];
}

template <class Kinds, class S>
__global__ void __launch_bounds__(packed_most_threads,
                                  packed_least_blocks<sum_t<S>>(Kinds::lanes, Kinds::entries, Kinds::repeats))
    packed_warps_per_slice(packed_pointers<matrix_t<S>> a, product<S> p, sum_t<S>* slots,
                           exec::l2_share share, packed_grid grid) {
  __shared__ matrix_t<S> table[packed_most_in_table];
  extern __shared__ __align__(16) unsigned char shared[];
  const int lane = static_cast<int>(threadIdx.x) % exec::warp_size;
  const int warp = static_cast<int>(threadIdx.x) / exec::warp_size;
  const int warps = 1 << a.meta.log2_warps;
  // A slice in lanes has `warps` warps; those of entries come behind all of them, in blocks of their own, and
  // have one each. So all warps of a block go the same way, and meet at its barriers.
  const unsigned block = grid.backwards ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
  const unsigned number = block * (blockDim.x / exec::warp_size) + static_cast<unsigned>(warp);
  const auto in_lanes = static_cast<unsigned>(a.meta.slices - a.meta.of_entries);
  const bool is_in_lanes = Kinds::lanes && (!Kinds::entries || block < grid.in_lanes);
  const int part = is_in_lanes ? warp & (warps - 1) : 0;
  unsigned index = number >> (Kinds::rows_shared ? 1 : a.meta.log2_warps);
  if (is_in_lanes && index >= in_lanes) index = static_cast<unsigned>(a.meta.slices);
  if (!is_in_lanes)
    index = number - (Kinds::lanes ? grid.in_lanes * (blockDim.x / exec::warp_size) : 0u) + in_lanes;
  // Both loads of the table at once, and before the header: of a loop ptxas makes loads that wait for each
  // other.
  static_assert(packed_most_in_table <= 2 * packed_usual_threads);
  const unsigned second = threadIdx.x + blockDim.x;
  matrix_t<S> one{0};
  matrix_t<S> other{0};
  if constexpr (Kinds::table) {
    const auto in_table = static_cast<unsigned>(a.table_size);
    one = exec::load_if(threadIdx.x < in_table, a.table + threadIdx.x, one);
    other = exec::load_if(second < in_table, a.table + second, other);
  }
  packed_slice s;  // without steps and rows where there is none left
  if (index < static_cast<unsigned>(a.meta.slices)) s = packed_load_slice(a.slice + index);
  if (threadIdx.x == 0) exec::prefetch(grid.matrix, block);
  if (threadIdx.x == exec::warp_size) exec::prefetch(grid.vector, block);
  if (Kinds::table && a.table_size > 0) {
    table[threadIdx.x] = one;
    if (second < packed_most_in_table) table[second] = other;
    __syncthreads();
  }
  // It waits in shared memory where registers are short: else ptxas puts the header on the stack, and waits
  // for it to do so.
  constexpr bool is_short = Kinds::entries || Kinds::parts || Kinds::repeats;
  __shared__ packed_end ends[packed_most_threads / exec::warp_size];
  packed_end& end = ends[warp];
  if (is_short && lane == 0) end = {.row = s.row, .bits = s.bits, .run = s.masks};
  if (Kinds::parts && s.is_part() && part == 0 && lane == 0)
    exec::expect_part(a.carries, s.masks, s.row, slots);
  const std::uint8_t* const data = a.data + std::int64_t{s.at} * packed_piece;
  const exec::l2_policy policy(share);
  constexpr exec::dependent_launch dependent{
      .triggers_late = Kinds::parts};  // adding parts takes as long as all before it
  sum_t<S> sum[packed_rows_of_lane] = {};
  auto* const sums = reinterpret_cast<sum_t<S>*>(shared);
  if (Kinds::entries && !is_in_lanes) {
    if (index >= static_cast<unsigned>(a.meta.slices)) return;
    if (!grid.late) dependent.wait();
    auto* const rooms = reinterpret_cast<packed_entry_room<sum_t<S>>*>(
        shared + packed_bytes_of_sums(warps, blockDim.x, static_cast<unsigned>(sizeof(sum_t<S>))));
    multiply_slice_of_entries<Kinds>(s,
                                     packed_entries<S>{.starts = data,
                                                       .columns = data + s.columns_at,
                                                       .values = data + s.values_at,
                                                       .x = p.x + s.bases,
                                                       .table = table,
                                                       .rows = s.rows(),
                                                       .count = s.steps,
                                                       .lane = lane,
                                                       .waits_late = grid.late,
                                                       .policy = policy,
                                                       .half = a.half,
                                                       .dependent = dependent},
                                     rooms[warp], end.row, p);
    return;
  }
  if (!Kinds::lanes) return;
  std::uint32_t repeated = 0;
  if (Kinds::repeats && s.elides_deltas()) {
    repeated = packed_stored_steps(s.delta_mask(), lane);
    s = packed_opened(s);
  }
  packed_lane<S> mine{.bases = reinterpret_cast<const std::int32_t*>(data + s.bases),
                      .columns = data + s.columns_at,
                      .values = data + s.values_at,
                      .steps = s.steps,
                      .shortest = s.shortest,
                      .lane = lane,
                      .count = s.steps,
                      .from = p.x + lane,
                      .table = table,
                      .policy = policy,
                      .half = a.half,
                      .dependent = dependent,
                      .repeated = repeated};
  if constexpr (Kinds::rows_shared) {
    const int half = warp % 2;
    if (s.on_diagonals() && s.values() == packed_values::full)
      return multiply_half_of_diagonals(s, mine, data + s.masks, half, p);
    if (half != 0) return;  // the other one has all of it
  }
  const int sharing = s.sharing();
  const int which = lane >> sharing;
  std::int32_t row = which;  // counted from the header's
  if (s.on_diagonals()) {
    const std::uint8_t* const masks = data + s.masks;
    if (s.is_full())
      add_diagonals<Kinds, true>(s.values(), mine, masks, part, warps, sum);
    else
      add_diagonals<Kinds, false>(s.values(), mine, masks, part, warps, sum);
  } else {
    if (s.lists_rows())
      row = static_cast<std::int32_t>(exec::load_number_if<1>(which < s.rows(), data + which * 2));
    const std::uint8_t* const missing = data + s.missing_at();
    if (!s.is_full())
      mine.count -= static_cast<int>(s.misses_many() ? exec::load_number_if<1>(true, missing + lane * 2)
                                                     : exec::load_number_if<0>(true, missing + lane));
    std::int32_t start = 0;
    if (s.starts() == packed_starts::row) start = row;
    if (s.starts() == packed_starts::given)
      start = exec::load_if(true, reinterpret_cast<const std::int32_t*>(data + s.starts_at()) + lane, 0);
    mine.from = p.x + start;
    sum[0] = sum_groups<Kinds>(s, mine, part, warps);
  }
  dependent.trigger();
  const bool on_diagonals = s.on_diagonals();
  if (warps > 1) packed_add_warps(warps, on_diagonals ? packed_rows_of_lane : 1, sums, sum);
  if (part != 0) return;
  if (is_short) {
    __syncwarp();
    s.row = end.row;
    s.bits = end.bits;
  }
  if (on_diagonals) {
#pragma unroll
    for (int r = 0; r < packed_rows_of_lane; ++r) {
      const int of_slice = r * packed_lanes + lane;
      if (of_slice < s.rows()) p.finish_row(s.row + of_slice, sum[r]);
    }
    return;
  }
  const int lanes_of_row = 1 << s.sharing();
  for (int width = lanes_of_row >> 1; width > 0; width /= 2)
    sum[0] += __shfl_xor_sync(0xffffffffu, sum[0], width);
  if (Kinds::parts && s.is_part()) return exec::finish_part(a.carries, end.run, s.row, sum[0], slots, p);
  if ((lane & (lanes_of_row - 1)) == 0 && lane >> s.sharing() < s.rows()) p.finish_row(s.row + row, sum[0]);
}

/// A product with everything that its kernel is started with.
template <scalar_types S>
struct packed_launch {
  unsigned blocks;
  unsigned threads;
  unsigned shared_bytes;
  cuda_stream stream;
  const packed_pointers<matrix_t<S>>& matrix;
  const product<S>& p;
  sum_t<S>* scratch;
  exec::l2_share share;
  packed_grid grid;

  template <class Kinds>
  void start() const {
    exec::launch_dependent<packed_warps_per_slice<Kinds, S>>("packed", blocks, threads, shared_bytes, stream,
                                                             matrix, p, scratch, share, grid);
  }
};

/// Starts the kernel for a matrix with COO slices, alone or next to lane slices.
template <scalar_types S>
void launch_with_coo_slices(const packed_launch<S>& launch);

}  // namespace gossamer::inline v0::formats
