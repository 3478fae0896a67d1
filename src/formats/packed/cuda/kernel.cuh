// SPDX-License-Identifier: BSD-3-Clause
// The kernel for CUDA devices. It multiplies two kinds of slices: lane slices, among them diagonal slices,
// and COO slices. A lane of a slice is a lane of a warp. One or more warps share the steps of a lane slice.
// Kernels for matrices with COO slices are in coo_kernels.cu, all others in gpu.cu.
#pragma once

#include <cstdint>

#include "exec/cuda/kernel/dependent_launch.cuh"
#include "exec/cuda/kernel/finished_rows.cuh"
#include "exec/cuda/kernel/l2_share.cuh"
#include "exec/cuda/kernel/prefetch.cuh"
#include "exec/reduction/warp_reduction.cuh"
#include "formats/packed/cuda/coo_slice.cuh"
#include "formats/packed/cuda/diagonal_slice.cuh"
#include "formats/packed/layout.hpp"

namespace gossamer::inline v0::formats {

inline constexpr int packed_most_in_table = 256;
inline constexpr int packed_usual_threads = 128;  // of a block; more if a slice has more warps
inline constexpr int packed_most_threads = 256;
/// Blocks that one multiprocessor must be able to hold. It limits the registers: 64 for 4 blocks, 48 for 5,
/// 40 for 6.
template <class V>
constexpr int packed_least_blocks(bool lane_slices, bool coo_slices, bool elided_deltas) {
  if (elided_deltas) return sizeof(V) > sizeof(float) ? 4 : 5;
  if (!coo_slices) return 0;  // ptxas's own choice: 64 and, for f32, 48 without spills
  if (lane_slices) return 4;
  return sizeof(V) > sizeof(float) ? 5 : 6;
}

/// Launch parameters that the host calculates, so that warps need not do it before their first load.
struct packed_grid {
  unsigned lane_blocks;          ///< blocks for lane slices; they come first
  exec::block_partition matrix;  ///< each block's share of `data` to prefetch; may be empty
  exec::block_partition vector;  ///< each block's share of x to prefetch; may be empty
  bool backwards;                ///< blocks process the slices from the last to the first
};

/// The blocks of a kernel. Those of lane slices come first.
struct packed_blocks {
  unsigned threads;  ///< of a block
  unsigned lane;     ///< blocks for lane slices
  unsigned all;      ///< at least one

  [[nodiscard]] unsigned warps() const { return threads / exec::warp_size; }

  /// With 1 << log2_warps warps for each lane slice, at most as many as a block has.
  static packed_blocks of(const packed_meta& meta, int log2_warps) {
    const unsigned of_slice = 1u << meta.log2_warps;
    packed_blocks blocks{
        .threads = std::max(unsigned{packed_usual_threads}, of_slice * exec::warp_size), .lane = 0, .all = 0};
    const auto blocks_for = [&](std::int64_t slices, int log2_each) {
      return ((static_cast<unsigned>(slices) << log2_each) + blocks.warps() - 1) / blocks.warps();
    };
    blocks.lane = blocks_for(meta.slices - meta.coo_slices, log2_warps);
    blocks.all = std::max(1u, blocks.lane + blocks_for(meta.coo_slices, 0));
    return blocks;
  }
};

__device__ __forceinline__ packed_slice packed_load_header(const packed_slice* from) {
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

/// Dynamic shared memory of a block: the sums of its threads if several warps share a slice, then a buffer
/// for each warp if there are COO slices.
constexpr unsigned packed_bytes_of_sums(int warps, unsigned threads, unsigned value_bytes) {
  return warps > 1 ? threads * packed_rows_of_lane * value_bytes : 0;
}
template <class V>
constexpr unsigned packed_bytes_of_coo_buffers(bool has_coo_slices, unsigned threads) {
  return has_coo_slices ? threads / exec::warp_size * static_cast<unsigned>(sizeof(packed_coo_buffer<V>)) : 0;
}

/// The fields of a header that are needed at the end.
struct packed_end {
  std::int32_t row;
  std::uint32_t bits;
  std::uint32_t cut_row;  ///< its index, of a row part
};

/// Adds the sums of the warps of a slice, in the order of warps, in the first warp. A whole block calls it.
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

/// Parts of dot products (exec::finished_rows): one for each slice, or for each of the two warps that share
/// its rows. Those of rows in row parts follow.
template <class Kinds>
GOSSAMER_HOST_DEVICE constexpr std::int64_t packed_parts(std::int64_t slices) {
  return Kinds::rows_shared ? 2 * slices : slices;
}

template <class Kinds, class S>
__global__ void __launch_bounds__(packed_most_threads,
                                  packed_least_blocks<sum_t<S>>(Kinds::lane_slices, Kinds::coo_slices,
                                                                Kinds::elided_deltas))
    packed_warps_per_slice(packed_pointers<matrix_t<S>> a, product<S> p, sum_t<S>* slots,
                           exec::l2_share share, packed_grid grid) {
  __shared__ matrix_t<S> table[packed_most_in_table];
  extern __shared__ __align__(16) unsigned char shared[];
  const int lane = static_cast<int>(threadIdx.x) % exec::warp_size;
  const int warp = static_cast<int>(threadIdx.x) / exec::warp_size;
  const int warps = 1 << a.meta.log2_warps;
  // A lane slice has `warps` warps. COO slices have one warp each, in separate blocks after those of lane
  // slices, so all warps of a block reach the same barriers.
  const unsigned block = grid.backwards ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
  const unsigned number = block * (blockDim.x / exec::warp_size) + static_cast<unsigned>(warp);
  const auto lane_slices = static_cast<unsigned>(a.meta.slices - a.meta.coo_slices);
  const bool is_lane_slice = Kinds::lane_slices && (!Kinds::coo_slices || block < grid.lane_blocks);
  const int warp_of_slice = is_lane_slice ? warp & (warps - 1) : 0;
  unsigned index = number >> (Kinds::rows_shared ? 1 : a.meta.log2_warps);
  if (is_lane_slice && index >= lane_slices) index = static_cast<unsigned>(a.meta.slices);
  if (!is_lane_slice)
    index =
        number - (Kinds::lane_slices ? grid.lane_blocks * (blockDim.x / exec::warp_size) : 0u) + lane_slices;
  // Both loads of the table are issued at once, and before that of the header. ptxas would serialize the
  // loads of a loop.
  static_assert(packed_most_in_table <= 2 * packed_usual_threads);
  const unsigned second = threadIdx.x + blockDim.x;
  matrix_t<S> one{0};
  matrix_t<S> other{0};
  if constexpr (Kinds::table) {
    const auto in_table = static_cast<unsigned>(a.table_size);
    one = exec::load_if(threadIdx.x < in_table, a.table + threadIdx.x, one);
    other = exec::load_if(second < in_table, a.table + second, other);
  }
  exec::finished_rows<S> rows(p);
  packed_slice s;  // no steps and rows if there is no slice for this warp
  if (index < static_cast<unsigned>(a.meta.slices)) s = packed_load_header(a.slice + index);
  if (threadIdx.x == 0) exec::prefetch(grid.matrix, block);
  if (threadIdx.x == exec::warp_size) exec::prefetch(grid.vector, block);
  if (Kinds::table && a.table_size > 0) {
    table[threadIdx.x] = one;
    if (second < packed_most_in_table) table[second] = other;
    __syncthreads();
  }
  if (warp_of_slice == 0 && !s.is_row_part() && !s.lists_rows()) rows.expect(s.row, s.rows());
  // Stored in shared memory in kernels that are short of registers. Otherwise ptxas spills the header, and
  // the warp waits for it.
  constexpr bool is_short = Kinds::coo_slices || Kinds::cut_rows || Kinds::elided_deltas;
  __shared__ packed_end ends[packed_most_threads / exec::warp_size];
  packed_end& end = ends[warp];
  if (is_short && lane == 0) end = {.row = s.row, .bits = s.bits, .cut_row = s.masks};
  if (Kinds::cut_rows && s.is_row_part() && warp_of_slice == 0 && lane == 0)
    exec::expect_part(a.carries, s.masks, s.row, slots);
  const std::uint8_t* const data = a.data + std::int64_t{s.at} * packed_piece;
  const exec::l2_policy policy(share);
  // Kernels that add row parts trigger late, since that takes as long as all before it.
  constexpr exec::dependent_launch dependent{.triggers_late = Kinds::cut_rows};
  const auto leave = [&](int row_share) {
    if (index < static_cast<unsigned>(a.meta.slices)) rows.leave(packed_parts<Kinds>(index) + row_share);
  };
  sum_t<S> sum[packed_rows_of_lane] = {};
  auto* const sums = reinterpret_cast<sum_t<S>*>(shared);
  if (Kinds::coo_slices && !is_lane_slice) {
    if (index >= static_cast<unsigned>(a.meta.slices)) return;
    auto* const buffers = reinterpret_cast<packed_coo_buffer<sum_t<S>>*>(
        shared + packed_bytes_of_sums(warps, blockDim.x, static_cast<unsigned>(sizeof(sum_t<S>))));
    multiply_coo_slice<Kinds>(s,
                              packed_coo_entries<S>{.starts = data,
                                                    .columns = data + s.columns_at,
                                                    .values = data + s.values_at,
                                                    .x = p.x + s.bases,
                                                    .table = table,
                                                    .rows = s.rows(),
                                                    .count = s.steps,
                                                    .lane = lane,
                                                    .policy = policy,
                                                    .half = a.half,
                                                    .dependent = dependent},
                              buffers[warp], end.row, rows);
    return leave(0);
  }
  if (!Kinds::lane_slices) return;
  std::uint32_t stored_steps = 0;
  if (Kinds::elided_deltas && s.elides_deltas()) {
    stored_steps = packed_stored_steps(s.delta_mask(), lane);
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
                      .stored_steps = stored_steps};
  if constexpr (Kinds::rows_shared) {
    const int row_share = warp % 2;
    const bool has_two_warps = s.is_diagonal_slice() && s.values() == packed_values::full;
    if (has_two_warps) multiply_row_share(s, mine, data + s.masks, row_share, rows);
    if (has_two_warps || row_share != 0) return leave(row_share);  // else the first warp processes the slice
  }
  const int sharing = s.sharing();
  const int which = lane >> sharing;
  std::int32_t row = which;  // relative to the header's row
  if (s.is_diagonal_slice()) {
    const std::uint8_t* const masks = data + s.masks;
    if (s.is_full())
      add_diagonals<Kinds, true>(s.values(), mine, masks, warp_of_slice, warps, sum);
    else
      add_diagonals<Kinds, false>(s.values(), mine, masks, warp_of_slice, warps, sum);
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
    sum[0] = sum_groups<Kinds>(s, mine, warp_of_slice, warps);
  }
  dependent.trigger();
  const bool is_diagonal_slice = s.is_diagonal_slice();
  if (warps > 1) packed_add_warps(warps, is_diagonal_slice ? packed_rows_of_lane : 1, sums, sum);
  if (warp_of_slice != 0) return;
  if (is_short) {
    __syncwarp();
    s.row = end.row;
    s.bits = end.bits;
  }
  if (is_diagonal_slice) {
    rows.finish_all(s.row + lane, s.row + s.rows(), sum);
    return leave(0);
  }
  const int lanes_of_row = 1 << s.sharing();
  for (int width = lanes_of_row >> 1; width > 0; width /= 2)
    sum[0] += __shfl_xor_sync(0xffffffffu, sum[0], width);
  if (Kinds::cut_rows && s.is_row_part()) {
    leave(0);
    return exec::finish_part<S>(a.carries, end.cut_row, s.row, sum[0], slots, rows,
                                packed_parts<Kinds>(a.meta.slices) + end.cut_row);
  }
  if ((lane & (lanes_of_row - 1)) == 0 && lane >> s.sharing() < s.rows()) rows.finish(s.row + row, sum[0]);
  leave(0);
}

/// A product with everything that its kernel is started with. It refers to the arguments of launch().
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
void packed_launch_with_coo_slices(const packed_launch<S>& launch);

}  // namespace gossamer::inline v0::formats
