// SPDX-License-Identifier: BSD-3-Clause
// The workspace of a reordered plan: vectors in the new order, and the workspace of the plan that it holds.
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
  /// The most columns that device_vectors() has memory for. A product with more columns takes several steps.
  static constexpr std::int64_t most_device_columns = 64;

  /// Allocates memory for products with one vector of `rows` elements. `owner` is the id() of the reordered
  /// plan, `inner` a workspace of the plan that it holds. `device` is -1 for a CPU plan. Throws
  /// out_of_memory.
  reordered_workspace(std::uint64_t owner, std::unique_ptr<workspace_base> inner, std::int64_t rows,
                      int device)
      : workspace_base(owner), inner_(std::move(inner)), rows_(rows), device_(device) {
    if (device_ < 0)
      host_vectors(1);
    else
      device_vectors(1);
  }

  [[nodiscard]] std::int64_t bytes() const noexcept override {
    const std::lock_guard lock(enqueue_mutex_);
    std::size_t elements = host_.size();
    for (const auto& each : on_device_) elements += each.size();
    return inner_->bytes() + static_cast<std::int64_t>(elements * sizeof(V));
  }
  [[nodiscard]] workspace_base& inner() const noexcept { return *inner_; }

  /// Host memory for X and then Y, each with `rows` rows and `columns` columns, uninitialized. Valid until
  /// the next call: a call with more columns allocates again. Only one product at a time may use it. Throws
  /// out_of_memory.
  V* host_vectors(std::int64_t columns) {
    const auto elements = static_cast<std::size_t>(2 * rows_ * columns);
    if (host_.size() < elements) host_ = host_buffer<V>(elements);
    return host_.data();
  }
  /// The same in device memory, for at most most_device_columns columns. The caller holds enqueue_mutex().
  /// The memory stays valid as long as the workspace, since kernels in flight and CUDA graphs use it.
  V* device_vectors(std::int64_t columns) {
    std::int64_t most = 1;
    auto vectors = on_device_.begin();
    for (; most < columns; most *= 4) ++vectors;
    if (vectors->empty())
      *vectors = exec::device_buffer<V>(static_cast<std::size_t>(2 * rows_ * most), device_);
    return vectors->data();
  }
  /// To be held while the kernels of a product are enqueued. Kernels of another thread's product in the same
  /// stream must not come between them.
  [[nodiscard]] std::mutex& enqueue_mutex() const noexcept { return enqueue_mutex_; }

 private:
  std::unique_ptr<workspace_base> inner_;
  std::int64_t rows_;
  int device_;
  host_buffer<V> host_;
  std::array<exec::device_buffer<V>, 4> on_device_;  ///< for 1, 4, 16 and 64 columns
  mutable std::mutex enqueue_mutex_;
};

}  // namespace gossamer::inline v0::plans
