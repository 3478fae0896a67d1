// SPDX-License-Identifier: BSD-3-Clause
// A kernel that adds the slots of rows that several units share. A thread, a warp or a block adds a run, by
// the length of the runs. Blocks begin while the kernel that fills the slots still runs. So they read slots
// only after the wait. They may read the lists of runs before it, since no kernel writes these.
#include "exec/cuda/kernel/dependent_launch.cuh"
#include "exec/cuda/kernel/launch.cuh"
#include "exec/cuda/kernel/pack_blocks.cuh"
#include "exec/epilogue.hpp"
#include "exec/reduction/carries.hpp"

namespace gossamer::inline v0::exec {
namespace {

constexpr int carry_threads = 256;
constexpr int block_warps = carry_threads / warp_size;
constexpr std::int64_t longest_of_a_thread = 8;
constexpr std::int64_t longest_of_a_warp = 512;
/// A block for each of so many runs is one wave of the device, so that short ones among them cost nothing.
constexpr std::int64_t runs_of_a_wave = 1024;

struct run {
  std::int32_t row;
  std::int64_t first;
  std::int64_t last;

  __device__ __forceinline__ run(const carry_view& carries, std::int64_t r)
      : row(carries.row[r]), first(carries.first[r]), last(carries.last[r]) {}
};

/// The slots of a block's pack.
template <class V, class Products>
__device__ __forceinline__ const V* slots_of_block(const carry_view& carries, const V* slots,
                                                   const Products& all) {
  return slots + pack_of_block(all) * carries.slots;
}

template <class S>
__device__ __forceinline__ void combine_by_thread(const run& here, const sum_t<S>* slots,
                                                  const product<S>& p) {
  sum_t<S> sum{0};
  for (std::int64_t s = here.first; s < here.last; ++s) sum += slots[s];
  p.finish_row(here.row, sum);
}

template <class S>
__device__ __forceinline__ void combine_by_warp(const run& here, int lane, const sum_t<S>* slots,
                                                const product<S>& p) {
  sum_t<S> sum{0};
  for (std::int64_t s = here.first + lane; s < here.last; s += warp_size) sum += slots[s];
  sum = sum_lanes<warp_size>(sum);
  if (lane == 0) p.finish_row(here.row, sum);
}

template <class S>
__global__ void combine_thread_per_run(carry_view carries, const sum_t<S>* all_slots, products_of<S> all) {
  const std::int64_t r = static_cast<std::int64_t>(block_in_pack(all)) * carry_threads + threadIdx.x;
  if (r >= carries.runs) return;
  const run here(carries, r);
  const sum_t<S>* const slots = slots_of_block(carries, all_slots, all);
  const product<S>& p = product_of_block(all);
  wait_and_trigger();
  combine_by_thread(here, slots, p);
}

/// Where most runs are short: a thread adds a short run, its warp a longer one.
template <class S>
__global__ void combine_thread_per_short_run(carry_view carries, const sum_t<S>* all_slots,
                                             products_of<S> all) {
  const std::int64_t r = static_cast<std::int64_t>(block_in_pack(all)) * carry_threads + threadIdx.x;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const sum_t<S>* const slots = slots_of_block(carries, all_slots, all);
  const product<S>& p = product_of_block(all);
  const std::int64_t length = r < carries.runs ? carries.last[r] - carries.first[r] : 0;
  unsigned longer = __ballot_sync(0xffffffffu, length > longest_of_a_thread);
  wait_and_trigger();
  if (length > 0 && length <= longest_of_a_thread) combine_by_thread(run(carries, r), slots, p);
  for (; longer != 0; longer &= longer - 1)
    combine_by_warp(run(carries, r - lane + __ffs(static_cast<int>(longer)) - 1), lane, slots, p);
}

template <class S>
__global__ void combine_warp_per_run(carry_view carries, const sum_t<S>* slots, products_of<S> all) {
  const std::int64_t r =
      (static_cast<std::int64_t>(block_in_pack(all)) * carry_threads + threadIdx.x) / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  if (r >= carries.runs) return;
  const run here(carries, r);
  wait_and_trigger();
  combine_by_warp(here, lane, slots_of_block(carries, slots, all), product_of_block(all));
}

template <class S>
__device__ __forceinline__ void combine_by_block(const run& here, const sum_t<S>* slots, const product<S>& p,
                                                 sum_t<S>* partial) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  sum_t<S> sum{0};
  for (std::int64_t s = here.first + threadIdx.x; s < here.last; s += carry_threads) sum += slots[s];
  sum = sum_lanes<warp_size>(sum);
  if (lane == 0) partial[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  sum = sum_lanes<warp_size>(lane < block_warps ? partial[lane] : sum_t<S>{0});
  if (lane == 0) p.finish_row(here.row, sum);
}

template <class S>
__global__ void combine_block_per_run(carry_view carries, const sum_t<S>* slots, products_of<S> all) {
  __shared__ sum_t<S> partial[block_warps];
  const run here(carries, block_in_pack(all));
  wait_and_trigger();
  combine_by_block(here, slots_of_block(carries, slots, all), product_of_block(all), partial);
}

/// Where a few runs are long and the others many: a block takes as many runs as it has warps, the long ones
/// with all of them. Its runs lie as far apart as there are blocks, since long ones may stand side by side.
template <class S>
__global__ void combine_warp_per_short_run(carry_view carries, const sum_t<S>* all_slots,
                                           products_of<S> all) {
  __shared__ sum_t<S> partial[block_warps];
  const unsigned block = block_in_pack(all);
  const std::int64_t blocks = blocks_of_pack(all);
  const sum_t<S>* const slots = slots_of_block(carries, all_slots, all);
  const product<S>& p = product_of_block(all);
  wait_and_trigger();
  for (int w = 0; w < block_warps; ++w) {
    const std::int64_t r = block + w * blocks;
    if (r >= carries.runs || carries.last[r] - carries.first[r] <= longest_of_a_warp) continue;
    combine_by_block(run(carries, r), slots, p, partial);
    __syncthreads();  // before the next run's partial sums
  }
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const std::int64_t r = block + static_cast<std::int64_t>(threadIdx.x) / warp_size * blocks;
  if (r >= carries.runs || carries.last[r] - carries.first[r] > longest_of_a_warp) return;
  combine_by_warp(run(carries, r), lane, slots, p);
}

template <class S>
void combine_all(const carry_view& carries, const sum_t<S>* slots, const products_of<S>& all,
                 cuda_stream stream) {
  if (!combines_apart(carries)) return;
  const auto launch = [&]<auto Kernel>(std::int64_t runs_of_block) {
    launch_dependent<Kernel>("combine", grid_of(all, blocks_for(carries.runs, runs_of_block)), carry_threads,
                             0, stream, carries, slots, all);
  };
  // Most runs have two slots. A few long ones would leave one thread walking them, a latency each step.
  constexpr std::int64_t short_in_the_mean = 4;
  if (carries.longest <= longest_of_a_thread)
    launch.template operator()<combine_thread_per_run<S>>(carry_threads);
  else if (carries.longest <= longest_of_a_warp && carries.slots < short_in_the_mean * carries.runs)
    launch.template operator()<combine_thread_per_short_run<S>>(carry_threads);
  else if (carries.longest <= longest_of_a_warp)
    launch.template operator()<combine_warp_per_run<S>>(block_warps);
  else if (carries.runs > runs_of_a_wave)
    launch.template operator()<combine_warp_per_short_run<S>>(block_warps);
  else
    launch.template operator()<combine_block_per_run<S>>(1);
}

}  // namespace

template <class S>
void combine_on_device(const carry_view& carries, const sum_t<S>* slots, const product<S>& p,
                       cuda_stream stream) {
  combine_all<S>(carries, slots, p, stream);
}

template <class S>
void combine_on_device(const carry_view& carries, const sum_t<S>* slots, const pack_products<S>& all,
                       cuda_stream stream) {
  combine_all<S>(carries, slots, all, stream);
}

#define GOSSAMER_INSTANCE(S, products) \
  template void combine_on_device(const carry_view&, const S::accumulator*, const products<S>&, cuda_stream);
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_INSTANCE, product)
GOSSAMER_FOR_EACH_DEVICE_PACKS(GOSSAMER_INSTANCE, pack_products)
#undef GOSSAMER_INSTANCE
#define GOSSAMER_INSTANCE(S)                                                \
  template void combine_on_device(const carry_view&, const S::accumulator*, \
                                  const product<with_epilogue<S>>&, cuda_stream);
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::exec
