// SPDX-License-Identifier: BSD-3-Clause
// Cutting a CSR matrix into units for thread blocks: consecutive short rows, none of them cut, with about
// equal numbers of row ends and entries; or a piece of one long row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/bisect.hpp"
#include "core/parallel.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/memory.hpp"

namespace gossamer::inline v0::formats {

/// Sizes of a block's units, in entries.
struct block_tile {
  std::int64_t tile = 0;           ///< a unit of short rows never holds more
  std::int64_t piece = 0;          ///< nor a piece of a long one
  std::int64_t longest_whole = 0;  ///< rows of more entries are cut into pieces
  /// Row ends and entries of a unit of short rows; the rest of the tile is room for the row at its end.
  [[nodiscard]] constexpr std::int64_t weight() const { return tile - longest_whole; }
};

/// A quarter of a tile at most is kept free for whole rows, and no more than the matrix needs.
constexpr block_tile block_tile_for(std::int64_t tile, std::int64_t piece,
                                    std::int64_t longest_row) noexcept {
  return {.tile = tile, .piece = piece, .longest_whole = std::min(tile / 4, longest_row)};
}

/// Unit u holds rows row[u] ... row[u + 1] - 1 and entries entry[u] ... entry[u + 1] - 1; a piece of a long
/// row holds the row's number at its beginning, and ends it (row[u + 1] = row[u] + 1) or not (row[u + 1] =
/// row[u]).
struct whole_row_cuts {
  host_buffer<std::int32_t> row;
  host_buffer<std::int64_t> entry;
  [[nodiscard]] std::int64_t units() const noexcept { return static_cast<std::int64_t>(row.size()) - 1; }
};

/// At most so many units; so many exactly where no row is longer than t.longest_whole.
constexpr std::int64_t units_at_most(std::int64_t rows, std::int64_t nnz, std::int64_t longest_row,
                                     const block_tile& t) noexcept {
  const std::int64_t of_short_rows = (rows + nnz + t.weight() - 1) / t.weight();
  if (longest_row <= t.longest_whole) return of_short_rows;
  const std::int64_t long_rows = std::min(rows, nnz / (t.longest_whole + 1));
  return of_short_rows + long_rows + nnz / t.piece + long_rows;
}

namespace detail {

template <class V, offset O>
std::int64_t length_of_row(const csr_view<V, O>& a, std::int64_t i) {
  return static_cast<std::int64_t>(a.row_ptr[static_cast<std::size_t>(i) + 1] -
                                   a.row_ptr[static_cast<std::size_t>(i)]);
}

/// The numbers of the rows that are longer, ascending.
template <class V, offset O>
std::vector<std::int32_t> rows_longer_than(const csr_view<V, O>& a, std::int64_t length) {
  const int threads = a.rows <= core::default_grain ? 1 : core::default_threads();
  std::vector<std::vector<std::int32_t>> parts(static_cast<std::size_t>(threads));
  core::parallel(threads, [&](int thread, int team) {
    const core::range r = core::share(a.rows, thread, team);
    for (std::int64_t i = r.begin; i < r.end; ++i)
      if (length_of_row(a, i) > length)
        parts[static_cast<std::size_t>(thread)].push_back(static_cast<std::int32_t>(i));
  });
  std::vector<std::int32_t> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// The row in [first, last) that holds position `p` of the merge of those rows' entries and ends.
template <class V, offset O>
std::int64_t row_at_position(const csr_view<V, O>& a, std::int64_t first, std::int64_t last, std::int64_t p) {
  const auto before = static_cast<std::int64_t>(a.row_ptr[static_cast<std::size_t>(first)]);
  return first_where(first, last, [&](std::int64_t i) {
    return static_cast<std::int64_t>(a.row_ptr.data()[i + 1]) - before + i + 1 - first > p;
  });
}

}  // namespace detail

/// The longest row's number of entries.
template <class V, offset O>
std::int64_t longest_row(const csr_view<V, O>& a) {
  const int threads = a.rows <= core::default_grain ? 1 : core::default_threads();
  std::vector<std::int64_t> parts(static_cast<std::size_t>(threads), 0);
  core::parallel(threads, [&](int thread, int team) {
    const core::range r = core::share(a.rows, thread, team);
    std::int64_t longest = 0;
    for (std::int64_t i = r.begin; i < r.end; ++i) longest = std::max(longest, detail::length_of_row(a, i));
    parts[static_cast<std::size_t>(thread)] = longest;
  });
  return *std::max_element(parts.begin(), parts.end());
}

template <class V, offset O>
whole_row_cuts cut_between_rows(const csr_view<V, O>& a, const block_tile& t) {
  const std::vector<std::int32_t> long_rows = detail::rows_longer_than(a, t.longest_whole);
  // Segment s is the short rows before long row s, then that row's pieces; the last one has no long row.
  const std::size_t segments = long_rows.size() + 1;
  const auto begin_of = [&](std::size_t s) {
    return s == 0 ? std::int64_t{0} : std::int64_t{long_rows[s - 1]} + 1;
  };
  const auto end_of = [&](std::size_t s) { return s + 1 < segments ? std::int64_t{long_rows[s]} : a.rows; };
  const auto weight_of = [&](std::size_t s) {
    const std::int64_t b = begin_of(s);
    const std::int64_t e = end_of(s);
    return e - b +
           static_cast<std::int64_t>(a.row_ptr[static_cast<std::size_t>(e)] -
                                     a.row_ptr[static_cast<std::size_t>(b)]);
  };
  std::vector<std::int64_t> first_unit(segments + 1, 0);  // of segment s
  std::vector<std::int64_t> short_units(segments, 0);     // of its short rows
  for (std::size_t s = 0; s < segments; ++s) {
    short_units[s] = (weight_of(s) + t.weight() - 1) / t.weight();
    const std::int64_t pieces =
        s + 1 < segments ? (detail::length_of_row(a, long_rows[s]) + t.piece - 1) / t.piece : 0;
    first_unit[s + 1] = first_unit[s] + short_units[s] + pieces;
  }
  const std::int64_t units = first_unit[segments];
  whole_row_cuts cuts{.row = host_buffer<std::int32_t>(static_cast<std::size_t>(units) + 1),
                      .entry = host_buffer<std::int64_t>(static_cast<std::size_t>(units) + 1)};
  core::parallel_for(units, 4096, [&](std::int64_t begin, std::int64_t end) {
    auto s = static_cast<std::size_t>(std::upper_bound(first_unit.begin(), first_unit.end(), begin) -
                                      first_unit.begin()) -
             1;
    for (std::int64_t u = begin; u < end; ++u) {
      while (u >= first_unit[s + 1]) ++s;
      const std::int64_t j = u - first_unit[s];
      if (j < short_units[s]) {
        const std::int64_t row =
            detail::row_at_position(a, begin_of(s), end_of(s), weight_of(s) * j / short_units[s]);
        cuts.row.data()[u] = static_cast<std::int32_t>(row);
        cuts.entry.data()[u] = static_cast<std::int64_t>(a.row_ptr[static_cast<std::size_t>(row)]);
      } else {
        const std::int64_t pieces = first_unit[s + 1] - first_unit[s] - short_units[s];
        const auto row = static_cast<std::size_t>(long_rows[s]);
        cuts.row.data()[u] = long_rows[s];
        cuts.entry.data()[u] = static_cast<std::int64_t>(a.row_ptr[row]) +
                               detail::length_of_row(a, long_rows[s]) * (j - short_units[s]) / pieces;
      }
    }
  });
  cuts.row[static_cast<std::size_t>(units)] = static_cast<std::int32_t>(a.rows);
  cuts.entry[static_cast<std::size_t>(units)] = a.nnz();
  return cuts;
}

}  // namespace gossamer::inline v0::formats
