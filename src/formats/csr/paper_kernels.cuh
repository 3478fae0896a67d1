// SPDX-License-Identifier: BSD-3-Clause
// The two CSR kernels that paper 002 compares: CSR-R, which it starts from, and CSR-O with its five
// optimisations (section 5.1).
#pragma once

#include "exec/cuda/kernel/pack_blocks.cuh"
#include "exec/reduction/half_warp_sums.cuh"
#include "formats/csr/storage.hpp"

namespace gossamer::inline v0::formats {

/// The paper gives CSR-R no block size, but counts 256 among the optimisations; 128 is what it gives its
/// other kernel (section 5.3).
inline constexpr int csr_r_threads = 128;
inline constexpr int csr_o_threads = 256;

/// CSR-R, Table III with column indices: a warp a row, sums kept in shared memory from entry to entry and
/// then added by fewer and fewer lanes behind branches. Table III leaves it to the hardware that a warp's
/// lanes run in step; today that takes __syncwarp().
template <class S, class O>
__global__ void __launch_bounds__(csr_r_threads)
    csr_warp_per_row_paper(csr_pointers<matrix_t<S>, O> a, exec::products_of<S> all) {
  const product<S>& p = exec::product_of_block(all);
  __shared__ sum_t<S> vals[csr_r_threads];
  const std::int64_t thread =
      static_cast<std::int64_t>(exec::block_in_pack(all)) * csr_r_threads + threadIdx.x;
  const std::int64_t row = thread / exec::warp_size;
  const int tid = static_cast<int>(threadIdx.x);
  const int lane = tid % exec::warp_size;
  if (row >= a.meta.rows) return;
  const std::int64_t end = a.row_ptr[row + 1];
  vals[tid] = sum_t<S>{0};
  for (std::int64_t k = a.row_ptr[row] + lane; k < end; k += exec::warp_size)
    vals[tid] += a.val[k] * p.x[a.col[k]];
  __syncwarp();
  if (lane < 16) vals[tid] += vals[tid + 16];
  __syncwarp();
  if (lane < 8) vals[tid] += vals[tid + 8];
  __syncwarp();
  if (lane < 4) vals[tid] += vals[tid + 4];
  __syncwarp();
  if (lane < 2) vals[tid] += vals[tid + 2];
  __syncwarp();
  if (lane < 1) p.finish_row(row, vals[tid] + vals[tid + 1]);
}

/// CSR-O, section 5.1: 16 threads a row, blocks of 256, sums in registers until they meet in shared memory,
/// where the reduction has no branch. The paper fills the rows that the last block lacks with zeros; row_ptr
/// is the caller's, so here they are empty rows.
template <class S, class O>
__global__ void __launch_bounds__(csr_o_threads)
    csr_half_warp_per_row_paper(csr_pointers<matrix_t<S>, O> a, exec::products_of<S> all) {
  const product<S>& p = exec::product_of_block(all);
  const std::int64_t thread =
      static_cast<std::int64_t>(exec::block_in_pack(all)) * csr_o_threads + threadIdx.x;
  const std::int64_t row = thread / exec::half_warp_size;
  const int lane = static_cast<int>(threadIdx.x) % exec::half_warp_size;
  const bool real = row < a.meta.rows;
  const std::int64_t begin = real ? static_cast<std::int64_t>(a.row_ptr[row]) : 0;
  const std::int64_t end = real ? static_cast<std::int64_t>(a.row_ptr[row + 1]) : 0;
  sum_t<S> sum{0};
#pragma unroll 4
  for (std::int64_t k = begin + lane; k < end; k += exec::half_warp_size) sum += a.val[k] * p.x[a.col[k]];
  sum = exec::sum_half_warps_in_shared<csr_o_threads>(sum);
  if (lane == 0 && real) p.finish_row(row, sum);
}

template <class S, class O>
void launch_csr_r(const csr_pointers<matrix_t<S>, O>& a, const exec::products_of<S>& all,
                  cuda_stream stream) {
  const unsigned blocks = exec::blocks_for(a.meta.rows, csr_r_threads / exec::warp_size);
  csr_warp_per_row_paper<S, O><<<exec::grid_of(all, blocks), csr_r_threads, 0, stream.handle()>>>(a, all);
}

template <class S, class O>
void launch_csr_o(const csr_pointers<matrix_t<S>, O>& a, const exec::products_of<S>& all,
                  cuda_stream stream) {
  const unsigned blocks = exec::blocks_for(a.meta.rows, csr_o_threads / exec::half_warp_size);
  csr_half_warp_per_row_paper<S, O>
      <<<exec::grid_of(all, blocks), csr_o_threads, 0, stream.handle()>>>(a, all);
}

}  // namespace gossamer::inline v0::formats
