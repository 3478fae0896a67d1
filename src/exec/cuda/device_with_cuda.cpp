// SPDX-License-Identifier: BSD-3-Clause
// Devices through the CUDA runtime, which is linked statically and finds the driver when it is first called.
#include <cuda_runtime_api.h>

#include <atomic>
#include <map>
#include <mutex>

#include "core/fail.hpp"
#include "core/fork.hpp"
#include "exec/after_fork.hpp"
#include "exec/cuda/device.hpp"
#include "gossamer/memory.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::inline v0 {
namespace {

void* default_allocate(std::size_t bytes, std::size_t, int, void*) {
  void* pointer = nullptr;
  if (cudaMalloc(&pointer, bytes) == cudaSuccess) return pointer;
  (void)cudaGetLastError();
  return nullptr;
}
void default_release(void* pointer, std::size_t, int, void*) {
  (void)cudaFree(pointer);
}
constexpr allocation_hook default_hook{default_allocate, default_release, nullptr};

std::mutex hook_mutex;
[[maybe_unused]] const int kept_free = core::keep_free_in_children<hook_mutex>();
allocation_hook hook = default_hook;

/// core::forks() of the process that first had an answer from CUDA.
constexpr int no_process = -1;
std::atomic<int> used_in{no_process};

/// Whether CUDA would not begin, as in a child whose parent used it without this library.
std::atomic<bool> would_not_begin{false};

}  // namespace

bool built_with_cuda() noexcept {
  return true;
}

int cuda_device_count() noexcept {
  if (!exec::cuda_is_ours()) return 0;
  int count = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess) {
    (void)cudaGetLastError();
    if (status == cudaErrorInitializationError && core::forks() > 0) would_not_begin = true;
    return 0;
  }
  used_in.store(core::forks(), std::memory_order_relaxed);
  return count;
}

cuda_device_properties cuda_properties(int device) {
  exec::require_device(device);
  cudaDeviceProp p{};
  exec::check_cuda(cudaGetDeviceProperties(&p, device), "cudaGetDeviceProperties");
  int driver = 0;
  exec::check_cuda(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  return {.name = p.name,
          .compute_capability = p.major * 10 + p.minor,
          .multiprocessors = p.multiProcessorCount,
          .memory_bytes = static_cast<std::int64_t>(p.totalGlobalMem),
          .l2_bytes = p.l2CacheSize,
          .driver_cuda = driver,
          .runtime_cuda = CUDART_VERSION};
}

allocation_hook set_device_allocation_hook(allocation_hook replacement) noexcept {
  const std::lock_guard lock(hook_mutex);
  const allocation_hook previous = hook;
  hook = replacement.allocate != nullptr && replacement.release != nullptr ? replacement : default_hook;
  return previous;
}

namespace exec {

bool cuda_is_ours() noexcept {
  const int first = used_in.load(std::memory_order_relaxed);
  return first == no_process || first == core::forks();
}

void refuse_after_fork(std::string_view what) {
  fail(errc::unsupported,
       "{}: CUDA was used before fork() and cannot be used in the child process; call fork() before using "
       "CUDA, or start the child with exec (Python: the start method spawn)",
       what);
}

void check_cuda(int code, const char* what) {
  if (code == cudaSuccess) return;
  (void)cudaGetLastError();
  const auto status = static_cast<cudaError_t>(code);
  if (status == cudaErrorInitializationError && core::forks() > 0) refuse_after_fork(what);
  const errc kind = status == cudaErrorMemoryAllocation ? errc::out_of_memory : errc::device_error;
  fail(kind, "{}: {} ({})", what, cudaGetErrorString(status), cudaGetErrorName(status));
}

void require_device(int device) {
  const int count = cuda_device_count();
  if (!cuda_is_ours() || would_not_begin) refuse_after_fork(message("device cuda:{}", {device}));
  if (device < 0 || device >= count)
    fail(errc::no_device, "device cuda:{}: this machine has {} usable CUDA devices", device, count);
}

device_guard::device_guard(int device) {
  if (!cuda_is_ours()) refuse_after_fork(message("device cuda:{}", {device}));
  int current = 0;
  check_cuda(cudaGetDevice(&current), "cudaGetDevice");
  if (current == device) return;
  check_cuda(cudaSetDevice(device), "cudaSetDevice");
  previous_ = current;
}

device_guard::~device_guard() {
  if (previous_ >= 0) (void)cudaSetDevice(previous_);
}

namespace {
cudaMemPool_t pool_of(int device);
bool has_default_hook();

/// Of the pool's memory what nobody has.
std::int64_t kept_by(cudaMemPool_t pool) {
  std::uint64_t reserved = 0;
  std::uint64_t used = 0;
  if (cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved) != cudaSuccess ||
      cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) != cudaSuccess) {
    (void)cudaGetLastError();
    return 0;
  }
  return static_cast<std::int64_t>(reserved - used);
}
}  // namespace

std::int64_t free_device_bytes(int device) {
  if (!has_default_hook()) return unknown_memory;
  const device_guard guard(device);
  std::size_t free = 0;
  std::size_t all = 0;
  check_cuda(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
  cudaMemPool_t pool = pool_of(device);
  return static_cast<std::int64_t>(free) + (pool == nullptr ? 0 : kept_by(pool));
}

namespace {

/// Lets the calling thread allocate while one of its streams is captured in a CUDA graph: an allocation is no
/// part of the graph.
class outside_of_captures {
 public:
  outside_of_captures() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~outside_of_captures() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  outside_of_captures(const outside_of_captures&) = delete;
  outside_of_captures& operator=(const outside_of_captures&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace

device_block allocate_device(std::size_t bytes, int device) {
  if (bytes == 0) return {};
  const device_guard guard(device);
  const outside_of_captures allowed;
  device_block block;
  {
    const std::lock_guard lock(hook_mutex);
    block.hook = hook;
  }
  constexpr std::size_t alignment = 256;  // what cudaMalloc gives
  block.pointer = block.hook.allocate(bytes, alignment, device, block.hook.user);
  if (block.pointer == nullptr)
    fail(errc::out_of_memory, "out of device memory: {} bytes on cuda:{}", bytes, device);
  return block;
}

namespace {

/// What the pool of a device keeps when it has given out nothing.
constexpr std::uint64_t kept_bytes = std::uint64_t{64} << 20;

/// Of that device, made once and never destroyed: the driver may be gone by then. Null where it has none.
cudaMemPool_t pool_of(int device) {
  static std::mutex mutex;
  static std::map<int, cudaMemPool_t> pools;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = pools.try_emplace(device, nullptr);
  if (!is_new) return found->second;
  int supported = 0;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, device};
  std::uint64_t kept = kept_bytes;
  cudaMemPool_t pool = nullptr;
  if (cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device) == cudaSuccess &&
      supported != 0 && cudaMemPoolCreate(&pool, &properties) == cudaSuccess &&
      cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept) == cudaSuccess)
    found->second = pool;
  (void)cudaGetLastError();
  return found->second;
}

bool has_default_hook() {
  const std::lock_guard lock(hook_mutex);
  return hook.allocate == default_allocate;
}

}  // namespace

temporary_block allocate_temporary(std::size_t bytes, int device) {
  if (bytes == 0) return {};
  const device_guard guard(device);
  cudaMemPool_t pool = has_default_hook() ? pool_of(device) : nullptr;
  if (pool == nullptr) return {.block = allocate_device(bytes, device)};
  temporary_block taken{.pooled = true};
  const cudaError_t status = cudaMallocFromPoolAsync(&taken.block.pointer, bytes, pool, nullptr);
  if (status == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    fail(errc::out_of_memory, "out of device memory: {} bytes on cuda:{}", bytes, device);
  }
  check_cuda(status, "cudaMallocFromPoolAsync");
  return taken;
}

void release_kept(int device) noexcept {
  if (!cuda_is_ours()) return;
  finish_device(device);
  if (cudaMemPool_t pool = pool_of(device); pool != nullptr) (void)cudaMemPoolTrimTo(pool, 0);
  (void)cudaGetLastError();
}

bool is_on_device(const void* array, int device) {
  if (!cuda_is_ours()) refuse_after_fork(message("device cuda:{}", {device}));
  cudaPointerAttributes found{};
  const cudaError_t status = cudaPointerGetAttributes(&found, array);
  (void)cudaGetLastError();
  return status == cudaSuccess && (found.type == cudaMemoryTypeManaged ||
                                   (found.type == cudaMemoryTypeDevice && found.device == device));
}

void release_temporary(const temporary_block& taken, std::size_t bytes, int device) noexcept {
  if (!taken.pooled) return release_device(taken.block, bytes, device);
  if (!cuda_is_ours()) return;
  int current = 0;
  (void)cudaGetDevice(&current);
  if (current != device) (void)cudaSetDevice(device);
  (void)cudaFreeAsync(taken.block.pointer, nullptr);
  if (current != device) (void)cudaSetDevice(current);
  (void)cudaGetLastError();
}

void finish_device(int device) noexcept {
  if (!cuda_is_ours()) return;
  int current = 0;
  (void)cudaGetDevice(&current);
  if (current != device) (void)cudaSetDevice(device);
  (void)cudaDeviceSynchronize();
  if (current != device) (void)cudaSetDevice(current);
  (void)cudaGetLastError();
}

void release_device(const device_block& block, std::size_t bytes, int device) noexcept {
  if (block.pointer == nullptr || !cuda_is_ours()) return;
  int current = 0;
  (void)cudaGetDevice(&current);
  if (current != device) (void)cudaSetDevice(device);
  // cudaFree waits on its own; a pool behind a hook may not. At process exit the driver may be gone: no
  // errors here.
  (void)cudaDeviceSynchronize();
  block.hook.release(block.pointer, bytes, device, block.hook.user);
  if (current != device) (void)cudaSetDevice(current);
  (void)cudaGetLastError();
}

namespace {

/// Where the device finds host memory that is pinned already; null where it is not.
void* pinned_before(void* block) {
  cudaPointerAttributes found{};
  if (cudaPointerGetAttributes(&found, block) == cudaSuccess) return found.devicePointer;
  (void)cudaGetLastError();
  return nullptr;
}

}  // namespace

pinning pin(void* block, std::size_t bytes, int device) {
  const device_guard guard(device);
  if (void* const there = pinned_before(block);
      there != nullptr && pinned_before(static_cast<char*>(block) + bytes - 1) != nullptr)
    return {.there = there, .ours = false};
  check_cuda(cudaHostRegister(block, bytes, cudaHostRegisterPortable | cudaHostRegisterMapped),
             "cudaHostRegister");
  void* there = nullptr;
  const int code = cudaHostGetDevicePointer(&there, block, 0);
  if (code != cudaSuccess) (void)cudaHostUnregister(block);
  check_cuda(code, "cudaHostGetDevicePointer");
  return {.there = there, .ours = true};
}

void unpin(void* block, const pinning& pinned, int device) noexcept {
  if (!cuda_is_ours()) return;
  finish_device(device);
  if (pinned.ours) (void)cudaHostUnregister(block);
  (void)cudaGetLastError();
}

void copy_async(void* to, const void* from, std::size_t bytes, copy_kind kind, cuda_stream stream) {
  if (bytes == 0) return;
  constexpr cudaMemcpyKind kinds[] = {cudaMemcpyDefault, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
                                      cudaMemcpyDeviceToDevice};
  check_cuda(cudaMemcpyAsync(to, from, bytes, kinds[static_cast<int>(kind)], stream.handle()),
             "cudaMemcpyAsync");
}

void copy_strided_async(void* to, std::size_t to_step, const void* from, std::size_t from_step,
                        std::size_t bytes, std::size_t count, cuda_stream stream) {
  if (count == 0) return;
  check_cuda(cudaMemcpy2DAsync(to, to_step, from, from_step, bytes, count, cudaMemcpyDeviceToDevice,
                               stream.handle()),
             "cudaMemcpy2DAsync");
}

void fill_now(void* block, std::size_t bytes, unsigned char byte) {
  if (bytes == 0) return;
  check_cuda(cudaMemset(block, byte, bytes), "cudaMemset");
  check_cuda(cudaStreamSynchronize(nullptr), "cudaMemset");  // returns before it is done
}

void clear_new(void* block, std::size_t bytes) {
  if (bytes == 0) return;
  const outside_of_captures allowed;
  const owned_stream stream;  // work in the default stream would end a capture
  check_cuda(cudaMemsetAsync(block, 0, bytes, stream.get().handle()), "cudaMemsetAsync");
  synchronize(stream.get());
}

}  // namespace exec
}  // namespace gossamer::inline v0
