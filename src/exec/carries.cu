// SPDX-License-Identifier: BSD-3-Clause
// Combining shared rows on the device in a kernel of its own: one thread, warp or block a run, by the longest run.
#include "exec/carries.hpp"
#include "exec/launch.cuh"

namespace gossamer::inline v0::exec {
namespace {

constexpr int block_threads = 256;

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
__global__ void combine_block_per_run(carry_view carries, const V* __restrict__ slots, product<V> p) {
  __shared__ V partial[block_threads / warp_size];
  const std::int64_t r = blockIdx.x;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  V sum{0};
  for (std::int64_t s = carries.first[r] + threadIdx.x; s < carries.last[r]; s += block_threads)
    sum += slots[s];
  sum = sum_lanes<warp_size>(sum);
  if (lane == 0) partial[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  sum = sum_lanes<warp_size>(lane < block_threads / warp_size ? partial[lane] : V{0});
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
  } else if (carries.longest <= 512) {
    combine_warp_per_run<<<blocks_for(carries.runs, block_threads / warp_size), block_threads, 0,
                           stream.handle()>>>(carries, slots, p);
  } else {
    combine_block_per_run<<<blocks_for(carries.runs, 1), block_threads, 0, stream.handle()>>>(carries, slots,
                                                                                              p);
  }
  check_launch("combine");
}

template void combine_on_device(const carry_view&, const float*, const product<float>&, cuda_stream);
template void combine_on_device(const carry_view&, const double*, const product<double>&, cuda_stream);

}  // namespace gossamer::inline v0::exec
