// SPDX-License-Identifier: BSD-3-Clause
// What the kernels of bench_floor share: launching as packed does, so that each begins while the one before it ends, and loading x as packed does.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "gossamer/gossamer.hpp"

inline constexpr int threads = 128;

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// An array on the current device, given back with it.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t size) { check(cudaMalloc(&data_, (size == 0 ? 1 : size) * sizeof(T))); }
  device_array(std::size_t size, int byte) : device_array(size) {
    check(cudaMemset(data_, byte, size * sizeof(T)));
  }
  explicit device_array(const std::vector<T>& from) : device_array(from.size()) {
    check(cudaMemcpy(data_, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { cudaFree(data_); }
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

__device__ inline void take_turn() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Not through the read-only cache, as packed loads x (docs/decisions/0017-turns.md); and one load for each.
__device__ inline double load(const double* from) {
  double v = 0;
  asm volatile("ld.global.f64 %0, [%1];" : "=d"(v) : "l"(from));
  return v;
}
__device__ inline float load(const float* from) {
  float v = 0;
  asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(from));
  return v;
}

template <class Kernel, class... Arguments>
void launch(Kernel kernel, unsigned blocks, gossamer::cuda_stream stream, Arguments... arguments) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.stream = static_cast<cudaStream_t>(stream.handle());
  config.attrs = &early;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel, arguments...));
}
