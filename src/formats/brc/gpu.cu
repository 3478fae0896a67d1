// SPDX-License-Identifier: BSD-3-Clause
// Blocked row-column on a CUDA device: a thread a segment, as in paper 000, Figure 3, so that a warp reads
// neighbouring slots of each column of a block; or several warps for the same 32 segments, which share the
// columns.
#include "exec/cuda/kernel/dependent_launch.cuh"
#include "exec/cuda/kernel/l2_share.cuh"
#include "exec/cuda/kernel/strided_row.cuh"
#include "exec/elementwise.hpp"
#include "formats/brc/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

struct brc_tuning {
  static constexpr int threads =
      128;  ///< of a thread block (paper 000, section 4), unless more warps share segments
  static constexpr int batch = 8;  ///< columns whose slots a thread asks for together

  static constexpr int block(int warps) { return std::max(threads, warps * exec::warp_size); }
};

/// Items are taken in groups of 32, by Warps warps each, of which warp w multiplies columns w, w + Warps,
/// ...; the first adds the others' sums in their order. A thread takes an item of every gridDim.x-th part of
/// a thread block's size, up to `items`. BlockRows = 0: as meta says; a constant makes the distances of a
/// batch constants too.
template <int Warps, int BlockRows, class S>
__global__ void __launch_bounds__(brc_tuning::block(Warps))
    brc_thread_per_item(brc_pointers<matrix_t<S>> a, product<S> p, sum_t<S>* slots, std::int64_t items,
                        exec::l2_share share) {
  constexpr int threads = brc_tuning::block(Warps);
  constexpr int items_at_once = threads / Warps;
  const std::int64_t block_rows = BlockRows > 0 ? BlockRows : a.meta.block_rows;
  const int lane = static_cast<int>(threadIdx.x) % exec::warp_size;
  const int warp = static_cast<int>(threadIdx.x) / exec::warp_size;
  const int part = warp % Warps;
  exec::trigger_dependents(exec::combines_apart(a.carries));
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * items_at_once;
  // The bound is that of the whole thread block, whose threads all meet at the barriers.
  for (std::int64_t base = static_cast<std::int64_t>(blockIdx.x) * items_at_once; base < items;
       base += step) {
    const std::int64_t item = base + warp / Warps * exec::warp_size + lane;
    std::int32_t target = brc_dummy;
    sum_t<S> sum{0};
    if (item < items) {
      const std::int64_t block = item / block_rows;
      const std::int64_t width = a.nnz_per_block[block];
      const std::int64_t first = a.block_offset[block] + (item - block * block_rows) + part * block_rows;
      if (part == 0) target = a.row_perm[item];
      sum = exec::multiply_strided<brc_tuning::batch, S>(a.col + first, a.val + first, Warps * block_rows,
                                                         (width - part + Warps - 1) / Warps, p.x,
                                                         exec::l2_policy(share));
    }
    if constexpr (Warps > 1) {
      __shared__ sum_t<S> sums[threads];
      sums[threadIdx.x] = sum;
      __syncthreads();
      if (part == 0) {
#pragma unroll
        for (int w = 1; w < Warps; ++w) sum += sums[static_cast<int>(threadIdx.x) + w * exec::warp_size];
      }
      __syncthreads();  // before the next items' sums
    }
    if (target >= 0) {
      if (a.meta.accumulate == brc_accumulate::atomic)
        atomicAdd(p.y + target, p.alpha * sum);
      else
        p.finish_row(target, sum);
    } else if (target != brc_dummy) {
      slots[brc_slot_of(target)] = sum;
    }
  }
}

template <int Warps, class S>
void launch_warps(const brc_pointers<matrix_t<S>>& a, const product<S>& p, sum_t<S>* slots,
                  std::int64_t items, cuda_stream stream) {
  constexpr int threads = brc_tuning::block(Warps);
  const unsigned blocks =
      exec::blocks_for(items, std::int64_t{threads / Warps} * std::max(a.meta.coarsening, 1));
  const exec::l2_share share =
      exec::l2_share_for<vector_t<S>>(a.meta, a.meta.slots * exec::slot_bytes<matrix_t<S>>);
  // Those that candidates() names.
  if (a.meta.block_rows == 32)
    brc_thread_per_item<Warps, 32><<<blocks, threads, 0, stream.handle()>>>(a, p, slots, items, share);
  else if (a.meta.block_rows == 128)
    brc_thread_per_item<Warps, 128><<<blocks, threads, 0, stream.handle()>>>(a, p, slots, items, share);
  else
    brc_thread_per_item<Warps, 0><<<blocks, threads, 0, stream.handle()>>>(a, p, slots, items, share);
}

}  // namespace

template <scalar_types S>
void brc::launch(const brc_pointers<matrix_t<S>>& a, const product<S>& p, sum_t<S>* scratch,
                 cuda_stream stream) {
  const bool atomic = a.meta.accumulate == brc_accumulate::atomic;
  // Sums are added to y that has been scaled.
  if (atomic) exec::scale_on_device<S>(p.y, a.meta.rows, p.beta, stream);
  const std::int64_t blocks = atomic || p.beta == sum_t<S>{1} ? a.meta.filled_blocks : a.meta.blocks;
  const std::int64_t items = blocks * a.meta.block_rows;
  if (items == 0) return;
  switch (a.meta.threads_per_row) {
    case 1:
      launch_warps<1>(a, p, scratch, items, stream);
      break;
    case 2:
      launch_warps<2>(a, p, scratch, items, stream);
      break;
    case 4:
      launch_warps<4>(a, p, scratch, items, stream);
      break;
    case 8:
      launch_warps<8>(a, p, scratch, items, stream);
      break;
    default:
      launch_warps<16>(a, p, scratch, items, stream);
  }
  exec::check_launch("brc");
  exec::combine_on_device(a.carries, scratch, p, stream);
}

GOSSAMER_INSTANTIATE_LAUNCH(brc, std::int64_t)

}  // namespace gossamer::inline v0::formats
