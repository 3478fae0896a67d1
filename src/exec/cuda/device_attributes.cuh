// SPDX-License-Identifier: BSD-3-Clause
// Attributes of the current device, each asked for once.
#pragma once

#include <cuda_runtime.h>

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

}  // namespace gossamer::inline v0::exec
