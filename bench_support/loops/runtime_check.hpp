// SPDX-License-Identifier: BSD-3-Clause
// Checks of the CUDA runtime's codes, for code that is not in the library.
#pragma once

#include <cuda_runtime_api.h>

#include "core/fail.hpp"

namespace gossamer::bench_support::loops {

/// Throws device_error or out_of_memory with CUDA's text; `what` says what was tried.
inline void check_runtime(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();
  const bool memory = status == cudaErrorMemoryAllocation;
  fail(memory ? errc::out_of_memory : errc::device_error, "{}: {} ({})", what, cudaGetErrorString(status),
       cudaGetErrorName(status));
}

}  // namespace gossamer::bench_support::loops
