// SPDX-License-Identifier: BSD-3-Clause
// The stream of a solver on a device, and the CUDA graph of its iterations.
#pragma once

#include <memory>
#include <utility>

#include "core/function_ref.hpp"
#include "exec/cuda/device.hpp"

struct CUgraphExec_st;  // what cudaGraphExec_t points to

namespace gossamer::inline v0::solve {

/// A stream that graphs can be captured from, ordered behind what the caller has put into `caller`. It is the
/// caller's own stream, except for CUDA's default stream, which cannot be captured.
class solver_stream {
 public:
  /// Throws unsupported if the stream is being captured.
  explicit solver_stream(cuda_stream caller);
  /// Work that is put into this stream later waits for all work that the caller's stream has now.
  void wait_for_caller() const;
  [[nodiscard]] cuda_stream get() const noexcept { return own_ ? own_->get() : caller_; }

 private:
  cuda_stream caller_;
  std::unique_ptr<exec::owned_stream> own_;
};

/// Work of a stream that was captured once and is launched many times.
class recorded_work {
 public:
  recorded_work() noexcept = default;
  /// Captures what `work` puts into the stream. Nothing runs.
  recorded_work(cuda_stream stream, function_ref<void()> work);
  recorded_work(recorded_work&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  recorded_work& operator=(recorded_work&& other) noexcept {
    std::swap(graph_, other.graph_);
    return *this;
  }
  recorded_work(const recorded_work&) = delete;
  recorded_work& operator=(const recorded_work&) = delete;
  ~recorded_work();
  [[nodiscard]] explicit operator bool() const noexcept { return graph_ != nullptr; }
  void launch(cuda_stream stream) const;

 private:
  CUgraphExec_st* graph_ = nullptr;
};

}  // namespace gossamer::inline v0::solve
