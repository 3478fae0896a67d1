// SPDX-License-Identifier: BSD-3-Clause
// Builds cached_x in host memory, and converts it back to csr. The four steps of a build: assign a slot to
// each entry, divide the entries into pieces, set the target of each piece, store the values.
#pragma once

#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "core/csr_of_size.hpp"
#include "core/first_touch.hpp"
#include "formats/cached_x/places.hpp"
#include "formats/common/frequent_values.hpp"

namespace gossamer::inline v0::formats {

/// The variant of the storage to build, from the options and the device.
struct cached_x_choice {
  cached_x_columns columns = cached_x_columns::panels;
  std::int64_t cached = 1;  ///< columns of a panel, or the most frequent columns to keep
  bool striped = false;     ///< for a GPU: the order of values, see cached_x_place()
  bool encodes = false;     ///< stores a table of values and codes, if there are at most 256 different values
  bool replaces = false;    ///< stores what replace_values() needs
};

/// The entry in a slot, while the storage is built. Padding has no_row.
struct cached_x_slot {
  static constexpr std::int32_t no_row = -1;
  std::int32_t row = no_row;
  std::int64_t entry = 0;  ///< its index in the matrix
};

template <class T>
host_buffer<T> cached_x_array(const std::vector<T>& from) {
  host_buffer<T> to(from.size());
  std::copy(from.begin(), from.end(), to.data());
  return to;
}
template <class T>
host_buffer<T> cached_x_zeros(std::int64_t size) {
  host_buffer<T> to(static_cast<std::size_t>(size));
  core::parallel_for(size, core::default_grain, [&](std::int64_t begin, std::int64_t end) {
    std::fill(to.data() + begin, to.data() + end, T{});
  });
  return to;
}

template <class V, offset O>
host_buffer<cached_x_slot> place_by_panels(const csr_view<V, O>& a, std::int64_t width,
                                           cached_x_storage<V, host_buffer>& s) {
  cached_x_panel_places places(a, width);
  s.meta.width = width;
  s.meta.panels = static_cast<std::int64_t>(places.panel_chunk().size()) - 1;
  s.meta.chunks = places.panel_chunk().back();
  s.panel_chunk = cached_x_array(places.panel_chunk());
  s.column = cached_x_zeros<std::uint16_t>(s.meta.chunks * cached_x_chunk);
  auto slots = cached_x_zeros<cached_x_slot>(s.meta.chunks * cached_x_chunk);
  const bool in_order = is_in_panel_order(a, width);
  if (!in_order) s.entry = cached_x_zeros<std::int32_t>(s.meta.chunks * cached_x_chunk);
  places.for_each(a, [&](std::int64_t k, std::int64_t i, std::int64_t slot, std::int64_t column) {
    slots.data()[slot] = {.row = static_cast<std::int32_t>(i), .entry = k};
    s.column.data()[slot] = static_cast<std::uint16_t>(column);
    if (!in_order) s.entry.data()[slot] = static_cast<std::int32_t>(k - a.row_ptr.data()[i]);
  });
  return slots;
}

template <class V, offset O>
host_buffer<cached_x_slot> place_in_order(const csr_view<V, O>& a, std::int64_t most_frequent,
                                          cached_x_storage<V, host_buffer>& s) {
  const std::vector<std::int32_t> frequent = most_frequent_columns(a, most_frequent);
  std::vector<std::uint32_t> code(static_cast<std::size_t>(a.cols));
  std::iota(code.begin(), code.end(), std::uint32_t{0});
  for (std::size_t f = 0; f < frequent.size(); ++f)
    code[static_cast<std::size_t>(frequent[f])] = cached_x_is_frequent | static_cast<std::uint32_t>(f);
  s.meta.frequent = static_cast<std::int64_t>(frequent.size());
  s.meta.chunks = cached_x_chunks_of(a.nnz());
  s.frequent = cached_x_array(frequent);
  s.wide_column = cached_x_zeros<std::uint32_t>(s.meta.chunks * cached_x_chunk);
  auto slots = cached_x_zeros<cached_x_slot>(s.meta.chunks * cached_x_chunk);
  core::parallel_for(a.rows, 1024, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      for (std::int64_t k = a.row_ptr.data()[i]; k < a.row_ptr.data()[i + 1]; ++k) {
        slots.data()[k] = {.row = static_cast<std::int32_t>(i), .entry = k};
        s.wide_column.data()[k] = code[static_cast<std::size_t>(a.col.data()[k])];
      }
  });
  return slots;
}

/// A piece, while the storage is built.
struct cached_x_piece {
  std::int32_t row = 0;
  std::int32_t entries = 0;  ///< those in the chunk in which the piece ends; with panels, this is all of them
};

/// Sets `ends` and `chunk_piece`. Returns the pieces in their stored order.
template <class V>
std::vector<cached_x_piece> cut_pieces(std::span<const cached_x_slot> slots,
                                       cached_x_storage<V, host_buffer>& s) {
  const std::int64_t chunks = s.meta.chunks;
  s.meta.segment = cached_x_segment(s.meta.columns, chunks);
  s.ends = host_buffer<std::uint8_t>(static_cast<std::size_t>(chunks * cached_x_lanes));
  s.chunk_piece = host_buffer<std::int32_t>(static_cast<std::size_t>(chunks) + 1);
  const auto ends_piece = [&](std::int64_t slot) {
    const std::int32_t row = slots[static_cast<std::size_t>(slot)].row;
    const bool ends_segment = (slot + 1) % (s.meta.segment * cached_x_chunk) == 0;
    const auto next = static_cast<std::size_t>(slot) + 1;
    return row != cached_x_slot::no_row && (ends_segment || next == slots.size() || slots[next].row != row);
  };
  core::parallel_for(chunks, 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t c = begin; c < end; ++c) {
      std::int32_t pieces = 0;
      for (std::int64_t lane = c * cached_x_lanes; lane < (c + 1) * cached_x_lanes; ++lane) {
        unsigned bits = 0;
        for (int j = 0; j < cached_x_of_lane; ++j)
          if (ends_piece(lane * cached_x_of_lane + j)) bits |= 1u << j;
        s.ends.data()[lane] = static_cast<std::uint8_t>(bits);
        pieces += std::popcount(bits);
      }
      s.chunk_piece.data()[c + 1] = pieces;
    }
  });
  s.chunk_piece[0] = 0;
  for (std::int64_t c = 0; c < chunks; ++c) s.chunk_piece.data()[c + 1] += s.chunk_piece.data()[c];
  std::vector<cached_x_piece> pieces(static_cast<std::size_t>(s.chunk_piece.data()[chunks]));
  core::parallel_for(chunks, 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t c = begin; c < end; ++c) {
      auto piece = static_cast<std::size_t>(s.chunk_piece.data()[c]);
      std::int64_t first = c * cached_x_chunk;
      for (std::int64_t slot = first; slot < (c + 1) * cached_x_chunk; ++slot) {
        if (!ends_piece(slot)) continue;
        pieces[piece++] = {.row = slots[static_cast<std::size_t>(slot)].row,
                           .entries = static_cast<std::int32_t>(slot + 1 - first)};
        first = slot + 1;
      }
    }
  });
  return pieces;
}

/// Sets `target`, `carries`, `empty_row` and, if values are replaced in panels, `piece_entry`. The target of
/// the only piece of a row is the row. The sums of a row of several pieces have consecutive positions in the
/// workspace, in the order of its pieces.
template <class V>
void set_targets(const std::vector<cached_x_piece>& pieces, bool replaces,
                 cached_x_storage<V, host_buffer>& s) {
  std::vector<std::int32_t> of_row(static_cast<std::size_t>(s.meta.rows));
  for (const cached_x_piece& piece : pieces) ++of_row[static_cast<std::size_t>(piece.row)];
  s.meta.empty_rows = std::count(of_row.begin(), of_row.end(), 0);
  const auto runs = static_cast<std::size_t>(
      std::count_if(of_row.begin(), of_row.end(), [](std::int32_t n) { return n > 1; }));
  s.empty_row = host_buffer<std::int32_t>(static_cast<std::size_t>(s.meta.empty_rows));
  s.carries = {.row = host_buffer<std::int32_t>(runs),
               .first = host_buffer<std::int64_t>(runs),
               .last = host_buffer<std::int64_t>(runs),
               .run_at_cut = {}};
  std::vector<std::int32_t> next_sum(of_row.size());
  s.meta.carries = {.longest = 0, .slots = 0, .apart = true};
  std::size_t run = 0;
  std::size_t empty = 0;
  for (std::size_t i = 0; i < of_row.size(); ++i) {
    if (of_row[i] == 0) s.empty_row[empty++] = static_cast<std::int32_t>(i);
    if (of_row[i] <= 1) continue;
    next_sum[i] = static_cast<std::int32_t>(s.meta.carries.slots);
    s.carries.row[run] = static_cast<std::int32_t>(i);
    s.carries.first[run] = s.meta.carries.slots;
    s.meta.carries.slots += of_row[i];
    s.carries.last[run++] = s.meta.carries.slots;
    s.meta.carries.longest = std::max<std::int64_t>(s.meta.carries.longest, of_row[i]);
  }
  s.target = host_buffer<std::int32_t>(pieces.size());
  core::first_touch(std::as_writable_bytes(s.target.span()));
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const auto row = static_cast<std::size_t>(pieces[p].row);
    s.target[p] = of_row[row] == 1 ? pieces[p].row : ~next_sum[row]++;
  }
  if (!replaces || s.meta.columns != cached_x_columns::panels) return;
  s.piece_entry = host_buffer<std::int32_t>(pieces.size());
  std::vector<std::int32_t> entries(of_row.size());
  for (std::size_t p = 0; p < pieces.size(); ++p)
    s.piece_entry[p] = std::exchange(entries[static_cast<std::size_t>(pieces[p].row)],
                                     entries[static_cast<std::size_t>(pieces[p].row)] + pieces[p].entries);
}

/// Whether the table contains all values. No table contains a NaN or an infinity.
template <value V>
bool has_all_values(std::span<const V> values, const value_index<V>& table) {
  std::atomic<bool> all{true};
  core::parallel_for(static_cast<std::int64_t>(values.size()), core::default_grain,
                     [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t k = begin; k < end && all.load(std::memory_order_relaxed); ++k)
                         if (table.find(values[static_cast<std::size_t>(k)]) < 0) all = false;
                     });
  return all;
}

template <value V, offset O>
void store_values(const csr_view<V, O>& a, const cached_x_choice& how, std::span<const cached_x_slot> slots,
                  cached_x_storage<V, host_buffer>& s) {
  const auto for_each_slot = [&](auto&& f) {
    core::parallel_for(static_cast<std::int64_t>(slots.size()), core::default_grain,
                       [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t slot = begin; slot < end; ++slot)
                           if (slots[static_cast<std::size_t>(slot)].row != cached_x_slot::no_row)
                             f(slot, a.val.data()[slots[static_cast<std::size_t>(slot)].entry]);
                       });
  };
  if (how.encodes && a.nnz() > 0) {
    const value_table<V> table = tabulate<V>(a.val, value_index<V>::most);
    const value_index<V> index(table.values);
    if (table.holds_all && has_all_values(a.val, index)) {
      s.val = cached_x_array(table.values);
      s.meta.values = table.values.size() == 1 ? cached_x_values::constant : cached_x_values::table;
      if (s.meta.values == cached_x_values::constant) return;
      s.meta.table_size = static_cast<std::int64_t>(table.values.size());
      s.code = cached_x_zeros<std::uint8_t>(static_cast<std::int64_t>(slots.size()));
      for_each_slot([&](std::int64_t slot, V value) {
        s.code.data()[slot] = static_cast<std::uint8_t>(index.find(value));
      });
      return;
    }
  }
  s.val = cached_x_zeros<V>(static_cast<std::int64_t>(slots.size()));
  for_each_slot([&](std::int64_t slot, V value) {
    const std::int64_t k = slot % cached_x_chunk;
    s.val.data()[slot - k + (how.striped ? cached_x_place(static_cast<int>(k), sizeof(V)) : k)] = value;
  });
}

template <value V, offset O>
cached_x_storage<V, host_buffer> build_cached_x(const csr_view<V, O>& a, const cached_x_choice& how) {
  cached_x_storage<V, host_buffer> s;
  s.meta.rows = a.rows;
  s.meta.cols = a.cols;
  s.meta.nnz = a.nnz();
  s.meta.columns = how.columns;
  s.meta.striped = how.striped;
  const host_buffer<cached_x_slot> slots = how.columns == cached_x_columns::panels
                                               ? place_by_panels(a, how.cached, s)
                                               : place_in_order(a, how.cached, s);
  set_targets(cut_pieces(slots.span(), s), how.replaces, s);
  store_values(a, how, slots.span(), s);
  return s;
}

template <value V>
V cached_x_value(const cached_x_storage<V, host_buffer>& s, std::int64_t slot) {
  if (s.meta.values == cached_x_values::constant) return s.val[0];
  if (s.meta.values == cached_x_values::table) return s.val[s.code.data()[slot]];
  const std::int64_t k = slot % cached_x_chunk;
  return s.val.data()[slot - k + (s.meta.striped ? cached_x_place(static_cast<int>(k), sizeof(V)) : k)];
}

template <value V>
csr_matrix<V, std::int64_t> csr_of_cached_x(const cached_x_storage<V, host_buffer>& s) {
  const cached_x_meta& m = s.meta;
  std::vector<std::int32_t> row_of_sum(static_cast<std::size_t>(m.carries.slots));
  for (std::size_t r = 0; r < s.carries.row.size(); ++r)
    std::fill(row_of_sum.begin() + s.carries.first[r], row_of_sum.begin() + s.carries.last[r],
              s.carries.row[r]);
  // Calls f(row, slot) for each entry, in the order of slots.
  const auto for_each_entry = [&](auto&& f) {
    std::size_t piece = 0;
    for (std::int64_t begin = 0; begin < m.chunks; begin += m.segment) {
      std::int64_t first = begin * cached_x_chunk;
      for (std::int64_t slot = first; slot < std::min(m.chunks, begin + m.segment) * cached_x_chunk; ++slot) {
        if ((s.ends.data()[slot / cached_x_of_lane] >> slot % cached_x_of_lane & 1) == 0) continue;
        const std::int32_t target = s.target[piece++];
        const std::int32_t row = target >= 0 ? target : row_of_sum[static_cast<std::size_t>(~target)];
        for (; first <= slot; ++first) f(row, first);
      }
    }
  };
  auto a = csr_of_size<V>(m.rows, m.cols, m.nnz);
  std::fill_n(a.row_ptr.data(), m.rows + 1, std::int64_t{0});
  for_each_entry([&](std::int32_t row, std::int64_t) { ++a.row_ptr.data()[row + 1]; });
  for (std::int64_t i = 0; i < m.rows; ++i) a.row_ptr.data()[i + 1] += a.row_ptr.data()[i];
  std::vector<std::int64_t> next(a.row_ptr.data(), a.row_ptr.data() + m.rows);
  std::int64_t panel = 0;
  for_each_entry([&](std::int32_t row, std::int64_t slot) {
    std::int64_t k = next[static_cast<std::size_t>(row)]++;
    if (!s.entry.empty()) k = a.row_ptr.data()[row] + s.entry.data()[slot];
    if (m.columns == cached_x_columns::panels) {
      while (slot >= std::int64_t{s.panel_chunk[static_cast<std::size_t>(panel) + 1]} * cached_x_chunk)
        ++panel;
      a.col.data()[k] = static_cast<std::int32_t>(panel * m.width + s.column.data()[slot]);
    } else {
      const std::uint32_t code = s.wide_column.data()[slot];
      a.col.data()[k] = (code & cached_x_is_frequent) != 0 ? s.frequent[code & ~cached_x_is_frequent]
                                                           : static_cast<std::int32_t>(code);
    }
    a.val.data()[k] = cached_x_value(s, slot);
  });
  return a;
}

}  // namespace gossamer::inline v0::formats
