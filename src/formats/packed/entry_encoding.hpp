// SPDX-License-Identifier: BSD-3-Clause
// Slices of entries: for rows that are short or of all lengths, whose padding would cost more than what they
// have in common saves. There is no padding and no sorting; a row lies in one slice. The arrays:
//   starts     for each row, also without entries, how many of the slice's entries stand before it, in a byte
//   columns    of each entry, counted from the slice's smallest
//   values     of each entry, or the value of all
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>

#include "formats/packed/value_choice.hpp"

namespace gossamer::inline v0::formats::packed_code {

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

constexpr std::uint32_t bytes_of_codes(std::uint32_t entries, packed_values how, std::uint32_t value_bytes) {
  switch (how) {
    case packed_values::constant:
    case packed_values::of_step:
      return value_bytes;
    case packed_values::table4:
      return (entries + 1) / 2;
    case packed_values::table8:
      return entries;
    case packed_values::half:
      return entries * 2;
    case packed_values::narrow:
      return entries * 4;
    case packed_values::full:
      break;
  }
  return entries * value_bytes;
}

/// Fills in where the arrays begin, and returns the bytes of all of them.
constexpr std::uint32_t place_entries(packed_slice& s, std::uint32_t value_bytes) {
  s.columns_at = packed_rounded(static_cast<std::uint32_t>(s.rows()));
  s.values_at = s.columns_at + packed_rounded(s.steps * packed_column_bytes(s.columns()));
  return s.values_at + packed_rounded(bytes_of_codes(s.steps, s.values(), value_bytes));
}

/// Of numbers that differ by so much at most. That all are alike is too rare for code of its own.
constexpr packed_columns columns_of_entries(std::int64_t widest) noexcept {
  const packed_columns columns = columns_for(widest);
  return columns == packed_columns::none ? packed_columns::one : columns;
}

/// Where the entries of the slice's rows begin and end in the matrix.
struct entry_range {
  std::int64_t first;
  std::int64_t last;

  template <class V, offset O>
  entry_range(const csr_view<V, O>& a, const packed_rows& rows)
      : first(static_cast<std::int64_t>(a.row_ptr.data()[rows.row[0]])),
        last(static_cast<std::int64_t>(a.row_ptr.data()[rows.row[0] + rows.count])) {}
};

template <value V, offset O>
packed_slice header_of_entries(const csr_view<V, O>& a, const packed_rows& rows,
                               const packed_encoding<V>& how, std::uint32_t& bytes) {
  const entry_range of(a, rows);
  packed_slice s;
  s.row = rows.row[0];
  s.steps = s.shortest = static_cast<std::uint16_t>(of.last - of.first);
  s.set_rows_of_entries(rows.count);
  std::int32_t smallest = std::numeric_limits<std::int32_t>::max();
  std::int32_t largest = 0;
  const std::int32_t* const col = a.col.data();
  for (std::int64_t k = of.first; k < of.last; ++k) {
    smallest = std::min(smallest, col[k]);
    largest = std::max(largest, col[k]);
  }
  value_choice<V> values(how);
  values.no_steps();
  for (std::int64_t k = of.first; k < of.last && !values.is_settled(); ++k) values.add(a.val.data()[k]);
  if (of.first == of.last) smallest = 0;
  s.set(columns_of_entries(std::int64_t{largest} - smallest), packed_starts::zero, values.best());
  s.bases = static_cast<std::uint32_t>(smallest);
  bytes = place_entries(s, sizeof(V));
  return s;
}

template <class Number>
void put_columns(std::uint8_t* to, const std::int32_t* col, std::uint32_t entries, std::int32_t smallest) {
  for (std::uint32_t k = 0; k < entries; ++k) put(to, k, static_cast<Number>(col[k] - smallest));
}

template <value V>
void put_values(const V* val, const packed_slice& s, const packed_encoding<V>& how, std::uint8_t* to) {
  const std::uint32_t entries = s.steps;
  switch (s.values()) {
    case packed_values::constant:
    case packed_values::of_step:
      if (entries > 0) put(to, 0, val[0]);
      break;
    case packed_values::table4:
      for (std::uint32_t k = 0; k < entries; ++k)
        to[k / 2] = static_cast<std::uint8_t>(to[k / 2] | how.table->find(val[k]) << (k % 2 * 4));
      break;
    case packed_values::table8:
      for (std::uint32_t k = 0; k < entries; ++k)
        put(to, k, static_cast<std::uint8_t>(how.table->find(val[k])));
      break;
    case packed_values::half:
      for (std::uint32_t k = 0; k < entries; ++k) put(to, k, to_16_bits(val[k], how.half()));
      break;
    case packed_values::narrow:
      for (std::uint32_t k = 0; k < entries; ++k) put(to, k, static_cast<float>(val[k]));
      break;
    case packed_values::full:
      std::memcpy(to, val, entries * sizeof(V));
  }
}

template <value V, offset O>
void write_entries(const csr_view<V, O>& a, const packed_rows& rows, const packed_encoding<V>& how,
                   const packed_slice& s, std::uint8_t* to) {
  const entry_range of(a, rows);
  for (int r = 0; r < rows.count; ++r)
    to[r] = static_cast<std::uint8_t>(static_cast<std::int64_t>(a.row_ptr.data()[s.row + r]) - of.first);
  const std::int32_t* const col = a.col.data() + of.first;
  const auto smallest = static_cast<std::int32_t>(s.bases);
  if (s.columns() == packed_columns::one)
    put_columns<std::uint8_t>(to + s.columns_at, col, s.steps, smallest);
  if (s.columns() == packed_columns::two)
    put_columns<std::uint16_t>(to + s.columns_at, col, s.steps, smallest);
  if (s.columns() == packed_columns::four)
    put_columns<std::int32_t>(to + s.columns_at, col, s.steps, smallest);
  put_values(a.val.data() + of.first, s, how, to + s.values_at);
}

inline std::int32_t column_of_entry(const packed_slice& s, const std::uint8_t* columns, std::uint32_t k) {
  std::uint32_t column = s.bases;
  if (s.columns() == packed_columns::one) column += get<std::uint8_t>(columns, k);
  if (s.columns() == packed_columns::two) column += get<std::uint16_t>(columns, k);
  if (s.columns() == packed_columns::four) column += get<std::uint32_t>(columns, k);
  return static_cast<std::int32_t>(column);
}

template <value V>
V value_of_entry(const packed_slice& s, const std::uint8_t* values, const V* table, bool bf16,
                 std::uint32_t k) {
  switch (s.values()) {
    case packed_values::constant:
    case packed_values::of_step:
      return get<V>(values, 0);
    case packed_values::table4:
      return table[values[k / 2] >> (k % 2 * 4) & 0xf];
    case packed_values::table8:
      return table[values[k]];
    case packed_values::half:
      return static_cast<V>(from_16_bits(get<std::uint16_t>(values, k), packed_half_kind(bf16)));
    case packed_values::narrow:
      return static_cast<V>(get<float>(values, k));
    case packed_values::full:
      break;
  }
  return get<V>(values, k);
}

}  // namespace gossamer::inline v0::formats::packed_code
