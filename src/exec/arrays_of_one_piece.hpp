// SPDX-License-Identifier: BSD-3-Clause
// Device memory that is taken once for many arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "exec/device_buffer.hpp"

namespace gossamer::inline v0::exec {

/// Arrays of a storage, in memory that they share: to take some takes 45 µs on an H200, longer than to fill an array of a megabyte.
class arrays_of_one_piece {
 public:
  /// The array gets its place in allocate(), until when it has to stay where it is.
  template <class T>
  void add(device_buffer<T>& array, std::int64_t size) {
    if (size == 0) return;
    constexpr std::size_t alignment = 256;
    const std::size_t at = bytes_;
    bytes_ += (static_cast<std::size_t>(size) * sizeof(T) + alignment - 1) / alignment * alignment;
    make_.push_back(
        [&array, at, size](const std::shared_ptr<shared_device_memory>& memory, int device) {
          array = device_buffer<T>(memory, at, static_cast<std::size_t>(size), device);
        });
  }
  /// Throws out_of_memory.
  void allocate(int device) {
    if (bytes_ == 0) return;
    const auto memory = std::make_shared<shared_device_memory>(bytes_, device);
    for (const auto& each : make_) each(memory, device);
  }

 private:
  std::size_t bytes_ = 0;
  std::vector<std::function<void(const std::shared_ptr<shared_device_memory>&, int)>> make_;
};

}  // namespace gossamer::inline v0::exec
