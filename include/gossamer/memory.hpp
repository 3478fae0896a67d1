// SPDX-License-Identifier: BSD-3-Clause
// Memory of the library: allocation hooks, and arrays in host memory, owned or borrowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "gossamer/export.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::inline v0 {

/// A pair of functions and a pointer that they receive back as `user`.
/// `allocate` returns null where it cannot (the caller then sees errc::out_of_memory). `device` is the CUDA
/// device number, or -1 for host memory. Both may be called from any thread.
struct allocation_hook {
  void* (*allocate)(std::size_t bytes, std::size_t alignment, int device, void* user) = nullptr;
  void (*release)(void* pointer, std::size_t bytes, int device, void* user) = nullptr;
  void* user = nullptr;
};

/// Replaces the host allocator; a hook with null functions restores the default (aligned operator new).
/// Memory taken before goes back through the hook that gave it. Returns the hook that was in force.
GOSSAMER_API allocation_hook set_host_allocation_hook(allocation_hook hook) noexcept;

/// The same for device memory; the default is cudaMalloc and cudaFree, and a pool of the library's own for
/// what inspect takes for a while.
GOSSAMER_API allocation_hook set_device_allocation_hook(allocation_hook hook) noexcept;

inline constexpr std::int64_t unknown_memory = std::numeric_limits<std::int64_t>::max();

/// Available memory of a resource in bytes. For the host, the smaller of the system's available memory and
/// the rest of the control group's limit. For a device, its free memory. unknown_memory if the device is
/// missing or has an allocation hook.
GOSSAMER_API std::int64_t available_memory(const resource& where);

namespace detail {
struct host_block {
  void* pointer = nullptr;
  allocation_hook hook;
  bool by_default = false;  ///< the hook is the library's own
};
/// Throws errc::out_of_memory. The memory is uninitialised, so the threads that first write it place its
/// pages.
GOSSAMER_API host_block allocate_host(std::size_t count, std::size_t element_bytes);
GOSSAMER_API void release_host(const host_block& block, std::size_t bytes) noexcept;
}  // namespace detail

/// `size()` elements, aligned to 128 bytes where owned. Movable, not copyable.
template <class T>
requires std::is_trivially_copyable_v<T>
class host_buffer {
 public:
  using value_type = T;

  host_buffer() noexcept = default;

  /// Owned and uninitialised.
  explicit host_buffer(std::size_t size) : block_(detail::allocate_host(size, sizeof(T))), size_(size) {
    data_ = static_cast<T*>(block_.pointer);
  }

  /// Refers to the caller's array, which must outlive the buffer; elements are then read only.
  [[nodiscard]] static host_buffer borrow(std::span<const T> other) noexcept {
    host_buffer result;
    result.data_ = const_cast<T*>(other.data());
    result.size_ = other.size();
    return result;
  }

  host_buffer(host_buffer&& other) noexcept
      : block_(std::exchange(other.block_, {})),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  host_buffer& operator=(host_buffer&& other) noexcept {
    host_buffer moved(std::move(other));
    std::swap(block_, moved.block_);
    std::swap(data_, moved.data_);
    std::swap(size_, moved.size_);
    return *this;
  }
  host_buffer(const host_buffer&) = delete;
  host_buffer& operator=(const host_buffer&) = delete;
  ~host_buffer() { detail::release_host(block_, size_ * sizeof(T)); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] bool owned() const noexcept { return block_.pointer != nullptr || size_ == 0; }
  /// Owned, and not through a caller's hook, which may count on having all back.
  [[nodiscard]] bool of_default_hook() const noexcept { return block_.by_default; }

  [[nodiscard]] const T* data() const noexcept { return data_; }
  /// Only of an owned buffer: a borrowed one belongs to the caller.
  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return data_[i]; }
  [[nodiscard]] std::span<const T> span() const noexcept { return {data_, size_}; }
  [[nodiscard]] std::span<T> span() noexcept { return {data_, size_}; }

 private:
  detail::host_block block_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace gossamer::inline v0
