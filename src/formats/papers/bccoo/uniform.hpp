// SPDX-License-Identifier: BSD-3-Clause
// The layout of paper 001 for GPUs: all entries of a chunk are coded in one way, which stands beside the
// chunk. Its bytes are three arrays, one after another, each at a multiple of 16 bytes:
//   rows     of each entry, counted from the chunk's first row, in 1 byte; where the chunk spans too many
//            rows in 2 or 4. On a CPU, where that is no longer, the end of each row that ends in the chunk,
//            counted from its first entry, in 2 or 4 bytes
//   columns  counted from the chunk's smallest, in 1, 2 or 4 bytes
//   values   a byte that counts in the table of frequent values where all of the chunk's are in it, else the
//            values themselves
// On a CPU chunks of stencils and the like are arranged by diagonals.hpp instead.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "exec/product.hpp"
#include "formats/common/entry_chunks.hpp"
#include "formats/common/frequent_values.hpp"

namespace gossamer::inline v0::formats::bccoo_uniform {

// The bits of a chunk's format.
inline constexpr unsigned column_width = 0x3;   ///< 0, 1, 2: a column has 1, 2, 4 bytes
inline constexpr unsigned row_shift = 2;        ///< the same of rows, in the next two bits
inline constexpr unsigned in_table = 0x10;      ///< values are looked up
inline constexpr unsigned row_ends = 0x20;      ///< cpu: rows are given by their ends
inline constexpr unsigned on_diagonals = 0x40;  ///< cpu: see diagonals.hpp

/// Bytes behind the last chunk, so that as many numbers as a vector has lanes may be read from any place.
inline constexpr std::int64_t behind_the_last = 64;

/// Where the arrays of a chunk lie, in bytes from where it begins.
struct layout {
  std::int64_t columns;
  std::int64_t values;
  std::int64_t end;
};

GOSSAMER_HOST_DEVICE constexpr std::int64_t padded(std::int64_t bytes) noexcept {
  constexpr std::int64_t multiple = 16;
  return (bytes + multiple - 1) / multiple * multiple;
}

/// Ends: rows that end in the chunk; of row_ends alone.
GOSSAMER_HOST_DEVICE constexpr layout layout_of(unsigned format, std::int64_t entries,
                                                std::int64_t value_bytes, std::int64_t ends = 0) noexcept {
  layout at{};
  at.columns = padded(((format & row_ends) != 0 ? ends : entries) << (format >> row_shift & column_width));
  at.values = at.columns + padded(entries << (format & column_width));
  at.end = at.values + padded((format & in_table) != 0 ? entries : entries * value_bytes);
  return at;
}

/// f of a number of that width.
template <class F>
void with_width(unsigned width, F&& f) {
  if (width == 0)
    f(std::uint8_t{});
  else if (width == 1)
    f(std::uint16_t{});
  else
    f(std::uint32_t{});
}

constexpr unsigned width_for(std::int64_t largest) noexcept {
  if (largest <= std::numeric_limits<std::uint8_t>::max()) return 0;
  return largest <= std::numeric_limits<std::uint16_t>::max() ? 1 : 2;
}

/// What stands beside the bytes of a chunk, and how many those are.
struct chunk {
  std::int32_t row = 0;     ///< of its first entry
  std::int32_t column = 0;  ///< its smallest
  std::uint8_t format = 0;
  std::int64_t bytes = 0;
  std::int64_t ends = 0;  ///< rows from its first one to the next chunk's first
};

/// The chunk in one row number an entry, or in row_ends where it may be and takes no more.
template <value V, offset O>
chunk chunk_of(const csr_view<V, O>& a, std::int64_t size, std::int64_t h, const value_index<V>& table,
               bool may_have_ends) {
  const std::int64_t first = h * size;
  const std::int64_t last = std::min(a.nnz(), first + size);
  if (first == last) return {};
  const auto [smallest, largest] = std::minmax_element(a.col.data() + first, a.col.data() + last);
  const std::int32_t row = row_of_entry(a, first);
  const std::int64_t ends = (last == a.nnz() ? a.rows : row_of_entry(a, last)) - row;
  const bool looked_up =
      std::all_of(a.val.data() + first, a.val.data() + last, [&](V val) { return table.find(val) >= 0; });
  const unsigned row_width = width_for(std::int64_t{row_of_entry(a, last - 1)} - row);
  const unsigned end_width = std::max(1u, width_for(last - first));  // one kernel less
  const bool has_ends = may_have_ends && ends << end_width <= (last - first) << row_width;
  const unsigned format = width_for(std::int64_t{*largest} - *smallest) |
                          (has_ends ? row_ends | end_width << row_shift : row_width << row_shift) |
                          (looked_up ? in_table : 0u);
  return {.row = row,
          .column = *smallest,
          .format = static_cast<std::uint8_t>(format),
          .bytes = layout_of(format, last - first, sizeof(V), ends).end,
          .ends = ends};
}

/// Writes the bytes of chunk h, which is `c`, to an address that is a multiple of 16.
template <value V, offset O>
void write_chunk(const csr_view<V, O>& a, std::int64_t size, std::int64_t h, const value_index<V>& table,
                 const chunk& c, std::uint8_t* to) {
  const std::int64_t first = h * size;
  const std::int64_t entries = std::min(a.nnz() - first, size);
  const layout at = layout_of(c.format, entries, sizeof(V), c.ends);
  std::fill_n(to, at.end, std::uint8_t{0});
  with_width(c.format >> row_shift & column_width, [&]<class Number>(Number) {
    auto* const rows = reinterpret_cast<Number*>(to);
    if ((c.format & row_ends) != 0) {
      for (std::int64_t r = 0; r < c.ends; ++r)
        rows[r] = static_cast<Number>(static_cast<std::int64_t>(a.row_ptr.data()[c.row + r + 1]) - first);
      return;
    }
    std::int64_t row = c.row;
    for (std::int64_t k = 0; k < entries; ++k) {
      while (first + k >= static_cast<std::int64_t>(a.row_ptr.data()[row + 1])) ++row;
      rows[k] = static_cast<Number>(row - c.row);
    }
  });
  with_width(c.format & column_width, [&]<class Number>(Number) {
    auto* const columns = reinterpret_cast<Number*>(to + at.columns);
    for (std::int64_t k = 0; k < entries; ++k)
      columns[k] = static_cast<Number>(a.col.data()[first + k] - c.column);
  });
  if ((c.format & in_table) != 0) {
    for (std::int64_t k = 0; k < entries; ++k)
      to[at.values + k] = static_cast<std::uint8_t>(table.find(a.val.data()[first + k]));
  } else {
    std::copy_n(a.val.data() + first, entries, reinterpret_cast<V*>(to + at.values));
  }
}

/// The reverse: entry(k, row, column, value) of each.
template <value V, class Entry>
void read_chunk(const chunk& c, std::int64_t entries, const std::uint8_t* from, const V* table,
                Entry&& entry) {
  const layout at = layout_of(c.format, entries, sizeof(V), c.ends);
  with_width(c.format >> row_shift & column_width, [&]<class Row>(Row) {
    const auto* const rows = reinterpret_cast<const Row*>(from);
    with_width(c.format & column_width, [&]<class Column>(Column) {
      const auto* const columns = reinterpret_cast<const Column*>(from + at.columns);
      std::int64_t row = 0;
      for (std::int64_t k = 0; k < entries; ++k) {
        if ((c.format & row_ends) != 0)
          while (row < c.ends && rows[row] <= k) ++row;
        else
          row = rows[k];
        entry(k, c.row + row, static_cast<std::int32_t>(c.column + static_cast<std::int32_t>(columns[k])),
              (c.format & in_table) != 0 ? table[from[at.values + k]]
                                         : reinterpret_cast<const V*>(from + at.values)[k]);
      }
    });
  });
}

}  // namespace gossamer::inline v0::formats::bccoo_uniform
