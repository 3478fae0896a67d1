// SPDX-License-Identifier: BSD-3-Clause
// ELLPACK-R and ELLR-T on a CUDA device: T neighbouring threads a row, each of which stops where the row
// does.
#include "exec/cuda/kernel/launch.cuh"
#include "formats/papers/ellpack_r/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

/// Thread number i T + t reads slots i T + t, i T + t + stride, ...: entries t, t + T, ... of row i, so that
/// a warp reads 32 neighbouring slots of each column of the table whatever T is.
template <int Threads, class S>
__global__ void ellpack_r_threads_per_row(ellpack_r_pointers<matrix_t<S>> a, product<S> p) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t row = thread / Threads;
  const int lane = static_cast<int>(threadIdx.x) % Threads;
  // Threads past the last row stay for the sum, which takes all lanes of a warp.
  const int length = row < a.meta.rows ? a.length[row] : 0;
  const std::int32_t* col = a.col + thread;
  const matrix_t<S>* val = a.val + thread;
  sum_t<S> sum{0};
#pragma unroll 4
  for (std::int64_t j = lane; j < length; j += Threads) {
    sum += *val * p.x[*col];
    col += a.meta.stride;
    val += a.meta.stride;
  }
  sum = exec::sum_lanes<Threads>(sum);
  if (lane == 0 && row < a.meta.rows) p.finish_row(row, sum);
}

template <int Threads, class S>
void launch_threads(const ellpack_r_pointers<matrix_t<S>>& a, const product<S>& p, cuda_stream stream) {
  constexpr int block = 128;  // paper 002, section 5.3 (4)
  ellpack_r_threads_per_row<Threads>
      <<<exec::blocks_for(a.meta.rows * Threads, block), block, 0, stream.handle()>>>(a, p);
}

}  // namespace

template <scalar_types S>
void ellpack_r::launch(const ellpack_r_pointers<matrix_t<S>>& a, const product<S>& p, sum_t<S>*,
                       cuda_stream stream) {
  switch (a.meta.threads) {
    case 1:
      launch_threads<1>(a, p, stream);
      break;
    case 2:
      launch_threads<2>(a, p, stream);
      break;
    case 4:
      launch_threads<4>(a, p, stream);
      break;
    case 8:
      launch_threads<8>(a, p, stream);
      break;
    case 16:
      launch_threads<16>(a, p, stream);
      break;
    default:
      launch_threads<32>(a, p, stream);
      break;
  }
  exec::check_launch("ellpack_r");
}

GOSSAMER_INSTANTIATE_LAUNCH(ellpack_r, std::int64_t)

}  // namespace gossamer::inline v0::formats
