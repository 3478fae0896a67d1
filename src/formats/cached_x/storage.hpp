// SPDX-License-Identifier: BSD-3-Clause
// The arrays of cached_x (docs/formats/cached_x.md). Entries are stored in *chunks* of 256. A *segment* is a
// group of consecutive chunks: one chunk with panels, ceil(chunks / 4224) chunks with frequent columns. A
// *piece* is all entries of one row in one segment. A *slot* is the position of an entry or of padding.
#pragma once

#include <cstdint>

#include "exec/reduction/carries.hpp"
#include "formats/common/kept_columns.hpp"
#include "gossamer/memory.hpp"

namespace gossamer::inline v0::formats {

using cached_x_columns = kept_columns;

/// How values are stored: uncompressed, as indices into a table of up to 256 values, or once if all are
/// equal.
enum class cached_x_values : std::int32_t { full, table, constant };

inline constexpr int cached_x_chunk = 256;  ///< slots of a chunk
inline constexpr int cached_x_lanes = 32;
inline constexpr int cached_x_of_lane = cached_x_chunk / cached_x_lanes;  ///< neighbouring slots of a lane
/// Most columns of a panel: a column relative to its panel has 16 bits.
inline constexpr std::int64_t cached_x_widest = std::int64_t{1} << 16;
/// The flag of an element of `wide_column` whose other bits are an index into `frequent`, not a column.
inline constexpr std::uint32_t cached_x_is_frequent = 0x80000000u;

struct cached_x_meta {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  cached_x_columns columns = cached_x_columns::panels;
  std::int64_t width = 1;     ///< columns of a panel
  std::int64_t panels = 0;    ///< 0 with frequent columns
  std::int64_t frequent = 0;  ///< number of frequent columns
  std::int64_t chunks = 0;
  std::int64_t segment = 1;  ///< chunks of a segment
  std::int64_t empty_rows = 0;
  bool striped = false;  ///< cuda: see cached_x_place()
  cached_x_values values = cached_x_values::full;
  std::int64_t table_size = 0;
  exec::carry_counts carries;

  friend constexpr bool operator==(const cached_x_meta&, const cached_x_meta&) = default;
};

/// The number of chunks of a segment. With panels it is 1, so that thread blocks can divide a panel between
/// any two chunks. With frequent columns there are at most 4224 segments: one for each warp of a device with
/// 132 multiprocessors. This number is the same for all devices, since the bits of results depend on it.
constexpr std::int64_t cached_x_segment(cached_x_columns columns, std::int64_t chunks) {
  constexpr std::int64_t most_segments = 132 * 32;
  return columns == cached_x_columns::panels || chunks == 0 ? 1
                                                            : (chunks + most_segments - 1) / most_segments;
}

/// The position in `val`, relative to its chunk, of value k of the chunk if values are striped. Each lane has
/// 8 neighbouring entries and loads their values 16 bytes at a time. What the 32 lanes load together is
/// adjacent.
GOSSAMER_HOST_DEVICE constexpr int cached_x_place(int k, int value_bytes) {
  const int together = 16 / value_bytes;
  const int lane = k / cached_x_of_lane;
  const int of_lane = k % cached_x_of_lane;
  return (of_lane / together * cached_x_lanes + lane) * together + of_lane % together;
}

template <class V>
struct cached_x_pointers {
  cached_x_meta meta;
  const std::int32_t* panel_chunk;
  const std::int32_t* frequent;
  const std::uint16_t* column;
  const std::uint32_t* wide_column;
  const V* val;
  const std::uint8_t* code;
  const std::uint8_t* ends;
  const std::int32_t* chunk_piece;
  const std::int32_t* target;
  const std::int32_t* piece_entry;
  const std::int32_t* entry;
  const std::int32_t* empty_row;
  exec::carry_view carries;
};

template <class T, template <class> class Buffer>
struct cached_x_storage {
  cached_x_meta meta;
  Buffer<std::int32_t> panel_chunk;   ///< panels + 1: the first chunk of each; no chunk is in two panels
  Buffer<std::int32_t> frequent;      ///< the frequent columns, ascending
  Buffer<std::uint16_t> column;       ///< slots, with panels: the column minus the panel's first
  Buffer<std::uint32_t> wide_column;  ///< slots, with frequent columns: a column, or an index
  Buffer<T> val;                      ///< slots; or the table of values; or the only value
  Buffer<std::uint8_t> code;          ///< slots, with a table: the index of the value in `val`
  Buffer<std::uint8_t> ends;          ///< slots / 8: a bit for each entry that ends a piece
  Buffer<std::int32_t> chunk_piece;   ///< chunks + 1: the first piece that ends in each chunk
  Buffer<std::int32_t> target;        ///< pieces: the row, or ~position of the sum if it has others
  Buffer<std::int32_t>
      piece_entry;             ///< pieces, with panels: entries of the row before it; if values are replaced
  Buffer<std::int32_t> entry;  ///< slots: the entry's index in its row; if a row is not in panel order
  Buffer<std::int32_t> empty_row;    ///< rows without entries
  exec::carry_list<Buffer> carries;  ///< rows of several pieces, and the positions of their sums

  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    f("panel_chunk", self.panel_chunk);
    f("frequent", self.frequent);
    f("column", self.column);
    f("wide_column", self.wide_column);
    f("val", self.val);
    f("code", self.code);
    f("ends", self.ends);
    f("chunk_piece", self.chunk_piece);
    f("target", self.target);
    f("piece_entry", self.piece_entry);
    f("entry", self.entry);
    f("empty_row", self.empty_row);
    exec::carry_list<Buffer>::arrays(self.carries, f);
  }

  [[nodiscard]] cached_x_pointers<T> view() const {
    return {.meta = meta,
            .panel_chunk = panel_chunk.data(),
            .frequent = frequent.data(),
            .column = column.data(),
            .wide_column = wide_column.data(),
            .val = val.data(),
            .code = code.data(),
            .ends = ends.data(),
            .chunk_piece = chunk_piece.data(),
            .target = target.data(),
            .piece_entry = piece_entry.data(),
            .entry = entry.data(),
            .empty_row = empty_row.data(),
            .carries = exec::view_of(carries, meta.carries)};
  }
};

}  // namespace gossamer::inline v0::formats
