// SPDX-License-Identifier: BSD-3-Clause
// To be removed: which kernel multiplies chunks, by an environment variable.
#pragma once

#include <cstdlib>

#include "exec/launch.cuh"
#include "exec/per_device.cuh"

namespace gossamer::inline v0::exec {

inline int chunk_variant(int entries_per_thread) {
  if (entries_per_thread >= 90) return 0;
  if (entries_per_thread >= 10) return entries_per_thread / 10;
  const char* text = std::getenv("GOSSAMER_CHUNKS");
  return text != nullptr ? std::atoi(text) : 1;
}

/// Blocks of a multiprocessor that the compiler has to leave registers for.
constexpr int chunk_blocks(int count, int threads = 1024) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
  threads = 1024;
#endif
  return threads * count / 1024;
}

/// Blocks of so many threads that the current device has room for at once.
template <auto Kernel>
unsigned blocks_at_once(unsigned threads) {
  int device = 0;
  int multiprocessors = 0;
  int each = 0;
  check_cuda(static_cast<int>(cudaGetDevice(&device)), "cudaGetDevice");
  check_cuda(
      static_cast<int>(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device)),
      "cudaDeviceGetAttribute");
  check_cuda(static_cast<int>(
                 cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, Kernel, static_cast<int>(threads), 0)),
             "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return static_cast<unsigned>(multiprocessors * each);
}

}  // namespace gossamer::inline v0::exec
