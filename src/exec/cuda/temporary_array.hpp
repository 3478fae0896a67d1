// SPDX-License-Identifier: BSD-3-Clause
// Device memory for work that ends with the function that takes it: taken and given back in the order of the
// default stream, without waiting.
#pragma once

#include <type_traits>
#include <utility>

#include "exec/cuda/device.hpp"
#include "gossamer/types.hpp"

namespace gossamer::inline v0::exec {

/// Uninitialised, at a multiple of 256 bytes. Whatever uses it is in the default stream, or was waited for
/// before it goes.
template <class T>
requires std::is_trivially_copyable_v<T>
class temporary_array {
 public:
  temporary_array() noexcept = default;
  temporary_array(std::size_t size, int device)
      : block_(allocate_temporary(size * sizeof(T), device)), size_(size), device_(device) {}
  temporary_array(temporary_array&& other) noexcept
      : block_(std::exchange(other.block_, {})),
        size_(std::exchange(other.size_, 0)),
        device_(other.device_) {}
  temporary_array& operator=(temporary_array&& other) noexcept {
    temporary_array moved(std::move(other));
    std::swap(block_, moved.block_);
    std::swap(size_, moved.size_);
    std::swap(device_, moved.device_);
    return *this;
  }
  temporary_array(const temporary_array&) = delete;
  temporary_array& operator=(const temporary_array&) = delete;
  ~temporary_array() { release_temporary(block_, size_ * sizeof(T), device_); }

  [[nodiscard]] T* data() const noexcept { return static_cast<T*>(block_.block.pointer); }
  [[nodiscard]] device_span<const T> span() const noexcept { return {data(), size_}; }

 private:
  temporary_block block_;
  std::size_t size_ = 0;
  int device_ = 0;
};

}  // namespace gossamer::inline v0::exec
