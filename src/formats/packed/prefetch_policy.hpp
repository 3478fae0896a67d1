// SPDX-License-Identifier: BSD-3-Clause
// What a product on a CUDA device asks for before its warps know that they need it.
#pragma once

#include <cstdint>

#include "exec/cuda/l2_share.hpp"

namespace gossamer::inline v0::formats {

/// By sizes alone (docs/formats/packed.md, "Before the first load").
struct packed_prefetch_policy {
  bool matrix = false;  ///< all of it, each block for a share
  bool vector = false;  ///< the same of x
  /// Entries: columns and values are asked for before it is the kernel's turn. In a small matrix most of its
  /// warps are there by then.
  bool late = false;

  friend constexpr bool operator==(const packed_prefetch_policy&, const packed_prefetch_policy&) = default;
};

/// For so many bytes of coded entries, of x and of y, on a device with so large an L2 cache.
constexpr packed_prefetch_policy choose_packed_prefetch(std::int64_t matrix, std::int64_t x, std::int64_t y,
                                                        std::int64_t cache) {
  // Of empty caches one load is waited for then, and not three in turn; of larger matrices some gain and more
  // lose (like(scircuit), of 14 MiB, takes 1.09 of the time cold, cnr-2000 0.92).
  constexpr std::int64_t max_prefetched_bytes = 6 << 20;
  constexpr std::int64_t max_late_bytes = 16 << 20;
  // x alone: where it is found in the cache by the time that columns are known. It costs its loads twice
  // where it is no small part of what a large matrix reads, or comes from memory anyway: 5 points of 4000^2
  // take 0.94 of the time with few values (48 MiB beside 128 of x), 1.01 with different ones (620).
  constexpr std::int64_t times_x = 4;
  const bool ahead = matrix + x + y <= max_prefetched_bytes;
  return {.matrix = ahead,
          .vector = ahead || matrix <= cache || matrix / times_x <= x,
          .late = matrix <= max_late_bytes};
}

/// Whether products go through the slices in alternating directions, so that each begins with what the one
/// before it left in the L2 cache. Where a part of the matrix is kept there anyway that part gains more in a
/// fixed order. `runs`: rows in parts, which have to begin early, since what adds them up waits for all.
constexpr bool packed_may_alternate(exec::l2_share share, std::int64_t runs) noexcept {
  return share.eighths == 0 && runs == 0;
}

}  // namespace gossamer::inline v0::formats
