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
template <class S>
__device__ __forceinline__ sum_t<S> multiply_diagonals(const jds_pointers<matrix_t<S>>& a,
                                                       std::int64_t position, const vector_t<S>* x,
                                                       exec::l2_policy policy) {
  constexpr int batch = jds_tuning::batch;
  sum_t<S> sum{0};
  for (std::int64_t j = 0; j < a.meta.width; j += batch) {
    const std::int64_t left = a.meta.width - j;
    const int here = static_cast<int>(left < batch ? left : batch);
    std::int64_t begin[batch + 1];
#pragma unroll
    for (int k = 0; k <= batch; ++k) begin[k] = exec::load_if(k <= here, a.jd_ptr + j + k, std::int64_t{0});
    std::int32_t c[batch];
    matrix_t<S> v[batch];
    vector_t<S> xs[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      // Past the last diagonal the difference is not positive.
      const bool has = position < begin[k + 1] - begin[k];
      c[k] = exec::load_once_if(has, a.col + begin[k] + position, -1, policy);
      v[k] = exec::load_once_if(has, a.val + begin[k] + position, matrix_t<S>{0}, policy);
    }
#pragma unroll
    for (int k = 0; k < batch; ++k) xs[k] = exec::load_if(c[k] >= 0, x + c[k], vector_t<S>{0});
#pragma unroll
    for (int k = 0; k < batch; ++k) sum += v[k] * xs[k];
    if (c[batch - 1] < 0) break;
  }
  return sum;
}

template <class S>
__global__ void jds_thread_per_row(jds_pointers<matrix_t<S>> a, product<S> p, exec::l2_share share) {
  const std::int64_t position = static_cast<std::int64_t>(blockIdx.x) * jds_tuning::threads + threadIdx.x;
  if (position >= a.meta.rows) return;
  const std::int32_t row = a.row_perm[position];
  p.finish_row(row, multiply_diagonals<S>(a, position, p.x, exec::l2_policy(share)));
}

}  // namespace

template <scalar_types S>
void jds::launch(const jds_pointers<matrix_t<S>>& a, const product<S>& p, sum_t<S>*, cuda_stream stream) {
  constexpr int threads = jds_tuning::threads;
  jds_thread_per_row<<<exec::blocks_for(a.meta.rows, threads), threads, 0, stream.handle()>>>(
      a, p, exec::l2_share_for<vector_t<S>>(a.meta, a.meta.nnz * exec::slot_bytes<matrix_t<S>>));
  exec::check_launch("jds");
}

GOSSAMER_INSTANTIATE_LAUNCH(jds, std::int64_t)

}  // namespace gossamer::inline v0::formats
