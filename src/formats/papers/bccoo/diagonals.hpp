// SPDX-License-Identifier: BSD-3-Clause
// Chunks of chunk_uniform on a CPU whose rows have neighbouring columns: eight rows at a time are a tile, the
// entries of which stand diagonal by diagonal, so that x is loaded rather than gathered and a column stands
// for up to eight entries. The bytes of such a chunk:
//   sizes    of the chunk, then of each tile
//   columns  of each diagonal in its tile's first row, counted from the chunk's smallest such number, in 1, 2
//            or 4 bytes; of a tile first those diagonals that all eight rows have
//   masks    of the other diagonals: a bit for each row
//   values   as in uniform.hpp, in the order of diagonals and, in each, of rows; no place is left where a row
//            has no entry
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "formats/papers/bccoo/uniform.hpp"

namespace gossamer::inline v0::formats::bccoo_uniform {

inline constexpr int tile_rows = 8;
inline constexpr std::uint8_t all_tile_rows = 0xff;
/// Places of the diagonals of a chunk for each four entries: with more of them gathering is faster.
inline constexpr std::int64_t most_places_of_four = 9;

struct diagonal_totals {
  std::uint32_t tiles = 0;
  std::uint32_t diagonals = 0;
  std::uint32_t masked = 0;
  std::uint32_t none = 0;
};

struct tile_size {
  std::uint16_t whole = 0;   ///< diagonals that all rows have
  std::uint16_t masked = 0;  ///< others
};

/// Where the arrays of such a chunk lie.
struct diagonal_layout {
  std::int64_t columns;
  std::int64_t masks;
  std::int64_t values;
  std::int64_t end;
};

constexpr diagonal_layout layout_of(unsigned format, std::int64_t entries, std::int64_t value_bytes,
                                    const diagonal_totals& n) noexcept {
  diagonal_layout at{};
  at.columns = padded(static_cast<std::int64_t>(sizeof(diagonal_totals) + n.tiles * sizeof(tile_size)));
  at.masks = at.columns + padded(std::int64_t{n.diagonals} << (format & column_width));
  at.values = at.masks + padded(n.masked);
  at.end = at.values + padded((format & in_table) != 0 ? entries : entries * value_bytes);
  return at;
}

/// f(tile, column in its first row, mask, the number of each row's next entry) for the diagonals of the
/// entries [first, last), the first of which is in row `row`: in each tile in ascending order, while f
/// returns true. Whether it always did, and columns ascend in each row.
template <value V, offset O, class F>
bool for_each_diagonal(const csr_view<V, O>& a, std::int64_t row, std::int64_t first, std::int64_t last,
                       F&& f) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t tile = 0; row < a.rows && static_cast<std::int64_t>(a.row_ptr.data()[row]) < last;
       ++tile, row += tile_rows) {
    std::int64_t entry[tile_rows] = {};
    std::int64_t end[tile_rows] = {};
    std::int64_t next[tile_rows];  // the diagonal that the row is at
    const auto look = [&](int r) { next[r] = entry[r] < end[r] ? a.col.data()[entry[r]] - r : none; };
    for (int r = 0; r < tile_rows; ++r) {
      if (row + r < a.rows) {
        entry[r] = std::max<std::int64_t>(first, a.row_ptr.data()[row + r]);
        end[r] = std::min<std::int64_t>(last, a.row_ptr.data()[row + r + 1]);
      }
      look(r);
    }
    for (;;) {
      const std::int64_t here = *std::min_element(next, next + tile_rows);
      if (here == none) break;
      unsigned mask = 0;
      for (int r = 0; r < tile_rows; ++r) mask |= (next[r] == here ? 1u : 0u) << r;
      if (!f(tile, here, static_cast<std::uint8_t>(mask), entry)) return false;
      for (int r = 0; r < tile_rows; ++r) {
        if (next[r] != here) continue;
        ++entry[r];
        look(r);
        if (next[r] <= here) return false;
      }
    }
  }
  return true;
}

/// Chunk h on diagonals where that is worth it and takes no more than `c`, else `c`.
template <value V, offset O>
chunk on_diagonals_or(const chunk& c, const csr_view<V, O>& a, std::int64_t size, std::int64_t h) {
  const std::int64_t first = h * size;
  const std::int64_t entries = std::min(a.nnz() - first, size);
  if (entries == 0) return c;
  const auto most = static_cast<std::uint32_t>(entries * most_places_of_four / (std::int64_t{4} * tile_rows));
  constexpr std::uint32_t most_of_a_tile = std::numeric_limits<std::uint16_t>::max();
  diagonal_totals n;
  std::uint32_t before = 0;  // diagonals of the tiles before
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  std::int64_t largest = std::numeric_limits<std::int64_t>::min();
  const bool worthy =
      for_each_diagonal(a, c.row, first, first + entries,
                        [&](std::int64_t tile, std::int64_t column, std::uint8_t mask, const std::int64_t*) {
                          if (tile >= n.tiles) before = n.diagonals;
                          n.tiles = static_cast<std::uint32_t>(tile + 1);
                          n.masked += mask != all_tile_rows ? 1 : 0;
                          smallest = std::min(smallest, column);
                          largest = std::max(largest, column);
                          return ++n.diagonals <= most && n.diagonals - before <= most_of_a_tile;
                        });
  // A column before x and one at the end of the widest matrix are further apart than kernels can count.
  if (!worthy || largest - smallest > std::numeric_limits<std::int32_t>::max()) return c;
  chunk d = c;
  const unsigned format = width_for(largest - smallest) | (c.format & in_table) | on_diagonals;
  d.format = static_cast<std::uint8_t>(format);
  d.column = static_cast<std::int32_t>(smallest);
  d.bytes = layout_of(format, entries, sizeof(V), n).end;
  return d.bytes <= c.bytes ? d : c;
}

/// Writes the bytes of chunk h, which is `c`, to an address that is a multiple of 16.
template <value V, offset O>
void write_diagonals(const csr_view<V, O>& a, std::int64_t size, std::int64_t h, const value_index<V>& table,
                     const chunk& c, std::uint8_t* to) {
  const std::int64_t first = h * size;
  const std::int64_t entries = std::min(a.nnz() - first, size);
  diagonal_totals n;
  std::vector<tile_size> sizes;
  const auto each = [&](auto&& f) {
    for_each_diagonal(a, c.row, first, first + entries,
                      [&](std::int64_t tile, std::int64_t column, std::uint8_t mask, const std::int64_t* at) {
                        f(static_cast<std::size_t>(tile), column, mask, at);
                        return true;
                      });
  };
  each([&](std::size_t tile, std::int64_t, std::uint8_t mask, const std::int64_t*) {
    sizes.resize(tile + 1);
    ++n.diagonals;
    n.masked += mask != all_tile_rows ? 1 : 0;
    ++(mask == all_tile_rows ? sizes[tile].whole : sizes[tile].masked);
  });
  n.tiles = static_cast<std::uint32_t>(sizes.size());
  const diagonal_layout at = layout_of(c.format, entries, sizeof(V), n);
  std::fill_n(to, at.end, std::uint8_t{0});
  std::memcpy(to, &n, sizeof(n));
  std::memcpy(to + sizeof(n), sizes.data(), sizes.size() * sizeof(tile_size));
  // In two turns, since of a tile the diagonals that all rows have come first.
  std::int64_t place = 0;
  std::int64_t value = 0;
  std::int64_t mask_place = 0;
  const auto put = [&](std::int64_t column, std::uint8_t mask, const std::int64_t* entry) {
    with_width(c.format & column_width, [&]<class Number>(Number) {
      reinterpret_cast<Number*>(to + at.columns)[place] = static_cast<Number>(column - c.column);
    });
    ++place;
    if (mask != all_tile_rows) to[at.masks + mask_place++] = mask;
    for (int r = 0; r < tile_rows; ++r) {
      if ((mask >> r & 1) == 0) continue;
      const V v = a.val.data()[entry[r]];
      if ((c.format & in_table) != 0)
        to[at.values + value] = static_cast<std::uint8_t>(table.find(v));
      else
        reinterpret_cast<V*>(to + at.values)[value] = v;
      ++value;
    }
  };
  struct diagonal {
    std::int64_t column;
    std::uint8_t mask;
    std::int64_t entry[tile_rows];
  };
  std::vector<diagonal> masked;
  std::size_t here = 0;
  const auto put_masked = [&] {
    for (const diagonal& d : masked) put(d.column, d.mask, d.entry);
    masked.clear();
  };
  each([&](std::size_t tile, std::int64_t column, std::uint8_t mask, const std::int64_t* entry) {
    if (tile != here) put_masked();
    here = tile;
    if (mask == all_tile_rows)
      put(column, mask, entry);
    else
      std::copy_n(entry, tile_rows, masked.emplace_back(diagonal{column, mask, {}}).entry);
  });
  put_masked();
}

/// The reverse: entry(k, row, column, value) of each, row by row.
template <value V, class Entry>
void read_diagonals(const chunk& c, std::int64_t entries, const std::uint8_t* from, const V* table,
                    Entry&& entry) {
  diagonal_totals n;
  std::memcpy(&n, from, sizeof(n));
  const diagonal_layout at = layout_of(c.format, entries, sizeof(V), n);
  struct column_and_value {
    std::int64_t column;
    V value;
  };
  std::int64_t k = 0;
  std::int64_t place = 0;
  std::int64_t value = 0;
  std::int64_t mask_place = 0;
  for (std::uint32_t t = 0; t < n.tiles; ++t) {
    tile_size size;
    std::memcpy(&size, from + sizeof(n) + t * sizeof(size), sizeof(size));
    std::vector<column_and_value> row[tile_rows];
    for (int d = 0; d < size.whole + size.masked; ++d) {
      std::int64_t column = c.column;
      with_width(c.format & column_width, [&]<class Number>(Number) {
        column += reinterpret_cast<const Number*>(from + at.columns)[place];
      });
      ++place;
      const std::uint8_t mask = d < size.whole ? all_tile_rows : from[at.masks + mask_place++];
      for (int r = 0; r < tile_rows; ++r) {
        if ((mask >> r & 1) == 0) continue;
        row[r].push_back({column + r, (c.format & in_table) != 0
                                          ? table[from[at.values + value]]
                                          : reinterpret_cast<const V*>(from + at.values)[value]});
        ++value;
      }
    }
    for (int r = 0; r < tile_rows; ++r) {
      std::sort(row[r].begin(), row[r].end(),
                [](const auto& one, const auto& other) { return one.column < other.column; });
      for (const column_and_value& each : row[r])
        entry(k++, std::int64_t{c.row} + std::int64_t{t} * tile_rows + r,
              static_cast<std::int32_t>(each.column), each.value);
    }
  }
}

}  // namespace gossamer::inline v0::formats::bccoo_uniform
