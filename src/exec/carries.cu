// SPDX-License-Identifier: BSD-3-Clause
// Combining shared rows on the device in a kernel of its own: one thread, warp or block a run, by the longest run.
#include "exec/carries.hpp"
#include "exec/launch.cuh"

namespace gossamer::inline v0::exec {
namespace {

constexpr int block_threads = 256;
constexpr int block_warps = block_threads / warp_size;
constexpr std::int64_t longest_of_a_warp = 512;
/// A block for each of so many runs is one wave of the device, so that short ones among them cost nothing.
constexpr std::int64_t runs_of_a_wave = 1024;

template <class V>
__global__ void combine_thread_per_run(carry_view carries, const V* __restrict__ slots, product<V> p) {
  const std::int64_t r = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
  if (r >= carries.runs) return;
  V sum{0};
  for (std::int64_t s = carries.first[r]; s < carries.last[r]; ++s) sum += slots[s];
  p.finish_row(carries.row[r], sum);
}

template <class V>
__global__ void combine_warp_per_run(carry_view carries, const V* __restrict__ slots, product<V> p) {
  const std::int64_t r = (static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x) / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  if (r >= carries.runs) return;
  V sum{0};
  for (std::int64_t s = carries.first[r] + lane; s < carries.last[r]; s += warp_size) sum += slots[s];
  sum = sum_lanes<warp_size>(sum);
  if (lane == 0) p.finish_row(carries.row[r], sum);
}

template <class V>
__device__ __forceinline__ void combine_by_block(const carry_view& carries, std::int64_t r, const V* slots,
                                                 const product<V>& p, V* partial) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  V sum{0};
  for (std::int64_t s = carries.first[r] + threadIdx.x; s < carries.last[r]; s += block_threads)
    sum += slots[s];
  sum = sum_lanes<warp_size>(sum);
  if (lane == 0) partial[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  sum = sum_lanes<warp_size>(lane < block_warps ? partial[lane] : V{0});
  if (lane == 0) p.finish_row(carries.row[r], sum);
}

template <class V>
__global__ void combine_block_per_run(carry_view carries, const V* __restrict__ slots, product<V> p) {
  __shared__ V partial[block_warps];
  combine_by_block(carries, blockIdx.x, slots, p, partial);
}

/// Where a few runs are long and the others many: a block takes as many runs as it has warps, the long ones with all of them. Its runs lie
/// gridDim.x apart, since long ones may stand side by side.
template <class V>
__global__ void combine_warp_per_short_run(carry_view carries, const V* __restrict__ slots, product<V> p) {
  __shared__ V partial[block_warps];
  for (int w = 0; w < block_warps; ++w) {
    const std::int64_t r = blockIdx.x + static_cast<std::int64_t>(w) * gridDim.x;
    if (r >= carries.runs || carries.last[r] - carries.first[r] <= longest_of_a_warp) continue;
    combine_by_block(carries, r, slots, p, partial);
    __syncthreads();  // before the next run's partial sums
  }
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const std::int64_t r =
      blockIdx.x + static_cast<std::int64_t>(threadIdx.x) / warp_size * static_cast<std::int64_t>(gridDim.x);
  if (r >= carries.runs || carries.last[r] - carries.first[r] > longest_of_a_warp) return;
  V sum{0};
  for (std::int64_t s = carries.first[r] + lane; s < carries.last[r]; s += warp_size) sum += slots[s];
  sum = sum_lanes<warp_size>(sum);
  if (lane == 0) p.finish_row(carries.row[r], sum);
}

}  // namespace

template <class V>
void combine_on_device(const carry_view& carries, const V* slots, const product<V>& p, cuda_stream stream) {
  if (carries.runs == 0 || !carries.apart) return;
  // Most runs have two slots. A few long ones would leave one thread walking them, a latency each step.
  if (carries.longest <= 8) {
    combine_thread_per_run<<<blocks_for(carries.runs, block_threads), block_threads, 0, stream.handle()>>>(
        carries, slots, p);
  } else if (carries.longest <= longest_of_a_warp) {
    combine_warp_per_run<<<blocks_for(carries.runs, block_warps), block_threads, 0, stream.handle()>>>(
        carries, slots, p);
  } else if (carries.runs > runs_of_a_wave) {
    combine_warp_per_short_run<<<blocks_for(carries.runs, block_warps), block_threads, 0, stream.handle()>>>(
        carries, slots, p);
  } else {
    combine_block_per_run<<<blocks_for(carries.runs, 1), block_threads, 0, stream.handle()>>>(carries, slots,
                                                                                              p);
  }
  check_launch("combine");
}

template void combine_on_device(const carry_view&, const float*, const product<float>&, cuda_stream);
template void combine_on_device(const carry_view&, const double*, const product<double>&, cuda_stream);

}  // namespace gossamer::inline v0::exec
