// SPDX-License-Identifier: BSD-3-Clause
// packed_sort_longest_first() on a device.
#pragma once

#include <cub/device/device_radix_sort.cuh>

#include "exec/cuda/kernel/launch.cuh"
#include "formats/packed/order.hpp"

namespace gossamer::inline v0::formats {

inline constexpr int packed_order_threads = 256;

template <class = void>
__global__ void packed_length_per_thread(const packed_slice* slice, int count, packed_slice* copy,
                                         std::uint8_t* length, std::int32_t* number) {
  const int i = static_cast<int>(blockIdx.x) * packed_order_threads + static_cast<int>(threadIdx.x);
  if (i >= count) return;
  copy[i] = slice[i];
  length[i] = static_cast<std::uint8_t>(packed_length_class(slice[i]));
  number[i] = i;
}

template <class = void>
__global__ void packed_place_per_thread(const packed_slice* copy, const std::int32_t* number, int count,
                                        packed_slice* slice) {
  const int i = static_cast<int>(blockIdx.x) * packed_order_threads + static_cast<int>(threadIdx.x);
  if (i < count) slice[i] = copy[number[i]];
}

/// Of so many slices, in memory that its user has: `copies` of headers, two arrays of lengths and of numbers
/// each, and a room.
class packed_device_order {
 public:
  struct memory {
    packed_slice* copies;
    std::uint8_t* lengths[2];
    std::int32_t* numbers[2];
    void* room;
  };

  explicit packed_device_order(std::int64_t count) : count_(static_cast<int>(count)) { sort({}); }
  [[nodiscard]] std::int64_t room_bytes() const { return static_cast<std::int64_t>(bytes_); }

  /// Asynchronous, in the null stream.
  void operator()(packed_slice* slices, const memory& m) {
    const unsigned blocks = exec::blocks_for(count_, packed_order_threads);
    packed_length_per_thread<>
        <<<blocks, packed_order_threads>>>(slices, count_, m.copies, m.lengths[0], m.numbers[0]);
    exec::check_launch("packed: lengths of slices");
    sort(m);
    packed_place_per_thread<><<<blocks, packed_order_threads>>>(m.copies, m.numbers[1], count_, slices);
    exec::check_launch("packed: order of slices");
  }

 private:
  void sort(const memory& m) {
    exec::check_cuda(static_cast<int>(cub::DeviceRadixSort::SortPairsDescending(
                         m.room, bytes_, m.lengths[0], m.lengths[1], m.numbers[0], m.numbers[1], count_, 0,
                         packed_length_bits)),
                     "packed: order of slices");
  }

  int count_;
  std::size_t bytes_ = 0;
};

}  // namespace gossamer::inline v0::formats
