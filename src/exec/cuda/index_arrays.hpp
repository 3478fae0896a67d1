// SPDX-License-Identifier: BSD-3-Clause
// Index arrays of callers in device memory: other widths, other bases, coordinates.
#pragma once

#include <cstdint>

#include "exec/cuda/device_buffer.hpp"
#include "exec/cuda/device_transposed.hpp"
#include "gossamer/types.hpp"

namespace gossamer::inline v0::exec {

/// to[k] = from[k] - base for 0 <= k < size. Returns the smallest k with from[k] outside [base, base +
/// limit), or size if there is none. All arrays are in the memory of `device`, which is current. Synchronous.
template <offset From>
std::int64_t narrow_on_device(const From* from, std::int64_t size, std::int32_t base, std::int64_t limit,
                              std::int32_t* to, int device);

/// to[i] = from[i] - 1. Asynchronous in the default stream.
template <offset O>
void subtract_one_on_device(const O* from, std::int64_t size, O* to);

/// Coordinates in device memory, sorted by row. Entries of a row keep their order.
template <value V>
class sorted_on_device {
 public:
  /// Element k is value[k] at (row[k], col[k]). Rows are valid. There are from 1 to 2^31 - 1 entries. Arrays
  /// are in the memory of `device`, which is current. Asynchronous in the default stream.
  sorted_on_device(std::int64_t rows, std::int64_t cols, device_span<const std::int32_t> row,
                   device_span<const std::int32_t> col, device_span<const V> val, int device);

  [[nodiscard]] csr_view<V, std::int32_t, device_space> view() const {
    return {.rows = rows_,
            .cols = cols_,
            .row_ptr = by_row_.view().row_ptr,
            .col = col_.span(),
            .val = by_row_.view().val};
  }

 private:
  std::int64_t rows_;
  std::int64_t cols_;
  device_transposed<V, std::int32_t> by_row_;
  device_buffer<std::int32_t> col_;
};

}  // namespace gossamer::inline v0::exec
