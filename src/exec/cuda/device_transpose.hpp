// SPDX-License-Identifier: BSD-3-Clause
// transpose() of a matrix in device memory, where it is.
#pragma once

#include <cstdint>

#include "exec/cuda/temporary_array.hpp"
#include "gossamer/matrix.hpp"

namespace gossamer::inline v0::exec {

/// The arrays are those that transpose() in gossamer/matrix.hpp gives, byte for byte.
template <value V, offset O>
class device_transpose {
 public:
  /// `a` is valid, has entries, and is in the memory of the current device. Asynchronous in the default
  /// stream. Throws out_of_memory. Takes about twice the memory of `a` while it works, and that of `a` after.
  device_transpose(const csr_view<V, O, device_space>& a, int device);

  [[nodiscard]] csr_view<V, O, device_space> view() const {
    return {.rows = rows_, .cols = cols_, .row_ptr = row_ptr_.span(), .col = col_.span(), .val = val_.span()};
  }
  /// The entry of the matrix that each entry of the transpose is.
  [[nodiscard]] device_span<const O> entries() const { return entries_.span(); }

 private:
  std::int64_t rows_;
  std::int64_t cols_;
  temporary_array<O> row_ptr_;
  temporary_array<std::int32_t> col_;
  temporary_array<V> val_;
  temporary_array<O> entries_;
};

/// Whether both have the same arrays, bit for bit. Both are in the memory of the current device. Synchronous.
template <value V, offset O>
bool same_arrays_on_device(const csr_view<V, O, device_space>& a, const csr_view<V, O, device_space>& b,
                           int device);

}  // namespace gossamer::inline v0::exec
