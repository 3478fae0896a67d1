// SPDX-License-Identifier: BSD-3-Clause
#include "gossamer/hybrid.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/fail.hpp"
#include "core/out_of_memory.hpp"
#include "exec/cuda/peer_copies.hpp"

namespace gossamer::inline v0 {

namespace hybrids {

struct distributed_vector_base {
  exec::distributed_memory memory;
  std::size_t size = 0;
  int device = 0;  ///< one of them
  std::vector<int> devices;

  /// The caller's stream may be any.
  void finish() const {
    for (const int each : devices) {
      const exec::device_guard guard(each);
      exec::synchronize_device();
    }
  }
};

}  // namespace hybrids

namespace {

template <value V>
std::vector<exec::memory_piece> pieces_of(std::span<const device_share> shares) {
  std::vector<exec::memory_piece> pieces;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    if (shares[k].size < 0)
      fail(errc::invalid_argument, "distributed_vector: share[{}] = {} is negative", k, shares[k].size);
    pieces.push_back({shares[k].device, static_cast<std::size_t>(shares[k].size) * sizeof(V)});
  }
  return pieces;
}

void check_size(const char* function, std::size_t given, std::size_t size) {
  if (given != size)
    fail(errc::size_mismatch, "distributed_vector::{}: {} elements for {}", function, given, size);
}

}  // namespace

template <value V>
distributed_vector<V>::distributed_vector(std::span<const device_share> shares) {
  naming_out_of_memory("distributed_vector", [&] {
    if (shares.empty()) fail(errc::invalid_argument, "distributed_vector: there are no shares");
    const std::vector<exec::memory_piece> pieces = pieces_of<V>(shares);
    base_ = std::make_unique<hybrids::distributed_vector_base>();
    base_->device = shares.front().device;
    for (const exec::memory_piece& each : pieces) {
      base_->size += each.bytes / sizeof(V);
      base_->devices.push_back(each.device);
    }
    base_->memory = exec::distributed_memory(pieces);
  });
}

template <value V>
distributed_vector<V>::distributed_vector(distributed_vector&&) noexcept = default;
template <value V>
distributed_vector<V>& distributed_vector<V>::operator=(distributed_vector&&) noexcept = default;
template <value V>
distributed_vector<V>::~distributed_vector() = default;

template <value V>
std::size_t distributed_vector<V>::size() const noexcept {
  return base_->size;
}
template <value V>
device_span<V> distributed_vector<V>::span() noexcept {
  return {static_cast<V*>(base_->memory.data()), base_->size};
}
template <value V>
device_span<const V> distributed_vector<V>::span() const noexcept {
  return {static_cast<const V*>(base_->memory.data()), base_->size};
}

template <value V>
std::vector<device_share> distributed_vector<V>::shares() const {
  return naming_out_of_memory("shares", [&]() -> std::vector<device_share> {
    std::vector<device_share> all;
    for (const exec::memory_piece& each : base_->memory.pieces())
      all.push_back({each.device, static_cast<std::int64_t>(each.bytes / sizeof(V))});
    return all;
  });
}

template <value V>
void distributed_vector<V>::copy_from(std::span<const V> host) {
  check_size("copy_from", host.size(), base_->size);
  naming_out_of_memory("copy_from", [&] {
    base_->finish();
    const exec::device_guard guard(base_->device);
    const exec::memory_home home(base_->memory.data(), host.size_bytes(), "x");
    exec::copy_to_home(home, base_->memory.data(), host.data(), host.size_bytes(), {});
    exec::synchronize_device();
  });
}

template <value V>
void distributed_vector<V>::copy_to(std::span<V> host) const {
  check_size("copy_to", host.size(), base_->size);
  naming_out_of_memory("copy_to", [&] {
    base_->finish();
    const exec::device_guard guard(base_->device);
    const exec::memory_home home(base_->memory.data(), host.size_bytes(), "x");
    exec::copy_from_home(host.data(), base_->memory.data(), home, host.size_bytes(), {});
    exec::synchronize_device();
  });
}

template <value V>
std::vector<device_share> device_shares(const plan<V>& made, std::int64_t size) {
  return naming_out_of_memory("device_shares", [&]() -> std::vector<device_share> {
    if (size < 0) fail(errc::invalid_argument, "device_shares: size = {} is negative", size);
    const std::vector<plan_part> parts = made.parts();
    std::vector<device_share> shares;
    std::int64_t rows = 0;  // of the matrix that is shared out: of A, or of its transpose
    for (const plan_part& each : parts) rows += each.rows;
    std::int64_t row = 0;
    std::int64_t done = 0;
    for (const plan_part& each : parts) {
      row += each.rows;
      if (const auto* gpu = std::get_if<cuda>(&each.where)) shares.push_back({gpu->device, 0});
      if (shares.empty()) continue;
      const double end = static_cast<double>(row) / static_cast<double>(std::max<std::int64_t>(1, rows)) *
                         static_cast<double>(size);
      const std::int64_t cut = size == rows ? row : static_cast<std::int64_t>(end);
      shares.back().size += cut - done;
      done = cut;
    }
    if (shares.empty()) fail(errc::invalid_argument, "device_shares: no part of the plan is on a GPU");
    shares.back().size += size - done;
    return shares;
  });
}

template class GOSSAMER_API distributed_vector<float>;
template class GOSSAMER_API distributed_vector<double>;
template GOSSAMER_API std::vector<device_share> device_shares(const plan<float>&, std::int64_t);
template GOSSAMER_API std::vector<device_share> device_shares(const plan<double>&, std::int64_t);

}  // namespace gossamer::inline v0
