// SPDX-License-Identifier: BSD-3-Clause
// A number that a device has for good, asked for once: products ask every time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "exec/cuda/kernel/launch.cuh"

namespace gossamer::inline v0::exec {

/// Safe to use from several threads, which may each ask. Devices past the 64th are asked every time.
class per_device {
 public:
  /// Of the current device: what query() returned, a number that is not negative.
  template <class Query>
  int get(Query&& query) {
    int device = 0;
    check_cuda(static_cast<int>(cudaGetDevice(&device)), "cudaGetDevice");
    if (device >= static_cast<int>(known_.size())) return query();
    std::atomic<int>& plus_one = known_[static_cast<std::size_t>(device)];
    if (plus_one == 0) plus_one = query() + 1;
    return plus_one - 1;
  }

 private:
  std::array<std::atomic<int>, 64> known_{};
};

}  // namespace gossamer::inline v0::exec
