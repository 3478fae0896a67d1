// SPDX-License-Identifier: BSD-3-Clause
#include "exec/cuda/kernel/launch.cuh"
#include "exec/permute_rows.hpp"

namespace gossamer::inline v0::exec {
namespace {

constexpr int permute_threads = 256;

/// A row per thread: consecutive threads write consecutive elements of each column.
template <class V>
__global__ void permute_row_per_thread(strided_matrix<V> to, strided_matrix<const V> from,
                                       const std::int32_t* __restrict__ index, std::int64_t rows,
                                       std::int64_t columns) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * permute_threads + threadIdx.x;
  if (i >= rows) return;
  const std::int64_t source = index[i];
  for (std::int64_t j = 0; j < columns; ++j)
    to.data[i * to.step + j * to.next] = from.data[source * from.step + j * from.next];
}

/// An element per thread: consecutive threads write consecutive elements of a row.
template <class V>
__global__ void permute_element_per_thread(strided_matrix<V> to, strided_matrix<const V> from,
                                           const std::int32_t* __restrict__ index, std::int64_t rows,
                                           std::int64_t columns) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * permute_threads + threadIdx.x;
  if (k >= rows * columns) return;
  const std::int64_t i = k / columns;
  const std::int64_t j = k % columns;
  to.data[i * to.step + j * to.next] =
      from.data[static_cast<std::int64_t>(index[i]) * from.step + j * from.next];
}

}  // namespace

template <class V>
void permute_rows_on_device(const strided_matrix<V>& to, const strided_matrix<const V>& from,
                            const std::int32_t* index, std::int64_t rows, std::int64_t columns,
                            cuda_stream stream) {
  if (rows == 0 || columns == 0) return;
  const bool by_element = columns > 1 && to.next == 1;
  if (by_element)
    permute_element_per_thread<<<blocks_for(rows * columns, permute_threads), permute_threads, 0,
                                 stream.handle()>>>(to, from, index, rows, columns);
  else
    permute_row_per_thread<<<blocks_for(rows, permute_threads), permute_threads, 0, stream.handle()>>>(
        to, from, index, rows, columns);
  check_launch("permute_rows");
}

template void permute_rows_on_device(const strided_matrix<float>&, const strided_matrix<const float>&,
                                     const std::int32_t*, std::int64_t, std::int64_t, cuda_stream);
template void permute_rows_on_device(const strided_matrix<double>&, const strided_matrix<const double>&,
                                     const std::int32_t*, std::int64_t, std::int64_t, cuda_stream);

}  // namespace gossamer::inline v0::exec
