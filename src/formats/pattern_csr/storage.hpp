// SPDX-License-Identifier: BSD-3-Clause
// What pattern_csr stores: the caller's own arrays, where they are cut into units, and the runs of rows that
// are multiplied together.
#pragma once

#include <cstdint>

#include "exec/reduction/carries.hpp"
#include "formats/common/csr_units.hpp"
#include "formats/pattern_csr/runs.hpp"

namespace gossamer::inline v0::formats {

enum class pattern_csr_kernel : std::int32_t { automatic, thread, balanced };

struct pattern_csr_meta {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  pattern_csr_kernel kernel = pattern_csr_kernel::automatic;
  std::int64_t units = 0;
  csr_reading reading;
  exec::carry_counts carries;
};

template <class V, offset O>
struct pattern_csr_pointers {
  pattern_csr_meta meta;
  const O* row_ptr;
  const std::int32_t* col;
  const V* val;
  const std::int32_t* cut_row;
  const std::int64_t* cut_entry;
  const pattern_run* run;
  const std::int32_t* unit_run;
  const column_piece* piece;
  const std::int64_t* unit_piece;
  const std::int32_t* node_col;
  const std::int64_t* unit_node_col;  ///< or null
  const V* tiled;
  const std::int64_t* unit_tiled;
  const masked_tile* masked_tiles;
  const std::uint8_t* mask;
  const extra_entry* extra;
  const V* extra_val;
  const diagonal_tile* diagonal_tiles;
  const std::int32_t* diagonal;
  const std::uint8_t* diagonal_mask;
  const std::int64_t* unit_cost;  ///< or null
  exec::carry_view carries;
};

template <class T, offset O, template <class> class Buffer>
struct pattern_csr_storage {
  pattern_csr_meta meta;
  Buffer<O> row_ptr;
  Buffer<std::int32_t> col;
  Buffer<T> val;
  Buffer<std::int32_t> cut_row;          ///< units + 1; see cut_equally() and cut_between_nodes()
  Buffer<std::int64_t> cut_entry;        ///< balanced: units + 1; see cut_entries()
  Buffer<pattern_run> run;               ///< see runs.hpp
  Buffer<std::int32_t> unit_run;         ///< units + 1
  Buffer<column_piece> piece;            ///< of the runs that list them
  Buffer<std::int64_t> unit_piece;       ///< units + 1
  Buffer<std::int32_t> node_col;         ///< columns of the repeated patterns that list no pieces, once more
  Buffer<std::int64_t> unit_node_col;    ///< units + 1, or none
  Buffer<T> tiled;                       ///< the values of the runs that are tiled, once more
  Buffer<std::int64_t> unit_tiled;       ///< units + 1
  Buffer<masked_tile> masked_tiles;      ///< see masked_tiles.hpp
  Buffer<std::uint8_t> mask;             ///< of these
  Buffer<extra_entry> extra;             ///< of these
  Buffer<T> extra_val;                   ///< the values of beside, once more
  Buffer<diagonal_tile> diagonal_tiles;  ///< see diagonal_tiles.hpp
  Buffer<std::int32_t> diagonal;         ///< their columns
  Buffer<std::uint8_t> diagonal_mask;    ///< and masks
  Buffer<std::int64_t> unit_cost;        ///< units + 1, or none; see unit_cost.hpp
  exec::carry_list<Buffer> carries;

  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    f("row_ptr", self.row_ptr);
    f("col", self.col);
    f("val", self.val);
    f("cut_row", self.cut_row);
    f("cut_entry", self.cut_entry);
    f("run", self.run);
    f("unit_run", self.unit_run);
    f("piece", self.piece);
    f("unit_piece", self.unit_piece);
    f("node_col", self.node_col);
    f("unit_node_col", self.unit_node_col);
    f("tiled", self.tiled);
    f("unit_tiled", self.unit_tiled);
    f("masked_tiles", self.masked_tiles);
    f("mask", self.mask);
    f("extra", self.extra);
    f("extra_val", self.extra_val);
    f("diagonal_tiles", self.diagonal_tiles);
    f("diagonal", self.diagonal);
    f("diagonal_mask", self.diagonal_mask);
    f("unit_cost", self.unit_cost);
    exec::carry_list<Buffer>::arrays(self.carries, f);
  }

  [[nodiscard]] pattern_csr_pointers<T, O> view() const {
    return {.meta = meta,
            .row_ptr = row_ptr.data(),
            .col = col.data(),
            .val = val.data(),
            .cut_row = cut_row.data(),
            .cut_entry = cut_entry.data(),
            .run = run.data(),
            .unit_run = unit_run.data(),
            .piece = piece.data(),
            .unit_piece = unit_piece.data(),
            .node_col = node_col.data(),
            .unit_node_col = unit_node_col.empty() ? nullptr : unit_node_col.data(),
            .tiled = tiled.data(),
            .unit_tiled = unit_tiled.data(),
            .masked_tiles = masked_tiles.data(),
            .mask = mask.data(),
            .extra = extra.data(),
            .extra_val = extra_val.data(),
            .diagonal_tiles = diagonal_tiles.data(),
            .diagonal = diagonal.data(),
            .diagonal_mask = diagonal_mask.data(),
            .unit_cost = unit_cost.empty() ? nullptr : unit_cost.data(),
            .carries = exec::view_of(carries, meta.carries)};
  }
};

}  // namespace gossamer::inline v0::formats
