// SPDX-License-Identifier: BSD-3-Clause
// What each kind of run takes on one core: threads of a small matrix share units out by it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/common/csr_units.hpp"
#include "formats/pattern_csr/unit_runs.hpp"

namespace gossamer::inline v0::formats {

/// Hundredths of a nanosecond, measured (docs/notes/pattern_csr-threads.md). They follow the matrix alone,
/// whatever CPU it is, so that the bits do.
struct pattern_cost {
  std::int64_t group;        ///< up to four rows of a repeated pattern, beside
  std::int64_t group_piece;  ///< each 64 bytes of x in each of its pieces
  std::int64_t group_lanes;  ///< each 64 bytes of x where there are no pieces
  std::int64_t run;          ///< a run of a shifted pattern, beside
  std::int64_t tiled_entry;
  std::int64_t masked_tile;    ///< beside its entries
  std::int64_t extra_entry;    ///< of its rows, in other columns
  std::int64_t shifted_entry;  ///< of a shifted pattern without tiles
  std::int64_t diagonal_tile;
  std::int64_t diagonal;  ///< each of its diagonals, beside
  std::int64_t slice;
  std::int64_t slice_step;  ///< each eight entries of its rows, beside
};

template <class V>
constexpr pattern_cost pattern_cost_of() noexcept {
  if (value_bytes<V> == sizeof(float))
    return {.group = 590,
            .group_piece = 220,
            .group_lanes = 380,
            .run = 400,
            .tiled_entry = 8,
            .masked_tile = 350,
            .extra_entry = 300,
            .shifted_entry = 40,
            .diagonal_tile = 280,
            .diagonal = 50,
            .slice = 300,
            .slice_step = 250};
  return {.group = 400,
          .group_piece = 240,
          .group_lanes = 340,
          .run = 1000,
          .tiled_entry = 11,
          .masked_tile = 330,
          .extra_entry = 300,
          .shifted_entry = 60,
          .diagonal_tile = 640,
          .diagonal = 83,
          .slice = 300,
          .slice_step = 300};
}

/// See unit_costs() in csr_units.hpp: what the units before each one take.
template <class V, offset O>
host_buffer<std::int64_t> unit_costs_with_runs(const csr_view<V, O>& a,
                                               const host_buffer<std::int32_t>& cut_row,
                                               const host_buffer<std::int64_t>& cut_entry,
                                               const pattern_runs& runs) {
  constexpr pattern_cost cost = pattern_cost_of<V>();
  return unit_costs(
      a, cut_row, cut_entry,
      [&](std::int64_t u, std::int64_t first_row, std::int64_t last_row, const auto& alone) {
        std::int64_t sum = 0;
        std::int64_t row = first_row;
        const column_piece* piece = runs.piece.data() + runs.unit_pieces.data()[u];
        for (std::int64_t r = runs.of_unit.data()[u]; r < runs.of_unit.data()[u + 1]; ++r) {
          const pattern_run& run = runs.run.data()[r];
          sum += alone(row, run.first);
          row = run.last;
          if (run.kind == pattern_kind::diagonal_tiles) {
            const diagonal_tile* const tile = runs.diagonal_tiles.data() + run.first_tile;
            sum += cost.diagonal_tile * run.parts + cost.diagonal * (tile[run.parts].first - tile[0].first);
            continue;
          }
          if (run.kind == pattern_kind::lane_slices) {
            const std::uint8_t* slice =
                runs.diagonal_mask.data() + runs.diagonal_tiles.data()[run.first_tile].mask;
            for (std::int64_t s = 0; s < run.parts; ++s, slice += slice_bytes::count(slice))
              sum += cost.slice + cost.slice_step * slice[slice_bytes::longest];
            continue;
          }
          const std::int64_t rows = run.last - run.first;
          const std::int64_t length = length_of(a, run);
          if (run.kind == pattern_kind::tiles || run.kind == pattern_kind::shifted) {
            sum += cost.run + (run.parts > 0 ? cost.tiled_entry * run.parts * tiled_rows * length
                                             : cost.shifted_entry * rows * length);
            if (run.first_tile >= 0)
              for (const masked_tile* h = runs.masked_tiles.data() + run.first_tile; h->tile < run.parts; ++h)
                sum += cost.masked_tile + cost.extra_entry * (h[1].extra - h[0].extra);
          } else {
            std::int64_t group = cost.group;
            for (std::int64_t k = 0; k < run.parts; ++k)
              group += cost.group_piece * lanes_of<V>((piece++)->count);
            if (run.parts == 0) group += cost.group_lanes * lanes_of<V>(length);
            sum += (rows + 3) / 4 * group;
          }
        }
        return sum + alone(row, last_row);
      });
}

}  // namespace gossamer::inline v0::formats
