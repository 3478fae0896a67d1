// SPDX-License-Identifier: BSD-3-Clause
// Virtual memory is the driver's alone: its functions are asked for by name, so that the library loads
// without a driver.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "core/fail.hpp"
#include "exec/after_fork.hpp"
#include "exec/cuda/peer_copies.hpp"

namespace gossamer::inline v0::exec {
namespace {

struct driver {
  decltype(&cuGetErrorString) error_string = nullptr;
  decltype(&cuDeviceGetAttribute) device_attribute = nullptr;
  decltype(&cuMemGetAllocationGranularity) granularity = nullptr;
  decltype(&cuMemAddressReserve) reserve = nullptr;
  decltype(&cuMemAddressFree) give_back = nullptr;
  decltype(&cuMemCreate) create = nullptr;
  decltype(&cuMemRelease) release = nullptr;
  decltype(&cuMemMap) map = nullptr;
  decltype(&cuMemUnmap) unmap = nullptr;
  decltype(&cuMemSetAccess) set_access = nullptr;
  decltype(&cuPointerGetAttribute) pointer_attribute = nullptr;
};

template <class Function>
void find_entry(Function& function, const char* name) {
  constexpr unsigned version = 12000;
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  check_cuda(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result),
             "cudaGetDriverEntryPoint");
  if (result != cudaDriverEntryPointSuccess || found == nullptr)
    fail(errc::unsupported, "distributed memory: the driver has no {}", name);
  function = reinterpret_cast<Function>(found);
}

const driver& the_driver() {
  static const driver all = [] {
    driver d;
    find_entry(d.error_string, "cuGetErrorString");
    find_entry(d.device_attribute, "cuDeviceGetAttribute");
    find_entry(d.granularity, "cuMemGetAllocationGranularity");
    find_entry(d.reserve, "cuMemAddressReserve");
    find_entry(d.give_back, "cuMemAddressFree");
    find_entry(d.create, "cuMemCreate");
    find_entry(d.release, "cuMemRelease");
    find_entry(d.map, "cuMemMap");
    find_entry(d.unmap, "cuMemUnmap");
    find_entry(d.set_access, "cuMemSetAccess");
    find_entry(d.pointer_attribute, "cuPointerGetAttribute");
    return d;
  }();
  return all;
}

void check_driver(CUresult code, const char* what) {
  if (code == CUDA_SUCCESS) return;
  const char* text = "unknown error";
  (void)the_driver().error_string(code, &text);
  fail(code == CUDA_ERROR_OUT_OF_MEMORY ? errc::out_of_memory : errc::device_error, "{}: {}", what, text);
}

CUmemAllocationProp memory_of(int device) {
  CUmemAllocationProp wanted{};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  wanted.location.id = device;
  return wanted;
}

/// Its context is there from now on.
void require_mapping(int device) {
  require_device(device);
  const device_guard guard(device);
  check_cuda(cudaFree(nullptr), "cudaFree");
  int maps = 0;
  check_driver(
      the_driver().device_attribute(&maps, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device),
      "cuDeviceGetAttribute");
  if (maps == 0)
    fail(errc::unsupported, "distributed memory: cuda:{} has no virtual memory management", device);
}

bool peers(int one, int other) {
  int reaches = 0;
  check_cuda(cudaDeviceCanAccessPeer(&reaches, one, other), "cudaDeviceCanAccessPeer");
  return reaches != 0;
}

}  // namespace

struct distributed_memory::range {
  std::vector<int> devices;
  std::vector<memory_piece> pieces;  ///< in whole units of what devices map
  std::vector<memory_piece> shown;
  std::size_t bytes = 0;
  CUdeviceptr begin = 0;
  std::size_t mapped = 0;

  range() = default;
  range(const range&) = delete;
  range& operator=(const range&) = delete;
  ~range() {
    if (begin == 0 || !cuda_is_ours()) return;
    for (const int device : devices) finish_device(device);
    const driver& d = the_driver();
    for (std::size_t k = 0, at = 0; k < pieces.size() && at < mapped; at += pieces[k++].bytes)
      (void)d.unmap(begin + at, pieces[k].bytes);
    (void)d.give_back(begin, bytes);
  }
  [[nodiscard]] bool holds(CUdeviceptr first, std::size_t size) const noexcept {
    return first >= begin && first + size <= begin + bytes;
  }
};

namespace {

using memory_range = distributed_memory::range;

std::mutex ranges_mutex;
std::vector<std::weak_ptr<memory_range>>& ranges() {
  static std::vector<std::weak_ptr<memory_range>> all;
  return all;
}

void remember(const std::shared_ptr<memory_range>& range) {
  const std::lock_guard lock(ranges_mutex);
  auto& all = ranges();
  all.erase(std::remove_if(all.begin(), all.end(), [](const auto& each) { return each.expired(); }),
            all.end());
  all.push_back(range);
}

std::shared_ptr<const memory_range> range_of(const void* begin, std::size_t bytes) {
  const std::lock_guard lock(ranges_mutex);
  for (const std::weak_ptr<memory_range>& each : ranges()) {
    if (const auto range = each.lock(); range && range->holds(reinterpret_cast<CUdeviceptr>(begin), bytes))
      return range;
  }
  return {};
}

void map_piece(memory_range& range, const memory_piece& piece) {
  const driver& d = the_driver();
  const CUmemAllocationProp wanted = memory_of(piece.device);
  CUmemGenericAllocationHandle memory{};
  check_driver(d.create(&memory, piece.bytes, &wanted, 0), "cuMemCreate");
  const CUresult mapped = d.map(range.begin + range.mapped, piece.bytes, 0, memory, 0);
  (void)d.release(memory);  // it goes with the mapping
  check_driver(mapped, "cuMemMap");
  range.mapped += piece.bytes;
}

void let_all_reach(const memory_range& range) {
  std::vector<CUmemAccessDesc> access;
  for (const int device : range.devices) {
    CUmemAccessDesc one{};
    one.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    one.location.id = device;
    one.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    access.push_back(one);
  }
  check_driver(the_driver().set_access(range.begin, range.bytes, access.data(), access.size()),
               "cuMemSetAccess");
}

}  // namespace

distributed_memory::distributed_memory(std::span<const memory_piece> wanted) {
  if (wanted.empty()) fail(errc::invalid_argument, "distributed memory: there are no pieces");
  auto made = std::make_shared<range>();
  for (const memory_piece& each : wanted) {
    if (std::find(made->devices.begin(), made->devices.end(), each.device) != made->devices.end()) continue;
    require_mapping(each.device);
    for (const int other : made->devices) {
      if (!peers(each.device, other) || !peers(other, each.device))
        fail(errc::unsupported, "distributed memory: cuda:{} and cuda:{} do not reach each other's memory",
             other, each.device);
    }
    made->devices.push_back(each.device);
  }
  std::size_t unit = 1;
  for (const int device : made->devices) {
    std::size_t own = 0;
    const CUmemAllocationProp memory = memory_of(device);
    check_driver(the_driver().granularity(&own, &memory, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
                 "cuMemGetAllocationGranularity");
    unit = std::max(unit, own);  // powers of two
  }
  std::size_t sum = 0;
  for (const memory_piece& each : wanted) sum += each.bytes;
  if (sum == 0) return;
  made->bytes = (sum + unit - 1) / unit * unit;
  std::size_t exact = 0;
  std::size_t done = 0;
  for (const memory_piece& each : wanted) {
    exact += each.bytes;
    const std::size_t end = exact == sum ? made->bytes : (exact + unit / 2) / unit * unit;
    if (end <= done) continue;
    made->pieces.push_back({each.device, end - done});
    made->shown.push_back({each.device, std::min(end, sum) - done});
    done = end;
  }
  check_driver(the_driver().reserve(&made->begin, made->bytes, 0, 0, 0), "cuMemAddressReserve");
  for (const memory_piece& each : made->pieces) map_piece(*made, each);
  let_all_reach(*made);
  remember(made);
  range_ = std::move(made);
}

distributed_memory::~distributed_memory() = default;
distributed_memory::distributed_memory(distributed_memory&&) noexcept = default;
distributed_memory& distributed_memory::operator=(distributed_memory&&) noexcept = default;

void* distributed_memory::data() const noexcept {
  // The driver's addresses are numbers. NOLINTNEXTLINE(performance-no-int-to-ptr)
  return range_ ? reinterpret_cast<void*>(range_->begin) : nullptr;
}

std::vector<memory_piece> distributed_memory::pieces() const {
  return range_ ? range_->shown : std::vector<memory_piece>();
}

memory_home::memory_home(const void* begin, std::size_t bytes, const char* name) : begin_(begin) {
  if (bytes == 0) return;
  if (!cuda_is_ours()) refuse_after_fork(message("multiply: {}", {name}));
  range_ = range_of(begin, bytes);
  if (range_) {
    device_ = piece_at(begin, bytes).device;
    return;
  }
  cudaPointerAttributes found{};
  const cudaError_t status = cudaPointerGetAttributes(&found, begin);
  if (status != cudaSuccess) (void)cudaGetLastError();
  if (status != cudaSuccess || found.type == cudaMemoryTypeUnregistered)
    fail(errc::invalid_argument, "multiply: {} is in no memory that a device reaches", name);
  if (found.type == cudaMemoryTypeDevice) device_ = found.device;
}

bool memory_home::is_closed_to(int device) const {
  if (device_ < 0 || reaches(device)) return false;
  if (range_) return true;
  CUmemoryPool pool = nullptr;
  const CUresult asked = the_driver().pointer_attribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
                                                        reinterpret_cast<CUdeviceptr>(begin_));
  return asked == CUDA_SUCCESS && pool != nullptr;
}

bool memory_home::reaches(int device) const noexcept {
  if (device_ < 0) return true;
  if (!range_) return device == device_;
  return std::find(range_->devices.begin(), range_->devices.end(), device) != range_->devices.end();
}

std::size_t memory_home::remote_bytes(int device, const void* begin, std::size_t bytes) const noexcept {
  if (device_ < 0) return 0;
  std::size_t beyond = 0;
  for (std::size_t done = 0; done < bytes;) {
    const memory_piece next = piece_at(static_cast<const char*>(begin) + done, bytes - done);
    if (next.device != device) beyond += next.bytes;
    done += next.bytes;
  }
  return beyond;
}

memory_piece memory_home::piece_at(const void* begin, std::size_t bytes) const noexcept {
  if (!range_) return {device_, bytes};
  std::size_t before = reinterpret_cast<CUdeviceptr>(begin) - range_->begin;
  for (const memory_piece& each : range_->pieces) {
    if (before < each.bytes) return {each.device, std::min(bytes, each.bytes - before)};
    before -= each.bytes;
  }
  return {device_, bytes};
}

int device_of(cuda_stream stream) {
  if (!cuda_is_ours()) refuse_after_fork("multiply: stream");
  int device = 0;
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  if (stream.handle() != nullptr)
    check_cuda(cudaStreamIsCapturing(stream.handle(), &capture), "cudaStreamIsCapturing");
  // A stream that is being captured is not to be asked.
  if (stream.handle() == nullptr || capture != cudaStreamCaptureStatusNone)
    check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  else
    check_cuda(cudaStreamGetDevice(stream.handle(), &device), "cudaStreamGetDevice");
  return device;
}

void copy_from_home(void* here, const void* there, const memory_home& home, std::size_t bytes,
                    cuda_stream stream) {
  home.for_each_piece(there, bytes, [&](std::size_t at, std::size_t size) {
    copy_async(static_cast<char*>(here) + at, static_cast<const char*>(there) + at, size,
               copy_kind::by_address, stream);
  });
}

void copy_to_home(const memory_home& home, void* there, const void* here, std::size_t bytes,
                  cuda_stream stream) {
  home.for_each_piece(there, bytes, [&](std::size_t at, std::size_t size) {
    copy_async(static_cast<char*>(there) + at, static_cast<const char*>(here) + at, size,
               copy_kind::by_address, stream);
  });
}

namespace {

/// CUDA calls it an error to switch it on twice.
bool switch_on(int from, int to) {
  const device_guard guard(from);
  const cudaError_t status = cudaDeviceEnablePeerAccess(to, 0);
  if (status != cudaSuccess) (void)cudaGetLastError();
  return status == cudaSuccess || status == cudaErrorPeerAccessAlreadyEnabled;
}

}  // namespace

bool reach_each_other(int one, int other) {
  if (one == other) return true;
  static std::mutex mutex;
  static std::map<std::pair<int, int>, bool> known;
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = known.try_emplace(std::minmax({one, other}), false);
  if (is_new)
    place->second = peers(one, other) && peers(other, one) && switch_on(one, other) && switch_on(other, one);
  return place->second;
}

stream_mark::stream_mark() {
  cudaEvent_t event = nullptr;
  check_cuda(cudaEventCreate(&event), "cudaEventCreate");
  handle_ = event;
}
stream_mark::~stream_mark() {
  if (cuda_is_ours()) (void)cudaEventDestroy(static_cast<cudaEvent_t>(handle_));
}
void stream_mark::record(cuda_stream stream) {
  check_cuda(cudaEventRecord(static_cast<cudaEvent_t>(handle_), stream.handle()), "cudaEventRecord");
}
void stream_mark::hold(cuda_stream stream) const {
  check_cuda(cudaStreamWaitEvent(stream.handle(), static_cast<cudaEvent_t>(handle_), 0),
             "cudaStreamWaitEvent");
}
double stream_mark::seconds_since(const stream_mark& earlier) const noexcept {
  float milliseconds = 0;
  const bool timed = cuda_is_ours() &&
                     cudaEventSynchronize(static_cast<cudaEvent_t>(handle_)) == cudaSuccess &&
                     cudaEventElapsedTime(&milliseconds, static_cast<cudaEvent_t>(earlier.handle_),
                                          static_cast<cudaEvent_t>(handle_)) == cudaSuccess;
  if (!timed) (void)cudaGetLastError();
  return timed ? static_cast<double>(milliseconds) * 1e-3 : 0;
}

}  // namespace gossamer::inline v0::exec
