// SPDX-License-Identifier: BSD-3-Clause
// Combining shared rows on the device in a kernel of its own: one thread, warp or block a run, by the longest
// run. Its blocks begin while the kernel that fills the slots still runs. The lists of runs, which no kernel
// writes, may be read before the wait, the slots only after it.
#include "exec/cuda/kernel/dependent_launch.cuh"
#include "exec/cuda/kernel/launch.cuh"
#include "exec/reduction/carries.hpp"

namespace gossamer::inline v0::exec {
namespace {

constexpr int carry_threads = 256;
constexpr int block_warps = carry_threads / warp_size;
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

template <class S>
__device__ __forceinline__ void combine_by_warp(const run& here, int lane, const sum_t<S>* slots,
                                                const product<S>& p) {
  sum_t<S> sum{0};
  for (std::int64_t s = here.first + lane; s < here.last; s += warp_size) sum += slots[s];
  sum = sum_lanes<warp_size>(sum);
  if (lane == 0) p.finish_row(here.row, sum);
}

template <class S>
__global__ void combine_thread_per_run(carry_view carries, const sum_t<S>* slots, product<S> p) {
  const std::int64_t r = static_cast<std::int64_t>(blockIdx.x) * carry_threads + threadIdx.x;
  if (r >= carries.runs) return;
  const run here(carries, r);
  wait_and_trigger();
  sum_t<S> sum{0};
  for (std::int64_t s = here.first; s < here.last; ++s) sum += slots[s];
  p.finish_row(here.row, sum);
}

template <class S>
__global__ void combine_warp_per_run(carry_view carries, const sum_t<S>* slots, product<S> p) {
  const std::int64_t r = (static_cast<std::int64_t>(blockIdx.x) * carry_threads + threadIdx.x) / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  if (r >= carries.runs) return;
  const run here(carries, r);
  wait_and_trigger();
  combine_by_warp(here, lane, slots, p);
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
__global__ void combine_block_per_run(carry_view carries, const sum_t<S>* slots, product<S> p) {
  __shared__ sum_t<S> partial[block_warps];
  const run here(carries, blockIdx.x);
  wait_and_trigger();
  combine_by_block(here, slots, p, partial);
}

/// Where a few runs are long and the others many: a block takes as many runs as it has warps, the long ones
/// with all of them. Its runs lie gridDim.x apart, since long ones may stand side by side.
template <class S>
__global__ void combine_warp_per_short_run(carry_view carries, const sum_t<S>* slots, product<S> p) {
  __shared__ sum_t<S> partial[block_warps];
  wait_and_trigger();
  for (int w = 0; w < block_warps; ++w) {
    const std::int64_t r = blockIdx.x + static_cast<std::int64_t>(w) * gridDim.x;
    if (r >= carries.runs || carries.last[r] - carries.first[r] <= longest_of_a_warp) continue;
    combine_by_block(run(carries, r), slots, p, partial);
    __syncthreads();  // before the next run's partial sums
  }
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const std::int64_t r =
      blockIdx.x + static_cast<std::int64_t>(threadIdx.x) / warp_size * static_cast<std::int64_t>(gridDim.x);
  if (r >= carries.runs || carries.last[r] - carries.first[r] > longest_of_a_warp) return;
  combine_by_warp(run(carries, r), lane, slots, p);
}

}  // namespace

template <class S>
void combine_on_device(const carry_view& carries, const sum_t<S>* slots, const product<S>& p,
                       cuda_stream stream) {
  if (!combines_apart(carries)) return;
  // Most runs have two slots. A few long ones would leave one thread walking them, a latency each step.
  if (carries.longest <= 8)
    launch_dependent<combine_thread_per_run<S>>("combine", blocks_for(carries.runs, carry_threads),
                                                carry_threads, 0, stream, carries, slots, p);
  else if (carries.longest <= longest_of_a_warp)
    launch_dependent<combine_warp_per_run<S>>("combine", blocks_for(carries.runs, block_warps), carry_threads,
                                              0, stream, carries, slots, p);
  else if (carries.runs > runs_of_a_wave)
    launch_dependent<combine_warp_per_short_run<S>>("combine", blocks_for(carries.runs, block_warps),
                                                    carry_threads, 0, stream, carries, slots, p);
  else
    launch_dependent<combine_block_per_run<S>>("combine", blocks_for(carries.runs, 1), carry_threads, 0,
                                               stream, carries, slots, p);
}

#define GOSSAMER_INSTANCE(S) \
  template void combine_on_device(const carry_view&, const S::accumulator*, const product<S>&, cuda_stream);
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::exec
