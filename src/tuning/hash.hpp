// SPDX-License-Identifier: BSD-3-Clause
// A 64-bit hash for telling matrices apart; not against anyone who wants two to look alike.
#pragma once

#include <cstdint>

namespace gossamer::inline v0::tuning {

/// FNV-1a over words of 64 bits instead of bytes, stirred after each so that high bits reach low ones.
class hasher {
 public:
  void add(std::uint64_t word) noexcept {
    state_ = (state_ ^ word) * 0x100000001b3U;
    state_ ^= state_ >> 29;
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

}  // namespace gossamer::inline v0::tuning
