// SPDX-License-Identifier: BSD-3-Clause
// What CSR stores: the caller's own arrays, where they are cut into units, and on a CPU the runs of rows that are multiplied together.
#pragma once

#include <cstdint>

#include "exec/reduction/carries.hpp"
#include "formats/csr/runs.hpp"

namespace gossamer::inline v0::formats {

enum class csr_kernel : std::int32_t { automatic, thread, warp, half_warp, adaptive, balanced };

struct csr_meta {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  csr_kernel kernel = csr_kernel::automatic;
  std::int32_t threads_per_row = 1;   ///< cuda, adaptive
  std::int32_t rows_per_group = 1;    ///< cuda, adaptive
  std::int64_t units = 0;             ///< where the kernel is cut in advance, else 0
  std::int32_t tile_items = 0;        ///< cuda, balanced
  bool x_scattered = false;           ///< cpu; see x_reach.hpp
  bool beyond_cache = false;          ///< cpu; see are_beyond_cache()
  std::int64_t entries_a_thread = 0;  ///< cpu; of the threads that the plan has
  exec::carry_counts carries;
};

template <class V, offset O>
struct csr_pointers {
  csr_meta meta;
  const O* row_ptr;
  const std::int32_t* col;
  const V* val;
  const std::int32_t* cut_row;
  const std::int64_t* cut_entry;
  const csr_run* run;
  const std::int32_t* unit_run;
  const column_piece* piece;
  const std::int64_t* unit_piece;
  const std::int32_t* node_col;
  const std::int64_t* unit_node_col;  ///< or null
  const V* tiled;
  const std::int64_t* unit_tiled;
  const holed_tile* holed;
  const std::uint8_t* mask;
  const entry_beside* beside;
  const V* beside_val;
  const diagonal_tile* diagonal_tiles;
  const std::int32_t* diagonal;
  const std::uint8_t* diagonal_mask;
  const std::int64_t* unit_cost;  ///< or null
  exec::carry_view carries;
};

template <class T, offset O, template <class> class Buffer>
struct csr_storage {
  csr_meta meta;
  Buffer<O> row_ptr;
  Buffer<std::int32_t> col;
  Buffer<T> val;
  Buffer<std::int32_t> cut_row;        ///< units + 1; see cut_equally() and, on cuda, cut_between_rows()
  Buffer<std::int64_t> cut_entry;      ///< balanced: units + 1; see cut_entries()
  Buffer<csr_run> run;                 ///< cpu; see runs.hpp
  Buffer<std::int32_t> unit_run;       ///< cpu: units + 1
  Buffer<column_piece> piece;          ///< cpu; of the runs that list them
  Buffer<std::int64_t> unit_piece;     ///< cpu: units + 1
  Buffer<std::int32_t> node_col;       ///< cpu; columns of the runs of step 0 that list no pieces, once more
  Buffer<std::int64_t> unit_node_col;  ///< cpu: units + 1, or none
  Buffer<T> tiled;                     ///< cpu; the values of the runs that are tiled, once more
  Buffer<std::int64_t> unit_tiled;     ///< cpu: units + 1
  Buffer<holed_tile> holed;            ///< cpu; see holes.hpp
  Buffer<std::uint8_t> mask;           ///< cpu; of these
  Buffer<entry_beside> beside;         ///< cpu; of these
  Buffer<T> beside_val;                ///< cpu; the values of beside, once more
  Buffer<diagonal_tile> diagonal_tiles;  ///< cpu; see diagonal_tiles.hpp
  Buffer<std::int32_t> diagonal;         ///< cpu; their columns
  Buffer<std::uint8_t> diagonal_mask;    ///< cpu; and masks
  Buffer<std::int64_t> unit_cost;        ///< cpu: units + 1, or none; see unit_cost.hpp
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
    f("holed", self.holed);
    f("mask", self.mask);
    f("beside", self.beside);
    f("beside_val", self.beside_val);
    f("diagonal_tiles", self.diagonal_tiles);
    f("diagonal", self.diagonal);
    f("diagonal_mask", self.diagonal_mask);
    f("unit_cost", self.unit_cost);
    exec::carry_list<Buffer>::arrays(self.carries, f);
  }

  [[nodiscard]] csr_pointers<T, O> view() const {
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
            .holed = holed.data(),
            .mask = mask.data(),
            .beside = beside.data(),
            .beside_val = beside_val.data(),
            .diagonal_tiles = diagonal_tiles.data(),
            .diagonal = diagonal.data(),
            .diagonal_mask = diagonal_mask.data(),
            .unit_cost = unit_cost.empty() ? nullptr : unit_cost.data(),
            .carries = exec::view_of(carries, meta.carries)};
  }
};

}  // namespace gossamer::inline v0::formats
