// SPDX-License-Identifier: BSD-3-Clause
// The kernel for products by several vectors on a CUDA device. In lane slices a warp decodes an entry of the
// matrix once and multiplies it by a pack of up to four columns of X. COO slices are processed column by
// column. Blocks for the other packs of the same slices follow,
// so that they find the slices in the L2 cache. Each column is added in the order of a single product
// (kernel.cuh), so it has the same bits.
#pragma once

#include <cstdint>

#include "exec/cuda/kernel/vector_pack.cuh"
#include "formats/packed/cuda/kernel.cuh"

namespace gossamer::inline v0::formats {

/// Columns of X that a warp multiplies at once. More columns would take more registers and save little: with
/// four, a value of 8 bytes already costs 2 bytes a product.
inline constexpr int packed_pack = 4;

/// The pack of columns as one lane reads it, from the lane's start on.
template <bool Adjacent, class S>
struct packed_pack_of_lane {
  const vector_t<S>* from;
  std::int64_t next;        ///< from a column to the next one
  std::int32_t step_bytes;  ///< from a row of X to the next one
  int count;

  __device__ __forceinline__ void load(bool wanted, std::int32_t row, vector_t<S> (&x)[packed_pack]) const {
    const vector_t<S>* const at = exec::element_after(from, row, step_bytes);
    if constexpr (Adjacent) {
      exec::load_adjacent_if(wanted, at, x);
    } else {
#pragma unroll
      for (int j = 0; j < packed_pack; ++j)
        x[j] = exec::load_vector_if(wanted && j < count, at + j * next, vector_t<S>{0});
    }
  }
};

/// Adds the products of groups first, first + stride, ... of four steps. A single product takes two groups at
/// a time. If the second is missing it adds zeros. This function does the same, to get the same bits.
template <packed_columns C, bool Elides, packed_values W, bool Adjacent, class S>
__device__ __forceinline__ void add_groups_of_pack(const packed_lane<S>& of,
                                                   const packed_pack_of_lane<Adjacent, S>& pack, int first,
                                                   int stride, sum_t<S> (&sum)[packed_pack]) {
  bool is_second = false;
#pragma unroll 1
  for (int group = first; is_second || 4 * group < of.steps; group += stride, is_second = !is_second) {
    packed_four<matrix_t<S>> four = {};
    const int here = min(of.steps - 4 * group, 4);
    if (here > 0) {
      load_columns<C, Elides>(of, group, here, four);
      load_values<W>(of, group, here, four);
    }
    vector_t<S> x[4][packed_pack];
#pragma unroll
    for (int t = 0; t < 4; ++t) pack.load(4 * group + t < of.count, four.column[t], x[t]);
#pragma unroll
    for (int t = 0; t < 4; ++t)
#pragma unroll
      for (int j = 0; j < packed_pack; ++j) sum[j] += four.value[t] * x[t][j];
  }
}

template <class Kinds, packed_columns C, bool Elides, bool Adjacent, class S>
__device__ __forceinline__ void add_groups_of_pack(packed_values values, const packed_lane<S>& of,
                                                   const packed_pack_of_lane<Adjacent, S>& pack, int first,
                                                   int stride, sum_t<S> (&sum)[packed_pack]) {
  with_values<Kinds, matrix_t<S>>(
      values, [&](auto w) __attribute__((always_inline)) {
        add_groups_of_pack<C, Elides, w()>(of, pack, first, stride, sum);
      });
}

template <class Kinds, bool Adjacent, class S>
__device__ __forceinline__ void add_groups_of_pack(const packed_slice& s, const packed_lane<S>& of,
                                                   const packed_pack_of_lane<Adjacent, S>& pack, int first,
                                                   int stride, sum_t<S> (&sum)[packed_pack]) {
  const packed_values values = s.values();
  if constexpr (Kinds::elided_deltas) {
    if (s.elides_deltas()) {
      if (s.columns() == packed_columns::one)
        return add_groups_of_pack<Kinds, packed_columns::one, true>(values, of, pack, first, stride, sum);
      return add_groups_of_pack<Kinds, packed_columns::two, true>(values, of, pack, first, stride, sum);
    }
  }
  switch (s.columns()) {
    case packed_columns::none:
      return add_groups_of_pack<Kinds, packed_columns::none, false>(values, of, pack, first, stride, sum);
    case packed_columns::one:
      return add_groups_of_pack<Kinds, packed_columns::one, false>(values, of, pack, first, stride, sum);
    case packed_columns::two:
      return add_groups_of_pack<Kinds, packed_columns::two, false>(values, of, pack, first, stride, sum);
    case packed_columns::four:
      break;
  }
  add_groups_of_pack<Kinds, packed_columns::four, false>(values, of, pack, first, stride, sum);
}

/// Adds the products of pairs of diagonals first, first + stride, ..., each for the lane's four rows. The
/// data of the next pair, except X, is loaded together with this pair's X.
template <packed_values W, bool All, bool Adjacent, class S>
__device__ __forceinline__ void add_diagonals_of_pack(const packed_lane<S>& of,
                                                      const packed_pack_of_lane<Adjacent, S>& pack,
                                                      const std::uint8_t* masks, int first, int stride,
                                                      sum_t<S> (&sum)[packed_rows_of_lane][packed_pack]) {
  packed_two_diagonals next = load_two_diagonals<W, All>(of, masks, first);
#pragma unroll 1
  for (int pair = first; 2 * pair < of.steps; pair += stride) {
    const packed_two_diagonals now = next;
    next = load_two_diagonals<W, All>(of, masks, pair + stride);
    const bool has_second = 2 * pair + 1 < of.steps;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const bool there = k == 0 || has_second;
      matrix_t<S> v[packed_rows_of_lane];
      vector_t<S> x[packed_rows_of_lane][packed_pack];
      load_diagonal<W>(of, 2 * pair + k, there, now.codes[k].word[0], v);
#pragma unroll
      for (int r = 0; r < packed_rows_of_lane; ++r) {
        const bool has = All ? there : (now.rows >> (k * packed_rows_of_lane + r) & 1u) != 0;
        pack.load(has, (k == 0 ? now.base.x : now.base.y) + r * packed_lanes, x[r]);
      }
#pragma unroll
      for (int r = 0; r < packed_rows_of_lane; ++r)
#pragma unroll
        for (int j = 0; j < packed_pack; ++j) sum[r][j] += v[r] * x[r][j];
    }
  }
}

template <class Kinds, bool Adjacent, class S>
__device__ __forceinline__ void add_diagonals_of_pack(const packed_slice& s, const packed_lane<S>& of,
                                                      const packed_pack_of_lane<Adjacent, S>& pack,
                                                      const std::uint8_t* masks, int first, int stride,
                                                      sum_t<S> (&sum)[packed_rows_of_lane][packed_pack]) {
  with_values<Kinds, matrix_t<S>>(
      s.values(), [&](auto w) __attribute__((always_inline)) {
        if (s.is_full())
          add_diagonals_of_pack<w(), true>(of, pack, masks, first, stride, sum);
        else
          add_diagonals_of_pack<w(), false>(of, pack, masks, first, stride, sum);
      });
}

/// Adds the sums of the warps of a slice, as packed_add_warps() does, one column at a time, since the shared
/// memory holds one column. All threads of the block call it.
template <int Rows, class V>
__device__ __forceinline__ void packed_add_packs(int warps, int rows, V* sums, V (&sum)[Rows][packed_pack]) {
  const bool is_first = (static_cast<int>(threadIdx.x) / exec::warp_size & (warps - 1)) == 0;
#pragma unroll
  for (int j = 0; j < packed_pack; ++j) {
    __syncthreads();  // the sums of the column before have been read
#pragma unroll
    for (int r = 0; r < Rows; ++r)
      if (r < rows) sums[r * blockDim.x + threadIdx.x] = sum[r][j];
    __syncthreads();
    if (!is_first) continue;
    for (int w = 1; w < warps; ++w)
#pragma unroll
      for (int r = 0; r < Rows; ++r)
        if (r < rows) sum[r][j] += sums[r * blockDim.x + threadIdx.x + w * exec::warp_size];
  }
}

template <bool Adjacent, class Kinds, class S>
__global__ void __launch_bounds__(packed_most_threads, 2)
    packed_warps_per_slice_and_pack(packed_pointers<matrix_t<S>> a, exec::vector_pack<S> all, sum_t<S>* slots,
                                    std::int64_t slots_of_column, exec::l2_share share,
                                    unsigned lane_blocks) {
  __shared__ matrix_t<S> table[packed_most_in_table];
  extern __shared__ __align__(16) unsigned char shared[];
  const int lane = static_cast<int>(threadIdx.x) % exec::warp_size;
  const int warp = static_cast<int>(threadIdx.x) / exec::warp_size;
  const int warps = 1 << a.meta.log2_warps;
  const unsigned warps_of_block = blockDim.x / exec::warp_size;
  const unsigned packs = (static_cast<unsigned>(all.count) + packed_pack - 1) / packed_pack;
  const unsigned block = blockIdx.x / packs;
  const auto number_of_pack = static_cast<int>(blockIdx.x % packs);
  const exec::vector_pack<S> p = all.pack(number_of_pack);
  slots += number_of_pack * packed_pack * slots_of_column;
  const unsigned number = block * warps_of_block + static_cast<unsigned>(warp);
  const auto slices = static_cast<unsigned>(a.meta.slices);
  const auto lane_slices = static_cast<unsigned>(a.meta.slices - a.meta.coo_slices);
  const bool is_lane_slice = !Kinds::coo_slices || block < lane_blocks;
  const int warp_of_slice = is_lane_slice ? warp & (warps - 1) : 0;
  unsigned index = number >> a.meta.log2_warps;
  if (is_lane_slice && index >= lane_slices) index = slices;
  if (!is_lane_slice) index = number - lane_blocks * warps_of_block + lane_slices;
  for (unsigned i = threadIdx.x; i < static_cast<unsigned>(a.table_size); i += blockDim.x)
    table[i] = a.table[i];
  packed_slice s;  // no steps and rows if there is no slice for this warp
  if (index < slices) s = packed_load_header(a.slice + index);
  __syncthreads();
  exec::wait_and_trigger();
  const std::uint8_t* const data = a.data + std::int64_t{s.at} * packed_piece;
  const exec::l2_policy policy(share);
  constexpr exec::dependent_launch dependent{.triggers_late = false};
  if (Kinds::coo_slices && !is_lane_slice) {
    if (index >= slices) return;
    auto* const buffers = reinterpret_cast<packed_coo_buffer<sum_t<S>>*>(
        shared + packed_bytes_of_sums(warps, blockDim.x, static_cast<unsigned>(sizeof(sum_t<S>))));
#pragma unroll 1
    for (int j = 0; j < p.count; ++j) {
      multiply_coo_slice<Kinds>(
          s,
          packed_coo_entries<S, true>{
              .starts = data,
              .columns = data + s.columns_at,
              .values = data + s.values_at,
              .x =
                  exec::element_after(p.x + j * p.x_next, static_cast<std::int64_t>(s.bases), p.x_step_bytes),
              .table = table,
              .rows = s.rows(),
              .count = s.steps,
              .lane = lane,
              .waits_late = false,
              .policy = policy,
              .half = a.half,
              .dependent = dependent,
              .step_bytes = p.x_step_bytes},
          buffers[warp], s.row, p.column(j));
      __syncwarp();  // all lanes have read the buffer
    }
    return;
  }
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
                      .from = nullptr,
                      .table = table,
                      .policy = policy,
                      .half = a.half,
                      .dependent = dependent,
                      .stored_steps = stored_steps};
  packed_pack_of_lane<Adjacent, S> pack{
      .from = p.x, .next = p.x_next, .step_bytes = p.x_step_bytes, .count = p.count};
  const bool is_diagonal_slice = s.is_diagonal_slice();
  const int sharing = s.sharing();
  const int which = lane >> sharing;
  std::int32_t row = which;  // relative to the header's row
  sum_t<S> sum[packed_rows_of_lane][packed_pack] = {};
  if (is_diagonal_slice) {
    pack.from = exec::element_after(p.x, lane, p.x_step_bytes);
    add_diagonals_of_pack<Kinds>(s, mine, pack, data + s.masks, warp_of_slice, warps, sum);
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
    pack.from = exec::element_after(p.x, start, p.x_step_bytes);
    add_groups_of_pack<Kinds>(s, mine, pack, warp_of_slice, warps, sum[0]);
  }
  if (warps > 1)
    packed_add_packs(warps, is_diagonal_slice ? packed_rows_of_lane : 1, reinterpret_cast<sum_t<S>*>(shared),
                     sum);
  if (warp_of_slice != 0) return;
  if (is_diagonal_slice) {
#pragma unroll
    for (int r = 0; r < packed_rows_of_lane; ++r) {
      const int of_slice = r * packed_lanes + lane;
      if (of_slice < s.rows()) p.template finish_row<Adjacent>(s.row + of_slice, sum[r]);
    }
    return;
  }
  const int lanes_of_row = 1 << sharing;
  for (int width = lanes_of_row >> 1; width > 0; width /= 2)
#pragma unroll
    for (int j = 0; j < packed_pack; ++j) sum[0][j] += __shfl_xor_sync(0xffffffffu, sum[0][j], width);
  if (Kinds::cut_rows && s.is_row_part()) {
#pragma unroll
    for (int j = 0; j < packed_pack; ++j)
      if (j < p.count)
        exec::finish_part(a.carries, s.masks, s.row, sum[0][j], slots + j * slots_of_column, p.column(j));
    return;
  }
  if ((lane & (lanes_of_row - 1)) == 0 && which < s.rows())
    p.template finish_row<Adjacent>(s.row + row, sum[0]);
}

}  // namespace gossamer::inline v0::formats
