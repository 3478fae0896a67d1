// SPDX-License-Identifier: BSD-3-Clause
// The table of frequent values where it is found on a device: what tabulate() gives, and a value_index for
// it.
#pragma once

#include <cstdint>

#include "exec/cuda/kernel/launch.cuh"
#include "formats/common/frequent_values.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::inline v0::formats {

/// In device memory.
template <value V>
struct packed_device_table {
  static constexpr int most = 256;
  static constexpr int slots = static_cast<int>(value_index<V>::slots);
  /// How many values there are, whether all finite ones are among them, and of those that the sample missed
  /// how many are known.
  std::int32_t size;
  std::int32_t holds_all;
  std::int32_t missed;
  V values[most];
  bits_of_value<V> key[slots];
  std::int32_t number[slots];  ///< in `values`; -1 where nothing stands
  bits_of_value<V> missed_key[slots];
};

/// Bytes of device memory that tabulate_on_device() takes beside the table for a while.
std::int64_t packed_tabulating_bytes();

/// Into `table`, asynchronously; `scratch` is packed_tabulating_bytes() long and begins at a multiple of 256.
template <value V>
void tabulate_on_device(const V* values, std::int64_t size, packed_device_table<V>* table, void* scratch,
                        cuda_stream stream);

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
