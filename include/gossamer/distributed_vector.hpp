// SPDX-License-Identifier: BSD-3-Clause
// A vector over the memory of several GPUs at one range of addresses: each part of a plan over several finds most of x and y at home.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gossamer/export.hpp"
#include "gossamer/plan.hpp"
#include "gossamer/span.hpp"
#include "gossamer/types.hpp"

namespace gossamer::inline v0 {

/// So many consecutive elements of a vector, in the memory of that device.
struct device_share {
  int device = 0;
  std::int64_t size = 0;
};

namespace detail {
struct distributed_vector_base;
}

/// Kernels of every device that is named read and write all of it; what another device has comes through NVLink or the bus. A device_span of it goes
/// wherever one is taken. Memory is mapped in units of 2 MiB, so that cuts move to the nearest multiple. It is not taken through the allocation hook.
/// Whoever copies by CUDA's functions copies piece by piece, as copy_from() and copy_to() do.
template <value V>
class GOSSAMER_API distributed_vector {
 public:
  /// Uninitialised. Throws unsupported where a device does not map memory or reach another's, out_of_memory, no_device, device_error,
  /// invalid_argument for no share or a negative one.
  explicit distributed_vector(std::span<const device_share> shares);
  distributed_vector(distributed_vector&&) noexcept;
  distributed_vector& operator=(distributed_vector&&) noexcept;
  /// Waits for work in flight on all its devices.
  ~distributed_vector();

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] device_span<V> span() noexcept;
  [[nodiscard]] device_span<const V> span() const noexcept;
  /// Where its elements are: cuts as they came out, no share is empty.
  [[nodiscard]] std::vector<device_share> shares() const;

  /// From and to as many elements in host memory, else size_mismatch; after all work on its devices, and done when it returns.
  void copy_from(std::span<const V> host);
  void copy_to(std::span<V> host) const;

 private:
  std::unique_ptr<detail::distributed_vector_base> base_;
};

/// For a vector of `size` elements beside the rows of a plan over several resources: each device has those of its part's rows, which are scaled where size is
/// not rows(). What belongs to cores goes to the device before them, or else the first. Throws invalid_argument where no part is on a GPU.
template <value V>
GOSSAMER_API std::vector<device_share> device_shares(const plan<V>& made, std::int64_t size);

}  // namespace gossamer::inline v0
