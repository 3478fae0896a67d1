// SPDX-License-Identifier: BSD-3-Clause
// The byte code of paper 001, section 2.1: an entry is a tuple of 2 to 13 bytes, the end of a row one byte.
//   code    the low 7 bits say where the column is, the top bit where the value is
//   column  0, 2 or 4 bytes
//   value   1 byte, which counts in the table of frequent values, or the value itself
// Numbers of several bytes are in the machine's order and at any address.
#pragma once

#include <cstdint>
#include <cstring>

#include "formats/common/entry_chunks.hpp"
#include "formats/common/frequent_values.hpp"

namespace gossamer::inline v0::formats::bccoo_code {

inline constexpr std::uint8_t in_table = 0x80;  ///< set: the value is looked up
inline constexpr std::uint8_t column = 0x7F;    ///< the other bits
inline constexpr std::uint8_t row_end = 0x7F;   ///< written as 0xFF; the top bit means nothing here
inline constexpr std::uint8_t absolute = 0x7E;  ///< the column in 4 bytes
inline constexpr std::uint8_t wide_step =
    0x7D;  ///< the difference from the reference in 2 bytes; a smaller code is the difference

inline constexpr std::size_t most_in_table = 256;

/// Code of a column after the reference column.
constexpr std::uint8_t code_of_column(std::int32_t reference, std::int32_t col) noexcept {
  const std::int64_t step = std::int64_t{col} - reference;
  if (step < 0 || step > 0xFFFF) return absolute;
  return step < wide_step ? static_cast<std::uint8_t>(step) : wide_step;
}

/// Bytes of a column behind its code.
constexpr int column_bytes(std::uint8_t code) noexcept {
  if (code < wide_step) return 0;
  return code == wide_step ? static_cast<int>(sizeof(std::uint16_t))
                           : static_cast<int>(sizeof(std::uint32_t));
}

/// Chunk h, tuple by tuple: entry(k, reference) and close(). A chunk has its entries and the ends of all rows
/// that end behind the first of them and before the next chunk's first, empty ones included; the first chunk
/// begins with row 0. The reference is the column of the entry before; for a row's first entry, the column
/// with which the row before it began in this chunk (0 where there is none).
template <class T, offset O, class Entry, class Close>
void for_each_tuple(const csr_view<T, O>& a, std::int64_t chunk, std::int64_t h, Entry&& entry,
                    Close&& close) {
  const std::int32_t* const col = a.col.data();
  std::int64_t k = h * chunk;
  const std::int64_t last = std::min(a.nnz(), k + chunk);
  std::int32_t reference_of_row = 0;
  for (std::int64_t row = h == 0 ? 0 : row_of_entry(a, k); row < a.rows; ++row) {
    const auto end = static_cast<std::int64_t>(a.row_ptr.data()[row + 1]);
    const std::int64_t stop = std::min(end, last);
    std::int32_t reference = reference_of_row;
    if (k < stop) reference_of_row = col[k];
    for (; k < stop; ++k) {
      entry(k, reference);
      reference = col[k];
    }
    if (end > last) return;
    close();
  }
}

template <value V, offset O>
std::int64_t bytes_of_chunk(const csr_view<V, O>& a, std::int64_t chunk, std::int64_t h,
                            const value_index<V>& table) {
  std::int64_t bytes = 0;
  for_each_tuple(
      a, chunk, h,
      [&](std::int64_t k, std::int32_t reference) {
        bytes += 1 + column_bytes(code_of_column(reference, a.col.data()[k]));
        bytes += table.find(a.val.data()[k]) >= 0 ? 1 : static_cast<std::int64_t>(sizeof(V));
      },
      [&] { ++bytes; });
  return bytes;
}

/// Writes bytes_of_chunk() bytes.
template <value V, offset O>
void write_chunk(const csr_view<V, O>& a, std::int64_t chunk, std::int64_t h, const value_index<V>& table,
                 std::uint8_t* to) {
  const auto put = [&]<class Number>(Number number) {
    std::memcpy(to, &number, sizeof(number));
    to += sizeof(number);
  };
  for_each_tuple(
      a, chunk, h,
      [&](std::int64_t k, std::int32_t reference) {
        const std::int32_t col = a.col.data()[k];
        const V val = a.val.data()[k];
        const std::uint8_t code = code_of_column(reference, col);
        const int number = table.find(val);
        put(static_cast<std::uint8_t>(number >= 0 ? code | in_table : code));
        if (code == absolute) put(static_cast<std::uint32_t>(col));
        if (code == wide_step) put(static_cast<std::uint16_t>(col - reference));
        if (number >= 0)
          put(static_cast<std::uint8_t>(number));
        else
          put(val);
      },
      [&] { put(static_cast<std::uint8_t>(in_table | row_end)); });
}

/// The reverse: entry(column, value) and close(), of the tuples in [at, end).
template <value V, class Entry, class Close>
void read_chunk(const std::uint8_t* at, const std::uint8_t* end, const V* table, Entry&& entry,
                Close&& close) {
  const auto take = [&]<class Number>(Number number) {
    std::memcpy(&number, at, sizeof(number));
    at += sizeof(number);
    return number;
  };
  std::uint32_t col = 0;
  std::uint32_t reference_of_row = 0;
  bool begins = true;
  while (at < end) {
    const std::uint8_t code = *at++;
    const std::uint8_t where = code & column;
    if (where == row_end) {
      close();
      col = reference_of_row;
      begins = true;
      continue;
    }
    if (where == absolute)
      col = take(std::uint32_t{});
    else
      col += where == wide_step ? take(std::uint16_t{}) : where;
    if (begins) reference_of_row = col;
    begins = false;
    if ((code & in_table) != 0)
      entry(static_cast<std::int32_t>(col), table[*at++]);
    else
      entry(static_cast<std::int32_t>(col), take(V{}));
  }
}

}  // namespace gossamer::inline v0::formats::bccoo_code
