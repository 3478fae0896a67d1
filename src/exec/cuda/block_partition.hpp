// SPDX-License-Identifier: BSD-3-Clause
// An array in equal shares, one for each block of a grid (exec/cuda/kernel/prefetch.cuh).
#pragma once

#include <cstdint>
#include <limits>

namespace gossamer::inline v0::exec {

/// Found out on the host: a division in the kernel is some seventy instructions in front of its first load.
/// As it is made by default it has none.
struct block_partition {
  static constexpr std::uint64_t piece = 16;
  std::uint64_t from = 0;   ///< an address, of a whole piece
  std::uint64_t bytes = 0;  ///< whole pieces
  std::uint32_t each = 0;   ///< the last block that has one may have less

  /// At either end of the array up to 15 bytes are left out; all of it where a share would be 4 GiB or more.
  static block_partition of(const void* array, std::int64_t size, unsigned blocks) noexcept {
    const auto begin = (reinterpret_cast<std::uint64_t>(array) + piece - 1) / piece;
    const auto end = (reinterpret_cast<std::uint64_t>(array) + static_cast<std::uint64_t>(size)) / piece;
    if (end <= begin) return {};
    const std::uint64_t each = (end - begin + blocks - 1) / blocks * piece;
    if (each > std::numeric_limits<std::uint32_t>::max()) return {};
    return {.from = begin * piece, .bytes = (end - begin) * piece, .each = static_cast<std::uint32_t>(each)};
  }
};

}  // namespace gossamer::inline v0::exec
