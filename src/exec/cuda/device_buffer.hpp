// SPDX-License-Identifier: BSD-3-Clause
// An array that a device reads: in its memory, owned or borrowed, or in host memory that is pinned for it.
// Never read on the host here.
#pragma once

#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "exec/cuda/device.hpp"
#include "gossamer/memory.hpp"
#include "gossamer/types.hpp"

namespace gossamer::inline v0::exec {

/// Device memory of several arrays, which goes with the last of them: to take a piece of memory takes longer
/// than to fill a small one.
class shared_device_memory {
 public:
  /// What an array of so many bytes takes of it: each begins where memory of its own would.
  static constexpr std::size_t taken(std::size_t bytes) noexcept {
    constexpr std::size_t alignment = 256;
    return (bytes + alignment - 1) / alignment * alignment;
  }
  shared_device_memory(std::size_t bytes, int device)
      : block_(allocate_device(bytes, device)), bytes_(bytes), device_(device) {}
  shared_device_memory(const shared_device_memory&) = delete;
  shared_device_memory& operator=(const shared_device_memory&) = delete;
  ~shared_device_memory() { release_device(block_, bytes_, device_); }
  [[nodiscard]] char* data() const noexcept { return static_cast<char*>(block_.pointer); }

 private:
  device_block block_;
  std::size_t bytes_;
  int device_;
};

template <class T>
requires std::is_trivially_copyable_v<T>
class device_buffer {
 public:
  using value_type = T;

  device_buffer() noexcept = default;
  /// Owned and uninitialised.
  device_buffer(std::size_t size, int device)
      : block_(allocate_device(size * sizeof(T), device)),
        data_(static_cast<T*>(block_.pointer)),
        size_(size),
        device_(device) {}
  /// A part of memory that it shares, `offset` bytes from its start; uninitialised.
  device_buffer(std::shared_ptr<shared_device_memory> memory, std::size_t offset, std::size_t size,
                int device)
      : shared_(std::move(memory)),
        data_(reinterpret_cast<T*>(shared_->data() + offset)),
        size_(size),
        device_(device) {}
  /// Stays in host memory, which it takes over (`from` is owned); the device reads it through the bus.
  device_buffer(host_buffer<T>&& from, int device) : size_(from.size()), device_(device) {
    if (from.empty()) return;
    pinned_ = pin(from.data(), size_ * sizeof(T), device);
    data_ = static_cast<T*>(pinned_.there);
    here_ = std::move(from);
  }
  /// Refers to the caller's array.
  [[nodiscard]] static device_buffer borrow(device_span<const T> other) noexcept {
    device_buffer result;
    result.data_ = const_cast<T*>(other.data());
    result.size_ = other.size();
    return result;
  }

  device_buffer(device_buffer&& other) noexcept
      : block_(std::exchange(other.block_, {})),
        shared_(std::move(other.shared_)),
        here_(std::move(other.here_)),
        pinned_(std::exchange(other.pinned_, {})),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        device_(other.device_) {}
  device_buffer& operator=(device_buffer&& other) noexcept {
    device_buffer moved(std::move(other));
    std::swap(block_, moved.block_);
    std::swap(shared_, moved.shared_);
    std::swap(here_, moved.here_);
    std::swap(pinned_, moved.pinned_);
    std::swap(data_, moved.data_);
    std::swap(size_, moved.size_);
    std::swap(device_, moved.device_);
    return *this;
  }
  device_buffer(const device_buffer&) = delete;
  device_buffer& operator=(const device_buffer&) = delete;
  ~device_buffer() {
    if (!here_.empty()) unpin(here_.data(), pinned_, device_);
    release_device(block_, size_ * sizeof(T), device_);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] bool on_host() const noexcept { return !here_.empty(); }
  /// Device memory that is its own.
  [[nodiscard]] std::size_t device_bytes() const noexcept {
    if (shared_ != nullptr) return shared_device_memory::taken(size_ * sizeof(T));
    return block_.pointer == nullptr ? 0 : size_ * sizeof(T);
  }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] device_span<const T> span() const noexcept { return {data_, size_}; }

 private:
  device_block block_;
  std::shared_ptr<shared_device_memory> shared_;
  host_buffer<T> here_;
  pinning pinned_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
  int device_ = 0;
};

}  // namespace gossamer::inline v0::exec
