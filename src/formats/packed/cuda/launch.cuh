// SPDX-License-Identifier: BSD-3-Clause
// Starts a product on a CUDA device, with the smallest kernel that has code for all slices of the matrix.
#pragma once

#include "formats/packed/cuda/kernel.cuh"
#include "formats/packed/cuda/launch_policy.hpp"

namespace gossamer::inline v0::formats {

/// Whether two warps share the rows of a diagonal slice.
template <class V>
bool packed_shares_rows(const packed_pointers<V>& a) {
  return a.meta.rows_shared == packed_rows_shared::always ||
         (a.meta.rows_shared == packed_rows_shared::beyond_cache && a.data_bytes > exec::l2_cache_bytes());
}

template <scalar_types S>
void packed_launch_slices(const packed_pointers<matrix_t<S>>& a, const product<S>& p, sum_t<S>* scratch,
                          cuda_stream stream) {
  const bool rows_shared = packed_shares_rows(a);
  const packed_blocks blocks = packed_blocks::of(a.meta, rows_shared ? 1 : a.meta.log2_warps);
  const unsigned shared = packed_bytes_of_sums(1 << a.meta.log2_warps, blocks.threads, sizeof(sum_t<S>)) +
                          packed_bytes_of_coo_buffers<sum_t<S>>(a.meta.coo_slices > 0, blocks.threads);
  const exec::l2_share share = exec::l2_share_for<vector_t<S>>(a.meta, a.data_bytes);
  const auto bytes_of = [](std::int64_t elements) {
    return elements * static_cast<std::int64_t>(sizeof(vector_t<S>));
  };
  const packed_prefetch_policy policy = choose_packed_prefetch(a.data_bytes, bytes_of(a.meta.cols),
                                                               bytes_of(a.meta.rows), exec::l2_cache_bytes());
  packed_grid grid{.lane_blocks = blocks.lane,
                   .matrix = {},
                   .vector = {},
                   .backwards = p.backwards && packed_may_alternate(share, a.carries.runs)};
  if (policy.matrix) grid.matrix = exec::block_partition::of(a.data, a.data_bytes, blocks.all);
  if (policy.vector) grid.vector = exec::block_partition::of(p.x, bytes_of(a.meta.cols), blocks.all);
  const packed_launch<S> launch{.blocks = blocks.all,
                                .threads = blocks.threads,
                                .shared_bytes = shared,
                                .stream = stream,
                                .matrix = a,
                                .p = p,
                                .scratch = scratch,
                                .share = share,
                                .grid = grid};
  if (a.meta.has_elided_deltas)
    return a.meta.has_halves
               ? launch.template start<packed_kinds<true, false, false, true, true, false, true>>()
               : launch.template start<packed_kinds<true, false, false, false, true, false, true>>();
  if constexpr (sizeof(matrix_t<S>) > sizeof(float))
    if (rows_shared) return launch.template start<packed_kinds<true, false, false, false, false, true>>();
  if (a.meta.coo_slices > 0) return packed_launch_with_coo_slices(launch);
  // Values of 2 bytes are rare: their kernels always have code for the table.
  const bool has_cut_rows = a.carries.runs > 0;
  if (a.meta.has_halves)
    return has_cut_rows ? launch.template start<packed_kinds<true, false, true, true, true>>()
                        : launch.template start<packed_kinds<true, false, false, true, true>>();
  if (has_cut_rows) return launch.template start<packed_kinds<true, false, true, false, true>>();
  if (a.table_size > 0) return launch.template start<packed_kinds<true, false, false, false, true>>();
  launch.template start<packed_kinds<true, false, false, false, false>>();
}

}  // namespace gossamer::inline v0::formats
