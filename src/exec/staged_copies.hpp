// SPDX-License-Identifier: BSD-3-Clause
// Copies between a caller's host memory and a device through pinned pieces, which all threads fill while the device fetches the one before.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "exec/device.hpp"
#include "gossamer/host_buffer.hpp"

namespace gossamer::inline v0::exec {

/// CUDA copies memory that is not pinned by one thread, a fifth of what the bus carries. Takes a few MiB of pinned memory when the first copy
/// that is long enough to gain comes; where the system pins none, CUDA's own copies do it. One copy at a time.
class staged_copies {
 public:
  explicit staged_copies(int device) noexcept : device_(device) {}

  /// Ordered in `stream`; `from` has been read when it returns, or is small (CUDA's own copy: the caller must not free it before the stream is done).
  void to_device(void* to, const void* from, std::size_t bytes, cuda_stream stream);
  /// After what is in `stream`; done when it returns.
  void to_host(void* to, const void* from, std::size_t bytes, cuda_stream stream);
  /// That it has taken.
  [[nodiscard]] std::int64_t bytes() const noexcept;

 private:
  class slot {
   public:
    explicit slot(int device);
    ~slot();
    slot(const slot&) = delete;
    slot& operator=(const slot&) = delete;
    char* data() noexcept { return memory_.data(); }
    stream_point done;

   private:
    host_buffer<char> memory_;
    pinning pinned_;
    int device_;
  };

  static constexpr std::size_t slots = 3;
  struct ring {
    explicit ring(int device) : each{slot(device), slot(device), slot(device)} {}
    std::array<slot, slots> each;
  };
  /// Whether a copy of so many bytes goes through pieces; makes them.
  bool ready(std::size_t bytes);

  int device_;
  bool refused_ = false;
  std::unique_ptr<ring> ring_;
};

}  // namespace gossamer::inline v0::exec
