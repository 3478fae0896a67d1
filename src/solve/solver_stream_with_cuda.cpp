// SPDX-License-Identifier: BSD-3-Clause
// Streams and graphs of solvers through the CUDA runtime.
#include <cuda_runtime_api.h>

#include "core/fail.hpp"
#include "exec/after_fork.hpp"
#include "solve/solver_stream.hpp"

namespace gossamer::inline v0::solve {
namespace {

/// A point of one stream that another stream waits for.
class stream_order {
 public:
  stream_order() {
    exec::check_cuda(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreate");
  }
  ~stream_order() { (void)cudaEventDestroy(event_); }
  stream_order(const stream_order&) = delete;
  stream_order& operator=(const stream_order&) = delete;
  void put(cuda_stream first, cuda_stream second) {
    exec::check_cuda(cudaEventRecord(event_, first.handle()), "cudaEventRecord");
    exec::check_cuda(cudaStreamWaitEvent(second.handle(), event_, 0), "cudaStreamWaitEvent");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace

solver_stream::solver_stream(cuda_stream caller) : caller_(caller) {
  if (caller.handle() == nullptr || caller.handle() == cudaStreamLegacy) {
    own_ = std::make_unique<exec::owned_stream>();
    wait_for_caller();
  } else if (exec::identity_of(caller).is_captured) {
    fail(errc::unsupported, "solve: the stream is being captured in a CUDA graph");
  }
}

void solver_stream::wait_for_caller() const {
  if (own_ != nullptr) stream_order().put(caller_, own_->get());
}

recorded_work::recorded_work(cuda_stream stream, function_ref<void()> work) {
  exec::check_cuda(cudaStreamBeginCapture(stream.handle(), cudaStreamCaptureModeThreadLocal),
                   "cudaStreamBeginCapture");
  cudaGraph_t graph = nullptr;
  try {
    work();
  } catch (...) {
    (void)cudaStreamEndCapture(stream.handle(), &graph);
    (void)cudaGetLastError();
    if (graph != nullptr) (void)cudaGraphDestroy(graph);
    throw;
  }
  exec::check_cuda(cudaStreamEndCapture(stream.handle(), &graph), "cudaStreamEndCapture");
  const cudaError_t made = cudaGraphInstantiate(&graph_, graph, 0);
  (void)cudaGraphDestroy(graph);
  exec::check_cuda(made, "cudaGraphInstantiate");
}

recorded_work::~recorded_work() {
  if (graph_ != nullptr && exec::cuda_is_ours()) (void)cudaGraphExecDestroy(graph_);
}

void recorded_work::launch(cuda_stream stream) const {
  exec::check_cuda(cudaGraphLaunch(graph_, stream.handle()), "cudaGraphLaunch");
}

}  // namespace gossamer::inline v0::solve
