// SPDX-License-Identifier: BSD-3-Clause
// The permutation of a reordered matrix, on the host and where its plan multiplies.
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
  /// New row i is row permutation[i] of the caller. For a plan on a GPU, it is copied there; synchronous.
  row_order(std::vector<std::int32_t>&& permutation, const resource& where);

  [[nodiscard]] std::span<const std::int32_t> permutation() const noexcept { return permutation_; }
  /// Row i of the caller is new row inverse()[i].
  [[nodiscard]] std::span<const std::int32_t> inverse() const noexcept { return inverse_.span(); }
  [[nodiscard]] const std::int32_t* permutation_on_device() const noexcept { return there_.data(); }
  [[nodiscard]] const std::int32_t* inverse_on_device() const noexcept {
    return there_.data() + permutation_.size();
  }
  [[nodiscard]] std::int64_t host_bytes() const noexcept { return bytes_of(permutation_.size()); }
  [[nodiscard]] std::int64_t device_bytes() const noexcept {
    return static_cast<std::int64_t>(there_.size() * sizeof(std::int32_t));
  }
  /// Of the permutation and its inverse.
  static constexpr std::int64_t bytes_of(std::size_t rows) noexcept {
    return static_cast<std::int64_t>(2 * rows * sizeof(std::int32_t));
  }

 private:
  std::vector<std::int32_t> permutation_;
  host_buffer<std::int32_t> inverse_;
  exec::device_buffer<std::int32_t> there_;
};

}  // namespace gossamer::inline v0::plans
