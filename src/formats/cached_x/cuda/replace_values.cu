// SPDX-License-Identifier: BSD-3-Clause
// update_values() for cached_x on a CUDA device, if values are not encoded. With panels, a warp replaces the
// values of a chunk. With frequent columns, entries are in the order of the matrix, and a thread replaces one
// value.
#include "exec/cuda/kernel/launch.cuh"
#include "formats/cached_x/cuda/lane_place.cuh"
#include "formats/cached_x/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

constexpr int replacing_threads = 128;

template <value V>
struct cached_x_to_replace {
  cached_x_pointers<V> a;
  V* to;
  const std::int64_t* row_ptr;
  const std::int64_t* permutation;  ///< the index in `values` of entry k; null: k
  const V* values;

  [[nodiscard]] __device__ V value_of(std::int64_t entry) const {
    return values[permutation == nullptr ? entry : permutation[entry]];
  }
  /// The row of a piece. Rows of several pieces are found by the position of the sum.
  [[nodiscard]] __device__ std::int32_t row_of(std::int32_t target) const {
    if (target >= 0) return target;
    std::int64_t first = 0;
    for (std::int64_t end = a.carries.runs; end - first > 1;) {
      const std::int64_t middle = (first + end) / 2;
      (a.carries.first[middle] <= ~target ? first : end) = middle;
    }
    return a.carries.row[first];
  }
};

/// Without panels, slot k has entry k.
template <value V>
__global__ void __launch_bounds__(replacing_threads) cached_x_replace_in_order(cached_x_to_replace<V> all) {
  const std::int64_t slot = static_cast<std::int64_t>(blockIdx.x) * replacing_threads + threadIdx.x;
  if (slot >= all.a.meta.nnz) return;
  const int k = static_cast<int>(slot % cached_x_chunk);
  all.to[slot - k + cached_x_place(k, sizeof(V))] = all.value_of(slot);
}

/// A lane has eight neighbouring entries, as in a product. It follows the pieces that they belong to.
template <value V>
__global__ void __launch_bounds__(replacing_threads) cached_x_replace_in_panels(cached_x_to_replace<V> all) {
  const cached_x_pointers<V>& a = all.a;
  const std::int64_t chunk =
      (static_cast<std::int64_t>(blockIdx.x) * replacing_threads + threadIdx.x) / exec::warp_size;
  if (chunk >= a.meta.chunks) return;
  const int lane = static_cast<int>(threadIdx.x) % exec::warp_size;
  const unsigned ends = a.ends[chunk * cached_x_lanes + lane];
  const lane_place place = place_of_lane(ends, lane);
  std::int32_t piece = a.chunk_piece[chunk] + place.pieces_before;
  const std::int32_t last = a.chunk_piece[chunk + 1];
  int begin = place.begin;
  for (int j = 0; j < cached_x_of_lane && piece < last; ++j) {
    const int k = lane * cached_x_of_lane + j;
    const std::int64_t slot = chunk * cached_x_chunk + k;
    const std::int64_t row_begin = all.row_ptr[all.row_of(a.target[piece])];
    const std::int64_t of_row = a.entry != nullptr ? a.entry[slot] : a.piece_entry[piece] + (k - begin);
    all.to[slot - k + cached_x_place(k, sizeof(V))] = all.value_of(row_begin + of_row);
    if ((ends >> j & 1u) == 0) continue;
    ++piece;
    begin = k + 1;
  }
}

__global__ void cached_x_values_are_written() {}

}  // namespace

template <value V>
void cached_x::replace_values(const cached_x_storage<V, exec::device_buffer>& stored,
                              const std::int64_t* row_ptr, const std::int64_t* permutation, const V* values,
                              cuda_stream stream) {
  const cached_x_pointers<V> a = stored.view();
  if (a.meta.chunks == 0) return;
  // The plan's own array, which only products in flight read.
  const cached_x_to_replace<V> all{
      .a = a, .to = const_cast<V*>(a.val), .row_ptr = row_ptr, .permutation = permutation, .values = values};
  if (a.meta.columns == cached_x_columns::panels)
    cached_x_replace_in_panels<V><<<exec::blocks_for(a.meta.chunks, replacing_threads / exec::warp_size),
                                    replacing_threads, 0, stream.handle()>>>(all);
  else
    cached_x_replace_in_order<V>
        <<<exec::blocks_for(a.meta.nnz, replacing_threads), replacing_threads, 0, stream.handle()>>>(all);
  exec::check_launch("cached_x: replace values");
  // A product may begin before the kernel in front of it ends (exec/cuda/kernel/dependent_launch.cuh). A
  // kernel that does nothing lets it begin when the values are visible.
  cached_x_values_are_written<<<1, 1, 0, stream.handle()>>>();
  exec::check_launch("cached_x: values are written");
}

#define GOSSAMER_REPLACE_INSTANCE(S)                                                                   \
  template void cached_x::replace_values(const cached_x_storage<matrix_t<S>, exec::device_buffer>&,    \
                                         const std::int64_t*, const std::int64_t*, const matrix_t<S>*, \
                                         cuda_stream);
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_REPLACE_INSTANCE)
#undef GOSSAMER_REPLACE_INSTANCE

}  // namespace gossamer::inline v0::formats
