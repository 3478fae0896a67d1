// SPDX-License-Identifier: BSD-3-Clause
// The table of frequent values on a device, like tabulate() with a value_index.
#pragma once

#include <cstdint>

#include "exec/cuda/kernel/launch.cuh"
#include "formats/common/frequent_values.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::inline v0::formats {

/// The table in device memory.
template <value V>
struct device_value_table {
  static constexpr int most = 256;
  static constexpr int slots = static_cast<int>(value_index<V>::slots);
  std::int32_t size;       ///< of `values`
  std::int32_t holds_all;  ///< whether all finite values of the matrix are in it, or values_not_known
  std::int32_t missed;     ///< values found so far that the sample missed
  V values[most];
  bits_of_value<V> key[slots];
  std::int32_t number[slots];  ///< the index in `values`; -1 if the slot is empty
  bits_of_value<V> missed_key[slots];
};

/// Bytes of scratch memory that tabulate_on_device() needs.
std::int64_t tabulating_bytes();

/// Writes `table`, asynchronously. `scratch` has tabulating_bytes() and is aligned to 256 bytes.
template <value V>
void tabulate_on_device(const V* values, std::int64_t size, device_value_table<V>* table, void* scratch,
                        cuda_stream stream);

/// Writes an empty table, asynchronously.
template <value V>
void clear_table_on_device(device_value_table<V>* table, cuda_stream stream);

/// device_value_table::holds_all before all values were searched.
inline constexpr std::int32_t values_not_known = -1;

__device__ __forceinline__ std::uint32_t bits_of_device_value(float v) {
  return __float_as_uint(v);
}
__device__ __forceinline__ std::uint64_t bits_of_device_value(double v) {
  return static_cast<std::uint64_t>(__double_as_longlong(v));
}
template <class V>
__device__ __forceinline__ V value_of_bits(bits_of_value<V> bits) {
  if constexpr (sizeof(V) == sizeof(double))
    return __longlong_as_double(static_cast<long long>(bits));
  else
    return __uint_as_float(bits);
}

/// Marks an empty slot: the bits of a NaN, which is never in a table.
template <class V>
__host__ __device__ constexpr bits_of_value<V> no_table_value() {
  return ~bits_of_value<V>{0};
}

/// The value's index in the table, or -1.
template <class V>
__device__ __forceinline__ int find_in_table(const device_value_table<V>& table, V v) {
  const bits_of_value<V> bits = bits_of_device_value(v);
  std::uint32_t at = static_cast<std::uint32_t>(mixed(bits)) & (device_value_table<V>::slots - 1);
  while (table.number[at] >= 0) {
    if (table.key[at] == bits) return table.number[at];
    at = (at + 1) & (device_value_table<V>::slots - 1);
  }
  return -1;
}

}  // namespace gossamer::inline v0::formats
