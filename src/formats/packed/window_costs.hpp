// SPDX-License-Identifier: BSD-3-Clause
// What a window costs stored in one way or another, in bytes: those that are read, and beside them the time
// that a slice takes however small it is, as the bytes that the device reads meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gossamer::inline v0::formats {

/// That the lanes of a whole device take in one turn of eight.
inline constexpr std::int64_t packed_entries_at_once = std::int64_t{1} << 20;

/// What a slot is taken to cost before it is coded: a byte of value where the table has all of them, and two
/// of column.
inline constexpr std::int64_t packed_slot_bytes_by_table = 3;

/// Whole numbers throughout, so that host and device decide alike.
struct packed_costs {
  /// A warp waits for a slice's header, for columns and values, for x and, in long slices, for those of eight
  /// more steps each time. An H200 holds some 4,000 such warps, each wait is 0.7 us or more, and 5 TB/s come
  /// from its L2 cache: a wait is worth about 1 KB. On a CPU it is branches that are guessed wrong.
  std::int64_t warps;  ///< that share a slice in lanes, and its eights of steps
  std::int64_t slice;
  std::int64_t eight_more_steps;
  std::int64_t slice_of_entries;
  std::int64_t slice_of_entries_by_table;  ///< the same where the table has all values
  /// Of a row in a slice of entries: where it begins, and its place in the loop that writes y.
  std::int64_t row_of_entries;

  /// In a matrix whose warps all run at once slices of entries, which have fewer loads that wait for each
  /// other, take hardly more than those in lanes: bcsstk16, tri_nsjac and cage10 take 0.72 to 0.89 of the
  /// time so in f64, bcsstk16, tri_nsjac and copter2 0.84 to 0.90 in f32, but in f64 kkt_CONT-300 and
  /// copter2, whose values the table has, 1.05 to 1.24. In larger ones, of f32 above all, since adding rows
  /// takes half as long there as in f64: like(circuit5M), like(FullChip), like(thermal2) and like(CurlCurl_3)
  /// take 0.73 to 0.86 of the time by 1650 instead of 2500 in f32, by 2000 0.88 to 0.96 in f64
  /// (docs/formats/packed.md).
  static constexpr packed_costs on_device(std::int64_t warps_per_slice, std::size_t value_bytes,
                                          std::int64_t entries) {
    const bool is_small = entries <= packed_entries_at_once;
    const bool is_f32 = value_bytes == sizeof(float);
    return {.warps = warps_per_slice,
            .slice = 1600,
            .eight_more_steps = 1000,
            .slice_of_entries = is_small || is_f32 ? 1650 : 2000,
            .slice_of_entries_by_table = is_small && is_f32 ? 1650 : 2500,
            .row_of_entries = 2};
  }
  static constexpr packed_costs on_cpu() {
    return {.warps = 1,
            .slice = 64,
            .eight_more_steps = 0,
            .slice_of_entries = 400,
            .slice_of_entries_by_table = 400,
            .row_of_entries = 4};
  }
};

/// What costs are compared in: a fiftieth of a byte.
inline constexpr std::int64_t packed_cost_of_a_byte = 50;

/// Of sorting a window as of sliced_ell: each row's number, and y written here and there, 6 bytes; of what
/// neighbours share of x, a fiftieth of each byte of its entries.
constexpr std::int64_t packed_sorting_costs(std::int64_t rows, std::int64_t entries,
                                            std::int64_t slot_bytes) {
  constexpr std::int64_t sorted_row = 6;
  return sorted_row * rows * packed_cost_of_a_byte + entries * slot_bytes;
}

/// How some slices with lanes are filled.
struct packed_fill {
  std::int64_t slots = 0;
  std::int64_t slices = 0;
  std::int64_t eights = 0;  ///< of steps, behind the first of each slice

  constexpr void add(std::int64_t steps, std::int64_t lanes) {
    constexpr std::int64_t at_once = 8;
    slots += steps * lanes;
    ++slices;
    if (steps > 0) eights += (steps - 1) / at_once;
  }
  [[nodiscard]] constexpr std::int64_t cost(const packed_costs& of, std::int64_t slot_bytes) const {
    const std::int64_t without = slices * (of.warps - 1);
    const std::int64_t later_eights = eights > without ? eights - without : 0;
    return packed_cost_of_a_byte *
           (slots * slot_bytes + slices * of.warps * of.slice + later_eights * of.eight_more_steps);
  }
};

/// The same of slices of entries.
constexpr std::int64_t packed_cost_of_entries(const packed_costs& of, std::int64_t slot_bytes,
                                              std::int64_t rows, std::int64_t entries, std::int64_t slices) {
  const std::int64_t slice =
      slot_bytes == packed_slot_bytes_by_table ? of.slice_of_entries_by_table : of.slice_of_entries;
  return packed_cost_of_a_byte * (entries * slot_bytes + rows * of.row_of_entries + slices * slice);
}

}  // namespace gossamer::inline v0::formats
