// SPDX-License-Identifier: BSD-3-Clause
#include "exec/cuda/kernel/launch.cuh"
#include "timer/device_clock.hpp"

namespace gossamer::inline v0::timer {
namespace {

constexpr int block_threads = 256;

__device__ std::uint64_t nanoseconds() {
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void wait_one_thread(std::uint64_t duration) {
  const std::uint64_t begin = nanoseconds();
  while (nanoseconds() - begin < duration) {
#if __CUDA_ARCH__ >= 700
    __nanosleep(200);
#endif
  }
}

__global__ void write_grid_stride(float* buffer, std::int64_t size) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * block_threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x; i < size;
       i += stride)
    buffer[i] = 1.0f;
}

__global__ void read_grid_stride(float* buffer, std::int64_t size) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * block_threads;
  float sum = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x; i < size;
       i += stride)
    sum += buffer[i];
  // Never true of ones; the compiler does not know, so the reads stay.
  if (sum < 0) buffer[0] = sum;
}

}  // namespace

void wait_on_device(double seconds, cuda_stream stream) {
  wait_one_thread<<<1, 1, 0, stream.handle()>>>(static_cast<std::uint64_t>(seconds * 1e9));
  exec::check_launch("wait");
}

void flush_on_device(float* buffer, std::int64_t size, cuda_stream stream) {
  // Enough threads for any device; each goes over many elements.
  constexpr std::int64_t most_blocks = 4096;
  const unsigned blocks = std::min(exec::blocks_for(size, block_threads), static_cast<unsigned>(most_blocks));
  write_grid_stride<<<blocks, block_threads, 0, stream.handle()>>>(buffer, size);
  exec::check_launch("flush, write");
  read_grid_stride<<<blocks, block_threads, 0, stream.handle()>>>(buffer, size);
  exec::check_launch("flush, read");
}

}  // namespace gossamer::inline v0::timer
