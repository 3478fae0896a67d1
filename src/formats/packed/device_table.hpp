// SPDX-License-Identifier: BSD-3-Clause
// The table of frequent values where it is found on a device: what tabulate() gives, and a value_index for
// it.
#pragma once

#include <cstdint>

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

}  // namespace gossamer::inline v0::formats
