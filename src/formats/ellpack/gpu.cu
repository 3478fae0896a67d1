// SPDX-License-Identifier: BSD-3-Clause
// ELLPACK on a CUDA device: a thread a row, so that a warp reads 32 neighbouring slots of each column of the
// table.
#include "exec/cuda/kernel/l2_share.cuh"
#include "exec/cuda/kernel/strided_row.cuh"
#include "formats/ellpack/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

template <class V>
__global__ void ellpack_thread_per_row(ellpack_pointers<V> a, product<V> p, exec::l2_share share) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= a.meta.rows) return;
  constexpr int batch = 4;  // columns whose slots are asked for together
  const V sum = exec::multiply_strided<batch>(a.col + row, a.val + row, a.meta.stride, a.meta.width, p.x,
                                              exec::l2_policy(share));
  p.finish_row(row, sum);
}

}  // namespace

template <value V>
void ellpack::launch(const ellpack_pointers<V>& a, const product<V>& p, V*, cuda_stream stream) {
  constexpr int block = 128;
  ellpack_thread_per_row<<<exec::blocks_for(a.meta.rows, block), block, 0, stream.handle()>>>(
      a, p, exec::l2_share_for<V>(a.meta, a.meta.stride * a.meta.width * exec::slot_bytes<V>));
  exec::check_launch("ellpack");
}

template void ellpack::launch(const ellpack_pointers<float>&, const product<float>&, float*, cuda_stream);
template void ellpack::launch(const ellpack_pointers<double>&, const product<double>&, double*, cuda_stream);

}  // namespace gossamer::inline v0::formats
