// SPDX-License-Identifier: BSD-3-Clause
// Copies between a caller's host memory and a device through pinned pieces, which all threads fill while the device fetches the one before.
#pragma once

#include <array>
#include <cstddef>

#include "exec/device.hpp"
#include "gossamer/host_buffer.hpp"

namespace gossamer::inline v0::exec {

/// CUDA copies memory that is not pinned by one thread, a fifth of what the bus carries. Takes a few MiB of pinned memory. One copy at a time.
class staged_copies {
 public:
  explicit staged_copies(int device);

  /// Ordered in `stream`; `from` has been read when it returns, or is small (CUDA's own copy: the caller must not free it before the stream is done).
  void to_device(void* to, const void* from, std::size_t bytes, cuda_stream stream);
  /// After what is in `stream`; done when it returns.
  void to_host(void* to, const void* from, std::size_t bytes, cuda_stream stream);

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
    int device_;
  };

  static constexpr std::size_t slots = 3;
  std::array<slot, slots> slots_;
};

}  // namespace gossamer::inline v0::exec
