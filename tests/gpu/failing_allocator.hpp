// SPDX-License-Identifier: BSD-3-Clause
// Device memory that is refused after some allocations, and counted.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace gossamer::testing_support {

/// Fails the n-th allocation on the device, and counts what is held.
struct failing_allocator {
  int allowed = 0;
  std::int64_t held = 0;
  static void* allocate(std::size_t bytes, std::size_t, int, void* user) {
    auto& self = *static_cast<failing_allocator*>(user);
    if (self.allowed-- <= 0) return nullptr;
    void* pointer = nullptr;
    if (cudaMalloc(&pointer, bytes) != cudaSuccess) return nullptr;
    self.held += static_cast<std::int64_t>(bytes);
    return pointer;
  }
  static void release(void* pointer, std::size_t bytes, int, void* user) {
    static_cast<failing_allocator*>(user)->held -= static_cast<std::int64_t>(bytes);
    (void)cudaFree(pointer);
  }
};

}  // namespace gossamer::testing_support
