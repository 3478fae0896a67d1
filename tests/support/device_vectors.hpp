// SPDX-License-Identifier: BSD-3-Clause
// Vectors and streams on the current CUDA device, for tests.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "gossamer/types.hpp"

namespace gossamer::testing_support {

inline void check(cudaError_t status) {
  ASSERT_EQ(status, cudaSuccess) << cudaGetErrorString(status);
}

/// A vector in device memory that tests can fill and read.
template <class T>
class device_vector {
 public:
  explicit device_vector(std::size_t size) : size_(size) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, std::max<std::size_t>(1, size) * sizeof(T)));
    data_ = static_cast<T*>(memory);
  }
  explicit device_vector(std::span<const T> from) : device_vector(from.size()) { fill(from); }
  device_vector(const device_vector&) = delete;
  device_vector& operator=(const device_vector&) = delete;
  ~device_vector() { (void)cudaFree(data_); }
  /// From as many elements; done when it returns. Of memory that is not pinned cudaMemcpy alone may return
  /// before, and a stream that does not wait for the legacy one, as that of stream below, would find what
  /// stood there.
  void fill(std::span<const T> from) {
    ASSERT_EQ(from.size(), size_);
    check(cudaMemcpy(data_, from.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
    check(cudaStreamSynchronize(nullptr));
  }
  [[nodiscard]] std::vector<std::remove_const_t<T>> fetch() const {
    std::vector<std::remove_const_t<T>> host(size_);
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(host.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }
  [[nodiscard]] device_span<T> span() { return {data_, size_}; }
  [[nodiscard]] device_span<const T> span() const { return {data_, size_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A copy of an array that begins `before` elements behind an allocation's start.
template <class T>
struct array_on_device {
  std::size_t before;
  device_vector<T> memory;

  array_on_device(std::span<const T> from, std::size_t behind)
      : before(behind), memory(std::span<const T>(with_room(from, behind))) {}
  [[nodiscard]] device_span<const T> span() const {
    const device_span<const T> all = memory.span();
    return {all.data() + before, all.size() - before};
  }
  [[nodiscard]] std::vector<T> fetch() const {
    std::vector<T> all = memory.fetch();
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(before));
    return all;
  }

 private:
  static std::vector<T> with_room(std::span<const T> from, std::size_t behind) {
    std::vector<T> all(behind);
    all.insert(all.end(), from.begin(), from.end());
    return all;
  }
};

struct stream {
  stream() { check(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking)); }
  ~stream() { (void)cudaStreamDestroy(handle); }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  cudaStream_t handle = nullptr;
};

}  // namespace gossamer::testing_support
