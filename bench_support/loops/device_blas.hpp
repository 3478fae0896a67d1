// SPDX-License-Identifier: BSD-3-Clause
// cuBLAS for reference solvers: vectors and scalars are in device memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <vector>

#include "bench_support/loops/cublas_api.hpp"
#include "bench_support/loops/loop_base.hpp"
#include "bench_support/loops/runtime_check.hpp"
#include "bench_support/loops/step_kernels.hpp"
#include "exec/after_fork.hpp"
#include "exec/cuda/device_buffer.hpp"

namespace gossamer::bench_support::loops {

/// One number that a device copies to the host; pinned, so that the copy takes no detour.
template <class V>
class pinned_number {
 public:
  pinned_number() { check_runtime(cudaMallocHost(reinterpret_cast<void**>(&value_), sizeof(V)), "pinning"); }
  ~pinned_number() {
    if (exec::cuda_is_ours()) (void)cudaFreeHost(value_);
  }
  pinned_number(const pinned_number&) = delete;
  pinned_number& operator=(const pinned_number&) = delete;

  /// Waits for the stream.
  V fetch(const V* from, cuda_stream stream) {
    exec::copy_async(value_, from, sizeof(V), exec::copy_kind::device_to_host, stream);
    exec::synchronize(stream);
    return *value_;
  }

 private:
  V* value_ = nullptr;
};

/// A handle of cuBLAS and its workspace. CUDA graphs can capture its calls. All sizes fit in an int. Scalars
/// are given by their addresses in device memory. The device is the current one in every call.
template <value V>
class device_blas {
 public:
  using value_type = V;
  using vector = exec::device_buffer<V>;
  template <class Scalars>
  using scalars = exec::device_buffer<Scalars>;

  /// `loop` is named in errors.
  device_blas(const cublas_api& api, std::string_view loop, int device)
      : api_(api), call_(api.of<V>()), loop_(loop), device_(device), workspace_(workspace_bytes, device) {
    check(api_.create(&handle_), "cublasCreate");
    try {
      check(api_.set_pointer_mode(handle_, CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
      use({});
    } catch (...) {
      (void)api_.destroy(handle_);
      throw;
    }
  }
  device_blas(const device_blas&) = delete;
  device_blas& operator=(const device_blas&) = delete;
  ~device_blas() {
    if (exec::cuda_is_ours()) (void)api_.destroy(handle_);
  }

  /// Calls go to that stream from now on.
  void use(cuda_stream stream) {
    check(api_.set_stream(handle_, stream.handle()), "cublasSetStream");
    // A new stream makes the library forget the workspace.
    check(api_.set_workspace(handle_, workspace_.data(), workspace_bytes), "cublasSetWorkspace");
    stream_ = stream;
  }

  [[nodiscard]] vector vector_of(std::span<const V> from) const { return copied<V>(from); }
  [[nodiscard]] vector new_vector(std::int64_t size) const {
    return vector(static_cast<std::size_t>(size), device_);
  }
  template <class Scalars>
  [[nodiscard]] scalars<Scalars> scalars_of(const Scalars& from) const {
    return copied<Scalars>(std::span(&from, 1));
  }
  void zero(vector& x) const {
    check_runtime(cudaMemsetAsync(x.data(), 0, x.size() * sizeof(V), stream_.handle()), "cudaMemsetAsync");
  }
  /// Waits for the device.
  [[nodiscard]] std::vector<V> fetch(const vector& from) const {
    std::vector<V> to(from.size());
    exec::synchronize_device();
    exec::copy_async(to.data(), from.data(), to.size() * sizeof(V), exec::copy_kind::device_to_host, {});
    exec::synchronize({});
    return to;
  }
  /// Waits for the stream.
  [[nodiscard]] V fetch(const V* from) { return number_.fetch(from, stream_); }

  /// y = alpha A x + beta y.
  void multiply(const peer_product<V>& a, V alpha, const vector& x, V beta, vector& y) const {
    a.multiply(alpha, x.span(), beta, device_span<V>(y.data(), y.size()), stream_);
  }
  /// result = x.y.
  void dot(std::int64_t size, const V* x, const V* y, V* result) {
    check(call_.dot(handle_, static_cast<int>(size), x, 1, y, 1, result), "cublas dot");
  }
  /// y += alpha x.
  void axpy(std::int64_t size, const V* alpha, const V* x, V* y) {
    check(call_.axpy(handle_, static_cast<int>(size), alpha, x, 1, y, 1), "cublas axpy");
  }
  /// x *= alpha.
  void scal(std::int64_t size, const V* alpha, V* x) {
    check(call_.scal(handle_, static_cast<int>(size), alpha, x, 1), "cublas scal");
  }
  void copy(std::int64_t size, const V* from, V* to) {
    check(call_.copy(handle_, static_cast<int>(size), from, 1, to, 1), "cublas copy");
  }
  /// y = alpha x + beta y, also as the sum of two matrices of one column.
  void sum(std::int64_t size, const V* alpha, const V* x, const V* beta, V* y, bool by_geam) {
    const auto n = static_cast<int>(size);
    if (by_geam) {
      check(call_.geam(handle_, CUBLAS_OP_N, CUBLAS_OP_N, n, 1, alpha, x, n, beta, y, n, y, n),
            "cublas geam");
      return;
    }
    scal(size, beta, y);
    axpy(size, alpha, x, y);
  }
  /// z = x + beta y, also as the sum of two matrices of one column. z is another vector; *one is 1.
  void sum_to(std::int64_t size, const V* one, const V* x, const V* beta, const V* y, V* z, bool by_geam) {
    const auto n = static_cast<int>(size);
    if (by_geam) {
      check(call_.geam(handle_, CUBLAS_OP_N, CUBLAS_OP_N, n, 1, one, x, n, beta, y, n, z, n), "cublas geam");
      return;
    }
    copy(size, x, z);
    axpy(size, beta, y, z);
  }
  template <class Update, class Scalars>
  void update(Scalars* s) const {
    update_on_device<Update>(s, stream_);
  }
  void clamp(std::int64_t size, V* x, const V* lower, const V* upper) const {
    clamp_on_device(x, lower, upper, size, stream_);
  }

 private:
  static constexpr std::size_t workspace_bytes = std::size_t{32} << 20;  // as cuBLAS advises for Hopper

  template <class T>
  [[nodiscard]] exec::device_buffer<T> copied(std::span<const T> from) const {
    exec::device_buffer<T> to(from.size(), device_);
    exec::copy_async(to.data(), from.data(), from.size_bytes(), exec::copy_kind::host_to_device, {});
    exec::synchronize({});
    return to;
  }
  void check(cublasStatus_t status, const char* what) const {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    const char* text = api_.text_of(status);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED) refuse_loop(loop_, "{}: {}", what, text);
    fail(status == CUBLAS_STATUS_ALLOC_FAILED ? errc::out_of_memory : errc::device_error, "{}: {}: {}", loop_,
         what, text);
  }

  const cublas_api& api_;
  const cublas_functions<V>& call_;
  std::string_view loop_;
  int device_;
  exec::device_buffer<std::byte> workspace_;
  cublasHandle_t handle_ = nullptr;
  cuda_stream stream_;
  pinned_number<V> number_;
};

}  // namespace gossamer::bench_support::loops
