// SPDX-License-Identifier: BSD-3-Clause
// Which arrays of a matrix the memory of a device holds, where it does not hold all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gossamer::inline v0::plans {

struct placement {
  std::vector<bool> on_host;  ///< of each array in turn
};

/// `bytes` of each array, none for what takes none; those on the device have at most `limit` bytes together.
/// Arrays leave it until the rest fits: the smallest that is enough alone, else the largest first, so that
/// few bytes and long arrays cross the bus.
placement place(std::span<const std::int64_t> bytes, std::int64_t limit);

/// What a device's memory may hold of a matrix where the caller sets no limit: what is free, less vectors of
/// so many bytes and a sixteenth for the scratch of products and the driver.
std::int64_t automatic_limit(std::int64_t free_bytes, std::int64_t vector_bytes) noexcept;

}  // namespace gossamer::inline v0::plans
