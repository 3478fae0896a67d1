// SPDX-License-Identifier: BSD-3-Clause
// The storage of packed: a header for each slice, and `data`, the encoded bytes of all slices. The header
// names the arrays of a slice. They follow each other in `data`, each at a multiple of 16 bytes. There are
// two kinds of slices: lane slices and COO slices. A diagonal slice is a lane slice whose rows lie on common
// diagonals.
//
// A lane slice has 32 lanes and as many steps as its longest lane has entries. Its arrays, in this order:
//   rows       for each row, its distance from the header's row
//   starts     for each lane, a number that is added to all of its columns
//   missing    for each lane, the number of steps that it lacks
//   bases      for each step, the minimum over the step's lanes of column - start
//   columns    for each lane and step, the delta: column - start - base. Elided deltas are not stored
//   values     for each lane and step, the encoded value; or one value for all; or one for each step
// A diagonal slice has up to 128 rows and a step for each of their diagonals. Lane l has the rows l, 32 + l,
// 64 + l and 96 + l. It has no rows, starts, missing and columns. Its other arrays:
//   bases      for each diagonal, its column in the first row
//   masks      for each diagonal, a bit for each row: whether it has an entry there. On a device a byte for
//              each lane and two diagonals: the lane's four rows on the first, then on the second
//   values     for each diagonal and row
// A COO slice has up to 256 entries of consecutive whole rows, in their order, without lanes and padding:
//   starts     for each row, a byte: how many entries of the slice come before it
//   columns    for each entry, its distance from the smallest column of the slice
//   values     for each entry; or one for all
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
/// Rows of a lane in a diagonal slice.
inline constexpr int packed_rows_of_lane = 4;
inline constexpr int packed_diagonal_slice_rows = packed_lanes * packed_rows_of_lane;
/// The most entries of a COO slice, and its most rows: the start of a row is a byte.
inline constexpr int packed_max_coo_entries = 256;
/// The least value of the option entries_per_slice. Smaller slices would be hardly more than their headers.
inline constexpr int packed_min_coo_entries = 32;
/// The size of a piece in bytes. Arrays begin at multiples of it.
inline constexpr std::uint32_t packed_piece = 16;
/// Steps whose deltas, or encoded values, of one lane are contiguous on a device, so that one load reads
/// them. On a CPU it is 1, since vectors go across lanes.
inline constexpr std::uint32_t packed_together_on_device = 4;

/// The most steps of a slice with elided deltas: its header has a bit for each.
inline constexpr int packed_max_masked_steps = 128;

/// Bytes of a delta. With `four` the column itself is stored, without base and start.
enum class packed_columns : std::uint32_t { none, one, two, four };
/// The start of a lane: zero, its row relative to the header's row, or a stored number.
enum class packed_starts : std::uint32_t { zero, row, given };
/// How values are stored: one for the slice; one for each step; an index of 4 or 8 bits into the table of
/// frequent values; 16 bits (packed_half), or 32 bits of an f64, that hold them exactly; uncompressed.
enum class packed_values : std::uint32_t { constant, of_step, table4, table8, half, narrow, full };

/// Which steps of a slice store their deltas. In the other steps each lane has the delta of the step before:
/// all lanes that have an entry in the step moved by the same distance, as between neighbours in x or the
/// unknowns of a node.
struct packed_delta_mask {
  std::uint32_t word[packed_max_masked_steps / 32] = {};

  GOSSAMER_HOST_DEVICE constexpr void add(std::int64_t step) { word[step / 32] |= 1u << step % 32; }
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr bool has(std::int64_t step) const {
    return (word[step / 32] >> step % 32 & 1u) != 0;
  }
  /// How many of the steps before `step` store their deltas.
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

/// The header of a slice: 32 bytes, one sector. With elided deltas the last four words are the delta mask,
/// and packed_opened() calculates where the arrays begin.
struct packed_slice {
  std::uint32_t at = 0;     ///< where its arrays begin in `data`, in pieces
  std::int32_t row = 0;     ///< its first row, or the row that `rows` are relative to; of a row part its slot
  std::uint16_t steps = 0;  ///< of the longest lane; diagonals; or the entries of a COO slice
  std::uint16_t shortest = 0;  ///< steps that all lanes have; 0 if a diagonal slice has holes
  std::uint32_t bits = 0;
  /// Where the masks begin, in bytes from `at`, like the next three. In a row part: the index of its cut row.
  std::uint32_t masks = 0;
  std::uint32_t columns_at = 0;
  std::uint32_t values_at = 0;
  std::uint32_t bases = 0;  ///< of a COO slice: its smallest column

  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr packed_columns columns() const {
    return static_cast<packed_columns>(bits & 3u);
  }
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr packed_starts starts() const {
    return static_cast<packed_starts>(bits >> 2 & 3u);
  }
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr packed_values values() const {
    return static_cast<packed_values>(bits >> 4 & 7u);
  }
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr bool uses_table() const {
    return values() == packed_values::table4 || values() == packed_values::table8;
  }
  /// log2 of the lanes that share a row.
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr int sharing() const {
    return static_cast<int>(bits >> 7 & 7u);
  }
  /// Its rows are listed; otherwise they are consecutive.
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr bool lists_rows() const { return (bits >> 10 & 1u) != 0; }
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr bool is_row_part() const { return (bits >> 11 & 1u) != 0; }
  /// `missing` has 2 bytes a lane instead of 1.
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr bool misses_many() const { return (bits >> 12 & 1u) != 0; }
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr bool is_diagonal_slice() const {
    return (bits >> 13 & 1u) != 0;
  }
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr bool is_coo_slice() const { return (bits >> 14 & 1u) != 0; }
  /// Possible for lane slices on a device, except diagonal slices and row parts.
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr bool elides_deltas() const { return (bits >> 15 & 1u) != 0; }
  /// Only for a slice that elides deltas.
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
  constexpr void set_coo_rows(int count) {
    bits = (bits & 0x7fu) | 1u << 14 | static_cast<std::uint32_t>(count) << 16;
  }
  GOSSAMER_HOST_DEVICE constexpr void set_delta_mask(const packed_delta_mask& mask) {
    bits |= 1u << 15;
    masks = mask.word[0];
    columns_at = mask.word[1];
    values_at = mask.word[2];
    bases = mask.word[3];
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

/// Slots of each lane.
GOSSAMER_HOST_DEVICE constexpr std::uint32_t packed_slots(const packed_slice& s) {
  return s.is_diagonal_slice() ? s.steps * packed_rows_of_lane : s.steps;
}

/// Deltas that each lane stores if some are elided: whole groups, since each group is one load.
GOSSAMER_HOST_DEVICE constexpr std::uint32_t packed_stored_deltas(const packed_delta_mask& mask) {
  return (static_cast<std::uint32_t>(mask.count()) + packed_together_on_device - 1) /
         packed_together_on_device * packed_together_on_device;
}

/// Sets where the arrays of a lane slice begin. Each lane stores `deltas` deltas.
GOSSAMER_HOST_DEVICE constexpr void place_columns(packed_slice& s, std::uint32_t deltas) {
  s.bases = s.missing_at() +
            (s.is_full() || s.is_diagonal_slice() ? 0u : packed_lanes * (s.misses_many() ? 2u : 1u));
  s.masks = s.bases + (s.columns() == packed_columns::four ? 0u : packed_rounded(s.steps * 4u));
  s.columns_at = s.masks + (s.is_diagonal_slice() && !s.is_full() ? (s.steps + 1u) / 2 * packed_lanes : 0u);
  s.values_at = s.columns_at + packed_lanes * deltas * packed_column_bytes(s.columns());
}

/// The header with the offsets of its arrays, also if it elides deltas. The offsets replace the delta mask:
/// call `delta_mask()` before.
GOSSAMER_HOST_DEVICE constexpr packed_slice packed_opened(packed_slice s) {
  if (s.elides_deltas()) place_columns(s, packed_stored_deltas(s.delta_mask()));
  return s;
}

/// Bytes of an encoded value, if each slot has one of at least a byte.
constexpr std::uint32_t packed_encoded_value_bytes(packed_values how, std::uint32_t value_bytes) {
  if (how == packed_values::table8) return 1;
  if (how == packed_values::half) return 2;
  return how == packed_values::narrow ? 4 : value_bytes;
}

/// Where the values of a slice end, in bytes from `at`.
constexpr std::uint32_t end_of_values(const packed_slice& s, std::uint32_t value_bytes) {
  const std::uint32_t slots = packed_slots(s);
  if (s.values() == packed_values::constant) return s.values_at + packed_piece;
  if (s.values() == packed_values::of_step) return s.values_at + packed_rounded(s.steps * value_bytes);
  if (s.values() == packed_values::table4) return s.values_at + (slots + 3) / 4 * packed_lanes * 2;
  return s.values_at + packed_lanes * slots * packed_encoded_value_bytes(s.values(), value_bytes);
}

/// Sets where the arrays of a lane slice begin, and returns their bytes.
constexpr std::uint32_t place_arrays(packed_slice& s, std::uint32_t value_bytes) {
  place_columns(s, packed_slots(s));
  return end_of_values(s, value_bytes);
}

/// The same for a COO slice.
constexpr std::uint32_t place_coo_arrays(packed_slice& s, std::uint32_t value_bytes) {
  s.columns_at = packed_rounded(static_cast<std::uint32_t>(s.rows()));
  s.values_at = s.columns_at + packed_rounded(s.steps * packed_column_bytes(s.columns()));
  std::uint32_t bytes = s.steps * packed_encoded_value_bytes(s.values(), value_bytes);
  if (s.values() == packed_values::constant || s.values() == packed_values::of_step) bytes = value_bytes;
  if (s.values() == packed_values::table4) bytes = (s.steps + 1u) / 2;
  return s.values_at + packed_rounded(bytes);
}

/// In a diagonal slice: the slot of a step and the slice's row r in its lane.
GOSSAMER_HOST_DEVICE constexpr std::uint32_t packed_diagonal_slot(std::uint32_t step, std::uint32_t r) {
  return step * packed_rows_of_lane + r / packed_lanes;
}
/// The byte of a step and a lane among the masks on a device, and the bit of the slice's row r in it.
GOSSAMER_HOST_DEVICE constexpr std::uint32_t packed_mask_byte(std::uint32_t step, std::uint32_t lane) {
  return step / 2 * packed_lanes + lane;
}
GOSSAMER_HOST_DEVICE constexpr std::uint32_t packed_mask_bit(std::uint32_t step, std::uint32_t r) {
  return packed_diagonal_slot(step % 2, r);
}

/// The position of slot `slot` of a lane that has `slots`: `together` slots of a lane are contiguous, and the
/// slots after the last whole group are stored one by one.
GOSSAMER_HOST_DEVICE constexpr std::uint32_t packed_place(std::uint32_t slot, std::uint32_t lane,
                                                          std::uint32_t slots, std::uint32_t together) {
  if (slot >= (slots & ~(together - 1))) return slot * packed_lanes + lane;
  // together is 1, 2 or 4, so a shift replaces a division, which would dominate the writing of slices.
  return (((slot >> together / 2) * packed_lanes + lane) << together / 2) + (slot & (together - 1));
}

/// Contiguous values of a lane: as many as deltas, but at most a piece.
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

/// How values of 2 bytes are decoded: f16 or bf16, one type for a whole matrix, with the same instructions.
/// The 16 bits are put into the upper half of a word, shifted `right` arithmetically and masked by `mask`.
/// The result is the upper word of a V (or all of it); times `scale` it is the value. All values are finite.
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
  /// How far the 15 bits after the sign are shifted left to become those of a V.
  [[nodiscard]] constexpr int left() const {
    return static_cast<int>(8 * sizeof(V)) - 16 - static_cast<int>(right);
  }
  /// Added to the shifted bits of a normal number.
  [[nodiscard]] constexpr bits_of_value<V> offset() const {
    return std::bit_cast<bits_of_value<V>>(scale) - std::bit_cast<bits_of_value<V>>(V{1});
  }
};

constexpr const short_float& packed_half_kind(bool bf16) {
  return bf16 ? float_bf16 : float_f16;
}

/// Whether two warps share the rows of a diagonal slice on a device, each with 64 of them.
enum class packed_rows_shared : std::int32_t {
  never,
  beyond_cache,  ///< if `data` is larger than the device's second-level cache
  always
};

struct packed_meta {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::int64_t slices = 0;
  std::int32_t log2_warps = 0;  ///< cuda: warps that share the steps of a slice
  packed_rows_shared rows_shared = packed_rows_shared::never;  ///< cuda; only if a slice has one warp
  std::int64_t longest_part = 0;   ///< entries of a row part, except the last of a row
  std::int64_t coo_slices = 0;     ///< on a device they come last, and launch_policy.hpp orders the others
  std::uint32_t together = 1;      ///< packed_together_on_device, or 1 on a CPU
  bool bf16 = false;               ///< values of 2 bytes are bf16, not f16
  bool has_halves = false;         ///< some slice has such values
  bool has_elided_deltas = false;  ///< some slice elides deltas
  std::int64_t units = 0;          ///< cpu
  bool units_have_rows = false;    ///< cpu: each unit has all of its rows, and they are contiguous
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
  const std::int32_t* unit_row;
  packed_half<V> half;
  exec::carry_view carries;
};

template <class T, template <class> class Buffer>
struct packed_storage {
  packed_meta meta;
  /// At most 256 frequent finite values, the most frequent first; empty if no slice uses it.
  Buffer<T> table;
  Buffer<packed_slice> slice;
  Buffer<std::uint8_t> data;        ///< the arrays of each slice, and zeros after the last
  Buffer<std::int32_t> unit_slice;  ///< cpu: units + 1
  Buffer<std::int32_t> unit_row;    ///< cpu: units + 1 first rows; zeros if not units_have_rows
  exec::carry_list<Buffer> carries;

  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    f("table", self.table);
    f("slice", self.slice);
    f("data", self.data);
    f("unit_slice", self.unit_slice);
    f("unit_row", self.unit_row);
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
            .unit_row = unit_row.data(),
            .half = packed_half<T>::of(meta.bf16),
            .carries = exec::view_of(carries, meta.carries)};
  }
};

}  // namespace gossamer::inline v0::formats
