// SPDX-License-Identifier: BSD-3-Clause
// A CUDA graph, captured from the work that a function puts into a stream.
#pragma once

#include <cuda_runtime_api.h>

#include <utility>

#include "bench_support/loops/runtime_check.hpp"
#include "exec/after_fork.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::bench_support::loops {

/// Movable, not copyable. Empty until something is captured.
class captured_graph {
 public:
  captured_graph() noexcept = default;
  /// Captures record(stream) on the current device. Throws what it throws, and device_error.
  template <class Record>
  explicit captured_graph(Record&& record) {
    const capture_stream own;
    cudaGraph_t graph = nullptr;
    check_runtime(cudaStreamBeginCapture(own.handle, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
    try {
      record(cuda_stream(own.handle));
    } catch (...) {
      if (cudaStreamEndCapture(own.handle, &graph) == cudaSuccess) (void)cudaGraphDestroy(graph);
      (void)cudaGetLastError();
      throw;
    }
    check_runtime(cudaStreamEndCapture(own.handle, &graph), "cudaStreamEndCapture");
    const cudaError_t status = cudaGraphInstantiate(&ready_, graph, 0);
    (void)cudaGraphDestroy(graph);
    check_runtime(status, "cudaGraphInstantiate");
    check_runtime(cudaGraphUpload(ready_, own.handle), "cudaGraphUpload");
    check_runtime(cudaStreamSynchronize(own.handle), "cudaStreamSynchronize");
  }
  captured_graph(captured_graph&& other) noexcept : ready_(std::exchange(other.ready_, nullptr)) {}
  captured_graph& operator=(captured_graph&& other) noexcept {
    std::swap(ready_, other.ready_);
    return *this;
  }
  ~captured_graph() {
    if (ready_ != nullptr && exec::cuda_is_ours()) (void)cudaGraphExecDestroy(ready_);
  }

  void launch(cuda_stream stream) const {
    check_runtime(cudaGraphLaunch(ready_, stream.handle()), "cudaGraphLaunch");
  }

 private:
  struct capture_stream {
    capture_stream() {
      check_runtime(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking), "cudaStreamCreate");
    }
    ~capture_stream() { (void)cudaStreamDestroy(handle); }
    capture_stream(const capture_stream&) = delete;
    capture_stream& operator=(const capture_stream&) = delete;
    cudaStream_t handle = nullptr;
  };

  cudaGraphExec_t ready_ = nullptr;
};

}  // namespace gossamer::bench_support::loops
