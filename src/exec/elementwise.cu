// SPDX-License-Identifier: BSD-3-Clause
#include "exec/cuda/kernel/launch.cuh"
#include "exec/elementwise.hpp"

namespace gossamer::inline v0::exec {
namespace {

constexpr int block_threads = 256;

template <class S>
__global__ void scale_element_per_thread(vector_t<S>* __restrict__ y, std::int64_t size, sum_t<S> beta) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
  if (i < size) y[i] = beta == sum_t<S>{0} ? vector_t<S>{0} : beta * y[i];
}

template <class V>
__global__ void gather_element_per_thread(V* __restrict__ to, const std::int64_t* __restrict__ map,
                                          std::int64_t size, const V* __restrict__ from) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
  if (i < size) to[i] = map[i] < 0 ? V{0} : from[map[i]];
}

template <class O>
__global__ void widen_element_per_thread(std::int64_t* __restrict__ to, const O* __restrict__ from,
                                         std::int64_t size) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
  if (i < size) to[i] = from[i];
}

}  // namespace

template <class S>
void scale_on_device(vector_t<S>* y, std::int64_t size, sum_t<S> beta, cuda_stream stream) {
  if (size == 0 || beta == sum_t<S>{1}) return;
  scale_element_per_thread<S>
      <<<blocks_for(size, block_threads), block_threads, 0, stream.handle()>>>(y, size, beta);
  check_launch("scale");
}

template <class V>
void gather_values_on_device(V* to, const std::int64_t* map, std::int64_t size, const V* from,
                             cuda_stream stream) {
  if (size == 0) return;
  gather_element_per_thread<<<blocks_for(size, block_threads), block_threads, 0, stream.handle()>>>(
      to, map, size, from);
  check_launch("gather_values");
}

template <class O>
void widen_on_device(std::int64_t* to, const O* from, std::int64_t size, cuda_stream stream) {
  if (size == 0) return;
  widen_element_per_thread<<<blocks_for(size, block_threads), block_threads, 0, stream.handle()>>>(to, from,
                                                                                                   size);
  check_launch("widen");
}

#define GOSSAMER_INSTANCE(S) \
  template void scale_on_device<S>(S::vector*, std::int64_t, S::accumulator, cuda_stream);
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE
template void gather_values_on_device(float*, const std::int64_t*, std::int64_t, const float*, cuda_stream);
template void gather_values_on_device(double*, const std::int64_t*, std::int64_t, const double*, cuda_stream);
template void widen_on_device(std::int64_t*, const std::int32_t*, std::int64_t, cuda_stream);
template void widen_on_device(std::int64_t*, const std::int64_t*, std::int64_t, cuda_stream);

}  // namespace gossamer::inline v0::exec
