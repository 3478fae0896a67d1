// SPDX-License-Identifier: BSD-3-Clause
// Copies between a caller's host memory and a device through pinned pieces, which several threads fill while
// the device fetches others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/fork.hpp"
#include "exec/cpu/worker_pool.hpp"
#include "exec/cuda/device.hpp"
#include "exec/cuda/pinned_buffer.hpp"

namespace gossamer::inline v0::exec {

/// More do not copy together: the host's memory and the bus are shared.
inline constexpr int most_copying_threads = 8;

/// CUDA copies memory that is not pinned by one thread, a fifth of what the bus carries. Here
/// core::default_threads() take pieces of the copy in turn, the calling one among them, each through two
/// pinned slots of its own: it fills one while the device fetches the other. Threads and slots are made when
/// the first copy that is long enough to gain comes; where the system pins none, CUDA's own copies do it.
/// Slots are kept for the next of the device when this one goes. One copy at a time.
class staged_copies {
 public:
  static constexpr std::size_t slot_bytes = std::size_t{512} << 10;  ///< two stay in a core's cache
  /// Of each thread that copies.
  static constexpr std::size_t lane_bytes = pinned_buffer::taken(2 * slot_bytes);

  /// Which threads copy beside the calling one.
  enum class by {
    worker_pool,  ///< that sleep between copies, and leave the cores to others
    /// OpenMP's: just after a parallel region these still spin, on the processors that helpers would need
    team
  };
  explicit staged_copies(int device, by threads = by::worker_pool) noexcept : device_(device), by_(threads) {}
  staged_copies(const staged_copies&) = delete;
  staged_copies& operator=(const staged_copies&) = delete;
  ~staged_copies();

  /// Whether there are slots already for a copy of so many bytes: to pin those of eight threads takes 4 ms or
  /// more.
  [[nodiscard]] bool ready(std::size_t bytes) const;
  /// Ordered in `stream`; `from` has been read when it returns, or is small (CUDA's own copy: the caller must
  /// not free it before the stream is done). After an exception copies may be under way.
  void to_device(void* to, const void* from, std::size_t bytes, cuda_stream stream);
  /// After what is in `stream`; done when it returns.
  void to_host(void* to, const void* from, std::size_t bytes, cuda_stream stream);
  /// That it has taken.
  [[nodiscard]] std::int64_t bytes() const noexcept;

 private:
  struct slot {
    char* data = nullptr;
    stream_point done;  ///< of the last copy from or to it
  };
  /// What one thread copies through.
  struct lane {
    explicit lane(int device) : memory(2 * slot_bytes, device), may_be_kept(memory.of_default_hook()) {
      for (std::size_t s = 0; s < slots.size(); ++s) slots[s].data = memory.data() + s * slot_bytes;
    }
    std::array<slot, 2> slots;
    pinned_buffer memory;
    bool may_be_kept;
  };
  class fetching;
  class kept_lanes;

  /// How many threads copy so many bytes, 0: CUDA alone.
  static std::size_t wanted_for(std::size_t bytes);
  /// The same as far as there are lanes. Makes them.
  std::size_t lanes_for(std::size_t bytes);

  /// body(k) on the calling thread and on at most `wanted` others. Whatever is left they do that begin.
  void run(std::size_t wanted, function_ref<void(std::size_t)> body);

  int device_;
  by by_;
  bool refused_ = false;
  std::vector<std::unique_ptr<lane>> lanes_;
  core::per_process<worker_pool> worker_pool_;  ///< last, so that none copies when lanes go
};

}  // namespace gossamer::inline v0::exec
