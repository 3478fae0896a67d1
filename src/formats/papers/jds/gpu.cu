// SPDX-License-Identifier: BSD-3-Clause
// Jagged diagonals on a CUDA device: a thread a row, so that a warp reads neighbouring entries of each
// diagonal.
#include "exec/cuda/kernel/l2_share.cuh"
#include "exec/cuda/kernel/predicated_loads.cuh"
#include "formats/papers/jds/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

struct jds_tuning {
  static constexpr int threads = 128;
  static constexpr int batch = 4;  ///< diagonals whose entries a thread asks for together
};

/// What a row's entries on all diagonals give.
template <class V>
__device__ __forceinline__ V multiply_diagonals(const jds_pointers<V>& a, std::int64_t position, const V* x,
                                                exec::l2_policy policy) {
  constexpr int batch = jds_tuning::batch;
  V sum{0};
  for (std::int64_t j = 0; j < a.meta.width; j += batch) {
    const std::int64_t left = a.meta.width - j;
    const int here = static_cast<int>(left < batch ? left : batch);
    std::int64_t begin[batch + 1];
#pragma unroll
    for (int k = 0; k <= batch; ++k) begin[k] = exec::load_if(k <= here, a.jd_ptr + j + k, std::int64_t{0});
    std::int32_t c[batch];
    V v[batch];
    V xs[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      // Past the last diagonal the difference is not positive.
      const bool has = position < begin[k + 1] - begin[k];
      c[k] = exec::load_once_if(has, a.col + begin[k] + position, -1, policy);
      v[k] = exec::load_once_if(has, a.val + begin[k] + position, V{0}, policy);
    }
#pragma unroll
    for (int k = 0; k < batch; ++k) xs[k] = exec::load_if(c[k] >= 0, x + c[k], V{0});
#pragma unroll
    for (int k = 0; k < batch; ++k) sum += v[k] * xs[k];
    if (c[batch - 1] < 0) break;
  }
  return sum;
}

template <class V>
__global__ void jds_thread_per_row(jds_pointers<V> a, product<V> p, exec::l2_share share) {
  const std::int64_t position = static_cast<std::int64_t>(blockIdx.x) * jds_tuning::threads + threadIdx.x;
  if (position >= a.meta.rows) return;
  const std::int32_t row = a.row_perm[position];
  p.finish_row(row, multiply_diagonals(a, position, p.x, exec::l2_policy(share)));
}

}  // namespace

template <value V>
void jds::launch(const jds_pointers<V>& a, const product<V>& p, V*, cuda_stream stream) {
  constexpr int threads = jds_tuning::threads;
  jds_thread_per_row<<<exec::blocks_for(a.meta.rows, threads), threads, 0, stream.handle()>>>(
      a, p, exec::l2_share_for<V>(a.meta, a.meta.nnz * exec::slot_bytes<V>));
  exec::check_launch("jds");
}

template void jds::launch(const jds_pointers<float>&, const product<float>&, float*, cuda_stream);
template void jds::launch(const jds_pointers<double>&, const product<double>&, double*, cuda_stream);

}  // namespace gossamer::inline v0::formats
