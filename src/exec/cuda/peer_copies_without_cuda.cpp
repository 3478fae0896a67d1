// SPDX-License-Identifier: BSD-3-Clause
#include "core/fail.hpp"
#include "exec/cuda/peer_copies.hpp"

namespace gossamer::inline v0::exec {
namespace {

[[noreturn]] void refuse() {
  fail(errc::no_device, "this build of gossamer has no CUDA");
}

}  // namespace

struct distributed_memory::range {};

int device_of(cuda_stream) {
  refuse();
}
distributed_memory::distributed_memory(std::span<const memory_piece>) {
  refuse();
}
distributed_memory::~distributed_memory() = default;
distributed_memory::distributed_memory(distributed_memory&&) noexcept = default;
distributed_memory& distributed_memory::operator=(distributed_memory&&) noexcept = default;
void* distributed_memory::data() const noexcept {
  return nullptr;
}
std::vector<memory_piece> distributed_memory::pieces() const {
  return {};
}
memory_home::memory_home(const void* begin, std::size_t, const char*) : begin_(begin) {
  refuse();
}
bool memory_home::is_closed_to(int) const {
  return begin_ == nullptr;
}
bool memory_home::reaches(int) const noexcept {
  return false;
}
std::size_t memory_home::remote_bytes(int, const void*, std::size_t) const noexcept {
  return 0;
}
memory_piece memory_home::piece_at(const void*, std::size_t bytes) const noexcept {
  return {device_, bytes};
}
void copy_from_home(void*, const void*, const memory_home&, std::size_t, cuda_stream) {
  refuse();
}
void copy_to_home(const memory_home&, void*, const void*, std::size_t, cuda_stream) {
  refuse();
}
bool reach_each_other(int, int) {
  refuse();
}
stream_mark::stream_mark() {
  refuse();
}
stream_mark::~stream_mark() = default;
void stream_mark::record(cuda_stream) {
  refuse();
}
void stream_mark::hold(cuda_stream) const {
  refuse();
}
double stream_mark::seconds_since(const stream_mark&) const noexcept {
  return 0;
}

template <class V>
void scatter_on_device(V*, const std::int32_t*, std::int64_t, const V*, V, cuda_stream) {
  refuse();
}
template void scatter_on_device(float*, const std::int32_t*, std::int64_t, const float*, float, cuda_stream);
template void scatter_on_device(double*, const std::int32_t*, std::int64_t, const double*, double,
                                cuda_stream);

}  // namespace gossamer::inline v0::exec
