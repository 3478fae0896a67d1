// SPDX-License-Identifier: BSD-3-Clause
// What each unit of a small matrix takes on one core, by how its rows will be multiplied: threads share units out by it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/parallel.hpp"
#include "exec/cpu/unit_shares.hpp"
#include "formats/csr/unit_runs.hpp"

namespace gossamer::inline v0::formats {

/// Hundredths of a nanosecond, measured (docs/formats/csr.md). They follow the matrix alone, whatever CPU it is, so that the bits do.
struct csr_cost {
  std::int64_t short_row;       ///< a row by itself of at most short_row_entries
  std::int64_t long_row;        ///< a longer one, beside
  std::int64_t long_row_lanes;  ///< each 64 bytes of its values
  std::int64_t group;           ///< up to four rows of a run of step 0, beside
  std::int64_t group_piece;     ///< each 64 bytes of x in each of its pieces
  std::int64_t group_lanes;     ///< each 64 bytes of x where there are no pieces
  std::int64_t run;             ///< a run of step 1, beside
  std::int64_t tiled_entry;
  std::int64_t holed_tile;     ///< beside its entries
  std::int64_t entry_beside;   ///< of its rows, in other columns
  std::int64_t shifted_entry;  ///< of a run of step 1 without tiles
  std::int64_t diagonal_tile;
  std::int64_t diagonal;  ///< each of its diagonals, beside
  std::int64_t slice;
  std::int64_t slice_step;  ///< each eight entries of its rows, beside
};

inline constexpr std::int64_t short_row_entries = 8;

template <class V>
constexpr csr_cost cost_of() noexcept {
  if (value_bytes<V> == sizeof(float))
    return {.short_row = 250,
            .long_row = 160,
            .long_row_lanes = 340,
            .group = 590,
            .group_piece = 220,
            .group_lanes = 380,
            .run = 400,
            .tiled_entry = 8,
            .holed_tile = 350,
            .entry_beside = 300,
            .shifted_entry = 40,
            .diagonal_tile = 280,
            .diagonal = 50,
            .slice = 300,
            .slice_step = 250};
  return {.short_row = 300,
          .long_row = 100,
          .long_row_lanes = 220,
          .group = 400,
          .group_piece = 240,
          .group_lanes = 340,
          .run = 1000,
          .tiled_entry = 11,
          .holed_tile = 330,
          .entry_beside = 300,
          .shifted_entry = 60,
          .diagonal_tile = 640,
          .diagonal = 83,
          .slice = 300,
          .slice_step = 300};
}

/// A larger matrix is read from memory or a shared cache, where its bytes take the time; its units have equal shares of them as it is.
template <class V>
constexpr bool has_unit_costs(std::int64_t nnz) noexcept {
  constexpr std::int64_t in_caches = 32 << 20;
  return nnz <= in_caches / static_cast<std::int64_t>(value_bytes<V> + sizeof(std::int32_t));
}

/// Bytes of values and columns that stay in a core's own cache.
inline constexpr std::int64_t stays_in_cache = 1 << 20;

/// Whether so many bytes of values and columns come from memory, where threads have so much of the last-level caches, which others use too.
constexpr bool are_beyond_cache(std::int64_t bytes, std::int64_t cache) noexcept {
  return bytes > stays_in_cache && bytes > cache / 2;
}

/// Of how many threads it pays to have units taken over: each one's share stays in its core's cache, so that no kernel asks for it ahead by how
/// long it is, and takes longer than looking for units of others. `cost` as of unit_costs(), or null.
template <class V>
exec::thread_counts unequal_threads(std::int64_t nnz, const std::int64_t* cost, std::int64_t units) noexcept {
  constexpr std::int64_t long_enough = 600'000;  // as csr_cost: 6 microseconds
  if (cost == nullptr) return {};
  const std::int64_t bytes = nnz * static_cast<std::int64_t>(value_bytes<V> + sizeof(std::int32_t));
  return {.from = static_cast<int>(std::max<std::int64_t>(2, (bytes + stays_in_cache - 1) / stays_in_cache)),
          .to = static_cast<int>(
              std::min<std::int64_t>(cost[units] / long_enough, exec::unit_shares::most_threads))};
}

/// units + 1: what the units before each one take. Unit u has the rows from cut_row[u] on and, where cut_entry is not empty, the
/// entries from cut_entry[u] on.
template <class V, offset O>
host_buffer<std::int64_t> unit_costs(const csr_view<V, O>& a, const host_buffer<std::int32_t>& cut_row,
                                     const host_buffer<std::int64_t>& cut_entry, const csr_runs& runs) {
  constexpr csr_cost cost = cost_of<V>();
  constexpr std::int64_t lanes = 64 / static_cast<std::int64_t>(value_bytes<V>);
  const auto in_lanes = [](std::int64_t entries) { return (entries + lanes - 1) / lanes; };
  const auto units = static_cast<std::int64_t>(cut_row.size()) - 1;
  host_buffer<std::int64_t> before(cut_row.size());
  core::parallel_for(units, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t u = begin; u < end; ++u) {
      const std::int64_t first_row = cut_row.data()[u];
      const std::int64_t last_row = cut_row.data()[u + 1];
      const std::int64_t first_entry = cut_entry.empty() ? a.row_ptr[first_row] : cut_entry.data()[u];
      const std::int64_t last_entry = cut_entry.empty() ? a.row_ptr[last_row] : cut_entry.data()[u + 1];
      const auto alone = [&](std::int64_t from, std::int64_t to) {
        std::int64_t sum = 0;
        for (std::int64_t i = from; i < to; ++i) {
          const std::int64_t length = std::min<std::int64_t>(a.row_ptr[i + 1], last_entry) -
                                      std::max<std::int64_t>(a.row_ptr[i], first_entry);
          sum += length <= short_row_entries ? cost.short_row
                                             : cost.long_row + cost.long_row_lanes * in_lanes(length);
        }
        return sum;
      };
      std::int64_t sum = 0;
      std::int64_t row = first_row;
      const column_piece* piece = runs.piece.data() + runs.unit_pieces.data()[u];
      for (std::int64_t r = runs.of_unit.data()[u]; r < runs.of_unit.data()[u + 1]; ++r) {
        const csr_run& run = runs.run.data()[r];
        sum += alone(row, run.first);
        row = run.last;
        if (run.step == on_diagonals) {
          const diagonal_tile* const tile = runs.diagonal_tiles.data() + run.holed;
          sum += cost.diagonal_tile * run.parts + cost.diagonal * (tile[run.parts].first - tile[0].first);
          continue;
        }
        if (run.step == in_slices) {
          const std::uint8_t* slice = runs.diagonal_mask.data() + runs.diagonal_tiles.data()[run.holed].mask;
          for (std::int64_t s = 0; s < run.parts; ++s, slice += slice_bytes::count(slice))
            sum += cost.slice + cost.slice_step * slice[slice_bytes::longest];
          continue;
        }
        const std::int64_t rows = run.last - run.first;
        const std::int64_t length = length_of(a, run);
        if (run.step == 1) {
          sum += cost.run + (run.parts > 0 ? cost.tiled_entry * run.parts * tiled_rows * length
                                           : cost.shifted_entry * rows * length);
          if (run.holed >= 0)
            for (const holed_tile* h = runs.holed.data() + run.holed; h->tile < run.parts; ++h)
              sum += cost.holed_tile + cost.entry_beside * (h[1].beside - h[0].beside);
        } else {
          std::int64_t group = cost.group;
          for (std::int64_t k = 0; k < run.parts; ++k) group += cost.group_piece * in_lanes((piece++)->count);
          if (run.parts == 0) group += cost.group_lanes * in_lanes(length);
          sum += (rows + 3) / 4 * group;
        }
      }
      sum += alone(row, last_row);
      if (last_row < a.rows && last_entry > a.row_ptr[last_row]) sum += alone(last_row, last_row + 1);
      before.data()[u + 1] = sum;
    }
  });
  before[0] = 0;
  for (std::int64_t u = 0; u < units; ++u) before.data()[u + 1] += before.data()[u];
  return before;
}

}  // namespace gossamer::inline v0::formats
