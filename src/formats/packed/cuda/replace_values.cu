// SPDX-License-Identifier: BSD-3-Clause
// New values for slices whose values are not encoded, one warp a slice. The places of values do not depend on
// them, and headers and row offsets tell which entry each slot has.
//
// A product reads values ahead of its wait (exec/cuda/kernel/dependent_launch.cuh). So a kernel that does
// nothing follows: it begins when the values are written and visible, and the product after it.
#include "exec/cuda/kernel/launch.cuh"
#include "formats/packed/choose/windows.hpp"
#include "formats/packed/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

constexpr int replacing_threads = 128;

template <value V>
struct packed_to_replace {
  packed_pointers<V> a;
  const std::int64_t* row_ptr;
  const std::int64_t* permutation;  ///< the index in `values` of entry k; null: k
  const V* values;

  [[nodiscard]] __device__ V value_of(std::int64_t entry) const {
    return values[permutation == nullptr ? entry : permutation[entry]];
  }
};

/// Where value `slot` of a lane stands among the values of a lane slice.
template <value V>
__device__ __forceinline__ std::uint32_t packed_place_in_full(const packed_slice& s, std::uint32_t slot,
                                                              int lane) {
  return packed_place(slot, static_cast<std::uint32_t>(lane), packed_slots(s),
                      packed_values_together(packed_together_on_device, sizeof(V)));
}

template <value V>
__device__ void packed_replace_in_coo_slice(const packed_to_replace<V>& all, const packed_slice& s, int lane,
                                            V* to) {
  const std::int64_t first = all.row_ptr[s.row];
  for (int k = lane; k < s.steps; k += packed_lanes) to[k] = all.value_of(first + k);
}

template <value V>
__device__ void packed_replace_in_diagonal_slice(const packed_to_replace<V>& all, const packed_slice& s,
                                                 int lane, const std::uint8_t* arrays, V* to) {
#pragma unroll
  for (int r = 0; r < packed_rows_of_lane; ++r) {
    const auto of_slice = static_cast<std::uint32_t>(r * packed_lanes + lane);
    if (of_slice >= static_cast<std::uint32_t>(s.rows())) return;
    std::int64_t next = all.row_ptr[s.row + static_cast<std::int32_t>(of_slice)];
    for (std::uint32_t d = 0; d < s.steps; ++d) {
      const bool has =
          s.is_full() || (arrays[s.masks + packed_mask_byte(d, static_cast<std::uint32_t>(lane))] >>
                              packed_mask_bit(d, of_slice) &
                          1) != 0;
      if (has) to[packed_place_in_full<V>(s, packed_diagonal_slot(d, of_slice), lane)] = all.value_of(next++);
    }
  }
}

template <value V>
__device__ void packed_replace_in_lane_slice(const packed_to_replace<V>& all, const packed_slice& header,
                                             int lane, const std::uint8_t* arrays, V* to) {
  const packed_slice s = packed_opened(header);
  const int which = lane >> s.sharing();
  if (which >= s.rows()) return;
  std::int64_t row = s.row + which;
  std::int64_t part = -1;
  if (s.lists_rows()) row = s.row + reinterpret_cast<const std::uint16_t*>(arrays)[which];
  if (s.is_row_part()) {
    row = all.a.carries.row[header.masks];
    part = s.row - all.a.carries.first[header.masks];
  }
  const std::int64_t begin = all.row_ptr[row];
  const packed_lane_share mine = packed_share_of_lane(begin, all.row_ptr[row + 1] - begin, part,
                                                      all.a.meta.longest_part, s.sharing(), lane);
  for (std::int64_t j = 0; j < mine.count; ++j)
    to[packed_place_in_full<V>(s, static_cast<std::uint32_t>(j), lane)] =
        all.value_of(mine.first + (j << s.sharing()));
}

template <value V>
__global__ void __launch_bounds__(replacing_threads)
    packed_replace_values_per_warp(const __grid_constant__ packed_to_replace<V> all) {
  const std::int64_t number =
      (static_cast<std::int64_t>(blockIdx.x) * replacing_threads + threadIdx.x) / exec::warp_size;
  if (number >= all.a.meta.slices) return;
  const int lane = static_cast<int>(threadIdx.x) % exec::warp_size;
  const packed_slice header = all.a.slice[number];
  const packed_slice s = packed_opened(header);
  // The plan's own array, which only products in flight read.
  auto* const arrays = const_cast<std::uint8_t*>(all.a.data) + std::uint64_t{s.at} * packed_piece;
  V* const to = reinterpret_cast<V*>(arrays + s.values_at);
  if (s.is_coo_slice())
    packed_replace_in_coo_slice(all, s, lane, to);
  else if (s.is_diagonal_slice())
    packed_replace_in_diagonal_slice(all, s, lane, arrays, to);
  else
    packed_replace_in_lane_slice(all, header, lane, arrays, to);
}

__global__ void packed_values_are_written() {}

}  // namespace

template <value V>
void packed::replace_values(const packed_storage<V, exec::device_buffer>& stored, const std::int64_t* row_ptr,
                            const std::int64_t* permutation, const V* values, cuda_stream stream) {
  const packed_pointers<V> a = stored.view();
  if (a.meta.slices == 0) return;
  const unsigned blocks = exec::blocks_for(a.meta.slices, replacing_threads / exec::warp_size);
  packed_replace_values_per_warp<V><<<blocks, replacing_threads, 0, stream.handle()>>>(
      {.a = a, .row_ptr = row_ptr, .permutation = permutation, .values = values});
  exec::check_launch("packed: replace values");
  packed_values_are_written<<<1, 1, 0, stream.handle()>>>();
  exec::check_launch("packed: values are written");
}

#define GOSSAMER_REPLACE_INSTANCE(S)                                                                 \
  template void packed::replace_values(const packed_storage<matrix_t<S>, exec::device_buffer>&,      \
                                       const std::int64_t*, const std::int64_t*, const matrix_t<S>*, \
                                       cuda_stream);
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_REPLACE_INSTANCE)
#undef GOSSAMER_REPLACE_INSTANCE

}  // namespace gossamer::inline v0::formats
