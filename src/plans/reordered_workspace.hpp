// SPDX-License-Identifier: BSD-3-Clause
// Scratch of a reordered plan: vectors in the new order, and the scratch of the plan that it holds.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "plans/plan_base.hpp"

namespace gossamer::inline v0::plans {

template <class V>
class reordered_workspace final : public workspace_base {
 public:
  /// Columns of X that a product on a device multiplies at once.
  static constexpr std::int64_t most_device_columns = 64;

  /// Takes the memory for products by one vector of `rows` elements. device: -1 for a CPU.
  reordered_workspace(std::uint64_t owner, std::unique_ptr<workspace_base> inner, std::int64_t rows,
                      int device)
      : workspace_base(owner), inner_(std::move(inner)), rows_(rows), device_(device) {
    if (device_ < 0)
      host_room(1);
    else
      device_room(1);
  }

  [[nodiscard]] std::int64_t bytes() const noexcept override {
    const std::lock_guard lock(products_);
    std::size_t elements = host_.size();
    for (const auto& each : on_device_) elements += each.size();
    return inner_->bytes() + static_cast<std::int64_t>(elements * sizeof(V));
  }
  [[nodiscard]] workspace_base& inner() const noexcept { return *inner_; }

  /// For so many columns of X, then of Y.
  V* host_room(std::int64_t columns) {
    const auto elements = static_cast<std::size_t>(2 * rows_ * columns);
    if (host_.size() < elements) host_ = host_buffer<V>(elements);
    return host_.data();
  }
  /// The same in device memory. The caller holds products(). Room that was given out stays where it is, since
  /// kernels in flight and graphs use it.
  V* device_room(std::int64_t columns) {
    std::int64_t most = 1;
    auto room = on_device_.begin();
    for (; most < columns; most *= 4) ++room;
    if (room->empty()) *room = exec::device_buffer<V>(static_cast<std::size_t>(2 * rows_ * most), device_);
    return room->data();
  }
  /// Held while the kernels of a product are put into a stream. Those of another thread's product in the same
  /// stream must not come between them.
  [[nodiscard]] std::mutex& products() const noexcept { return products_; }

 private:
  std::unique_ptr<workspace_base> inner_;
  std::int64_t rows_;
  int device_;
  host_buffer<V> host_;
  std::array<exec::device_buffer<V>, 4> on_device_;  ///< for 1, 4, 16 and 64 columns
  mutable std::mutex products_;
};

}  // namespace gossamer::inline v0::plans
