// SPDX-License-Identifier: BSD-3-Clause
// What a window costs stored in one way or another, in bytes: those that are read, and beside them the time that a slice takes however small it
// is, as the bytes that the device reads meanwhile.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gossamer::inline v0::formats {

struct packed_costs {
  /// A warp waits for a slice's header, for columns and values, for x and, in long slices, for those of eight more steps each time. An H200
  /// holds some 4,000 such warps, each wait is 0.7 us or more, and 5 TB/s come from its L2 cache: a wait is worth about 1 KB. On a CPU it is
  /// branches that are guessed wrong.
  std::int64_t warps;  ///< that share a slice in lanes, and its eights of steps
  double slice;
  double eight_more_steps;
  double slice_of_entries;
  /// Of a row in a slice of entries: where it begins, and its turn in the loop that adds it up.
  double row_of_entries;
  /// Of a sorted row: its number, and y written here and there.
  static constexpr double sorted_row = 6;
  /// Of what neighbours share of x, for each byte of sorted entries.
  static constexpr double sorted_bytes = 0.02;

  static constexpr packed_costs on_device(std::int64_t warps_per_slice) {
    return {.warps = warps_per_slice,
            .slice = 1600,
            .eight_more_steps = 1000,
            .slice_of_entries = 2500,
            .row_of_entries = 2};
  }
  static constexpr packed_costs on_cpu() {
    return {.warps = 1, .slice = 64, .eight_more_steps = 0, .slice_of_entries = 400, .row_of_entries = 4};
  }
};

/// How some slices with lanes are filled.
struct packed_fill {
  std::int64_t slots = 0;
  std::int64_t slices = 0;
  std::int64_t eights = 0;  ///< of steps, behind the first of each slice

  void add(std::int64_t steps, std::int64_t lanes) {
    constexpr std::int64_t at_once = 8;
    slots += steps * lanes;
    ++slices;
    if (steps > 0) eights += (steps - 1) / at_once;
  }
  [[nodiscard]] double cost(const packed_costs& of, std::int64_t slot_bytes) const {
    const std::int64_t later_eights = std::max<std::int64_t>(0, eights - slices * (of.warps - 1));
    return static_cast<double>(slots * slot_bytes) + static_cast<double>(slices * of.warps) * of.slice +
           static_cast<double>(later_eights) * of.eight_more_steps;
  }
};

}  // namespace gossamer::inline v0::formats
