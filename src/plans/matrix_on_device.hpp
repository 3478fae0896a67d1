// SPDX-License-Identifier: BSD-3-Clause
// A matrix of the caller's, copied to a device for a while.
#pragma once

#include <cstdint>

#include "exec/cuda/temporary_array.hpp"
#include "gossamer/matrix.hpp"
#include "plans/storage.hpp"

namespace gossamer::inline v0::plans {

template <value V, offset O>
class matrix_on_device {
 public:
  matrix_on_device(const csr_view<V, O>& a, int device)
      : rows_(a.rows),
        cols_(a.cols),
        row_ptr_(a.row_ptr.size(), device),
        col_(a.col.size(), device),
        val_(a.val.size(), device) {
    long_uploads uploads(device);
    uploads.copy(row_ptr_.data(), a.row_ptr.data(), a.row_ptr.size() * sizeof(O));
    uploads.copy(col_.data(), a.col.data(), a.col.size() * sizeof(std::int32_t));
    uploads.copy(val_.data(), a.val.data(), a.val.size() * sizeof(V));
  }
  [[nodiscard]] csr_view<V, O, device_space> view() const {
    return {.rows = rows_, .cols = cols_, .row_ptr = row_ptr_.span(), .col = col_.span(), .val = val_.span()};
  }

 private:
  std::int64_t rows_;
  std::int64_t cols_;
  exec::temporary_array<O> row_ptr_;
  exec::temporary_array<std::int32_t> col_;
  exec::temporary_array<V> val_;
};

}  // namespace gossamer::inline v0::plans
