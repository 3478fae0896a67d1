// SPDX-License-Identifier: BSD-3-Clause
// Memory of the library: allocation hooks, available memory, and host arrays that are owned or borrowed.
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

/// An allocator of the caller. Any thread may call its functions. `device` is the number of a CUDA device, or
/// -1 for host memory.
struct allocation_hook {
  /// Returns `bytes` bytes at a multiple of `alignment`. If it returns null, the library throws
  /// out_of_memory.
  void* (*allocate)(std::size_t bytes, std::size_t alignment, int device, void* user) = nullptr;
  /// Releases memory that `allocate` returned for the same `bytes` and `device`.
  void (*release)(void* pointer, std::size_t bytes, int device, void* user) = nullptr;
  void* user = nullptr;  ///< passed to both functions
};

/// Replaces the allocator of host memory and returns the previous one. The default is aligned operator new; a
/// hook with a null function restores the default. Each block is released by the hook that allocated it.
GOSSAMER_API allocation_hook set_host_allocation_hook(allocation_hook hook) noexcept;

/// Replaces the allocator of device memory and returns the previous one. The default is cudaMalloc and
/// cudaFree. For temporary arrays of inspect(), the default is a memory pool of the library. A hook with a
/// null function restores the default.
GOSSAMER_API allocation_hook set_device_allocation_hook(allocation_hook hook) noexcept;

/// An unknown amount of memory. The library treats it as unlimited.
inline constexpr std::int64_t unknown_memory = std::numeric_limits<std::int64_t>::max();

/// Available memory of a resource in bytes.
/// - CPU: the system's available memory. If the process is in a control group (cgroup) with a lower limit:
///   the rest of this limit.
/// - GPU: the free device memory. unknown_memory if the device is missing, or if set_device_allocation_hook()
///   has replaced the allocator.
///
/// Throws out_of_memory.
GOSSAMER_API std::int64_t available_memory(const resource& where);

namespace detail {
struct host_block {
  void* pointer = nullptr;
  allocation_hook hook;
  bool by_default = false;  ///< the hook is the library's own
};
/// Allocates uninitialised memory. The thread that first writes a page determines its NUMA node. Throws
/// out_of_memory.
GOSSAMER_API host_block allocate_host(std::size_t count, std::size_t element_bytes);
GOSSAMER_API void release_host(const host_block& block, std::size_t bytes) noexcept;
}  // namespace detail

/// An array in host memory, owned or borrowed. Owned arrays are aligned to 128 bytes. Movable, not copyable.
template <class T>
requires std::is_trivially_copyable_v<T>
class host_buffer {
 public:
  using value_type = T;  ///< type of the elements

  /// An empty array.
  host_buffer() noexcept = default;

  /// Allocates `size` uninitialised elements. Throws out_of_memory.
  explicit host_buffer(std::size_t size) : block_(detail::allocate_host(size, sizeof(T))), size_(size) {
    data_ = static_cast<T*>(block_.pointer);
  }

  /// Makes a buffer that refers to the caller's array. The array must outlive the buffer. Only read the
  /// elements of such a buffer.
  [[nodiscard]] static host_buffer borrow(std::span<const T> other) noexcept {
    host_buffer result;
    result.data_ = const_cast<T*>(other.data());
    result.size_ = other.size();
    return result;
  }

  /// Moves the array. `other` is then empty.
  host_buffer(host_buffer&& other) noexcept
      : block_(std::exchange(other.block_, {})),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  /// Releases this array and moves the other one. `other` is then empty.
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

  [[nodiscard]] std::size_t size() const noexcept { return size_; }  ///< number of elements
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }   ///< whether size() is 0
  /// Whether the buffer owns its array. It is true for an empty buffer.
  [[nodiscard]] bool owned() const noexcept { return block_.pointer != nullptr || size_ == 0; }
  /// Whether the default allocator allocated the array. It is false for a borrowed array and for an array of
  /// a caller's hook.
  [[nodiscard]] bool of_default_hook() const noexcept { return block_.by_default; }

  /// Address of element 0, to read.
  [[nodiscard]] const T* data() const noexcept { return data_; }
  /// Address of element 0, to read and write. Write only to an owned array.
  [[nodiscard]] T* data() noexcept { return data_; }
  /// Element i, to read. i must be less than size(); this is not checked.
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  /// Element i, to read and write. i must be less than size(); this is not checked. Write only to an owned
  /// array.
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return data_[i]; }
  /// All elements, to read.
  [[nodiscard]] std::span<const T> span() const noexcept { return {data_, size_}; }
  /// All elements, to read and write. Write only to an owned array.
  [[nodiscard]] std::span<T> span() noexcept { return {data_, size_}; }

 private:
  detail::host_block block_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace gossamer::inline v0
