// SPDX-License-Identifier: BSD-3-Clause
// ARG-CSR on a CUDA device, after paper 003's listing 2: a block a group, a thread a chunk, then a thread a
// row.
#include "exec/cuda/kernel/launch.cuh"
#include "exec/reduction/chunk_sum.cuh"
#include "formats/papers/arg_csr/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

/// Dynamic shared memory: the partial sum of each thread, then the mapping of threads to rows.
template <class S>
__global__ void __launch_bounds__(arg_csr::most_threads)
    arg_csr_group_per_block(arg_csr_pointers<matrix_t<S>> a, product<S> p) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto* const partial = reinterpret_cast<sum_t<S>*>(shared);
  auto* const mapping = reinterpret_cast<std::int32_t*>(partial + blockDim.x);
  constexpr int words = sizeof(arg_csr_group) / sizeof(std::int32_t);
  __shared__ __align__(alignof(arg_csr_group)) std::int32_t info[words];
  const int tid = static_cast<int>(threadIdx.x);
  const std::int64_t g = blockIdx.x;
  if (g >= a.meta.groups) return;

  if (tid < words) info[tid] = reinterpret_cast<const std::int32_t*>(a.group + g)[tid];
  __syncthreads();
  const auto& group = *reinterpret_cast<const arg_csr_group*>(info);
  if (tid < group.rows) mapping[tid] = a.thread_mapping[group.first_row + tid];

  // Threads without a chunk have a slot of padding to stop at; knowing that there is nothing is cheaper than
  // reading it.
  const std::int64_t block = blockDim.x;
  const std::int64_t slot = group.offset + tid;
  sum_t<S> part{0};
  if (tid < group.chunks)
    part = exec::sum_chunk<S>(a.col + slot, a.val + slot, block, group.chunk_size * block - tid, p.x);
  partial[tid] = part;
  __syncthreads();

  if (tid < group.rows) {
    sum_t<S> sum{0};
    const int end = mapping[tid];
    for (int t = tid > 0 ? mapping[tid - 1] : 0; t < end; ++t) sum += partial[t];
    p.finish_row(group.first_row + tid, sum);
  }
}

}  // namespace

template <scalar_types S>
void arg_csr::launch(const arg_csr_pointers<matrix_t<S>>& a, const product<S>& p, sum_t<S>*,
                     cuda_stream stream) {
  const auto block = static_cast<unsigned>(a.meta.block);
  const std::size_t shared = block * (sizeof(sum_t<S>) + sizeof(std::int32_t));
  arg_csr_group_per_block<<<exec::blocks_for(a.meta.groups, 1), block, shared, stream.handle()>>>(a, p);
  exec::check_launch("arg_csr");
}

GOSSAMER_INSTANTIATE_LAUNCH(arg_csr, std::int64_t)

}  // namespace gossamer::inline v0::formats
