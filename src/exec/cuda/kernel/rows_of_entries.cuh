// SPDX-License-Identifier: BSD-3-Clause
// The rows of entries of a CSR matrix in device memory.
#pragma once

#include "exec/cuda/kernel/launch.cuh"

namespace gossamer::inline v0::exec {

/// The row of `entry`: the largest r in [first, last] with row_ptr[r] <= entry.
template <class O>
__device__ std::int64_t row_of_entry(const O* row_ptr, std::int64_t first, std::int64_t last, O entry) {
  while (first < last) {
    const std::int64_t middle = first + (last - first + 1) / 2;
    if (row_ptr[middle] <= entry)
      first = middle;
    else
      last = middle - 1;
  }
  return first;
}

/// The row of this thread's entry, if each thread of a grid of such blocks has one; any row after the last
/// entry. A block searches all rows only for its first and its last entry. A whole block calls it.
template <int Threads, class O>
__device__ std::int32_t row_of_thread(const O* row_ptr, std::int64_t rows, std::int64_t nnz) {
  __shared__ std::int64_t bounds[2];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * Threads;
  if (threadIdx.x < 2) {
    const std::int64_t at = threadIdx.x == 0 ? first : min(first + Threads, nnz) - 1;
    bounds[threadIdx.x] = row_of_entry(row_ptr, 0, rows - 1, static_cast<O>(at));
  }
  __syncthreads();
  return static_cast<std::int32_t>(
      row_of_entry(row_ptr, bounds[0], bounds[1], static_cast<O>(min(first + threadIdx.x, nnz - 1))));
}

}  // namespace gossamer::inline v0::exec
