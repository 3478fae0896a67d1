// SPDX-License-Identifier: BSD-3-Clause
// How large the arrays are that a host's bandwidth is measured with.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gossamer::inline v0::timer {

/// Four times the last-level cache, as STREAM asks for; of a cache of more than 128 MiB, which virtual
/// machines are told of and do not have, less.
constexpr std::int64_t array_bytes(std::int64_t llc_bytes) {
  constexpr std::int64_t least = std::int64_t{16} << 20;
  constexpr std::int64_t most = std::int64_t{512} << 20;
  return 4 * std::clamp(llc_bytes, least / 4, most / 4);
}

}  // namespace gossamer::inline v0::timer
