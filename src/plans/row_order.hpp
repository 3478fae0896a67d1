// SPDX-License-Identifier: BSD-3-Clause
// The permutation of a reordered matrix and its inverse, in host memory and, for a GPU plan, in device
// memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "exec/cuda/device_buffer.hpp"
#include "gossamer/memory.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::inline v0::plans {

class row_order {
 public:
  /// New row i is row permutation[i] of the caller. If `where` is a GPU, both arrays are copied to it; this
  /// is synchronous. Throws invalid_argument unless `permutation` is one, and out_of_memory.
  row_order(std::vector<std::int32_t>&& permutation, const resource& where);

  /// One element for each row. The arrays are valid as long as this object.
  [[nodiscard]] std::span<const std::int32_t> permutation() const noexcept { return permutation_; }
  /// Row i of the caller is new row inverse()[i].
  [[nodiscard]] std::span<const std::int32_t> inverse() const noexcept { return inverse_.span(); }
  /// The same arrays in device memory. Null for a CPU plan.
  [[nodiscard]] const std::int32_t* permutation_on_device() const noexcept { return on_device_.data(); }
  [[nodiscard]] const std::int32_t* inverse_on_device() const noexcept {
    return on_device_.data() + permutation_.size();
  }
  [[nodiscard]] std::int64_t host_bytes() const noexcept { return bytes_of(permutation_.size()); }
  [[nodiscard]] std::int64_t device_bytes() const noexcept {
    return static_cast<std::int64_t>(on_device_.size() * sizeof(std::int32_t));
  }
  /// Bytes of a permutation of `rows` rows and its inverse.
  static constexpr std::int64_t bytes_of(std::size_t rows) noexcept {
    return static_cast<std::int64_t>(2 * rows * sizeof(std::int32_t));
  }

 private:
  std::vector<std::int32_t> permutation_;
  host_buffer<std::int32_t> inverse_;
  exec::device_buffer<std::int32_t> on_device_;  ///< the permutation, then its inverse
};

}  // namespace gossamer::inline v0::plans
