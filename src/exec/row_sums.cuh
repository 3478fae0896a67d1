// SPDX-License-Identifier: BSD-3-Clause
// Sums of the rows whose products a block has left in shared memory, whatever their lengths.
#pragma once

#include "exec/launch.cuh"

namespace gossamer::inline v0::exec {

/// Where product k of a block lies. One of every 32 places stays empty, so that threads whose rows begin a
/// multiple of 32 bytes apart do not all read from the same banks.
__host__ __device__ constexpr int place_of(int k) {
  return k + (k >> 5);
}
/// Places for so many products.
__host__ __device__ constexpr int places_for(int products) {
  return products + products / 32;
}

/// A row longer than this many products for each of its threads would keep them busy long after the others.
inline constexpr int most_products_per_thread = 24;

/// finish(r, sum) once for every r < rows, by one thread: sum over the places of begin_of(r) ... end_of(r) - 1.
/// Called by the whole block; the products were written before a barrier that prepare() may still contain: prepare is
/// called once by every thread after the first bounds were asked for, so that their latency overlaps the wait.
/// The order of additions follows from the bounds and Threads alone.
template <int Threads, class V, class Begin, class End, class Prepare, class Finish>
__device__ __forceinline__ void sum_rows(const V* products, int rows, Begin&& begin_of, End&& end_of,
                                         Prepare&& prepare, Finish&& finish) {
  constexpr unsigned everyone = 0xffffffffu;
  constexpr int warps = Threads / warp_size;
  const int tid = static_cast<int>(threadIdx.x);
  const int warp_lane = tid % warp_size;

  // Fewer rows than warps: all warps share each row.
  if (rows < warps) {
    __shared__ V partial[warps][warps];
    const int warp = tid / warp_size;
    prepare();
    for (int r = 0; r < rows; ++r) {
      V sum{0};
      const int end = end_of(r);
      for (int k = begin_of(r) + tid; k < end; k += Threads) sum += products[place_of(k)];
      sum = sum_lanes<warp_size>(sum);
      if (warp_lane == 0) partial[r][warp] = sum;
    }
    __syncthreads();
    if (tid < rows) {
      V sum{0};
#pragma unroll
      for (int w = 0; w < warps; ++w) sum += partial[tid][w];
      finish(tid, sum);
    }
    return;
  }

  // The largest power of two, up to a warp, with which every row gets its threads at once.
  const int width = 1 << min(5, 31 - __clz(max(1, Threads / rows)));
  const int lane = tid & (width - 1);
  const int rows_at_once = Threads / width;
  bool first = true;
  for (int base = 0; base < rows; base += rows_at_once) {
    const int r = base + tid / width;
    const int begin = r < rows ? begin_of(r) : 0;
    const int end = r < rows ? end_of(r) : 0;
    if (first) prepare();
    first = false;
    const bool is_long = end - begin > most_products_per_thread * width;
    V sum{0};
    if (!is_long)
      for (int k = begin + lane; k < end; k += width) sum += products[place_of(k)];
    for (int distance = width / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(everyone, sum, distance);
    if (lane == 0 && r < rows && !is_long) finish(r, sum);
    for (unsigned left = __ballot_sync(everyone, is_long && lane == 0); left != 0; left &= left - 1) {
      const int owner = __ffs(static_cast<int>(left)) - 1;
      const int from = __shfl_sync(everyone, begin, owner);
      const int to = __shfl_sync(everyone, end, owner);
      V part{0};
      for (int k = from + warp_lane; k < to; k += warp_size) part += products[place_of(k)];
      part = sum_lanes<warp_size>(part);
      if (warp_lane == owner) finish(r, part);
    }
  }
}

}  // namespace gossamer::inline v0::exec
