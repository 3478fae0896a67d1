// SPDX-License-Identifier: BSD-3-Clause
// What stands where in a slice: 32 lanes with as many steps as the longest has entries, a header, and the arrays that the header names, one
// after another, each at a multiple of 16 bytes:
//   constants  the value of all entries, or one for each step
//   bases      for each step the number that its columns are counted from
//   starts     for each lane a number that is added to all of its columns
//   rows       of each row its distance from the header's
//   missing    for each lane the steps that it has no entry in
//   columns, values   a number for each lane and step
#pragma once

#include <cstdint>
#include <type_traits>

#include "exec/product.hpp"

namespace gossamer::inline v0::formats {

inline constexpr int packed_lanes = 32;
/// Arrays begin at multiples of so many bytes.
inline constexpr std::uint32_t packed_piece = 16;
/// Steps whose numbers of one lane lie side by side on a device, so that one load takes them; 1 on a CPU, whose vectors are lanes.
inline constexpr std::uint32_t packed_together_on_device = 4;

/// Bytes of a column beside base and start.
enum class packed_columns : std::uint32_t { none, one, two, four };
/// What is added to a lane's columns beside the step's base: nothing, its row counted from the header's, or a number that is given.
enum class packed_starts : std::uint32_t { zero, row, given };
/// One value for all; one for each step; 4 or 8 bits that count in the table of frequent values; 32-bit floating-point numbers that hold f64
/// exactly; the values themselves.
enum class packed_values : std::uint32_t { constant, of_step, table4, table8, narrow, full };

/// 16 bytes, one load.
struct packed_slice {
  std::uint32_t at = 0;  ///< where its arrays begin, in pieces
  std::int32_t row = 0;  ///< of the first lane, or what `rows` are counted from; of a part of a row its slot
  std::uint16_t steps = 0;     ///< of the longest lane
  std::uint16_t shortest = 0;  ///< steps that all 32 lanes have
  std::uint32_t bits = 0;

  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr packed_columns columns() const {
    return static_cast<packed_columns>(bits & 3u);
  }
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr packed_starts starts() const {
    return static_cast<packed_starts>(bits >> 2 & 3u);
  }
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr packed_values values() const {
    return static_cast<packed_values>(bits >> 4 & 7u);
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
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr int rows() const { return static_cast<int>(bits >> 16); }
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr bool is_full() const { return shortest == steps; }

  constexpr void set(packed_columns c, packed_starts s, packed_values v) {
    bits = (bits & ~0x7fu) | static_cast<std::uint32_t>(c) | static_cast<std::uint32_t>(s) << 2 |
           static_cast<std::uint32_t>(v) << 4;
  }
  constexpr void set_rows(int count, int log2_sharing, bool listed, bool part, bool many_missing) {
    bits = (bits & 0x7fu) | static_cast<std::uint32_t>(log2_sharing) << 7 | std::uint32_t{listed} << 10 |
           std::uint32_t{part} << 11 | std::uint32_t{many_missing} << 12 |
           static_cast<std::uint32_t>(count) << 16;
  }
};
static_assert(sizeof(packed_slice) == packed_piece && std::is_trivially_copyable_v<packed_slice>);

GOSSAMER_HOST_DEVICE constexpr std::uint32_t packed_rounded(std::uint32_t bytes) {
  return (bytes + packed_piece - 1) / packed_piece * packed_piece;
}

GOSSAMER_HOST_DEVICE constexpr std::uint32_t packed_column_bytes(packed_columns c) {
  return c == packed_columns::four ? 4u : static_cast<std::uint32_t>(c);
}

/// Where the arrays of a slice begin, in bytes from where the first one does.
struct packed_sections {
  std::uint32_t bases;
  std::uint32_t starts;
  std::uint32_t rows;
  std::uint32_t missing;
  std::uint32_t columns;
  std::uint32_t values;
  std::uint32_t end;
};

GOSSAMER_HOST_DEVICE constexpr packed_sections packed_sections_of(const packed_slice& s,
                                                                  std::uint32_t value_bytes) {
  const std::uint32_t steps = s.steps;
  const packed_values v = s.values();
  packed_sections at{};
  at.bases = v == packed_values::constant  ? packed_piece
             : v == packed_values::of_step ? packed_rounded(steps * value_bytes)
                                           : 0u;
  at.starts = at.bases + (s.columns() == packed_columns::four ? 0u : packed_rounded(steps * 4));
  at.rows = at.starts + (s.starts() == packed_starts::given ? packed_lanes * 4u : 0u);
  at.missing = at.rows + (s.lists_rows() ? packed_lanes * 2u : 0u);
  at.columns = at.missing + (s.is_full() ? 0u : packed_lanes * (s.misses_many() ? 2u : 1u));
  at.values = at.columns + packed_lanes * steps * packed_column_bytes(s.columns());
  at.end = at.values;
  if (v == packed_values::table4) at.end += (steps + 3) / 4 * packed_lanes * 2u;
  if (v == packed_values::table8) at.end += packed_lanes * steps;
  if (v == packed_values::narrow) at.end += packed_lanes * steps * 4u;
  if (v == packed_values::full) at.end += packed_lanes * steps * value_bytes;
  return at;
}

/// Where the number of a step and a lane stands: `together` steps of a lane lie side by side, those behind the last whole group by themselves.
GOSSAMER_HOST_DEVICE constexpr std::uint32_t packed_place(std::uint32_t step, std::uint32_t lane,
                                                          std::uint32_t steps, std::uint32_t together) {
  if (step >= steps / together * together) return step * packed_lanes + lane;
  return (step / together * packed_lanes + lane) * together + step % together;
}

/// Values of that many bytes that are together: as many as columns, but no more than fill 16 bytes.
GOSSAMER_HOST_DEVICE constexpr std::uint32_t packed_values_together(std::uint32_t together,
                                                                    std::uint32_t value_bytes) {
  const std::uint32_t most = packed_piece / value_bytes;
  return together < most ? together : most;
}

}  // namespace gossamer::inline v0::formats
