// SPDX-License-Identifier: BSD-3-Clause
// Row-grouped CSR on a CUDA device: a thread a row, so that a warp reads 32 neighbouring slots of each column
// of its group.
#include "exec/cuda/kernel/launch.cuh"
#include "exec/reduction/chunk_sum.cuh"
#include "formats/papers/row_grouped_csr/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

template <class S>
__global__ void row_grouped_csr_thread_per_row(row_grouped_csr_pointers<matrix_t<S>> a, product<S> p) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= a.meta.rows) return;
  // Rows are fewer than 2^31, and a 32-bit division is a fraction of a 64-bit one.
  const auto group_rows = static_cast<unsigned>(a.meta.group_rows);
  const unsigned g = static_cast<unsigned>(row) / group_rows;
  const std::int64_t place = static_cast<unsigned>(row) % group_rows;
  const std::int64_t stride = row_grouped_csr_stride(a.meta.rows - (row - place), group_rows);
  const std::int64_t slot = a.group_offset[g] + place;
  const std::int64_t reach = a.group_offset[g + 1] - slot;
  p.finish_row(row, exec::sum_chunk<S>(a.col + slot, a.val + slot, stride, reach, p.x));
}

}  // namespace

template <scalar_types S>
void row_grouped_csr::launch(const row_grouped_csr_pointers<matrix_t<S>>& a, const product<S>& p, sum_t<S>*,
                             cuda_stream stream) {
  constexpr int block = 128;
  row_grouped_csr_thread_per_row<<<exec::blocks_for(a.meta.rows, block), block, 0, stream.handle()>>>(a, p);
  exec::check_launch("row_grouped_csr");
}

GOSSAMER_INSTANTIATE_LAUNCH(row_grouped_csr, std::int64_t)

}  // namespace gossamer::inline v0::formats
