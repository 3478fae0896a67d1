// SPDX-License-Identifier: BSD-3-Clause
// CUDA devices without CUDA headers: the few operations that plans and measurements need. In a build without
// CUDA every one of them throws no_device (device_without_cuda.cpp). Exported functions serve gossamer_bench;
// no public header declares them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gossamer/export.hpp"
#include "gossamer/memory.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::inline v0::exec {

/// Throws no_device unless `device` is a usable CUDA device; the message says how many there are.
GOSSAMER_API void require_device(int device);

/// Makes a device current for the calling thread and restores the previous one.
class GOSSAMER_API device_guard {
 public:
  explicit device_guard(int device);
  ~device_guard();
  device_guard(const device_guard&) = delete;
  device_guard& operator=(const device_guard&) = delete;

 private:
  int previous_ = -1;
};

struct device_block {
  void* pointer = nullptr;
  allocation_hook hook;
};

/// Through the device allocation hook; throws out_of_memory. Uninitialised.
GOSSAMER_API device_block allocate_device(std::size_t bytes, int device);
/// What allocate_device can still take, as far as the device says, and what the pool of temporary memory
/// keeps; unknown_memory behind a hook of the caller's, whose pool only it knows.
std::int64_t free_device_bytes(int device);
/// Waits for work in flight on the device, as cudaFree does.
GOSSAMER_API void release_device(const device_block& block, std::size_t bytes, int device) noexcept;

/// Memory for work in the default stream that ends soon (temporary_array.hpp). To take and give back memory
/// of the device takes 45 us and 38 us on an H200, more than most kernels that need some for a while: so it
/// comes from a pool of the library's own, which keeps some for the next time, or through the hook where that
/// is the caller's.
struct temporary_block {
  device_block block;
  bool pooled = false;
};
/// Throws out_of_memory.
temporary_block allocate_temporary(std::size_t bytes, int device);
/// After what is in the default stream now. What the pool does not keep is free once the stream was waited
/// for.
void release_temporary(const temporary_block& taken, std::size_t bytes, int device) noexcept;
/// Waits for the default stream and gives back what the pool keeps.
void release_kept(int device) noexcept;

/// Whether kernels on that device find the array in its own memory, or managed for it: false for host memory
/// and other devices'.
bool is_on_device(const void* array, int device);

/// Host memory that a device reads and writes where it is, through the bus.
struct pinning {
  void* there = nullptr;  ///< where the device finds it
  bool ours = false;      ///< false: it was pinned before, by an allocation hook say, and stays so
};
/// Throws out_of_memory where the system pins no more.
GOSSAMER_API pinning pin(void* block, std::size_t bytes, int device);
/// Waits for work in flight on the device first.
GOSSAMER_API void unpin(void* block, const pinning& pinned, int device) noexcept;

/// by_address: whatever the two addresses are, pinned memory too.
enum class copy_kind { by_address, host_to_device, device_to_host, device_to_device };

/// Ordered in `stream`; with pageable host memory it may return before or after the copy is done.
GOSSAMER_API void copy_async(void* to, const void* from, std::size_t bytes, copy_kind kind,
                             cuda_stream stream);
/// Copies `count` elements of `bytes` each, which are so many bytes apart, within device memory.
void copy_strided_async(void* to, std::size_t to_step, const void* from, std::size_t from_step,
                        std::size_t bytes, std::size_t count, cuda_stream stream);
/// Sets each byte of a block on the current device; done when it returns.
void fill_now(void* block, std::size_t bytes, unsigned char byte);
/// Zeroes a block on the current device that was never used; done when it returns. Also while a stream of
/// the thread's is captured.
void clear_new(void* block, std::size_t bytes);
GOSSAMER_API void synchronize(cuda_stream stream);
GOSSAMER_API void synchronize_device();
/// Waits for all work on a device; for destructors, where the driver may already be gone.
GOSSAMER_API void finish_device(int device) noexcept;

/// What tells streams apart: a handle is used again after its stream was destroyed, and cudaStreamPerThread
/// is another stream in each thread.
struct stream_identity {
  bool is_captured = false;
  unsigned long long number = 0;  ///< of the capture if is_captured, else of the stream; 0: the default one
};
stream_identity identity_of(cuda_stream stream);

/// A stream of our own, on the device that is current when it is made.
class owned_stream {
 public:
  owned_stream();
  ~owned_stream();
  owned_stream(const owned_stream&) = delete;
  owned_stream& operator=(const owned_stream&) = delete;
  [[nodiscard]] cuda_stream get() const noexcept { return handle_; }

 private:
  CUstream_st* handle_ = nullptr;
};

/// A point of a stream that the host may wait for; on the device that is current when it is made.
class stream_point {
 public:
  stream_point();
  ~stream_point();
  stream_point(const stream_point&) = delete;
  stream_point& operator=(const stream_point&) = delete;
  void record(cuda_stream stream);
  /// At once where nothing was recorded.
  void wait() const;

 private:
  void* handle_ = nullptr;
};

/// Elapsed time between two points of a stream.
class stream_timer {
 public:
  stream_timer();
  ~stream_timer();
  stream_timer(const stream_timer&) = delete;
  stream_timer& operator=(const stream_timer&) = delete;
  void start(cuda_stream stream);
  /// Whether the device has reached the first point. Does not wait.
  [[nodiscard]] bool started() const;
  /// Waits for the second point; seconds.
  double stop(cuda_stream stream);

 private:
  void* begin_ = nullptr;
  void* end_ = nullptr;
};

/// Throws device_error with CUDA's name and text for a nonzero code; `what` says what was tried. Clears the
/// code.
void check_cuda(int code, const char* what);

}  // namespace gossamer::inline v0::exec
