// SPDX-License-Identifier: BSD-3-Clause
// How a matrix is cut into slices and coded, and how much of everything that makes.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "formats/common/equal_cuts.hpp"
#include "formats/packed/choose_encoding.hpp"
#include "formats/packed/storage.hpp"

namespace gossamer::inline v0::formats {

namespace packed_code {

/// Bytes behind the last slice, so that as many numbers as a vector has lanes may be read from any place.
inline constexpr std::int64_t behind_the_last = 64;

template <value V>
constexpr std::int64_t slot_bytes_of(packed_precision to) {
  if (to == packed_precision::full) return sizeof(V) + 2;
  return to == packed_precision::f32 ? 6 : 4;
}

/// Whether it is looked for steps that repeat numbers, in a matrix on a device. Smaller ones, and those of
/// shorter rows, wait for other things than bytes of A: of 2.4 million entries f64 takes 1.04 of the time, of
/// 4 million 0.91; with 13 to 15 entries a row 0.995 to 1.03 (docs/formats/packed.md).
constexpr bool looks_for_elidable_deltas(packed_elided_deltas option, std::int64_t rows,
                                         std::int64_t entries) {
  constexpr std::int64_t least = std::int64_t{3} << 20;
  constexpr std::int64_t least_in_a_row = 16;  // in the mean
  return option == packed_elided_deltas::always ||
         (option == packed_elided_deltas::automatic && entries >= least && entries >= least_in_a_row * rows);
}

/// How a matrix is cut and coded; the same for measuring and for building.
template <value V>
struct scheme {
  std::vector<V> table;
  value_index<V> index;
  std::int64_t longest_walk;
  std::int64_t longest_part;
  std::int64_t entries_per_slice;
  packed_short_rows short_rows;
  packed_costs costs;
  std::int64_t slot_bytes;
  packed_encoding<V> encoding;

  /// Options: those of packed, whose header includes this one.
  template <class Options>
  scheme(value_table<V> frequent, const Options& o, bool on_device, std::int64_t rows, std::int64_t entries)
      : table(std::move(frequent.values)),
        index(table),
        longest_walk(o.longest_walk),
        longest_part(o.longest_part),
        entries_per_slice(o.entries_per_slice),
        short_rows(o.short_rows),
        costs(on_device ? packed_costs::on_device(o.warps_per_slice, sizeof(V), entries)
                        : packed_costs::on_cpu()),
        slot_bytes(frequent.holds_all ? packed_slot_bytes_by_table : slot_bytes_of<V>(o.precision)),
        encoding{.table = &index,
                 .together = on_device ? packed_together_on_device : 1,
                 .bf16 = o.precision == packed_precision::bf16,
                 .may_elide = on_device && looks_for_elidable_deltas(o.elided_deltas, rows, entries)} {}
  scheme(const scheme&) = delete;
  scheme& operator=(const scheme&) = delete;
};

/// What a window has, or, added up, what stands before it.
struct amounts {
  std::int64_t in_lanes = 0;  ///< slices
  std::int64_t of_entries = 0;
  std::int64_t on_diagonals = 0;  ///< of those in lanes
  std::int64_t steps_on_diagonals = 0;
  std::int64_t by_table = 0;  ///< of both: those that count in the table
  std::int64_t in_half = 0;   ///< of both: those with values of 2 bytes
  std::int64_t pieces = 0;
  std::int64_t saved = 0;  ///< pieces that there would be more if no step repeated numbers
  std::int64_t parts = 0;
  std::int64_t runs = 0;

  [[nodiscard]] std::int64_t slices() const { return in_lanes + of_entries; }
  void add(const amounts& other) {
    for (const auto number : numbers) this->*number += other.*number;
  }

  static constexpr std::array numbers = {
      &amounts::in_lanes, &amounts::of_entries, &amounts::on_diagonals, &amounts::steps_on_diagonals,
      &amounts::by_table, &amounts::in_half,    &amounts::pieces,       &amounts::saved,
      &amounts::parts,    &amounts::runs};
};

/// What a slice weighs beside its pieces, which weigh one each: its header, and y. A unit begins at the first
/// slice before which so much of the weight lies.
inline constexpr std::int64_t pieces_of_a_slice = 16;

inline unit_size units_of(std::int64_t pieces, std::int64_t slices) {
  return cpu_units(pieces + slices * pieces_of_a_slice);
}

/// On a device a matrix has no slices of entries where they are so few that the kernel for both kinds, the
/// slower one for lanes, costs more than they save, and lanes need hardly more slices: whether the first is
/// so, and, after it was cut in lanes alone, the second.
constexpr bool may_do_without_entries(packed_short_rows short_rows, std::int64_t in_lanes,
                                      std::int64_t of_entries, const packed_costs& costs) {
  constexpr std::int64_t few = 32;
  return short_rows == packed_short_rows::automatic && of_entries > 0 &&
         of_entries * few < in_lanes * costs.warps;
}
constexpr bool does_without_entries(std::int64_t padded, std::int64_t in_lanes, std::int64_t of_entries) {
  constexpr std::int64_t most_for_one = 4;
  return padded <= in_lanes + of_entries * most_for_one;
}

/// The same the other way round, in matrices whose warps all run at once: a few slices in lanes cost the
/// kernel for both kinds. cage10 in f64, 64 slices of 625, takes 0.86 of the time without, and 0.70 cold
/// (H100). Lanes have to be left where there are rows on diagonals, or longer than a slice of entries.
constexpr bool may_do_without_lanes(packed_short_rows short_rows, std::int64_t in_lanes,
                                    std::int64_t of_entries, std::int64_t parts, std::int64_t entries) {
  constexpr std::int64_t few = 8;
  return short_rows == packed_short_rows::automatic && in_lanes > 0 && parts == 0 &&
         in_lanes * few <= of_entries && entries <= packed_entries_at_once;
}

/// Whether steps of a matrix on a device may repeat numbers, from what it is cut into, and, when it is coded,
/// whether they do: the kernel for it has no code for slices of entries and for parts, and it is longer.
constexpr bool may_elide_deltas(std::int64_t of_entries, std::int64_t parts) {
  return of_entries == 0 && parts == 0;
}
/// `pieces` are those that it takes with steps that repeat numbers, `saved` what it would take more without.
/// More instructions and loads are behind each number then, which costs products that do not wait for bytes:
/// f32, of 5 to 6 bytes a nonzero, takes 1.14 of the time of 12 million entries, is level at 74 million, and
/// takes 0.87 where 64 million save more. With less than 4 bytes instructions are what counts: not measured.
constexpr bool saves_enough_by_elision(packed_elided_deltas option, std::int64_t entries, std::int64_t pieces,
                                       std::int64_t saved) {
  constexpr std::int64_t one_of = 64;
  constexpr std::int64_t many_bytes = 7;  // a nonzero
  constexpr std::int64_t some_bytes = 4;
  constexpr std::int64_t many_entries = std::int64_t{1} << 25;
  const std::int64_t bytes = pieces * packed_piece;
  const bool waits_for_bytes =
      bytes >= many_bytes * entries || (bytes >= some_bytes * entries && entries >= many_entries);
  return saved * one_of >= pieces + saved && (option == packed_elided_deltas::always || waits_for_bytes);
}

inline constexpr std::int64_t packed_most_warps = 8;

/// Warps that share a slice on a device: so many as the options say, and, where these were not told how many,
/// more where slices in lanes are few beside those of entries, or half of their rows are on diagonals and
/// slices are few. Such a slice has four rows a lane, which the options, chosen before anyone looked for
/// diagonals, know nothing of. On an H200 27 points of 30^3 take 4.6 us with eight warps and 8.0 with one
/// (docs/formats/packed.md).
inline std::int64_t warps_of_a_slice(std::int64_t least, bool may_be_more, const amounts& all) {
  constexpr std::int64_t warps_that_fill = 5500;
  constexpr std::int64_t least_steps = 3;
  // A few slices of long rows beside those of entries, which have one warp each: two more for these cost
  // nothing. like(webbase-1M) takes 0.87 of the time with four instead of two, circuit(rows=1M) 0.91 (H100).
  constexpr std::int64_t few = 8;
  if (may_be_more && least == 2 && all.in_lanes * few <= all.of_entries) return 2 * least;
  if (!may_be_more || all.on_diagonals == 0 ||
      packed_rows_of_lane * all.on_diagonals < all.in_lanes - all.on_diagonals)
    return least;
  const std::int64_t steps = all.steps_on_diagonals / all.on_diagonals;
  std::int64_t warps = least;
  while (2 * warps <= packed_most_warps && 2 * warps * all.in_lanes <= warps_that_fill &&
         2 * warps * least_steps <= steps)
    warps *= 2;
  return warps;
}

/// Which it is of a matrix on a device: two warps share a slice's rows only where it has one else, three of
/// four slices in lanes are on diagonals, and the bytes are three quarters or more of what these take with
/// uncompressed values. A piece is half of a lane's rows only where values have 8 bytes. `plain`: no slice
/// counts in the table or has values of 2 bytes. Its kernel has no code for steps that repeat numbers.
constexpr packed_rows_shared rows_shared(packed_diagonal_warps option, std::size_t value_bytes,
                                         std::int64_t warps, bool plain, const amounts& all) {
  constexpr std::int64_t most_others = 4;  // one of so many
  constexpr std::int64_t most_slices = std::int64_t{1} << 30;
  const bool can_be = value_bytes == packed_piece / 2 && warps == 1 && plain && all.on_diagonals > 0 &&
                      all.of_entries == 0 && all.parts == 0 && all.saved == 0 &&
                      most_others * (all.in_lanes - all.on_diagonals) <= all.in_lanes &&
                      all.in_lanes < most_slices &&
                      most_others * all.pieces * packed_piece >= (most_others - 1) * all.steps_on_diagonals *
                                                                     packed_rows_on_diagonals *
                                                                     static_cast<std::int64_t>(value_bytes);
  if (!can_be || option == packed_diagonal_warps::fixed) return packed_rows_shared::never;
  return option == packed_diagonal_warps::by_rows ? packed_rows_shared::always
                                                  : packed_rows_shared::beyond_cache;
}

}  // namespace packed_code

}  // namespace gossamer::inline v0::formats
