// SPDX-License-Identifier: BSD-3-Clause
// Diagonals on a CUDA device: a thread a row, so that a warp reads neighbouring slots of each diagonal and
// neighbouring x.
#include "exec/cuda/kernel/l2_share.cuh"
#include "exec/cuda/kernel/predicated_loads.cuh"
#include "formats/dia/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

struct dia_tuning {
  static constexpr int threads = 128;
  static constexpr int batch = 8;  ///< diagonals whose slots a thread asks for together
};

static_assert(dia_block_rows == exec::warp_size, "a word of `valid` serves a warp");

/// sum + the products of a batch of diagonals, or where not All of the first `here` of it.
template <bool All, class S>
__device__ __forceinline__ sum_t<S> add_diagonals(const std::uint32_t* valid, const std::int32_t* offset,
                                                  const matrix_t<S>* val, std::int64_t stride, int here,
                                                  int lane, const vector_t<S>* x, exec::l2_policy policy,
                                                  sum_t<S> sum) {
  constexpr int batch = dia_tuning::batch;
  std::uint32_t word[batch];
  std::int32_t to[batch];
  matrix_t<S> v[batch];
  vector_t<S> xs[batch];
#pragma unroll
  for (int k = 0; k < batch; ++k) {
    word[k] = exec::load_if(All || k < here, valid + k, std::uint32_t{0});
    to[k] = exec::load_if(All || k < here, offset + k, 0);
    v[k] = exec::load_once_if(All || k < here, val + k * stride, matrix_t<S>{0}, policy);
  }
#pragma unroll
  for (int k = 0; k < batch; ++k)
    xs[k] = exec::load_if((word[k] >> lane & 1) != 0, x + to[k], vector_t<S>{0});
#pragma unroll
  for (int k = 0; k < batch; ++k) sum += v[k] * xs[k];
  return sum;
}

template <class S>
__device__ __forceinline__ sum_t<S> multiply_diagonals(const dia_pointers<matrix_t<S>>& a, std::int64_t row,
                                                       const vector_t<S>* x, exec::l2_policy policy) {
  constexpr int batch = dia_tuning::batch;
  const int lane = static_cast<int>(threadIdx.x) % exec::warp_size;
  const std::int64_t stride = a.meta.blocks * dia_block_rows;
  const std::uint32_t* valid = a.valid + row / dia_block_rows * a.meta.diagonals;
  const std::int32_t* offset = a.offset;
  const matrix_t<S>* val = a.val + row;
  sum_t<S> sum{0};
  std::int64_t left = a.meta.diagonals;
  for (; left >= batch; left -= batch) {
    sum = add_diagonals<true, S>(valid, offset, val, stride, batch, lane, x + row, policy, sum);
    valid += batch;
    offset += batch;
    val += batch * stride;
  }
  if (left > 0)
    sum = add_diagonals<false, S>(valid, offset, val, stride, static_cast<int>(left), lane, x + row, policy,
                                  sum);
  return sum;
}

template <class S>
__global__ void dia_thread_per_row(dia_pointers<matrix_t<S>> a, product<S> p, exec::l2_share share) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * dia_tuning::threads + threadIdx.x;
  if (row >= a.meta.rows) return;
  p.finish_row(row, multiply_diagonals<S>(a, row, p.x, exec::l2_policy(share)));
}

}  // namespace

template <scalar_types S>
void dia::launch(const dia_pointers<matrix_t<S>>& a, const product<S>& p, sum_t<S>*, cuda_stream stream) {
  constexpr int threads = dia_tuning::threads;
  dia_thread_per_row<<<exec::blocks_for(a.meta.rows, threads), threads, 0, stream.handle()>>>(
      a, p,
      exec::l2_share_for<vector_t<S>>(a.meta, a.meta.blocks * dia_block_rows * a.meta.diagonals *
                                                  static_cast<std::int64_t>(sizeof(matrix_t<S>))));
  exec::check_launch("dia");
}

GOSSAMER_INSTANTIATE_LAUNCH(dia, std::int64_t)

}  // namespace gossamer::inline v0::formats
