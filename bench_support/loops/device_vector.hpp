// SPDX-License-Identifier: BSD-3-Clause
// A vector in a device's memory, for programs that see only public headers.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "gossamer/memory.hpp"
#include "gossamer/resource.hpp"
#include "gossamer/types.hpp"

namespace gossamer::bench_support {

/// Owns its memory. Movable, not copyable; a moved-from one may only be assigned to or destroyed.
template <value V>
class device_vector {
 public:
  /// A copy of `from`. Throws no_device, out_of_memory and device_error. Synchronous.
  device_vector(std::span<const V> from, const cuda& where);
  device_vector(device_vector&&) noexcept;
  device_vector& operator=(device_vector&&) noexcept;
  ~device_vector();

  [[nodiscard]] device_span<V> span() noexcept;
  [[nodiscard]] device_span<const V> span() const noexcept;
  /// Waits for the device, then returns a copy. Throws device_error.
  [[nodiscard]] std::vector<V> fetch() const;

 private:
  struct memory;
  std::unique_ptr<memory> memory_;
};

/// Waits for the work in a stream. Throws device_error.
void wait_for(cuda_stream stream);

}  // namespace gossamer::bench_support
