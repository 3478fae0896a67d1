// SPDX-License-Identifier: BSD-3-Clause
// The same functions in a build without CUDA: no devices, and a clear error for whoever asks for one.
#include <utility>

#include "core/fail.hpp"
#include "exec/after_fork.hpp"
#include "exec/cuda/device.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::inline v0 {
namespace {

[[noreturn]] void refuse() {
  fail(errc::no_device, "this build of gossamer has no CUDA");
}

}  // namespace

bool built_with_cuda() noexcept {
  return false;
}
int cuda_device_count() noexcept {
  return 0;
}
cuda_device_properties cuda_properties(int device) {
  exec::require_device(device), refuse();
}
allocation_hook set_device_allocation_hook(allocation_hook replacement) noexcept {
  static allocation_hook hook;  // kept, though nobody will ever call it
  return std::exchange(hook, replacement);
}

namespace exec {

bool cuda_is_ours() noexcept {
  return true;
}
void refuse_after_fork(std::string_view) {
  refuse();
}
void check_cuda(int, const char*) {
  refuse();
}
void require_device(int device) {
  fail(errc::no_device, "device cuda:{}: this build of gossamer has no CUDA", device);
}
device_guard::device_guard(int device) {
  require_device(device);
}
device_guard::~device_guard() = default;
device_block allocate_device(std::size_t bytes, int device) {
  if (bytes == 0) return {};
  require_device(device);
  refuse();
}
std::int64_t free_device_bytes(int device) {
  require_device(device), refuse();
}
void release_device(const device_block&, std::size_t, int) noexcept {}
temporary_block allocate_temporary(std::size_t bytes, int device) {
  if (bytes == 0) return {};
  require_device(device), refuse();
}
void release_temporary(const temporary_block&, std::size_t, int) noexcept {}
void release_kept(int) noexcept {}
bool is_on_device(const void*, int) {
  return false;
}
pinning pin(void*, std::size_t, int device) {
  require_device(device), refuse();
}
void unpin(void*, const pinning&, int) noexcept {}
void copy_async(void*, const void*, std::size_t, copy_kind, cuda_stream) {
  refuse();
}
void copy_strided_async(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, cuda_stream) {
  refuse();
}
void clear_new(void*, std::size_t) {
  refuse();
}
stream_identity identity_of(cuda_stream) {
  refuse();
}
void fill_now(void*, std::size_t, unsigned char) {
  refuse();
}
void synchronize(cuda_stream) {
  refuse();
}
void synchronize_device() {
  refuse();
}
void finish_device(int) noexcept {}
owned_stream::owned_stream() {
  refuse();
}
owned_stream::~owned_stream() = default;
stream_point::stream_point() {
  refuse();
}
stream_point::~stream_point() = default;
void stream_point::record(cuda_stream) {
  refuse();
}
void stream_point::wait() const {
  refuse();
}
stream_timer::stream_timer() {
  refuse();
}
stream_timer::~stream_timer() = default;
void stream_timer::start(cuda_stream) {
  refuse();
}
bool stream_timer::started() const {
  refuse();
}
double stream_timer::stop(cuda_stream) {
  refuse();
}

}  // namespace exec
}  // namespace gossamer::inline v0
