// SPDX-License-Identifier: BSD-3-Clause
// A kernel whose start overlaps the end of the one before it in a stream (CUDA's programmatic dependent
// launch, compute capability 9.0 and newer), so that a short kernel does not cost a whole launch. Elsewhere
// the two follow each other as kernels do (docs/decisions/0017-dependent-launch.md).
#pragma once

#include "exec/cuda/kernel/launch.cuh"
#include "exec/cuda/per_device.cuh"

namespace gossamer::inline v0::exec {

/// In the first kernel, where a second follows that waits: its blocks may take places that are free once all
/// blocks of this one have begun. It does not say that anything has been written.
__device__ __forceinline__ void trigger_dependents(bool one_follows) {
#if __CUDA_ARCH__ >= 900
  if (one_follows) cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// In the second: returns when the first has ended and what it wrote is visible, to loads that are not of the
/// read-only cache: those ptxas moves before it. Before that only what no kernel writes may be read.
__device__ __forceinline__ void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// Both, in this order: a kernel that begins behind this one, ours or the caller's, finds all that came
/// before this one at its end.
__device__ __forceinline__ void wait_and_trigger() {
  wait_for_previous();
  trigger_dependents(true);
}

/// The same in two steps, for kernels that have much to do (`triggers_late`) once they have the vector:
/// begin() before a thread's first load of it, trigger() behind its last. What the next kernel asks for ahead
/// would stand in the way of the vector, and there is time for it later. The first thread of a block that
/// lets the next begin, or the block's end, speaks for the block; so nothing but time depends on trigger().
struct dependent_launch {
  bool triggers_late;
  __device__ __forceinline__ void wait() const {
    wait_for_previous();
    trigger_dependents(!triggers_late);
  }
  __device__ __forceinline__ void trigger() const { trigger_dependents(triggers_late); }
};

/// Whether the code that the current device runs for Kernel has the wait in it: code for older devices has
/// not, wherever it runs.
template <auto Kernel>
bool waits_for_previous() {
  static per_device known;
  return known.get([] {
    cudaFuncAttributes code{};
    check_cuda(static_cast<int>(cudaFuncGetAttributes(&code, Kernel)), "cudaFuncGetAttributes");
    return code.ptxVersion;
  }) >= 90;
}

/// Starts Kernel, which calls wait_for_previous(), wait_and_trigger() or dependent_launch::wait() before it
/// reads what the kernel before it in `stream` writes, and before it writes; at least one thread of every
/// grid has to, also where it has nothing to do: only then does the end of a grid mean that all before it
/// have ended. A kernel may wait at its end instead, if the kernel before it belongs to the same product,
/// writes other rows, and waits before its trigger. `shared`: bytes of dynamic shared memory.
template <auto Kernel, class... Arguments>
void launch_dependent(const char* name, unsigned blocks, unsigned threads, unsigned shared,
                      cuda_stream stream, const Arguments&... arguments) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared;
  config.stream = static_cast<cudaStream_t>(stream.handle());
  config.attrs = &early;
  config.numAttrs = waits_for_previous<Kernel>() ? 1 : 0;
  check_cuda(static_cast<int>(cudaLaunchKernelEx(&config, Kernel, arguments...)), name);
}

}  // namespace gossamer::inline v0::exec
