// SPDX-License-Identifier: BSD-3-Clause
// transpose() of a matrix in device memory, where it is.
#pragma once

#include <cstdint>

#include "exec/cuda/temporary_array.hpp"
#include "gossamer/matrix.hpp"

namespace gossamer::inline v0::exec {

/// The transpose of a matrix, in memory that goes with it. The arrays are those that transpose() in
/// gossamer/matrix.hpp gives, byte for byte.
template <value V, offset O>
class device_transposed {
 public:
  /// `a` is valid, has entries, and is in the memory of `device`, which is current. Asynchronous in the
  /// default stream. Throws out_of_memory. An entry takes sizeof(V) + sizeof(O) + 4 bytes, and 2 sizeof(O) +
  /// 12 more while the transpose is made.
  device_transposed(const csr_view<V, O, device_space>& a, int device);

  [[nodiscard]] csr_view<V, O, device_space> view() const {
    return {.rows = rows_, .cols = cols_, .row_ptr = row_ptr_.span(), .col = col_.span(), .val = val_.span()};
  }
  /// Element k: the index in the matrix of entry k of the transpose.
  [[nodiscard]] device_span<const O> permutation() const { return permutation_.span(); }

 private:
  std::int64_t rows_;
  std::int64_t cols_;
  temporary_array<O> row_ptr_;
  temporary_array<std::int32_t> col_;
  temporary_array<V> val_;
  temporary_array<O> permutation_;
};

/// Whether both have the same arrays, bit for bit. Both are in the memory of `device`, which is current.
/// Synchronous.
template <value V, offset O>
bool same_arrays_on_device(const csr_view<V, O, device_space>& a, const csr_view<V, O, device_space>& b,
                           int device);

}  // namespace gossamer::inline v0::exec
