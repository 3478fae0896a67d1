// SPDX-License-Identifier: BSD-3-Clause
// Host memory that devices copy from and to by themselves.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exec/cuda/device.hpp"
#include "gossamer/memory.hpp"

namespace gossamer::inline v0::exec {

/// Uninitialised. In pages of its own: CUDA refuses to pin a page that is pinned as part of something else.
class pinned_buffer {
 public:
  static constexpr std::size_t page = 4096;
  /// What it takes for so many bytes.
  static constexpr std::size_t taken(std::size_t bytes) { return (bytes + page - 1) / page * page + page; }

  /// Throws what pin throws, and out_of_memory.
  pinned_buffer(std::size_t bytes, int device)
      : memory_(taken(bytes)),
        data_(memory_.data() + (page - reinterpret_cast<std::uintptr_t>(memory_.data()) % page) % page),
        pinned_(pin(data_, taken(bytes) - page, device)),
        device_(device) {}
  ~pinned_buffer() { unpin(data_, pinned_, device_); }
  pinned_buffer(const pinned_buffer&) = delete;
  pinned_buffer& operator=(const pinned_buffer&) = delete;

  [[nodiscard]] char* data() noexcept { return data_; }
  /// Of its memory: see host_buffer.
  [[nodiscard]] bool of_default_hook() const noexcept { return memory_.of_default_hook(); }
  /// All that it has taken.
  [[nodiscard]] std::size_t size() const noexcept { return memory_.size(); }

 private:
  host_buffer<char> memory_;
  char* data_;
  pinning pinned_;
  int device_;
};

}  // namespace gossamer::inline v0::exec
