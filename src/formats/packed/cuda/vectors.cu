// SPDX-License-Identifier: BSD-3-Clause
// Starts a product by several vectors on a CUDA device.
#include "formats/packed/cuda/vectors_kernel.cuh"
#include "formats/packed/format.hpp"

namespace gossamer::inline v0::formats {

template <scalar_types S>
void packed::launch_columns(const packed_pointers<matrix_t<S>>& a, const columns_product<S>& p,
                            sum_t<S>* scratch, cuda_stream stream) {
  static_assert(columns_at_once % packed_pack == 0 && exec::vector_pack<S>::most == packed_pack);
  const std::int64_t rest = p.columns % packed_pack;
  const std::int64_t whole = p.columns - rest;
  if (rest != 0 && whole > 0 && exec::is_adjacent(p.from(0, whole))) {
    launch_columns(a, p.from(0, whole), scratch, stream);
    return launch_columns(a, p.from(whole, rest), scratch, stream);
  }
  const int warps = 1 << a.meta.log2_warps;
  const auto threads = static_cast<unsigned>(std::max(packed_usual_threads, warps * exec::warp_size));
  const unsigned shared = packed_bytes_of_sums(warps, threads, sizeof(sum_t<S>)) +
                          packed_bytes_of_coo_buffers<sum_t<S>>(a.meta.coo_slices > 0, threads);
  const unsigned warps_of_block = threads / exec::warp_size;
  const auto blocks_for = [&](std::int64_t slices, int log2_warps) {
    return ((static_cast<unsigned>(slices) << log2_warps) + warps_of_block - 1) / warps_of_block;
  };
  const unsigned lane_blocks = blocks_for(a.meta.slices - a.meta.coo_slices, a.meta.log2_warps);
  const auto packs = static_cast<unsigned>((p.columns + packed_pack - 1) / packed_pack);
  const unsigned blocks = packs * std::max(1u, lane_blocks + blocks_for(a.meta.coo_slices, 0));
  const exec::l2_share share = exec::l2_share_for<vector_t<S>>(a.meta, a.data_bytes);
  const auto start = [&]<bool Adjacent, class Kinds>() {
    exec::launch_dependent<packed_warps_per_slice_and_pack<Adjacent, Kinds, S>>(
        "packed", blocks, threads, shared, stream, a, exec::packs_of(p), scratch, packed::scratch<S>(a),
        share, lane_blocks);
  };
  using plain = packed_kinds<true, false, false, false, true>;
  using all = packed_kinds<true, true, true, true, true, false, true>;
  const bool is_plain =
      a.meta.coo_slices == 0 && a.carries.runs == 0 && !a.meta.has_halves && !a.meta.has_elided_deltas;
  if (exec::is_adjacent(p))
    is_plain ? start.template operator()<true, plain>() : start.template operator()<true, all>();
  else
    is_plain ? start.template operator()<false, plain>() : start.template operator()<false, all>();
}

#define GOSSAMER_INSTANCE(S)                                                                         \
  template void packed::launch_columns(const packed_pointers<S::matrix>&, const columns_product<S>&, \
                                       S::accumulator*, cuda_stream);
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::formats
