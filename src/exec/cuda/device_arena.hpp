// SPDX-License-Identifier: BSD-3-Clause
// Device memory that is taken once for many arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "exec/cuda/device_buffer.hpp"
#include "gossamer/error.hpp"

namespace gossamer::inline v0::exec {

/// Arrays of a storage, in memory that they share: to take some takes 45 µs on an H200, longer than to fill
/// an array of a megabyte.
class device_arena {
 public:
  /// The array gets its place in allocate(), until when it has to stay where it is.
  template <class T>
  void add(device_buffer<T>& array, std::int64_t size) {
    if (size == 0) return;
    const std::size_t at = bytes_;
    bytes_ += shared_device_memory::taken(static_cast<std::size_t>(size) * sizeof(T));
    make_.push_back([&array, at, size](const std::shared_ptr<shared_device_memory>& memory, int device) {
      array = memory != nullptr ? device_buffer<T>(memory, at, static_cast<std::size_t>(size), device)
                                : device_buffer<T>(static_cast<std::size_t>(size), device);
    });
  }
  /// In one piece where that has at most so many bytes, places being rounded up, and there is one; else each
  /// separately. Throws out_of_memory.
  void allocate(int device, std::size_t at_most = std::numeric_limits<std::size_t>::max()) {
    if (bytes_ == 0) return;
    const auto memory = bytes_ <= at_most && make_.size() > 1 ? allocate_arena(bytes_, device) : nullptr;
    for (const auto& each : make_) each(memory, device);
  }

 private:
  /// Null where there is none.
  static std::shared_ptr<shared_device_memory> allocate_arena(std::size_t bytes, int device) {
    try {
      return std::make_shared<shared_device_memory>(bytes, device);
    } catch (const error& problem) {
      if (problem.code() != errc::out_of_memory) throw;
      return nullptr;
    }
  }

  std::size_t bytes_ = 0;
  std::vector<std::function<void(const std::shared_ptr<shared_device_memory>&, int)>> make_;
};

}  // namespace gossamer::inline v0::exec
