// SPDX-License-Identifier: BSD-3-Clause
// How much of a matrix a device's L2 cache should keep from one product to the next.
#pragma once

#include <cstdint>

namespace gossamer::inline v0::exec {

/// Of every eight neighbouring thread blocks, so many read the matrix to keep it, the same ones in each
/// product.
struct l2_share {
  int eighths = 0;
};

/// For a product that reads `once` bytes of a matrix once, and x and y, of `vectors` bytes together, on a
/// device with so large an L2 cache.
///
/// A matrix of which every line is kept is gone when the next product begins, unless all of it fits: each
/// line drives out one that is needed sooner. So no more is kept than there is room for, which is measured
/// (docs/decisions/0011-l2.md): half of the cache, less one and a half times the vectors, on an H200.
constexpr l2_share l2_share_of(std::int64_t cache, std::int64_t once, std::int64_t vectors) noexcept {
  const double room = 0.5 * static_cast<double>(cache) - 1.5 * static_cast<double>(vectors);
  if (room <= 0) return {0};
  if (static_cast<double>(once) <= room) return {8};
  return {static_cast<int>(8 * room / static_cast<double>(once))};
}

}  // namespace gossamer::inline v0::exec
