// SPDX-License-Identifier: BSD-3-Clause
// Where memory lives is part of the type: a device_span never converts to a std::span, nor the reverse.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

namespace gossamer::inline v0 {

struct host_space {};
struct device_space {};

/// `size` consecutive elements in the memory of a CUDA device. It owns nothing and cannot be read on the host.
template <class T>
class device_span {
 public:
  using element_type = T;

  constexpr device_span() noexcept = default;
  constexpr device_span(T* device_pointer, std::size_t size) noexcept : data_(device_pointer), size_(size) {}

  /// From a span of the same elements without const.
  template <class U>
  requires std::is_same_v<const U, T>
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr device_span(device_span<U> other) noexcept : data_(other.data()), size_(other.size()) {}

  [[nodiscard]] constexpr T* data() const noexcept { return data_; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// std::span in host space, device_span in device space.
template <class T, class Space>
using span_in = std::conditional_t<std::is_same_v<Space, host_space>, std::span<T>, device_span<T>>;

}  // namespace gossamer::inline v0
