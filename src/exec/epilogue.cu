// SPDX-License-Identifier: BSD-3-Clause
// Epilogues on a device, in a kernel behind that of the product. The block that is done last adds the sums of
// all tiles, in a fixed order. A single block adds few partial dot products.
#include "exec/cuda/kernel/dependent_launch.cuh"
#include "exec/epilogue.hpp"

namespace gossamer::inline v0::exec {
namespace {

constexpr int epilogue_threads = 256;
constexpr int rows_of_thread = static_cast<int>(rows_of_dot_tile) / epilogue_threads;

/// Up to so many partial dot products, one block is faster than several.
constexpr std::int64_t parts_of_one_block = 8192;
constexpr int threads_of_one_block = 512;

/// The sums of both numbers over all threads of a block, in every one of them. A fixed tree.
template <int Threads>
__device__ __forceinline__ void sum_both(double (&sum)[2]) {
  constexpr int warps = Threads / warp_size;
  __shared__ double partial[2][warps];
  __syncthreads();  // a call before this one may still read
  for (int k = 0; k < 2; ++k) {
    sum[k] = sum_lanes<warp_size>(sum[k]);
    if (threadIdx.x % warp_size == 0) partial[k][threadIdx.x / warp_size] = sum[k];
  }
  __syncthreads();
  for (int k = 0; k < 2; ++k) {
    sum[k] = 0;
    for (int w = 0; w < warps; ++w) sum[k] += partial[k][w];
  }
}

/// By one thread.
template <class S>
__device__ __forceinline__ void store_results(const row_epilogue<S>& e, const double (&sum)[2]) {
  for (int k = 0; k < 2; ++k)
    if (e.result[k] != nullptr) *e.result[k] = sum[k];
}

/// The last block adds the sums of tiles.
template <class S>
__device__ __forceinline__ void add_tiles(const row_epilogue<S>& e, double (&sum)[2], double* room) {
  const unsigned tiles = gridDim.x;
  auto* const done = reinterpret_cast<unsigned*>(room);
  double* const sums = room + 1;
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    for (int k = 0; k < 2; ++k) sums[2 * static_cast<std::int64_t>(blockIdx.x) + k] = sum[k];
    __threadfence();
    is_last = atomicInc(done, tiles - 1) == tiles - 1;  // wraps to zero
    __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  sum[0] = sum[1] = 0;
  for (std::int64_t tile = threadIdx.x; tile < tiles; tile += epilogue_threads)
    for (int k = 0; k < 2; ++k) sum[k] += __ldcg(sums + 2 * tile + k);
  sum_both<epilogue_threads>(sum);
  if (threadIdx.x == 0) store_results(e, sum);
}

/// DotsAlone: the rows are finished.
template <class S, bool DotsAlone>
__global__ void __launch_bounds__(epilogue_threads)
    finish_tile_per_block(row_epilogue<S> e, product<S> p, std::int64_t rows, const vector_t<S>* scaled,
                          double* room) {
  wait_and_trigger();
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * rows_of_dot_tile + threadIdx.x;
  vector_t<S> of_row[rows_of_thread] = {};
#pragma unroll
  for (int r = 0; r < rows_of_thread; ++r) {
    const std::int64_t i = first + r * epilogue_threads;
    if (i < rows && scaled != nullptr) of_row[r] = scaled[i];
    if (!DotsAlone && e.alpha != nullptr) of_row[r] = e.scaled(p, of_row[r]);
  }
  typename row_epilogue<S>::row finished[rows_of_thread] = {};
  if constexpr (DotsAlone) {
#pragma unroll
    for (int r = 0; r < rows_of_thread; ++r) finished[r].y = of_row[r];
  } else {
    e.finish(p, first, epilogue_threads, rows, of_row, finished);
  }
  double sum[2] = {};
#pragma unroll
  for (int r = 0; r < rows_of_thread; ++r) {
    const std::int64_t i = first + r * epilogue_threads;
    if (i >= rows) break;
    for (int k = 0; k < 2; ++k)
      if (e.result[k] != nullptr) sum[k] += e.dot_of(k, p, i, finished[r]);
  }
  if (e.result[0] == nullptr && e.result[1] == nullptr) return;
  sum_both<epilogue_threads>(sum);
  add_tiles(e, sum, room);
}

template <class S>
__global__ void __launch_bounds__(epilogue_threads)
    sum_tile_of_parts_per_block(row_epilogue<S> e, std::int64_t parts, double* room) {
  wait_and_trigger();
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * rows_of_dot_tile + threadIdx.x;
  double sum[2] = {};
#pragma unroll
  for (int r = 0; r < rows_of_thread; ++r) {
    const std::int64_t i = first + r * epilogue_threads;
    if (i >= parts) break;
    for (int k = 0; k < 2; ++k) sum[k] += e.dot_parts[2 * i + k];
  }
  sum_both<epilogue_threads>(sum);
  add_tiles(e, sum, room);
}

template <class S>
__global__ void __launch_bounds__(threads_of_one_block)
    sum_parts_in_one_block(row_epilogue<S> e, std::int64_t parts) {
  wait_and_trigger();
  constexpr int at_once = 8;
  double sum[2] = {};
  for (std::int64_t first = threadIdx.x; first < parts; first += at_once * threads_of_one_block) {
    double part[at_once][2];
#pragma unroll
    for (int r = 0; r < at_once; ++r) {
      const std::int64_t i = first + r * threads_of_one_block;
      // Without a condition, so that all loads wait together.
      for (int k = 0; k < 2; ++k) part[r][k] = e.dot_parts[2 * min(i, parts - 1) + k];
    }
#pragma unroll
    for (int r = 0; r < at_once; ++r)
      for (int k = 0; k < 2; ++k)
        if (first + r * threads_of_one_block < parts) sum[k] += part[r][k];
  }
  sum_both<threads_of_one_block>(sum);
  if (threadIdx.x == 0) store_results(e, sum);
}

}  // namespace

template <class S>
void finish_all_rows_on_device(const row_epilogue<S>& e, const product<S>& p, std::int64_t rows,
                               const vector_t<S>* scaled, double* room, cuda_stream stream) {
  launch_dependent<finish_tile_per_block<S, false>>("epilogue", blocks_for(rows, rows_of_dot_tile),
                                                    epilogue_threads, 0, stream, e, p, rows, scaled, room);
}

template <class S>
void sum_dots_on_device(const row_epilogue<S>& e, vector_t<S>* y, std::int64_t rows, double* room,
                        cuda_stream stream) {
  const product<S> finished{.y = y};
  launch_dependent<finish_tile_per_block<S, true>>("dot_products", blocks_for(rows, rows_of_dot_tile),
                                                   epilogue_threads, 0, stream, e, finished, rows,
                                                   static_cast<const vector_t<S>*>(y), room);
}

template <class S>
void sum_dot_parts_on_device(const row_epilogue<S>& e, std::int64_t parts, double* room, cuda_stream stream) {
  if (parts <= parts_of_one_block)
    return launch_dependent<sum_parts_in_one_block<S>>("dot_products", 1, threads_of_one_block, 0, stream, e,
                                                       parts);
  launch_dependent<sum_tile_of_parts_per_block<S>>("dot_products", blocks_for(parts, rows_of_dot_tile),
                                                   epilogue_threads, 0, stream, e, parts, room);
}

#define GOSSAMER_INSTANCE(S)                                                                          \
  template void finish_all_rows_on_device<S>(const row_epilogue<S>&, const product<S>&, std::int64_t, \
                                             const S::vector*, double*, cuda_stream);                 \
  template void sum_dots_on_device<S>(const row_epilogue<S>&, S::vector*, std::int64_t, double*,      \
                                      cuda_stream);                                                   \
  template void sum_dot_parts_on_device<S>(const row_epilogue<S>&, std::int64_t, double*, cuda_stream);
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::exec
