// SPDX-License-Identifier: BSD-3-Clause
// Streams, and the points and times in them, through the CUDA runtime.
#include <cuda_runtime_api.h>

#include "exec/after_fork.hpp"
#include "exec/cuda/device.hpp"

namespace gossamer::inline v0::exec {

stream_identity identity_of(cuda_stream stream) {
  if (stream.handle() == nullptr) return {};
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  stream_identity found;
  check_cuda(cudaStreamGetCaptureInfo(stream.handle(), &status, &found.number), "cudaStreamGetCaptureInfo");
  found.is_captured = status == cudaStreamCaptureStatusActive;
  if (!found.is_captured) check_cuda(cudaStreamGetId(stream.handle(), &found.number), "cudaStreamGetId");
  return found;
}

void synchronize(cuda_stream stream) {
  check_cuda(cudaStreamSynchronize(stream.handle()), "cudaStreamSynchronize");
}

void synchronize_device() {
  check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

owned_stream::owned_stream() {
  check_cuda(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking), "cudaStreamCreate");
}
owned_stream::~owned_stream() {
  if (cuda_is_ours()) (void)cudaStreamDestroy(handle_);
}

stream_point::stream_point() {
  cudaEvent_t event = nullptr;
  check_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
  handle_ = event;
}
stream_point::~stream_point() {
  if (cuda_is_ours()) (void)cudaEventDestroy(static_cast<cudaEvent_t>(handle_));
}
void stream_point::record(cuda_stream stream) {
  check_cuda(cudaEventRecord(static_cast<cudaEvent_t>(handle_), stream.handle()), "cudaEventRecord");
}
void stream_point::wait() const {
  check_cuda(cudaEventSynchronize(static_cast<cudaEvent_t>(handle_)), "cudaEventSynchronize");
}

stream_timer::stream_timer() {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  check_cuda(cudaEventCreate(&begin), "cudaEventCreate");
  if (const cudaError_t status = cudaEventCreate(&end); status != cudaSuccess) {
    (void)cudaEventDestroy(begin);
    check_cuda(status, "cudaEventCreate");
  }
  begin_ = begin;
  end_ = end;
}
stream_timer::~stream_timer() {
  if (!cuda_is_ours()) return;
  (void)cudaEventDestroy(static_cast<cudaEvent_t>(begin_));
  (void)cudaEventDestroy(static_cast<cudaEvent_t>(end_));
}
void stream_timer::start(cuda_stream stream) {
  check_cuda(cudaEventRecord(static_cast<cudaEvent_t>(begin_), stream.handle()), "cudaEventRecord");
}
bool stream_timer::started() const {
  const cudaError_t status = cudaEventQuery(static_cast<cudaEvent_t>(begin_));
  if (status != cudaErrorNotReady) check_cuda(status, "cudaEventQuery");
  return status == cudaSuccess;
}
double stream_timer::stop(cuda_stream stream) {
  check_cuda(cudaEventRecord(static_cast<cudaEvent_t>(end_), stream.handle()), "cudaEventRecord");
  check_cuda(cudaEventSynchronize(static_cast<cudaEvent_t>(end_)), "cudaEventSynchronize");
  float milliseconds = 0;
  check_cuda(
      cudaEventElapsedTime(&milliseconds, static_cast<cudaEvent_t>(begin_), static_cast<cudaEvent_t>(end_)),
      "cudaEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace gossamer::inline v0::exec
