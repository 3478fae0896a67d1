// SPDX-License-Identifier: BSD-3-Clause
// Sliced ELLPACK on a CUDA device: a lane a row, so that a warp reads 32 neighbouring slots of each column of a slice, and one or
// more warps for the same 32 rows, which share the columns.
#include "exec/launch.cuh"
#include "exec/strided_row.cuh"
#include "formats/sliced_ell/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

struct sliced_ell_tuning {
  static constexpr int threads = 128;  ///< of a block, unless more warps share rows
  /// Columns whose slots a thread asks for together: rows of a stencil take one wait, longer rows keep the memory busy.
  static constexpr int batch = 8;
};

/// Block: warps / Warps groups of Warps warps. A group has 32 positions; its warp w takes columns w, w + Warps, ... and the first adds
/// the others' sums in their order. SliceRows = 0: as meta says; a constant makes the distances of a batch constants too.
template <int Warps, int SliceRows, class V>
__global__ void sliced_ell_warps_per_32_rows(sliced_ell_pointers<V> a, product<V> p) {
  constexpr int threads = std::max(sliced_ell_tuning::threads, Warps * exec::warp_size);
  const std::int64_t slice_rows = SliceRows > 0 ? SliceRows : a.meta.slice_rows;
  const int lane = static_cast<int>(threadIdx.x) % exec::warp_size;
  const int warp = static_cast<int>(threadIdx.x) / exec::warp_size;
  const int part = warp % Warps;
  const std::int64_t group =
      static_cast<std::int64_t>(blockIdx.x) * (threads / exec::warp_size / Warps) + warp / Warps;
  const std::int64_t position = group * exec::warp_size + lane;
  const std::int64_t slice = position / slice_rows;
  std::int64_t row = position;
  V sum{0};
  if (slice < a.meta.slices) {
    const std::int64_t first = a.slice_ptr[slice];
    const std::int64_t width = (a.slice_ptr[slice + 1] - first) / slice_rows;
    if (a.meta.sorted && part == 0 && position < a.meta.rows) row = a.row_perm[position];
    const std::int64_t mine = first + part * slice_rows + position % slice_rows;
    sum = exec::multiply_strided<sliced_ell_tuning::batch>(a.col + mine, a.val + mine, Warps * slice_rows,
                                                           (width - part + Warps - 1) / Warps, p.x);
  }
  if constexpr (Warps > 1) {
    __shared__ V sums[threads];
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (part != 0) return;
#pragma unroll
    for (int w = 1; w < Warps; ++w) sum += sums[static_cast<int>(threadIdx.x) + w * exec::warp_size];
  }
  if (position < a.meta.rows) p.finish_row(row, sum);
}

template <int Warps, class V>
void launch_warps(const sliced_ell_pointers<V>& a, const product<V>& p, cuda_stream stream) {
  constexpr int threads = std::max(sliced_ell_tuning::threads, Warps * exec::warp_size);
  const unsigned blocks = exec::blocks_for(a.meta.slices * a.meta.slice_rows, threads / Warps);
  if (a.meta.slice_rows == exec::warp_size)
    sliced_ell_warps_per_32_rows<Warps, exec::warp_size><<<blocks, threads, 0, stream.handle()>>>(a, p);
  else
    sliced_ell_warps_per_32_rows<Warps, 0><<<blocks, threads, 0, stream.handle()>>>(a, p);
}

}  // namespace

template <value V>
void sliced_ell::launch(const sliced_ell_pointers<V>& a, const product<V>& p, V*, cuda_stream stream) {
  switch (a.meta.threads_per_row) {
    case 1:
      launch_warps<1>(a, p, stream);
      break;
    case 2:
      launch_warps<2>(a, p, stream);
      break;
    case 4:
      launch_warps<4>(a, p, stream);
      break;
    case 8:
      launch_warps<8>(a, p, stream);
      break;
    default:
      launch_warps<16>(a, p, stream);
  }
  exec::check_launch("sliced_ell");
}

template void sliced_ell::launch(const sliced_ell_pointers<float>&, const product<float>&, float*,
                                 cuda_stream);
template void sliced_ell::launch(const sliced_ell_pointers<double>&, const product<double>&, double*,
                                 cuda_stream);

}  // namespace gossamer::inline v0::formats
