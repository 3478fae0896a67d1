// SPDX-License-Identifier: BSD-3-Clause
// Sliced ELLPACK on a CUDA device: a lane a row, so that a warp reads 32 neighbouring slots of each column of
// a slice, and one or more warps for the same 32 rows, which share the columns. Products by one vector or by
// packs of columns, in one code.
#pragma once

#include "exec/cuda/kernel/l2_share.cuh"
#include "exec/cuda/kernel/pack_blocks.cuh"
#include "exec/cuda/kernel/strided_row.cuh"
#include "formats/sliced_ell/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

struct sliced_ell_tuning {
  static constexpr int threads = 128;  ///< of a block, unless more warps share rows
  static constexpr int threads_where_wide =
      512;  ///< where a block may have a wide group: all of its warps share that
  /// Columns whose slots a thread asks for together: rows of a stencil take one wait, longer rows keep the
  /// memory busy.
  static constexpr int batch = 8;

  static constexpr int block(int warps, bool wide) {
    return std::max(wide ? threads_where_wide : threads, warps * exec::warp_size);
  }
};

/// The sum of what one lane of a group has in columns part, part + Parts, ... of its row's slice.
template <int Parts, class S>
__device__ __forceinline__ sum_t<S> sum_columns(const sliced_ell_pointers<matrix_t<S>>& a, x_rows_t<S> x,
                                                std::int64_t first, std::int64_t width,
                                                std::int64_t slice_rows, int part, exec::l2_policy policy) {
  return exec::multiply_strided<sliced_ell_tuning::batch, S>(
      a.col + first + part * slice_rows, a.val + first + part * slice_rows, Parts * slice_rows,
      (width - part + Parts - 1) / Parts, x, policy);
}

/// Warps warps take a group of 32 positions, warp w of them columns w, w + Warps, ...; the first adds the
/// others' sums in their order. Where Wide, the first blocks have a wide group each, shared by all their
/// warps. SliceRows = 0: as meta says; a constant makes the distances of a batch constants too.
template <int Warps, int SliceRows, bool Wide, class S>
__global__ void __launch_bounds__(exec::threads_by_packs<S>(sliced_ell_tuning::block(Warps, Wide)),
                                  exec::least_blocks_by_packs<S>(sliced_ell_tuning::block(Warps, Wide)))
    sliced_ell_warps_per_32_rows(sliced_ell_pointers<matrix_t<S>> a, exec::products_of<S> all,
                                 exec::l2_share share) {
  const product<S>& p = exec::product_of_block(all);
  const unsigned block_of_all = exec::block_in_pack(all);
  constexpr int threads = sliced_ell_tuning::block(Warps, Wide);
  constexpr int block_warps = threads / exec::warp_size;
  const std::int64_t slice_rows = SliceRows > 0 ? SliceRows : a.meta.slice_rows;
  const int lane = static_cast<int>(threadIdx.x) % exec::warp_size;
  const int warp = static_cast<int>(threadIdx.x) / exec::warp_size;
  const std::int64_t block = static_cast<std::int64_t>(block_of_all) - (Wide ? a.meta.wide_groups : 0);
  const bool is_wide = Wide && block < 0;
  const int parts = is_wide ? block_warps : Warps;
  const int part = warp % parts;
  const std::int64_t group =
      is_wide ? a.wide_group[block_of_all] : block * (block_warps / Warps) + warp / Warps;
  const std::int64_t position = group * exec::warp_size + lane;
  const std::int64_t slice = position / slice_rows;
  bool finishes = part == 0 && position < a.meta.rows;
  std::int64_t row = position;
  sum_t<S> sum{0};
  std::int64_t first = 0;
  std::int64_t width = 0;
  if (slice < a.meta.slices) {
    first = a.slice_ptr[slice];
    width = (a.slice_ptr[slice + 1] - first) / slice_rows;
    first += position % slice_rows;
    if (a.meta.sorted && finishes) row = a.row_perm[position];
  }
  if (is_wide) {
    sum = sum_columns<block_warps, S>(a, p.x, first, width, slice_rows, part,
                                      exec::l2_policy(share, block_of_all));
  } else if (Wide && __any_sync(0xffffffffu, width > std::int64_t{a.meta.longest_walk} * Warps)) {
    finishes = false;
  } else {
    sum = sum_columns<Warps, S>(a, p.x, first, width, slice_rows, part, exec::l2_policy(share, block_of_all));
  }
  // A block without a wide group has no sums to exchange where a warp has its rows for itself, and its warps
  // need not wait for each other.
  if (parts > 1) {
    __shared__ sum_t<S> sums[threads];
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (!finishes) return;
    if (is_wide) {
      for (int w = 1; w < block_warps; ++w) sum += sums[lane + w * exec::warp_size];
    } else {
#pragma unroll
      for (int w = 1; w < Warps; ++w) sum += sums[static_cast<int>(threadIdx.x) + w * exec::warp_size];
    }
  }
  if (finishes) p.finish_row(row, sum);
}

template <int Warps, int SliceRows, bool Wide, class S>
void launch_kernel(const sliced_ell_pointers<matrix_t<S>>& a, const exec::products_of<S>& all,
                   cuda_stream stream) {
  constexpr int threads = sliced_ell_tuning::block(Warps, Wide);
  const unsigned blocks = exec::blocks_for(a.meta.slices * a.meta.slice_rows, threads / Warps) +
                          static_cast<unsigned>(Wide ? a.meta.wide_groups : 0);
  const exec::l2_share share = exec::l2_share_for<vector_t<S>>(
      a.meta, a.meta.slots * exec::slot_bytes<matrix_t<S>>, exec::grid_of(all, 1));
  sliced_ell_warps_per_32_rows<Warps, SliceRows, Wide, S>
      <<<exec::grid_of(all, blocks), threads, 0, stream.handle()>>>(a, all, share);
}

template <int Warps, class S>
void launch_warps(const sliced_ell_pointers<matrix_t<S>>& a, const exec::products_of<S>& all,
                  cuda_stream stream) {
  if (a.meta.slice_rows != exec::warp_size) return launch_kernel<Warps, 0, true, S>(a, all, stream);
  if (a.meta.wide_groups > 0) return launch_kernel<Warps, exec::warp_size, true, S>(a, all, stream);
  launch_kernel<Warps, exec::warp_size, false, S>(a, all, stream);
}

template <class S>
void launch_sliced_ell(const sliced_ell_pointers<matrix_t<S>>& a, const exec::products_of<S>& all,
                       cuda_stream stream) {
  switch (a.meta.threads_per_row) {
    case 1:
      launch_warps<1, S>(a, all, stream);
      break;
    case 2:
      launch_warps<2, S>(a, all, stream);
      break;
    case 4:
      launch_warps<4, S>(a, all, stream);
      break;
    case 8:
      launch_warps<8, S>(a, all, stream);
      break;
    default:
      launch_warps<16, S>(a, all, stream);
  }
  exec::check_launch("sliced_ell");
}

}  // namespace
}  // namespace gossamer::inline v0::formats
