// SPDX-License-Identifier: BSD-3-Clause
// Products by several vectors on a CUDA device: the launches, and the kernel for lane slices, and for COO
// slices that wide_coo.cu does not multiply. The warps of a slice multiply it by one group of up to 16 or 32
// columns. A thread multiplies an entry by its pack of columns: 16 bytes of a row of X, or 32 for four
// columns in f64 if there are lane slices only.
#include <cstdint>

#include "formats/packed/cuda/kernel.cuh"
#include "formats/packed/cuda/pack_coo_slice.cuh"
#include "formats/packed/cuda/pack_lane_slice.cuh"
#include "formats/packed/cuda/wide_coo.hpp"
#include "formats/packed/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

/// The place of a warp in its slice.
struct packed_slice_warps {
  int count;
  int warp;    ///< this one's number among them
  int number;  ///< of the slice in the block
};

/// Multiplies a diagonal slice, and writes the rows of Y.
template <class Kinds, bool Adjacent, class Passes, class S, int Width>
__device__ __forceinline__ void multiply_diagonal_slice_by_packs(
    const packed_slice& s, packed_lane<S> of, const exec::vector_pack<S, Width>& pack, const Passes& passes,
    const packed_slice_warps& warps, const std::uint8_t* masks, packed_decoded<S>* entries) {
#pragma unroll 1
  for (int pass = 0; pass < passes.packs(); ++pass) {
    of.lane = passes.lane(pass);
    sum_t<S> sum[packed_rows_of_lane][Width] = {};
    add_diagonals_of_pack<Kinds, Adjacent>(s, of, pack, masks, warps.warp, warps.count, sum);
    if (warps.count > 1) {
      // The sums of four rows and four columns in f64 exceed packed_decoded.
      constexpr int at_once =
          exec::vector_pack<S, Width>::takes_one_load ? packed_rows_of_lane : packed_rows_of_lane / 2;
      using some = sum_t<S>[at_once][Width];
#pragma unroll
      for (int r = 0; r < packed_rows_of_lane; r += at_once)
        add_warps_of_slice(warps.count, warps.warp, warps.number, entries, reinterpret_cast<some&>(sum[r]));
    }
    if (warps.warp != 0) continue;
#pragma unroll
    for (int r = 0; r < packed_rows_of_lane; ++r) {
      const int of_slice = r * packed_lanes + of.lane;
      if (of_slice < s.rows()) pack.template finish_row<Adjacent>(s.row + of_slice, sum[r]);
    }
  }
}

/// Multiplies a lane slice that is not diagonal, and writes the rows of Y.
template <class Kinds, bool Adjacent, class Passes, class S, int Width>
__device__ __forceinline__ void multiply_lane_slice_by_packs(
    const packed_slice& s, packed_lane<S> of, const std::uint8_t* data,
    const exec::vector_pack<S, Width>& all, const exec::vector_pack<S, Width>& pack, const Passes& passes,
    const packed_slice_warps& warps, packed_decoded<S>* entries, const exec::carry_view& carries,
    sum_t<S>* slots, std::int64_t slots_of_column) {
  const int sharing = s.sharing();
  const auto row_of = [&](int lane) {
    const int which = lane >> sharing;
    return s.lists_rows()
               ? static_cast<std::int32_t>(exec::load_number_if<1>(which < s.rows(), data + which * 2))
               : which;
  };
  if (!s.is_full()) {
    const std::uint8_t* const missing = data + s.missing_at();
    of.count -= static_cast<int>(s.misses_many() ? exec::load_number_if<1>(true, missing + of.lane * 2)
                                                 : exec::load_number_if<0>(true, missing + of.lane));
  }
  std::int32_t start = 0;
  if (s.starts() == packed_starts::row) start = row_of(of.lane);
  if (s.starts() == packed_starts::given)
    start = exec::load_if(true, reinterpret_cast<const std::int32_t*>(data + s.starts_at()) + of.lane, 0);
  packed_sums<S, Width, Passes> sum = {};
  if constexpr (Passes::most == 1) {
    packed_decoded_lane<S> mine;
#pragma unroll 1
    for (int group = warps.warp; 4 * group < of.steps; group += 2 * warps.count) {
      decode_two_groups<Kinds>(s, of, start, group, warps.count, mine);
      multiply_two_groups<Adjacent>(mine, passes, pack, sum);
    }
    if (warps.count > 1) add_warps_of_slice(warps.count, warps.warp, warps.number, entries, sum);
  } else {
    packed_decoded<S>& mine = entries[warps.warp];
#pragma unroll 1
    for (int group = warps.warp; 4 * group < of.steps; group += 2 * warps.count) {
      decode_two_groups<Kinds>(s, of, start, group, warps.count, mine);
      __syncwarp();
      multiply_two_groups<Adjacent>(mine, passes, pack, sum);
      __syncwarp();
    }
    if (warps.count > 1) {
      constexpr int at_once = Passes::most / 2;
      using some = sum_t<S>[at_once][Width];
      add_warps_of_slice(warps.count, warps.warp, warps.number, entries, reinterpret_cast<some&>(sum[0]));
      if (passes.packs() > at_once)
        add_warps_of_slice(warps.count, warps.warp, warps.number, entries,
                           reinterpret_cast<some&>(sum[at_once]));
    }
  }
  if (warps.warp != 0) return;
  const int lanes_of_row = 1 << sharing;
  for (int distance = lanes_of_row >> 1; distance > 0; distance /= 2) add_lanes_of_row(passes, distance, sum);
  if (Kinds::cut_rows && s.is_row_part()) {
    const int thread = passes.thread;
    sum_t<S> of_column{0};  // the first lane's sum of the thread's column
#pragma unroll
    for (int j = 0; j < Width; ++j) {
      const sum_t<S> one = __shfl_sync(0xffffffffu, sum[0][j], thread / Width);
      if (thread % Width == j) of_column = one;
    }
    // Of a row part, `masks` is its run and `row` its slot.
    return finish_part_of_columns(carries, s.masks, s.row, of_column, slots, slots_of_column, all);
  }
#pragma unroll
  for (int pass = 0; pass < Passes::most; ++pass) {
    if (pass >= passes.packs()) break;
    const int lane = passes.lane(pass);
    if ((lane & (lanes_of_row - 1)) == 0 && lane >> sharing < s.rows())
      pack.template finish_row<Adjacent>(s.row + row_of(lane), sum[pass]);
  }
}

/// A block multiplies by one of `groups` groups of columns. Neighbouring blocks have the same slices and
/// neighbouring groups, so the matrix, and each line of X that two groups share, is read from memory once.
/// 1 << log2_packs packs hold the columns of a group. Most: the most packs of a group, 1 or
/// packed_most_packs. If it is 1, there is one group, and entries of lane slices stay in registers. Then a
/// thread needs 80 registers for a pack of 16 bytes. With a pack of 32 bytes, all slices are lane slices.
template <bool Adjacent, int Most, class S, int Width>
__global__ void __launch_bounds__(packed_most_threads,
                                  Most == 1 && exec::vector_pack<S, Width>::takes_one_load ? 3 : 2)
    packed_multiply_by_packs(packed_pointers<matrix_t<S>> a, exec::vector_pack<S, Width> all_groups,
                             sum_t<S>* slots, std::int64_t slots_of_column, exec::l2_share share,
                             unsigned lane_blocks, int log2_packs, unsigned groups) {
  using kinds = packed_kinds<true, true, true, true, true, false, true>;
  __shared__ matrix_t<S> table[packed_most_in_table];
  extern __shared__ __align__(16) unsigned char shared[];
  const int thread = static_cast<int>(threadIdx.x) % exec::warp_size;
  const int warp = static_cast<int>(threadIdx.x) / exec::warp_size;
  const auto slices = static_cast<unsigned>(a.meta.slices);
  const auto lane_slices = static_cast<unsigned>(a.meta.slices - a.meta.coo_slices);
  const int columns_of_group = Width << log2_packs;
  const unsigned group = Most == 1 ? 0 : blockIdx.x % groups;
  const unsigned block_of_group = Most == 1 ? blockIdx.x : blockIdx.x / groups;
  const exec::vector_pack<S, Width> all =
      Most == 1 ? all_groups : all_groups.columns(group * columns_of_group, columns_of_group);
  slots += static_cast<std::int64_t>(group * columns_of_group) * slots_of_column;
  const bool is_lane_slice = block_of_group < lane_blocks;
  const int log2_warps = is_lane_slice ? a.meta.log2_warps : 0;
  const packed_slice_warps warps{
      .count = 1 << log2_warps, .warp = warp & ((1 << log2_warps) - 1), .number = warp >> log2_warps};
  const unsigned warps_of_block = blockDim.x / exec::warp_size;
  const unsigned block = is_lane_slice ? block_of_group : block_of_group - lane_blocks;
  const unsigned number = (block * warps_of_block + static_cast<unsigned>(warp)) >> log2_warps;
  const unsigned index = is_lane_slice ? number : number + lane_slices;
  const bool has_slice = index < (is_lane_slice ? lane_slices : slices);
  for (unsigned i = threadIdx.x; i < static_cast<unsigned>(a.table_size); i += blockDim.x)
    table[i] = a.table[i];
  packed_slice s;  // no steps and rows if there is no slice for this warp
  if (has_slice) s = packed_load_header(a.slice + index);
  __syncthreads();
  exec::wait_and_trigger();
  const std::uint8_t* const data = a.data + std::int64_t{s.at} * packed_piece;
  const exec::l2_policy policy(share, block_of_group);
  constexpr exec::dependent_launch dependent{.triggers_late = false};
  auto* const entries = reinterpret_cast<packed_decoded<S>*>(shared) + warps.number * warps.count;
  const packed_passes<Most> passes{.log2_packs = log2_packs, .thread = thread};
  if constexpr (exec::vector_pack<S, Width>::takes_one_load)
    if (!is_lane_slice) {
      if (!has_slice) return;
      auto* const sums = reinterpret_cast<packed_chunk_sums<sum_t<S>>*>(
                             shared + warps_of_block * sizeof(packed_decoded<S>)) +
                         warp;
      // With whole chunks, 80 registers a thread would not suffice.
      constexpr int at_once = Most == 1 && Width * sizeof(sum_t<S>) == packed_piece
                                  ? packed_entries_of_chunk / 2
                                  : packed_entries_of_chunk;
      return multiply_coo_slice_by_packs<kinds, Adjacent, at_once>(
          s,
          packed_coo_entries<S>{.starts = data,
                                .columns = data + s.columns_at,
                                .values = data + s.values_at,
                                .x = nullptr,
                                .table = table,
                                .rows = s.rows(),
                                .count = s.steps,
                                .lane = thread,
                                .policy = policy,
                                .half = a.half,
                                .dependent = dependent},
          all, *entries, *sums);
    }
  std::uint32_t stored_steps = 0;
  if (s.elides_deltas()) {
    stored_steps = packed_stored_steps(s.delta_mask(), thread);
    s = packed_opened(s);
  }
  const packed_lane<S> mine{.bases = reinterpret_cast<const std::int32_t*>(data + s.bases),
                            .columns = data + s.columns_at,
                            .values = data + s.values_at,
                            .steps = s.steps,
                            .shortest = s.shortest,
                            .lane = thread,
                            .count = s.steps,
                            .from = nullptr,
                            .table = table,
                            .policy = policy,
                            .half = a.half,
                            .dependent = dependent,
                            .stored_steps = stored_steps};
  const exec::vector_pack<S, Width> pack = all.pack(passes.pack());
  if (s.is_diagonal_slice())
    multiply_diagonal_slice_by_packs<kinds, Adjacent>(s, mine, pack, passes, warps, data + s.masks, entries);
  else
    multiply_lane_slice_by_packs<kinds, Adjacent>(s, mine, data, all, pack, passes, warps, entries, a.carries,
                                                  slots, slots_of_column);
}

/// The most columns of a group: 16, or a cache line of X (32 in f32) if there are lane slices only and whole
/// lines.
template <class S>
std::int64_t packed_most_columns_of_group(const packed_meta& meta, const columns_product<S>& p) {
  constexpr int columns_of_pack = packed_piece / sizeof(vector_t<S>);
  constexpr int columns_of_line = packed_most_packs * columns_of_pack;
  const bool has_whole_lines = p.columns % columns_of_line == 0 && exec::is_adjacent(p, columns_of_pack);
  return meta.coo_slices == 0 && has_whole_lines ? columns_of_line : 16;
}

/// Multiplies by whole groups of columns, or by fewer columns than a group has. blocks_of_group: blocks.all,
/// or blocks.lane if only lane slices are to be multiplied.
template <scalar_types S>
void launch_packs(const packed_pointers<matrix_t<S>>& a, const columns_product<S>& p, sum_t<S>* scratch,
                  const packed_blocks& blocks, unsigned blocks_of_group, cuda_stream stream) {
  constexpr int width = 16 / sizeof(vector_t<S>);
  const std::int64_t columns_of_group = std::min(p.columns, packed_most_columns_of_group(a.meta, p));
  const auto groups = static_cast<unsigned>(p.columns / columns_of_group);
  int log2_packs = 0;
  while ((std::int64_t{width} << log2_packs) < columns_of_group) ++log2_packs;
  const auto shared = static_cast<unsigned>(
      blocks.warps() * (sizeof(packed_decoded<S>) +
                        (blocks_of_group > blocks.lane ? sizeof(packed_chunk_sums<sum_t<S>>) : 0)));
  const exec::l2_share share = exec::l2_share_for<vector_t<S>>(a.meta, a.data_bytes);
  const auto start = [&]<bool Adjacent, int Most, int Width>() {
    constexpr auto kernel = packed_multiply_by_packs<Adjacent, Most, S, Width>;
    exec::allow_shared_memory<kernel>();
    exec::launch_dependent<kernel>("packed", blocks_of_group * groups, blocks.threads, shared, stream, a,
                                   exec::packs_of<Width>(p), scratch, packed::scratch<S>(a), share,
                                   blocks.lane, log2_packs, groups);
  };
  if constexpr (width < 4)  // four columns are one pack of 32 bytes
    if (p.columns == 4 && blocks_of_group == blocks.lane && exec::is_adjacent(p, 4)) {
      log2_packs = 0;
      return start.template operator()<true, 1, 4>();
    }
  if (exec::is_adjacent(p, width))
    return log2_packs == 0 ? start.template operator()<true, 1, width>()
                           : start.template operator()<true, packed_most_packs, width>();
  if constexpr (width > 2)
    if (p.columns == 2 && exec::is_adjacent(p, 2)) return start.template operator()<true, 1, 2>();
  start.template operator()<false, packed_most_packs, width>();
}

}  // namespace

template <scalar_types S>
void packed::launch_columns(const packed_pointers<matrix_t<S>>& a, const columns_product<S>& p,
                            sum_t<S>* scratch, cuda_stream stream) {
  constexpr int width = 16 / sizeof(vector_t<S>);
  // Divides the columns until all of them suit one launch: whole wide products first, then whole groups, then
  // whole packs.
  const auto launch_in_two = [&](std::int64_t first) {
    launch_columns(a, p.from(0, first), scratch, stream);
    launch_columns(a, p.from(first, p.columns - first), scratch, stream);
  };
  const std::int64_t wide = packed_wide_columns(a.meta, p);
  if (wide > 0 && wide < p.columns) return launch_in_two(wide);
  const std::int64_t of_group = packed_most_columns_of_group(a.meta, p);
  const std::int64_t of_groups = p.columns / of_group * of_group;
  if (of_groups > 0 && of_groups < p.columns) return launch_in_two(of_groups);
  const std::int64_t rest = p.columns % width;
  const std::int64_t whole = p.columns - rest;
  if (rest != 0 && whole > 0 && exec::is_adjacent(p.from(0, whole), width)) return launch_in_two(whole);
  const packed_blocks blocks = packed_blocks::of(a.meta, a.meta.log2_warps);
  const unsigned blocks_of_group = wide > 0 ? blocks.lane : blocks.all;
  const bool follows = blocks_of_group > 0;
  if (blocks_of_group > 0) launch_packs(a, p, scratch, blocks, blocks_of_group, stream);
  if (wide > 0) packed_multiply_wide_coo_slices(a, p, follows, stream);
}

#define GOSSAMER_INSTANCE(S)                                                                         \
  template void packed::launch_columns(const packed_pointers<S::matrix>&, const columns_product<S>&, \
                                       S::accumulator*, cuda_stream);
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::formats
