// SPDX-License-Identifier: BSD-3-Clause
// Sums of the rows whose products a block has left in shared memory, whatever their lengths.
#pragma once

#include "core/scalars.hpp"
#include "exec/cuda/kernel/pack_loads.cuh"

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

/// The sum over all threads of a block, in its first thread; a fixed tree. Contains a barrier.
template <int Threads, class V>
__device__ __forceinline__ V sum_block(V v) {
  constexpr int warps = Threads / warp_size;
  __shared__ V partial[warps];
  v = sum_lanes<warp_size>(v);
  if (threadIdx.x % warp_size == 0) partial[threadIdx.x / warp_size] = v;
  __syncthreads();
  V sum{0};
#pragma unroll
  for (int w = 0; w < warps; ++w) sum += partial[w];
  return sum;
}

/// Each thread's part of sum of val[k] x[col[k]] over k < entries. Eight entries of a thread (four of large
/// packs) are under way at once, at the end too. meanwhile() is called once by every thread, when its first
/// columns and values have been asked for.
template <int Threads, class S, class Meanwhile>
__device__ __forceinline__ sum_t<S> multiply_piece(const matrix_t<S>* val, const std::int32_t* col,
                                                   int entries, x_rows_t<S> x, Meanwhile&& meanwhile) {
  constexpr int batch = elements_at_once<vector_t<S>>(8);
  sum_t<S> sum{0};
  int base = static_cast<int>(threadIdx.x);
  bool is_first = true;
  do {
    std::int32_t c[batch];
    matrix_t<S> v[batch];
#pragma unroll
    for (int step = 0; step < batch; ++step) {
      const int k = base + step * Threads;
      c[step] = k < entries ? col[k] : 0;
      v[step] = k < entries ? val[k] : matrix_t<S>{0};
    }
    if (is_first) meanwhile();
    is_first = false;
#pragma unroll
    for (int step = 0; step < batch; ++step)
      if (base + step * Threads < entries) sum += v[step] * x[c[step]];
    base += batch * Threads;
  } while (base < entries);
  return sum;
}

/// A row longer than this many products for each of its threads would keep them busy long after the others.
inline constexpr int most_products_per_thread = 24;

/// finish(r, sum) once for every r < rows, by one thread: sum over the places of products entries_before(r)
/// ... entries_before(r + 1) - 1. Called by the whole block; prepare is called once by every thread after the
/// first bounds were asked for, and may contain the barrier behind which the products are there, so that
/// their latency overlaps the wait. The order of additions follows from the bounds and Threads alone.
template <int Threads, class V, class EntriesBefore, class Prepare, class Finish>
__device__ __forceinline__ void sum_rows(const V* products, int rows, EntriesBefore&& entries_before,
                                         Prepare&& prepare, Finish&& finish) {
  constexpr unsigned everyone = 0xffffffffu;
  const int tid = static_cast<int>(threadIdx.x);
  const int warp_lane = tid % warp_size;
  // The largest power of two, up to a warp, with which every row gets its threads at once.
  const int width = 1 << min(5, 31 - __clz(max(1, Threads / rows)));
  const int lane = tid & (width - 1);
  const int rows_at_once = Threads / width;
  bool first = true;
  for (int base = 0; base < rows; base += rows_at_once) {
    const int r = base + tid / width;
    const int begin = r < rows ? entries_before(r) : 0;
    const int end = r < rows ? entries_before(r + 1) : 0;
    if (first) prepare();
    first = false;
    const bool is_long = end - begin > most_products_per_thread * width;
    V sum{0};
    if (!is_long)
      for (int k = begin + lane; k < end; k += width) sum += products[place_of(k)];
    for (int distance = width / 2; distance > 0; distance /= 2) sum += shuffle_xor(sum, distance);
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
