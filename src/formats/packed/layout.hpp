// SPDX-License-Identifier: BSD-3-Clause
// What stands where in a slice: a header, and the arrays that it names, one after another, each at a multiple
// of 16 bytes. A slice is 32 lanes with as many steps as the longest has entries, or, on diagonals, 128 rows
// with a step for each diagonal that any of them has; lane l has rows l, 32 + l, 64 + l and 96 + l then, and
// a number for each of them and each step. Or it is up to 256 entries of consecutive rows in their order,
// without lanes or padding, and a row lies in one slice.
//   rows       of each row its distance from the header's
//   starts     for each lane a number that is added to all of its columns
//   missing    for each lane the steps that it has no entry in
//   bases      for each step the number that its columns are counted from; of a diagonal the column in the
//              first row
//   masks      on diagonals, for each step a bit for each row that has an entry there; on a device, for each
//              two steps a byte for each lane, whose bits are its four rows in the first, then in the second
//   columns    a number for each lane and step, or, where steps repeat numbers, for each step that has some
//              of its own
//   values     a number for each lane and step; or the value of all entries, or one for each step
// A slice of entries has starts, a byte for each row, also without entries: how many of the slice's entries
// stand before it; and columns, counted from the slice's smallest, and values, a number for each entry.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/short_float.hpp"
#include "exec/product.hpp"
#include "exec/reduction/carries.hpp"
#include "formats/common/frequent_values.hpp"

namespace gossamer::inline v0::formats {

inline constexpr int packed_lanes = 32;
/// On diagonals.
inline constexpr int packed_rows_of_lane = 4;
inline constexpr int packed_rows_on_diagonals = packed_lanes * packed_rows_of_lane;
/// Entries, and rows, of a slice of entries at most: where a row begins among them is a byte.
inline constexpr int packed_most_entries = 256;
/// What entries_per_slice may be at least: with fewer a slice is hardly more than its header.
inline constexpr int packed_least_entries = 32;
/// Arrays begin at multiples of so many bytes.
inline constexpr std::uint32_t packed_piece = 16;
/// Steps whose numbers of one lane lie side by side on a device, so that one load takes them; 1 on a CPU,
/// whose vectors are lanes.
inline constexpr std::uint32_t packed_together_on_device = 4;

/// Steps of a slice that may repeat numbers at most: as many as its header has bits for.
inline constexpr int packed_max_masked_steps = 128;

/// Bytes of a column beside base and start.
enum class packed_columns : std::uint32_t { none, one, two, four };
/// What is added to a lane's columns beside the step's base: nothing, its row counted from the header's, or a
/// number that is given.
enum class packed_starts : std::uint32_t { zero, row, given };
/// One value for all; one for each step; 4 or 8 bits that count in the table of frequent values;
/// floating-point numbers of 16 bits (packed_half), or of 32 for f64, that hold them exactly; the values
/// themselves.
enum class packed_values : std::uint32_t { constant, of_step, table4, table8, half, narrow, full };

/// Which steps of a slice have numbers for their columns. In the others each lane has the number that it has
/// in the step before, which a step has whose columns are as far from those of the step before in all lanes
/// that have it: neighbours in x, or the unknowns of a node.
struct packed_delta_mask {
  std::uint32_t word[packed_max_masked_steps / 32] = {};

  GOSSAMER_HOST_DEVICE constexpr void add(std::int64_t step) { word[step / 32] |= 1u << step % 32; }
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr bool has(std::int64_t step) const {
    return (word[step / 32] >> step % 32 & 1u) != 0;
  }
  /// How many of the steps before `step` have some.
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr int before(std::int64_t step) const {
    int count = 0;
    for (std::int64_t w = 0; w < step / 32; ++w) count += ones(word[w]);
    return step % 32 == 0 ? count : count + ones(word[step / 32] & ((1u << step % 32) - 1));
  }
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr int count() const { return before(packed_max_masked_steps); }

 private:
  GOSSAMER_HOST_DEVICE static constexpr int ones(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
    return __popc(bits);
#else
    return std::popcount(bits);
#endif
  }
};

/// 32 bytes, one sector. Where steps repeat numbers the last four words say which do not, and where the
/// arrays begin follows from that (packed_opened()).
struct packed_slice {
  std::uint32_t at = 0;  ///< where its arrays begin, in pieces
  std::int32_t row = 0;  ///< of the first lane, or what `rows` are counted from; of a part of a row its slot
  std::uint16_t steps = 0;     ///< of the longest lane, or diagonals, or entries
  std::uint16_t shortest = 0;  ///< steps that all lanes have; 0 where a row lacks a diagonal; or entries
  std::uint32_t bits = 0;
  /// This and the next: where they begin, in bytes behind `at`; of a part of a row not that but its row's
  /// number among those that are cut
  std::uint32_t masks = 0;
  std::uint32_t columns_at = 0;
  std::uint32_t values_at = 0;
  std::uint32_t bases = 0;  ///< of entries not that but their smallest column

  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr packed_columns columns() const {
    return static_cast<packed_columns>(bits & 3u);
  }
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr packed_starts starts() const {
    return static_cast<packed_starts>(bits >> 2 & 3u);
  }
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr packed_values values() const {
    return static_cast<packed_values>(bits >> 4 & 7u);
  }
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr bool counts_in_table() const {
    return values() == packed_values::table4 || values() == packed_values::table8;
  }
  /// log2 of the lanes that share a row.
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr int sharing() const {
    return static_cast<int>(bits >> 7 & 7u);
  }
  /// Its rows are listed; else they follow each other.
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr bool lists_rows() const { return (bits >> 10 & 1u) != 0; }
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr bool is_part() const { return (bits >> 11 & 1u) != 0; }
  /// `missing` has 2 bytes a lane, else 1.
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr bool misses_many() const { return (bits >> 12 & 1u) != 0; }
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr bool on_diagonals() const { return (bits >> 13 & 1u) != 0; }
  /// Its entries are in the order of their rows, each in one place.
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr bool of_entries() const { return (bits >> 14 & 1u) != 0; }
  /// Only what a device multiplies, in lanes, and no part of a row.
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr bool elides_deltas() const { return (bits >> 15 & 1u) != 0; }
  /// Of one whose steps repeat numbers.
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr packed_delta_mask delta_mask() const {
    return {{masks, columns_at, values_at, bases}};
  }
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr int rows() const { return static_cast<int>(bits >> 16); }
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr bool is_full() const { return shortest == steps; }
  /// Where `starts` and `missing` begin; `rows` are the first.
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr std::uint32_t starts_at() const {
    return lists_rows() ? packed_lanes * 2u : 0u;
  }
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr std::uint32_t missing_at() const {
    return starts_at() + (starts() == packed_starts::given ? packed_lanes * 4u : 0u);
  }

  constexpr void set(packed_columns c, packed_starts s, packed_values v) {
    bits = (bits & ~0x7fu) | static_cast<std::uint32_t>(c) | static_cast<std::uint32_t>(s) << 2 |
           static_cast<std::uint32_t>(v) << 4;
  }
  constexpr void set_rows(int count, int log2_sharing, bool listed, bool part, bool many_missing,
                          bool diagonals) {
    bits = (bits & 0x7fu) | static_cast<std::uint32_t>(log2_sharing) << 7 | std::uint32_t{listed} << 10 |
           std::uint32_t{part} << 11 | std::uint32_t{many_missing} << 12 | std::uint32_t{diagonals} << 13 |
           static_cast<std::uint32_t>(count) << 16;
  }
  constexpr void set_rows_of_entries(int count) {
    bits = (bits & 0x7fu) | 1u << 14 | static_cast<std::uint32_t>(count) << 16;
  }
  GOSSAMER_HOST_DEVICE constexpr void set_delta_mask(const packed_delta_mask& own) {
    bits |= 1u << 15;
    masks = own.word[0];
    columns_at = own.word[1];
    values_at = own.word[2];
    bases = own.word[3];
  }
};
static_assert(sizeof(packed_slice) == 2 * std::size_t{packed_piece} &&
              std::is_trivially_copyable_v<packed_slice>);

GOSSAMER_HOST_DEVICE constexpr std::uint32_t packed_rounded(std::uint32_t bytes) {
  return (bytes + packed_piece - 1) / packed_piece * packed_piece;
}

GOSSAMER_HOST_DEVICE constexpr std::uint32_t packed_column_bytes(packed_columns c) {
  return c == packed_columns::four ? 4u : static_cast<std::uint32_t>(c);
}

/// Numbers that each lane has of values, and of columns where there are any.
GOSSAMER_HOST_DEVICE constexpr std::uint32_t packed_slots(const packed_slice& s) {
  return s.on_diagonals() ? s.steps * packed_rows_of_lane : s.steps;
}

/// Numbers that each lane has of columns where steps repeat them: whole groups, which are one load each.
GOSSAMER_HOST_DEVICE constexpr std::uint32_t packed_stored_deltas(const packed_delta_mask& own) {
  return (static_cast<std::uint32_t>(own.count()) + packed_together_on_device - 1) /
         packed_together_on_device * packed_together_on_device;
}

/// Fills in where the arrays of a slice begin, whose lanes have so many numbers each for their columns.
GOSSAMER_HOST_DEVICE constexpr void place_columns(packed_slice& s, std::uint32_t numbers) {
  s.bases =
      s.missing_at() + (s.is_full() || s.on_diagonals() ? 0u : packed_lanes * (s.misses_many() ? 2u : 1u));
  s.masks = s.bases + (s.columns() == packed_columns::four ? 0u : packed_rounded(s.steps * 4u));
  s.columns_at = s.masks + (s.on_diagonals() && !s.is_full() ? (s.steps + 1u) / 2 * packed_lanes : 0u);
  s.values_at = s.columns_at + packed_lanes * numbers * packed_column_bytes(s.columns());
}

/// The header with where the arrays begin, also of a slice whose steps repeat numbers: it is to be asked for
/// `delta_mask()` before.
GOSSAMER_HOST_DEVICE constexpr packed_slice packed_opened(packed_slice s) {
  if (s.elides_deltas()) place_columns(s, packed_stored_deltas(s.delta_mask()));
  return s;
}

/// Bytes of the number that a slot has for its value, where each has one.
constexpr std::uint32_t packed_number_bytes(packed_values how, std::uint32_t value_bytes) {
  if (how == packed_values::table8) return 1;
  if (how == packed_values::half) return 2;
  return how == packed_values::narrow ? 4 : value_bytes;
}

/// Behind the values of a slice, whose header says where they begin.
constexpr std::uint32_t end_of_values(const packed_slice& s, std::uint32_t value_bytes) {
  const std::uint32_t slots = packed_slots(s);
  if (s.values() == packed_values::constant) return s.values_at + packed_piece;
  if (s.values() == packed_values::of_step) return s.values_at + packed_rounded(s.steps * value_bytes);
  if (s.values() == packed_values::table4) return s.values_at + (slots + 3) / 4 * packed_lanes * 2;
  return s.values_at + packed_lanes * slots * packed_number_bytes(s.values(), value_bytes);
}

/// Fills in where the arrays begin, and returns the bytes of all of them.
constexpr std::uint32_t place_arrays(packed_slice& s, std::uint32_t value_bytes) {
  place_columns(s, packed_slots(s));
  return end_of_values(s, value_bytes);
}

/// The same of a slice of entries.
constexpr std::uint32_t place_entries(packed_slice& s, std::uint32_t value_bytes) {
  s.columns_at = packed_rounded(static_cast<std::uint32_t>(s.rows()));
  s.values_at = s.columns_at + packed_rounded(s.steps * packed_column_bytes(s.columns()));
  std::uint32_t bytes = s.steps * packed_number_bytes(s.values(), value_bytes);
  if (s.values() == packed_values::constant || s.values() == packed_values::of_step) bytes = value_bytes;
  if (s.values() == packed_values::table4) bytes = (s.steps + 1u) / 2;
  return s.values_at + packed_rounded(bytes);
}

/// On diagonals: the slot of a step and row number r in its lane.
GOSSAMER_HOST_DEVICE constexpr std::uint32_t packed_diagonal_slot(std::uint32_t step, std::uint32_t r) {
  return step * packed_rows_of_lane + r / packed_lanes;
}
/// The byte of a step and a lane among masks on a device, and in it the bit of row number r.
GOSSAMER_HOST_DEVICE constexpr std::uint32_t packed_mask_byte(std::uint32_t step, std::uint32_t lane) {
  return step / 2 * packed_lanes + lane;
}
GOSSAMER_HOST_DEVICE constexpr std::uint32_t packed_mask_bit(std::uint32_t step, std::uint32_t r) {
  return packed_diagonal_slot(step % 2, r);
}

/// Where number `slot` of a lane that has `slots` stands: `together` of a lane lie side by side, those behind
/// the last whole group alone.
GOSSAMER_HOST_DEVICE constexpr std::uint32_t packed_place(std::uint32_t slot, std::uint32_t lane,
                                                          std::uint32_t slots, std::uint32_t together) {
  if (slot >= (slots & ~(together - 1))) return slot * packed_lanes + lane;
  // together is 1, 2 or 4: a division would take longer than all else where slices are written.
  return (((slot >> together / 2) * packed_lanes + lane) << together / 2) + (slot & (together - 1));
}

/// Values of that many bytes that are together: as many as columns, but no more than fill 16 bytes.
GOSSAMER_HOST_DEVICE constexpr std::uint32_t packed_values_together(std::uint32_t together,
                                                                    std::uint32_t value_bytes) {
  const std::uint32_t most = packed_piece / value_bytes;
  return together < most ? together : most;
}

namespace packed_code {

template <class Number>
void put(std::uint8_t* to, std::uint32_t place, Number number) {
  std::memcpy(to + std::size_t{place} * sizeof(Number), &number, sizeof(Number));
}
template <class Number>
Number get(const std::uint8_t* from, std::uint32_t place) {
  Number number;
  std::memcpy(&number, from + std::size_t{place} * sizeof(Number), sizeof(Number));
  return number;
}

}  // namespace packed_code

/// Values of 2 bytes, f16 or bf16: one kind for a whole matrix, as numbers that kernels calculate with, so
/// that they have one code for both. Only finite ones are stored. Of the 16 bits, in the upper half of a word
/// and moved `right` with their sign, those of `mask` are the upper word of a V (or all of it) that is the
/// value over `scale`.
template <class V>
struct packed_half {
  std::uint32_t right;
  std::uint32_t mask;
  V scale;

  static constexpr packed_half of(bool bf16) {
    packed_half made{};
    if constexpr (sizeof(V) == sizeof(double)) {
      made.right = bf16 ? 3 : 6;
      made.scale = bf16 ? 0x1p896 : 0x1p1008;
    } else {
      made.right = bf16 ? 0 : 3;
      made.scale = bf16 ? 1.0f : 0x1p112f;
    }
    made.mask = 0x80000000u | 0x7fff0000u >> made.right;
    return made;
  }
  /// How far the 15 bits behind the sign are moved left to be those of a V.
  [[nodiscard]] constexpr int left() const {
    return static_cast<int>(8 * sizeof(V)) - 16 - static_cast<int>(right);
  }
  /// What is added to those of a normal number.
  [[nodiscard]] constexpr bits_of_value<V> offset() const {
    return std::bit_cast<bits_of_value<V>>(scale) - std::bit_cast<bits_of_value<V>>(V{1});
  }
};

constexpr const short_float& packed_half_kind(bool bf16) {
  return bf16 ? float_bf16 : float_f16;
}

/// Whether two warps share a slice on diagonals by its rows, each with half of them, on a device.
enum class packed_rows_shared : std::int32_t {
  never,
  beyond_cache,  ///< where the encoded bytes are more than the device's second-level cache holds
  always
};

struct packed_meta {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::int64_t slices = 0;
  std::int32_t log2_warps = 0;  ///< cuda: warps of a slice, which take its steps in turns
  packed_rows_shared rows_shared = packed_rows_shared::never;  ///< cuda; only where a slice has one warp
  std::int64_t longest_part = 0;                               ///< entries of a part of a row but the last
  std::int64_t of_entries =
      0;  ///< slices of those; on a device they come last, and others as launch_policy.hpp says
  std::uint32_t together = 1;      ///< packed_together_on_device, or 1 on a CPU
  bool bf16 = false;               ///< values of 2 bytes are bf16, not f16
  bool has_halves = false;         ///< some slice has such values
  bool has_elided_deltas = false;  ///< some slice has steps that repeat numbers
  std::int64_t units = 0;          ///< cpu
  exec::carry_counts carries;
  friend constexpr bool operator==(const packed_meta&, const packed_meta&) = default;
};

template <class V>
struct packed_pointers {
  packed_meta meta;
  std::int64_t table_size;
  const V* table;
  const packed_slice* slice;
  const std::uint8_t* data;
  std::int64_t data_bytes;
  const std::int32_t* unit_slice;
  packed_half<V> half;
  exec::carry_view carries;
};

template <class T, template <class> class Buffer>
struct packed_storage {
  packed_meta meta;
  /// At most 256: the most frequent finite values, the most frequent first; none where no slice counts in it.
  Buffer<T> table;
  Buffer<packed_slice> slice;
  Buffer<std::uint8_t>
      data;  ///< of each slice what the top of this file lists, and behind the last some zeros
  Buffer<std::int32_t> unit_slice;  ///< cpu: units + 1
  exec::carry_list<Buffer> carries;

  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    f("table", self.table);
    f("slice", self.slice);
    f("data", self.data);
    f("unit_slice", self.unit_slice);
    exec::carry_list<Buffer>::arrays(self.carries, f);
  }

  [[nodiscard]] packed_pointers<T> view() const {
    return {.meta = meta,
            .table_size = static_cast<std::int64_t>(table.size()),
            .table = table.data(),
            .slice = slice.data(),
            .data = data.data(),
            .data_bytes = static_cast<std::int64_t>(data.size()),
            .unit_slice = unit_slice.data(),
            .half = packed_half<T>::of(meta.bf16),
            .carries = exec::view_of(carries, meta.carries)};
  }
};

}  // namespace gossamer::inline v0::formats
