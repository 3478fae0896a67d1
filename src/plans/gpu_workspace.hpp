// SPDX-License-Identifier: BSD-3-Clause
// Scratch of a plan on a CUDA device.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "exec/cuda/device_buffer.hpp"
#include "exec/cuda/staged_copies.hpp"
#include "plans/plan_base.hpp"

namespace gossamer::inline v0::plans {

/// Scratch on the device. The first product with host vectors adds room for them, and a stream.
template <class S>
class gpu_workspace final : public workspace_base {
 public:
  gpu_workspace(std::uint64_t owner, std::int64_t slots, int device)
      : workspace_base(owner), device_(device), slots_(static_cast<std::size_t>(slots), device) {
    clear(slots_);
  }

  [[nodiscard]] std::int64_t bytes() const noexcept override {
    const std::lock_guard lock(this->launching);
    return static_cast<std::int64_t>((x_.size() + y_.size()) * sizeof(vector_t<S>) +
                                     (slots_.size() + staged_slots_.size() + column_slots_.size()) *
                                         sizeof(sum_t<S>)) +
           (copies_ ? copies_->bytes() : 0);
  }
  [[nodiscard]] sum_t<S>* slots() noexcept { return slots_.data(); }
  /// For a product by so many columns. The caller holds `launching`. The first call allocates, unless the
  /// format has no slots.
  [[nodiscard]] sum_t<S>* column_slots(std::int64_t columns) {
    if (column_slots_.size() == 0 && slots_.size() > 0) {
      exec::device_buffer<sum_t<S>> room(slots_.size() * static_cast<std::size_t>(columns), device_);
      clear(room);
      column_slots_ = std::move(room);
    }
    return column_slots_.data();
  }
  /// Called once a product, for product::backwards. Device products hold no workspace: several threads may
  /// put them into one stream.
  [[nodiscard]] bool turn() noexcept { return products_.fetch_add(1, std::memory_order_relaxed) % 2 == 1; }

  struct staging {
    vector_t<S>* x;
    vector_t<S>* y;
    sum_t<S>* slots;  ///< not those of device products, which may still run in a stream of the caller's
    exec::staged_copies& copies;
    cuda_stream stream;
  };
  staging stage(std::int64_t cols, std::int64_t rows) {
    if (!stream_) {
      auto stream = std::make_unique<exec::owned_stream>();
      x_ = exec::device_buffer<vector_t<S>>(static_cast<std::size_t>(cols), device_);
      y_ = exec::device_buffer<vector_t<S>>(static_cast<std::size_t>(rows), device_);
      staged_slots_ = exec::device_buffer<sum_t<S>>(slots_.size(), device_);
      clear(staged_slots_);
      copies_ = std::make_unique<exec::staged_copies>(device_);
      stream_ = std::move(stream);
    }
    return {x_.data(), y_.data(), staged_slots_.data(), *copies_, stream_->get()};
  }

 private:
  /// Formats leave their scratch as they find it, so that once is enough.
  static void clear(exec::device_buffer<sum_t<S>>& scratch) {
    exec::clear_new(scratch.data(), scratch.size() * sizeof(sum_t<S>));
  }

  int device_;
  exec::device_buffer<sum_t<S>> slots_;
  exec::device_buffer<sum_t<S>> column_slots_;
  exec::device_buffer<vector_t<S>> x_;
  exec::device_buffer<vector_t<S>> y_;
  exec::device_buffer<sum_t<S>> staged_slots_;
  std::unique_ptr<exec::staged_copies> copies_;
  std::unique_ptr<exec::owned_stream> stream_;
  std::atomic<unsigned> products_{0};
};

}  // namespace gossamer::inline v0::plans
