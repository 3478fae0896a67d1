// SPDX-License-Identifier: BSD-3-Clause
#include "exec/cuda/kernel/launch.cuh"
#include "timer/vector_update.hpp"

namespace gossamer::inline v0::timer {
namespace {

constexpr int update_threads = 256;

template <class V>
__global__ void update_one_thread_per_element(V* to, V scale, V step, const V* from, std::int64_t size) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * update_threads + threadIdx.x;
  if (i < size) to[i] = scale * to[i] + step * from[i];
}

}  // namespace

template <class V>
void update_on_device(V* to, V scale, V step, const V* from, std::int64_t size, cuda_stream stream) {
  update_one_thread_per_element<<<exec::blocks_for(size, update_threads), update_threads, 0,
                                  stream.handle()>>>(to, scale, step, from, size);
  exec::check_launch("vector update");
}

template void update_on_device(float*, float, float, const float*, std::int64_t, cuda_stream);
template void update_on_device(double*, double, double, const double*, std::int64_t, cuda_stream);

}  // namespace gossamer::inline v0::timer
