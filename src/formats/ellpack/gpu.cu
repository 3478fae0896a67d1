// SPDX-License-Identifier: BSD-3-Clause
// ELLPACK on a CUDA device: a thread a row, so that a warp reads 32 neighbouring slots of each column of the
// table.
#include "exec/cuda/kernel/l2_share.cuh"
#include "exec/cuda/kernel/strided_row.cuh"
#include "formats/ellpack/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

template <class S>
__global__ void ellpack_thread_per_row(ellpack_pointers<matrix_t<S>> a, product<S> p, exec::l2_share share) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= a.meta.rows) return;
  constexpr int batch = 4;  // columns whose slots are asked for together
  const sum_t<S> sum = exec::multiply_strided<batch, S>(a.col + row, a.val + row, a.meta.stride, a.meta.width,
                                                        p.x, exec::l2_policy(share));
  p.finish_row(row, sum);
}

}  // namespace

template <scalar_types S>
void ellpack::launch(const ellpack_pointers<matrix_t<S>>& a, const product<S>& p, sum_t<S>*,
                     cuda_stream stream) {
  constexpr int block = 128;
  ellpack_thread_per_row<<<exec::blocks_for(a.meta.rows, block), block, 0, stream.handle()>>>(
      a, p,
      exec::l2_share_for<vector_t<S>>(a.meta, a.meta.stride * a.meta.width * exec::slot_bytes<matrix_t<S>>));
  exec::check_launch("ellpack");
}

GOSSAMER_INSTANTIATE_LAUNCH(ellpack, std::int64_t)

}  // namespace gossamer::inline v0::formats
