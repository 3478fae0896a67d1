// SPDX-License-Identifier: BSD-3-Clause
// How a product runs on a CUDA device: how many warps share a slice, the order of slices, and prefetches.
// These depend on the matrix and the device only.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "exec/cuda/l2_share.hpp"
#include "formats/packed/choose/scheme.hpp"
#include "formats/packed/layout.hpp"

namespace gossamer::inline v0::formats {

namespace packed_code {

inline constexpr std::int64_t packed_most_warps = 8;

/// The warps that share a lane slice: `least`, the option's value. If it is `auto` (may_be_more) there are
/// more for few lane slices next to many COO slices, and for few slices of which half of the rows are in
/// diagonal slices (docs/notes/packed-small-matrices.md).
constexpr std::int64_t warps_of_a_slice(std::int64_t least, bool may_be_more, const cut_amounts& all) {
  constexpr std::int64_t warps_that_fill = 5500;
  constexpr std::int64_t least_steps = 3;
  // COO slices have one warp each, so two more warps for a few slices of long rows cost little.
  constexpr std::int64_t few = 8;
  if (may_be_more && least == 2 && all.lane_slices * few <= all.coo_slices) return 2 * least;
  if (!may_be_more || all.diagonal_slices == 0 ||
      packed_rows_of_lane * all.diagonal_slices < all.lane_slices - all.diagonal_slices)
    return least;
  const std::int64_t steps = all.diagonal_steps / all.diagonal_slices;
  std::int64_t warps = least;
  while (2 * warps <= packed_most_warps && 2 * warps * all.lane_slices <= warps_that_fill &&
         2 * warps * least_steps <= steps)
    warps *= 2;
  return warps;
}

/// Whether two warps share the rows of diagonal slices. It needs values of 8 bytes, of which a piece holds
/// two rows, and mostly diagonal slices with uncompressed values. `plain`: no slice uses the table or has
/// values of 2 bytes. The kernel has no code for elided deltas.
constexpr packed_rows_shared rows_shared(packed_diagonal_warps option, std::size_t value_bytes,
                                         std::int64_t warps, bool plain, const amounts& all) {
  constexpr std::int64_t most_others = 4;  // at most a fourth of the slices and bytes are others
  constexpr std::int64_t most_slices = std::int64_t{1} << 30;
  const bool can_be = value_bytes == packed_piece / 2 && warps == 1 && plain && all.diagonal_slices > 0 &&
                      all.coo_slices == 0 && all.row_parts == 0 && all.saved_pieces == 0 &&
                      most_others * (all.lane_slices - all.diagonal_slices) <= all.lane_slices &&
                      all.lane_slices < most_slices &&
                      most_others * all.pieces * packed_piece >= (most_others - 1) * all.diagonal_steps *
                                                                     packed_diagonal_slice_rows *
                                                                     static_cast<std::int64_t>(value_bytes);
  if (!can_be || option == packed_diagonal_warps::fixed) return packed_rows_shared::never;
  return option == packed_diagonal_warps::by_rows ? packed_rows_shared::always
                                                  : packed_rows_shared::beyond_cache;
}

}  // namespace packed_code

/// Whether lane slices are sorted by length, the longest first. It helps if there are more warps than the
/// device holds at once, up to six times as many. Beyond that, neighbours would lose the x that they share in
/// the cache (docs/notes/packed-launch.md).
constexpr bool packed_longest_first(std::int64_t lane_slices, std::int64_t coo_slices, int log2_warps,
                                    std::size_t value_bytes) {
  // Warps that an H200 holds: 32 a multiprocessor, or 40 for f32 without COO slices, which take more
  // registers.
  constexpr std::int64_t multiprocessors = 132;
  constexpr std::int64_t most_times = 6;
  const std::int64_t at_once = multiprocessors * (value_bytes > sizeof(float) || coo_slices > 0 ? 32 : 40);
  const std::int64_t warps = lane_slices << log2_warps;
  return warps > at_once && warps <= most_times * at_once;
}

inline constexpr int packed_length_bits = 6;
/// The length class of a slice. A class is 16 steps wide, so that slices of similar length keep their
/// neighbours. All slices of 993 steps or more are in the last class. A diagonal counts as one step.
GOSSAMER_HOST_DEVICE constexpr unsigned packed_length_class(const packed_slice& s) {
  constexpr unsigned steps_of_class = 16;
  constexpr unsigned last = (1u << packed_length_bits) - 1;
  const unsigned c = (s.steps + steps_of_class - 1) / steps_of_class;
  return c < last ? c : last;
}

/// Sorts by length class, the longest first. Slices of a class keep their order.
inline void packed_sort_longest_first(std::span<packed_slice> slices) {
  constexpr std::size_t classes = std::size_t{1} << packed_length_bits;
  std::array<std::size_t, classes> before{};  // for each class, how many slices are longer
  for (const packed_slice& s : slices)
    for (unsigned c = 0; c < packed_length_class(s); ++c) ++before[c];
  const std::vector<packed_slice> given(slices.begin(), slices.end());
  for (const packed_slice& s : given) slices[before[packed_length_class(s)]++] = s;
}

/// The prefetches of a product. They depend on sizes only (docs/notes/packed-small-matrices.md).
struct packed_prefetch_policy {
  bool matrix = false;  ///< all of `data`; each block prefetches a share
  bool vector = false;  ///< all of x, likewise

  friend constexpr bool operator==(const packed_prefetch_policy&, const packed_prefetch_policy&) = default;
};

/// For the bytes of `data`, of x, of y, and of the device's L2 cache.
constexpr packed_prefetch_policy choose_packed_prefetch(std::int64_t matrix, std::int64_t x, std::int64_t y,
                                                        std::int64_t cache) {
  // With cold caches a prefetch replaces three dependent loads by one. More of the larger matrices lose than
  // gain.
  constexpr std::int64_t max_prefetched_bytes = 6 << 20;
  // x is prefetched if `data` fits into the cache, or if x is large relative to `data`.
  constexpr std::int64_t times_x = 4;
  const bool ahead = matrix + x + y <= max_prefetched_bytes;
  return {.matrix = ahead, .vector = ahead || matrix <= cache || matrix / times_x <= x};
}

/// Whether products alternate their direction over the slices, so that each begins with the data that the
/// previous one left in the L2 cache. A persistent share of the matrix in that cache gains more in a fixed
/// order. Cut rows must begin early, since the last warp waits for all row parts.
constexpr bool packed_may_alternate(exec::l2_share share, std::int64_t cut_rows) noexcept {
  return share.eighths == 0 && cut_rows == 0;
}

}  // namespace gossamer::inline v0::formats
