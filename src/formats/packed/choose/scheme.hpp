// SPDX-License-Identifier: BSD-3-Clause
// The rules by which a matrix is cut into slices and encoded, the costs of the layouts of a window, and the
// counts of slices and bytes that follow.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "formats/common/equal_cuts.hpp"
#include "formats/packed/choose/values.hpp"

namespace gossamer::inline v0::formats {

/// Which windows become COO slices.
enum class packed_short_rows : std::int32_t { automatic, padded, entries };

/// Whether diagonal slices get more warps than warps_per_slice: more warps if slices are few, or two warps
/// that share the rows of a slice.
enum class packed_diagonal_warps : std::int32_t { automatic, fixed, scaled, by_rows };

/// The type that values are rounded to before they are encoded.
enum class packed_precision : std::int32_t { full, f32, f16, bf16 };
/// Whether values are encoded in as few bytes as each slice needs.
enum class packed_value_storage : std::int32_t { automatic, encoded, whole };
/// Whether steps of a lane slice may elide their deltas, on a device.
enum class packed_elided_deltas : std::int32_t { automatic, always, never };

/// Entries that the lanes of a whole device process in one iteration of eight steps.
inline constexpr std::int64_t packed_entries_at_once = std::int64_t{1} << 20;

/// Entries beyond which a matrix in f32 is read from device memory rather than from the L2 cache.
inline constexpr std::int64_t packed_entries_in_cache = std::int64_t{1} << 23;

/// Estimated bytes of a slot, before it is encoded, if the table has all values: one of value, two of column.
inline constexpr std::int64_t packed_slot_bytes_by_table = 3;

/// Costs in bytes, as are all `slot_bytes`. They are integers, so host and device decide alike.
struct packed_costs {
  /// On a device the cost of a slice is the latency of its loads, in bytes that could be read meanwhile. On a
  /// CPU it is the cost of mispredicted branches.
  std::int64_t warps;  ///< that share the steps of a lane slice, in groups of eight
  std::int64_t lane_slice;
  std::int64_t eight_more_steps;
  std::int64_t coo_slice;
  std::int64_t coo_slice_with_table;  ///< if the table has all values
  /// A row of a COO slice: its start, and an iteration of the loop that writes y.
  std::int64_t coo_row;

  /// COO slices have fewer dependent loads. They are cheaper in small matrices, whose warps all run at once,
  /// and in f32, where adding rows takes half the time. They are cheaper still in large matrices in f32: more
  /// warps are resident than of lane slices, so more loads are under way (docs/notes/packed-constants.md).
  static constexpr packed_costs on_device(std::int64_t warps_per_slice, std::size_t value_bytes,
                                          std::int64_t entries) {
    const bool is_small = entries <= packed_entries_at_once;
    const bool is_large = entries > packed_entries_in_cache;
    const bool is_f32 = value_bytes == sizeof(float);
    return {.warps = warps_per_slice,
            .lane_slice = 1600,
            .eight_more_steps = 1000,
            .coo_slice = is_large && is_f32   ? 1330
                         : is_small || is_f32 ? 1650
                                              : 2000,
            .coo_slice_with_table = is_small && is_f32 ? 1650 : 2500,
            .coo_row = 2};
  }
  static constexpr packed_costs on_cpu() {
    return {.warps = 1,
            .lane_slice = 64,
            .eight_more_steps = 0,
            .coo_slice = 400,
            .coo_slice_with_table = 400,
            .coo_row = 4};
  }
};

/// packed_sorting_costs(), packed_fill::cost() and packed_cost_of_coo_slices() return fiftieths of a byte.
/// This factor converts bytes to that unit.
inline constexpr std::int64_t packed_cost_of_a_byte = 50;

/// The cost of sorting a window, in fiftieths of a byte. It is 6 bytes a row for its index and the scattered
/// y, and a fiftieth of the entries' bytes for x that neighbouring rows no longer share.
constexpr std::int64_t packed_sorting_costs(std::int64_t rows, std::int64_t entries,
                                            std::int64_t slot_bytes) {
  constexpr std::int64_t sorted_row = 6;
  return sorted_row * rows * packed_cost_of_a_byte + entries * slot_bytes;
}

/// Slots and slices of some lane slices.
struct packed_fill {
  std::int64_t slots = 0;
  std::int64_t slices = 0;
  std::int64_t eights = 0;  ///< groups of eight steps, without the first group of each slice

  constexpr void add(std::int64_t steps, std::int64_t lanes) {
    constexpr std::int64_t at_once = 8;
    slots += steps * lanes;
    ++slices;
    if (steps > 0) eights += (steps - 1) / at_once;
  }
  /// In fiftieths of a byte. Each group of eight steps after a warp's first costs `eight_more_steps`.
  [[nodiscard]] constexpr std::int64_t cost(const packed_costs& of, std::int64_t slot_bytes) const {
    const std::int64_t without = slices * (of.warps - 1);
    const std::int64_t later_eights = eights > without ? eights - without : 0;
    return packed_cost_of_a_byte *
           (slots * slot_bytes + slices * of.warps * of.lane_slice + later_eights * of.eight_more_steps);
  }
};

/// The cost of COO slices, in fiftieths of a byte.
constexpr std::int64_t packed_cost_of_coo_slices(const packed_costs& of, std::int64_t slot_bytes,
                                                 std::int64_t rows, std::int64_t entries,
                                                 std::int64_t slices) {
  const std::int64_t slice =
      slot_bytes == packed_slot_bytes_by_table ? of.coo_slice_with_table : of.coo_slice;
  return packed_cost_of_a_byte * (entries * slot_bytes + rows * of.coo_row + slices * slice);
}

/// The rules by which rows are cut into slices.
struct packed_cut_rules {
  std::int64_t longest_walk;
  std::int64_t longest_part;
  std::int64_t entries_per_slice;
  packed_short_rows short_rows;
  packed_costs costs;

  /// Options: those of packed.
  template <class Options>
  static constexpr packed_cut_rules of(const Options& o, bool on_device, std::size_t value_bytes,
                                       std::int64_t entries) {
    return {.longest_walk = o.longest_walk,
            .longest_part = o.longest_part,
            .entries_per_slice = o.entries_per_slice,
            .short_rows = o.short_rows,
            .costs = on_device ? packed_costs::on_device(o.warps_per_slice, value_bytes, entries)
                               : packed_costs::on_cpu()};
  }
};

namespace packed_code {

/// Zero bytes after the last slice, so that a whole vector can be loaded at any entry.
inline constexpr std::int64_t behind_the_last = 64;

template <value V>
constexpr std::int64_t slot_bytes_of(packed_precision to) {
  if (to == packed_precision::full) return sizeof(V) + 2;
  return to == packed_precision::f32 ? 6 : 4;
}

/// Whether the slices of a matrix on a device are searched for elidable deltas. Matrices with fewer entries
/// or shorter rows are not limited by the bytes of A (docs/notes/packed-encodings.md).
constexpr bool looks_for_elidable_deltas(packed_elided_deltas option, std::int64_t rows,
                                         std::int64_t entries) {
  constexpr std::int64_t least = std::int64_t{3} << 20;
  constexpr std::int64_t least_in_a_row = 16;  // in the mean
  return option == packed_elided_deltas::always ||
         (option == packed_elided_deltas::automatic && entries >= least && entries >= least_in_a_row * rows);
}

/// How a matrix is cut and encoded. Measuring and building use the same scheme.
template <value V>
struct scheme : packed_cut_rules {
  std::vector<V> table;
  value_index<V> index;
  std::int64_t slot_bytes;
  packed_encoding<V> encoding;

  /// Options: those of packed, whose header includes this one.
  template <class Options>
  scheme(value_table<V> frequent, const Options& o, bool on_device, std::int64_t rows, std::int64_t entries)
      : packed_cut_rules(of(o, on_device, sizeof(V), entries)),
        table(std::move(frequent.values)),
        index(table),
        slot_bytes(frequent.holds_all ? packed_slot_bytes_by_table : slot_bytes_of<V>(o.precision)),
        encoding{.table = &index,
                 .together = on_device ? packed_together_on_device : 1,
                 .bf16 = o.precision == packed_precision::bf16,
                 .whole = o.values == packed_value_storage::whole,
                 .may_elide = on_device && looks_for_elidable_deltas(o.elided_deltas, rows, entries)} {}
  scheme(const scheme&) = delete;
  scheme& operator=(const scheme&) = delete;
};

/// Counts of the slices of a window; or their sums over all windows before it.
struct cut_amounts {
  std::int64_t lane_slices = 0;
  std::int64_t coo_slices = 0;
  std::int64_t diagonal_slices = 0;  ///< they are lane slices too
  std::int64_t diagonal_steps = 0;
  std::int64_t row_parts = 0;
  std::int64_t cut_rows = 0;
  // With short_rows = auto, in fiftieths of a byte:
  std::int64_t cost = 0;
  std::int64_t lane_cost = 0;  ///< if all windows had lane slices
  std::int64_t coo_cost = 0;   ///< if all windows had COO slices

  [[nodiscard]] GOSSAMER_HOST_DEVICE std::int64_t slices() const { return lane_slices + coo_slices; }
  GOSSAMER_HOST_DEVICE friend cut_amounts operator+(const cut_amounts& a, const cut_amounts& b) {
    return {.lane_slices = a.lane_slices + b.lane_slices,
            .coo_slices = a.coo_slices + b.coo_slices,
            .diagonal_slices = a.diagonal_slices + b.diagonal_slices,
            .diagonal_steps = a.diagonal_steps + b.diagonal_steps,
            .row_parts = a.row_parts + b.row_parts,
            .cut_rows = a.cut_rows + b.cut_rows,
            .cost = a.cost + b.cost,
            .lane_cost = a.lane_cost + b.lane_cost,
            .coo_cost = a.coo_cost + b.coo_cost};
  }
};

/// The same counts, with those of the encoded slices.
struct amounts : cut_amounts {
  std::int64_t table_slices = 0;  ///< slices that use the table
  std::int64_t half_slices = 0;   ///< slices with values of 2 bytes
  std::int64_t pieces = 0;
  std::int64_t saved_pieces = 0;  ///< pieces that elided deltas save

  void add(const amounts& other) {
    for (const auto member : members) this->*member += other.*member;
  }

  static constexpr std::array<std::int64_t amounts::*, 13> members = {
      &amounts::lane_slices,    &amounts::coo_slices,  &amounts::diagonal_slices,
      &amounts::diagonal_steps, &amounts::row_parts,   &amounts::cut_rows,
      &amounts::table_slices,   &amounts::half_slices, &amounts::pieces,
      &amounts::saved_pieces,   &amounts::cost,        &amounts::lane_cost,
      &amounts::coo_cost};
};

/// The weight of a slice's header and its y. Each piece of its arrays weighs 1. Work units have about equal
/// weight.
inline constexpr std::int64_t pieces_of_a_slice = 16;

inline unit_size units_of(std::int64_t pieces, std::int64_t slices) {
  return cpu_units(pieces + slices * pieces_of_a_slice);
}

/// On a device a matrix has no COO slices if they are few, since the kernel for both kinds is slower for lane
/// slices. This is true if they are few. The matrix is then cut into lane slices only, and
/// drops_coo_slices() states whether that needs hardly more slices.
constexpr bool may_drop_coo_slices(packed_short_rows short_rows, std::int64_t lane_slices,
                                   std::int64_t coo_slices, const packed_costs& costs) {
  constexpr std::int64_t few = 32;
  return short_rows == packed_short_rows::automatic && coo_slices > 0 &&
         coo_slices * few < lane_slices * costs.warps;
}
constexpr bool drops_coo_slices(std::int64_t padded, std::int64_t lane_slices, std::int64_t coo_slices) {
  constexpr std::int64_t most_for_one = 4;
  return padded <= lane_slices + coo_slices * most_for_one;
}

/// Whether a small matrix with few lane slices is cut again into COO slices only, which the faster kernel
/// multiplies. The result is used if no lane slice remains: diagonal slices and rows that are longer than a
/// COO slice need them (docs/notes/packed-constants.md).
constexpr bool may_drop_lane_slices(packed_short_rows short_rows, std::int64_t lane_slices,
                                    std::int64_t coo_slices, std::int64_t row_parts, std::int64_t entries) {
  constexpr std::int64_t few = 8;
  return short_rows == packed_short_rows::automatic && lane_slices > 0 && row_parts == 0 &&
         lane_slices * few <= coo_slices && entries <= packed_entries_at_once;
}

/// The kind of slices that a large matrix has on a device, if slices of both kinds cost hardly less than that
/// kind alone; else automatic. The kernel for both kinds needs more registers than each of the others, so it
/// has fewer loads under way (docs/notes/packed-constants.md). Diagonal slices are lane slices.
constexpr packed_short_rows only_kind(packed_short_rows short_rows, const cut_amounts& all,
                                      std::int64_t entries) {
  if (short_rows != packed_short_rows::automatic || all.lane_slices == 0 || all.coo_slices == 0 ||
      entries <= packed_entries_at_once)
    return packed_short_rows::automatic;
  const auto costs_hardly_more = [&](std::int64_t cost) { return cost <= all.cost + all.cost / 16; };
  const bool may_have_coo_slices_only = all.diagonal_slices == 0 && all.coo_cost < all.lane_cost;
  if (may_have_coo_slices_only && costs_hardly_more(all.coo_cost)) return packed_short_rows::entries;
  return costs_hardly_more(all.lane_cost) ? packed_short_rows::padded : packed_short_rows::automatic;
}
constexpr bool has_only(packed_short_rows kind, const cut_amounts& all) {
  return kind == packed_short_rows::padded || all.lane_slices == 0;
}

/// Whether a matrix on a device may elide deltas: the kernel for it has no code for COO slices and row parts.
constexpr bool may_elide_deltas(std::int64_t coo_slices, std::int64_t row_parts) {
  return coo_slices == 0 && row_parts == 0;
}
/// Whether elided deltas save enough of a matrix that takes `pieces` with them and `pieces` + `saved`
/// without. They take more instructions, so they slow down products that are not limited by memory traffic
/// (docs/notes/packed-encodings.md).
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

}  // namespace packed_code

}  // namespace gossamer::inline v0::formats
