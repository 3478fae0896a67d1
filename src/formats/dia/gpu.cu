// SPDX-License-Identifier: BSD-3-Clause
// Diagonals on a CUDA device: a thread a row, so that a warp reads neighbouring slots of each diagonal and neighbouring x.
#include "exec/launch.cuh"
#include "exec/loads.cuh"
#include "formats/dia/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

struct dia_tuning {
  static constexpr int threads = 128;
  static constexpr int batch = 8;  ///< diagonals whose slots a thread asks for together
};

static_assert(dia_block_rows == exec::warp_size, "a word of `valid` serves a warp");

template <class V>
__global__ void dia_thread_per_row(dia_pointers<V> a, product<V> p) {
  constexpr int batch = dia_tuning::batch;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * dia_tuning::threads + threadIdx.x;
  if (row >= a.meta.rows) return;
  const int lane = static_cast<int>(threadIdx.x) % exec::warp_size;
  const std::int64_t stride = a.meta.blocks * dia_block_rows;
  const std::uint32_t* valid = a.valid + row / dia_block_rows * a.meta.diagonals;
  const V* val = a.val + row;
  V sum{0};
  for (std::int64_t d = 0; d < a.meta.diagonals; d += batch) {
    const std::int64_t left = a.meta.diagonals - d;
    const int here = static_cast<int>(left < batch ? left : batch);
    std::uint32_t word[batch];
    std::int32_t offset[batch];
    V v[batch];
    V xs[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      word[k] = exec::load_if(k < here, valid + d + k, std::uint32_t{0});
      offset[k] = exec::load_if(k < here, a.offset + d + k, 0);
      v[k] = exec::load_once_if(k < here, val + (d + k) * stride, V{0});
    }
#pragma unroll
    for (int k = 0; k < batch; ++k)
      xs[k] = exec::load_if((word[k] >> lane & 1) != 0, p.x + (row + offset[k]), V{0});
#pragma unroll
    for (int k = 0; k < batch; ++k) sum += v[k] * xs[k];
  }
  p.finish_row(row, sum);
}

}  // namespace

template <value V>
void dia::launch(const dia_pointers<V>& a, const product<V>& p, V*, cuda_stream stream) {
  constexpr int threads = dia_tuning::threads;
  dia_thread_per_row<<<exec::blocks_for(a.meta.rows, threads), threads, 0, stream.handle()>>>(a, p);
  exec::check_launch("dia");
}

template void dia::launch(const dia_pointers<float>&, const product<float>&, float*, cuda_stream);
template void dia::launch(const dia_pointers<double>&, const product<double>&, double*, cuda_stream);

}  // namespace gossamer::inline v0::formats
