// SPDX-License-Identifier: BSD-3-Clause
// A kernel whose start overlaps the end of the one before it in a stream (CUDA's programmatic dependent launch, compute capability 9.0 and
// newer), so that a short second kernel does not cost a whole launch. Elsewhere the two follow each other as kernels do.
#pragma once

#include <array>
#include <atomic>

#include "exec/launch.cuh"

namespace gossamer::inline v0::exec {

/// In the first kernel: the second one's blocks may take places that are free once all blocks of this one have begun. It does not say that
/// anything has been written.
__device__ __forceinline__ void let_next_begin() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// In the second: returns when the first has ended and what it wrote is visible. Before that only what no kernel writes may be read.
__device__ __forceinline__ void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// Whether the code that the current device runs for Kernel has the wait in it: code for older devices has not, wherever it runs.
template <auto Kernel>
bool waits_for_previous() {
  enum : signed char { unknown, no, yes };
  static std::array<std::atomic<signed char>, 64> known{};
  int device = 0;
  check_cuda(static_cast<int>(cudaGetDevice(&device)), "cudaGetDevice");
  if (device >= static_cast<int>(known.size())) return false;
  std::atomic<signed char>& answer = known[static_cast<std::size_t>(device)];
  if (answer == unknown) {
    cudaFuncAttributes code{};
    check_cuda(static_cast<int>(cudaFuncGetAttributes(&code, Kernel)), "cudaFuncGetAttributes");
    answer = code.ptxVersion >= 90 ? yes : no;
  }
  return answer == yes;
}

/// Starts Kernel, which calls wait_for_previous() before it reads what the kernel before it in `stream` writes, and before it writes.
template <auto Kernel, class... Arguments>
void launch_overlapping(unsigned blocks, unsigned threads, cuda_stream stream,
                        const Arguments&... arguments) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.stream = static_cast<cudaStream_t>(stream.handle());
  config.attrs = &early;
  config.numAttrs = waits_for_previous<Kernel>() ? 1 : 0;
  check_cuda(static_cast<int>(cudaLaunchKernelEx(&config, Kernel, arguments...)), "cudaLaunchKernelEx");
}

}  // namespace gossamer::inline v0::exec
