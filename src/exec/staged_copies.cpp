// SPDX-License-Identifier: BSD-3-Clause
#include "exec/staged_copies.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/parallel.hpp"
#include "gossamer/error.hpp"

namespace gossamer::inline v0::exec {
namespace {

constexpr std::size_t piece = std::size_t{2} << 20;
constexpr std::size_t worth_it = std::size_t{1} << 20;  // less is done before threads have begun
constexpr std::int64_t bytes_of_a_thread = std::int64_t{64} << 10;

void copy_by_threads(char* to, const char* from, std::size_t bytes) {
  parallel_for(static_cast<std::int64_t>(bytes), bytes_of_a_thread,
               [&](std::int64_t begin, std::int64_t end) {
                 std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin));
               });
}

std::size_t size_of_piece(std::size_t number, std::size_t bytes) {
  return std::min(piece, bytes - number * piece);
}

}  // namespace

staged_copies::slot::slot(int device)
    : memory_(piece), pinned_(pin(memory_.data(), piece, device)), device_(device) {}

staged_copies::slot::~slot() {
  unpin(memory_.data(), pinned_, device_);
}

bool staged_copies::ready(std::size_t bytes) {
  if (bytes < worth_it || refused_) return false;
  if (ring_) return true;
  try {
    ring_ = std::make_unique<ring>(device_);
  } catch (const error&) {
    refused_ = true;
  }
  return !refused_;
}

std::int64_t staged_copies::bytes() const noexcept {
  return ring_ ? static_cast<std::int64_t>(slots * piece) : 0;
}

void staged_copies::to_device(void* to, const void* from, std::size_t bytes, cuda_stream stream) {
  if (!ready(bytes)) return copy_async(to, from, bytes, copy_kind::host_to_device, stream);
  auto* const there = static_cast<char*>(to);
  const auto* const here = static_cast<const char*>(from);
  const std::size_t pieces = (bytes + piece - 1) / piece;
  for (std::size_t k = 0; k < pieces; ++k) {
    slot& s = ring_->each[k % slots];
    const std::size_t size = size_of_piece(k, bytes);
    s.done.wait();
    copy_by_threads(s.data(), here + k * piece, size);
    copy_async(there + k * piece, s.data(), size, copy_kind::by_address, stream);
    s.done.record(stream);
  }
}

void staged_copies::to_host(void* to, const void* from, std::size_t bytes, cuda_stream stream) {
  if (!ready(bytes)) {
    copy_async(to, from, bytes, copy_kind::device_to_host, stream);
    return synchronize(stream);
  }
  auto* const here = static_cast<char*>(to);
  const auto* const there = static_cast<const char*>(from);
  const std::size_t pieces = (bytes + piece - 1) / piece;
  const auto fetch = [&](std::size_t k) {
    slot& s = ring_->each[k % slots];
    s.done.wait();  // of a copy to the device
    copy_async(s.data(), there + k * piece, size_of_piece(k, bytes), copy_kind::by_address, stream);
    s.done.record(stream);
  };
  for (std::size_t k = 0; k < std::min(slots, pieces); ++k) fetch(k);
  for (std::size_t k = 0; k < pieces; ++k) {
    slot& s = ring_->each[k % slots];
    s.done.wait();
    copy_by_threads(here + k * piece, s.data(), size_of_piece(k, bytes));
    if (k + slots < pieces) fetch(k + slots);
  }
}

}  // namespace gossamer::inline v0::exec
