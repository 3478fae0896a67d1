// SPDX-License-Identifier: BSD-3-Clause
// Attributes of the current device, and of kernels on it. Each is queried once for each device, and kept.
#pragma once

#include <cuda_runtime.h>

#include "exec/cuda/kernel/launch.cuh"
#include "exec/cuda/per_device.cuh"

namespace gossamer::inline v0::exec {

template <cudaDeviceAttr Which>
int device_attribute() {
  static per_device known;
  return known.get([] {
    int device = 0;
    int value = 0;
    check_cuda(static_cast<int>(cudaGetDevice(&device)), "cudaGetDevice");
    check_cuda(static_cast<int>(cudaDeviceGetAttribute(&value, Which, device)), "cudaDeviceGetAttribute");
    return value;
  });
}

inline int l2_cache_bytes() {
  return device_attribute<cudaDevAttrL2CacheSize>();
}
inline int multiprocessors() {
  return device_attribute<cudaDevAttrMultiProcessorCount>();
}

/// Lets Kernel have as much dynamic shared memory on the current device as there is for a block, less what
/// the kernel declares itself. To be called before a launch with more than 44 KiB. The limit is the same for
/// all launches, since products of several threads may launch one kernel with different sizes.
template <auto Kernel>
void allow_shared_memory() {
  static per_device known;
  known.get([] {
    cudaFuncAttributes code{};
    check_cuda(static_cast<int>(cudaFuncGetAttributes(&code, Kernel)), "cudaFuncGetAttributes");
    const int most =
        device_attribute<cudaDevAttrMaxSharedMemoryPerBlockOptin>() - static_cast<int>(code.sharedSizeBytes);
    check_cuda(
        static_cast<int>(cudaFuncSetAttribute(Kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most)),
        "cudaFuncSetAttribute");
    return most;
  });
}

/// Blocks of Kernel that the device can hold at once, with no dynamic shared memory.
template <auto Kernel, int ThreadsOfBlock>
int resident_blocks() {
  static per_device known;
  return multiprocessors() * known.get([] {
    int blocks = 0;
    check_cuda(
        static_cast<int>(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, Kernel, ThreadsOfBlock, 0)),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    return blocks;
  });
}

}  // namespace gossamer::inline v0::exec
