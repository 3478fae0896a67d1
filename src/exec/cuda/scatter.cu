// SPDX-License-Identifier: BSD-3-Clause
#include "exec/cuda/kernel/launch.cuh"
#include "exec/cuda/peer_copies.hpp"

namespace gossamer::inline v0::exec {
namespace {

constexpr int scatter_threads = 256;

__device__ __forceinline__ double times_plus(double beta, double y, double from) {
  return __dadd_rn(from, __dmul_rn(beta, y));
}
__device__ __forceinline__ float times_plus(float beta, float y, float from) {
  return __fadd_rn(from, __fmul_rn(beta, y));
}

template <class V>
__global__ void scatter_element_per_thread(V* __restrict__ y, const std::int32_t* __restrict__ rows,
                                           std::int64_t size, const V* __restrict__ from, V beta) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * scatter_threads + threadIdx.x;
  if (i >= size) return;
  V& to = y[rows[i]];
  if (from == nullptr)
    to = beta == V{0} ? V{0} : beta * to;
  else
    to = beta == V{0} ? from[i] : times_plus(beta, to, from[i]);
}

}  // namespace

template <class V>
void scatter_on_device(V* y, const std::int32_t* rows, std::int64_t size, const V* from, V beta,
                       cuda_stream stream) {
  if (size == 0) return;
  scatter_element_per_thread<<<blocks_for(size, scatter_threads), scatter_threads, 0, stream.handle()>>>(
      y, rows, size, from, beta);
  check_launch("scatter");
}

template void scatter_on_device(float*, const std::int32_t*, std::int64_t, const float*, float, cuda_stream);
template void scatter_on_device(double*, const std::int32_t*, std::int64_t, const double*, double,
                                cuda_stream);

}  // namespace gossamer::inline v0::exec
