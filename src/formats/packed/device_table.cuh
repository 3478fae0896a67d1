// SPDX-License-Identifier: BSD-3-Clause
// Values and their bits on a device, and where a value stands in the table.
#pragma once

#include "exec/cuda/kernel/launch.cuh"
#include "formats/packed/device_table.hpp"

namespace gossamer::inline v0::formats {

/// packed_device_table::holds_all until all values were looked through.
inline constexpr std::int32_t packed_not_known = -1;

__device__ __forceinline__ std::uint32_t packed_bits(float v) {
  return __float_as_uint(v);
}
__device__ __forceinline__ std::uint64_t packed_bits(double v) {
  return static_cast<std::uint64_t>(__double_as_longlong(v));
}
template <class V>
__device__ __forceinline__ V packed_value_of(bits_of_value<V> bits) {
  if constexpr (sizeof(V) == sizeof(double))
    return __longlong_as_double(static_cast<long long>(bits));
  else
    return __uint_as_float(bits);
}

/// The bits of a NaN, of which tables have none.
template <class V>
__host__ __device__ constexpr bits_of_value<V> packed_no_value() {
  return ~bits_of_value<V>{0};
}

/// The value's place in the table, or -1.
template <class V>
__device__ __forceinline__ int packed_find(const packed_device_table<V>& table, V v) {
  const bits_of_value<V> bits = packed_bits(v);
  std::uint32_t at = static_cast<std::uint32_t>(mixed(bits)) & (packed_device_table<V>::slots - 1);
  while (table.number[at] >= 0) {
    if (table.key[at] == bits) return table.number[at];
    at = (at + 1) & (packed_device_table<V>::slots - 1);
  }
  return -1;
}

}  // namespace gossamer::inline v0::formats
