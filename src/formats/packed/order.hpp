// SPDX-License-Identifier: BSD-3-Clause
// In which order slices in lanes begin on a device. Blocks begin in the order of their numbers, and a product
// ends when the last of them does: long slices that begin among the last are waited for by an idle device.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/packed/layout.hpp"

namespace gossamer::inline v0::formats {

/// Whether slices in lanes, of 1 << log2_warps warps each, are put longest first: where they are more than
/// the device takes at once, since else all begin together, and not many times as many, since then few wait
/// at the end, and neighbours lose each other's x. like(shipsec1), twice as many, takes 0.85 of the time
/// (f64, H200), like(Transport), twelve times as many, would take 1.06 (docs/formats/packed.md). Slices of
/// entries behind them, which the device could take at the end, are not counted: not looked into.
constexpr bool packed_longest_first(std::int64_t in_lanes, std::int64_t of_entries, int log2_warps,
                                    std::size_t value_bytes) {
  // Warps that an H200 holds: 32 a multiprocessor, and 40 with the registers of f32 where no slice is of
  // entries.
  constexpr std::int64_t multiprocessors = 132;
  constexpr std::int64_t most_times = 6;
  const std::int64_t at_once = multiprocessors * (value_bytes > sizeof(float) || of_entries > 0 ? 32 : 40);
  const std::int64_t warps = in_lanes << log2_warps;
  return warps > at_once && warps <= most_times * at_once;
}

inline constexpr int packed_length_bits = 6;
/// Which lengths count as one: 16 steps, so that slices of about the same length keep their neighbours; from
/// 993 on all. A diagonal counts as one step, though a lane has four entries on it: other weights were not
/// tried.
GOSSAMER_HOST_DEVICE constexpr unsigned packed_length_class(const packed_slice& s) {
  constexpr unsigned steps_of_class = 16;
  constexpr unsigned last = (1u << packed_length_bits) - 1;
  const unsigned c = (s.steps + steps_of_class - 1) / steps_of_class;
  return c < last ? c : last;
}

/// The longest first, each class in its order.
inline void packed_sort_longest_first(std::span<packed_slice> slices) {
  constexpr std::size_t classes = std::size_t{1} << packed_length_bits;
  std::array<std::size_t, classes> before{};  // of each class, how many slices are of longer ones
  for (const packed_slice& s : slices)
    for (unsigned c = 0; c < packed_length_class(s); ++c) ++before[c];
  const std::vector<packed_slice> given(slices.begin(), slices.end());
  for (const packed_slice& s : given) slices[before[packed_length_class(s)]++] = s;
}

}  // namespace gossamer::inline v0::formats
