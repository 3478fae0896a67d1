// SPDX-License-Identifier: BSD-3-Clause
// CSR-M on a CUDA device: x gathered by a thread an entry, then half a warp a row as in CSR-O.
#include "exec/reduction/half_warp_sums.cuh"
#include "formats/papers/csr_gathered/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

constexpr int gathering_threads = 256;  // paper 002, section 5.1 (5)

template <class S>
__global__ void __launch_bounds__(gathering_threads)
    csr_gathered_entry_per_thread(const std::int32_t* __restrict__ col, std::int64_t nnz,
                                  const vector_t<S>* __restrict__ x, sum_t<S>* __restrict__ to) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * gathering_threads + threadIdx.x;
  if (k < nnz) to[k] = x[col[k]];
}

template <class S, class O>
__global__ void __launch_bounds__(gathering_threads)
    csr_gathered_half_warp_per_row(csr_gathered_pointers<matrix_t<S>, O> a, product<S> p,
                                   const sum_t<S>* __restrict__ x) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * gathering_threads + threadIdx.x;
  const std::int64_t row = thread / exec::half_warp_size;
  const int lane = static_cast<int>(threadIdx.x) % exec::half_warp_size;
  // Rows behind the last are empty ones.
  const bool real = row < a.meta.rows;
  const std::int64_t begin = real ? static_cast<std::int64_t>(a.row_ptr[row]) : 0;
  const std::int64_t end = real ? static_cast<std::int64_t>(a.row_ptr[row + 1]) : 0;
  sum_t<S> sum{0};
#pragma unroll 4
  for (std::int64_t k = begin + lane; k < end; k += exec::half_warp_size) sum += a.val[k] * x[k];
  sum = exec::sum_half_warps_in_shared<gathering_threads>(sum);
  if (lane == 0 && real) p.finish_row(row, sum);
}

}  // namespace

template <scalar_types S, offset O>
void csr_gathered::launch(const csr_gathered_pointers<matrix_t<S>, O>& a, const product<S>& p,
                          sum_t<S>* scratch, cuda_stream stream) {
  sum_t<S>* const gathered = gathered_in(a, scratch);
  if (a.meta.nnz > 0) {
    csr_gathered_entry_per_thread<S>
        <<<exec::blocks_for(a.meta.nnz, gathering_threads), gathering_threads, 0, stream.handle()>>>(
            a.col, a.meta.nnz, p.x, gathered);
    exec::check_launch("csr_gathered: gather");
  }
  constexpr int rows_per_block = gathering_threads / exec::half_warp_size;
  csr_gathered_half_warp_per_row<<<exec::blocks_for(a.meta.rows, rows_per_block), gathering_threads, 0,
                                   stream.handle()>>>(a, p, gathered);
  exec::check_launch("csr_gathered");
}

GOSSAMER_INSTANTIATE_LAUNCH(csr_gathered, std::int32_t)
GOSSAMER_INSTANTIATE_LAUNCH(csr_gathered, std::int64_t)

}  // namespace gossamer::inline v0::formats
