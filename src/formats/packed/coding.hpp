// SPDX-License-Identifier: BSD-3-Clause
// Which way the columns and values of one slice are coded in: of those that are exact the one that takes the fewest bytes.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "formats/packed/entries_coding.hpp"

namespace gossamer::inline v0::formats {

namespace packed_code {

/// The lanes of a slice, and what its rows stand at.
template <class V, offset O>
struct lanes {
  std::array<std::int64_t, packed_lanes> first{};
  std::array<std::int64_t, packed_lanes> count{};
  std::array<std::int32_t, packed_lanes> row{};  ///< counted from the header's; 0 for parts
  std::int32_t header_row = 0;
  std::int64_t steps = 0;
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  int sharing = 0;

  lanes(const csr_view<V, O>& a, const packed_rows& rows) : sharing(rows.sharing) {
    header_row =
        rows.listed ? static_cast<std::int32_t>(rows.row[0] / packed_window * packed_window) : rows.row[0];
    for (int l = 0; l < packed_lanes; ++l) {
      const auto at = static_cast<std::size_t>(l);
      const auto of = rows.of_lane(a, l);
      first[at] = of.first;
      count[at] = of.count;
      const int which = l >> rows.sharing;
      if (which < rows.count) row[at] = rows.row[static_cast<std::size_t>(which)] - header_row;
      steps = std::max(steps, of.count);
      shortest = std::min(shortest, of.count);
    }
  }
  [[nodiscard]] std::int64_t entry(int lane, std::int64_t step) const {
    return first[static_cast<std::size_t>(lane)] + (step << sharing);
  }
  [[nodiscard]] bool has(int lane, std::int64_t step) const {
    return step < count[static_cast<std::size_t>(lane)];
  }
};

/// What numbers of one step differ by at most, over all steps.
struct column_range {
  std::int64_t widest = 0;
  std::int64_t smallest = 0;
  std::int64_t largest = 0;
  bool open = false;

  void begin_step() { open = false; }
  void add(std::int64_t number) {
    smallest = open ? std::min(smallest, number) : number;
    largest = open ? std::max(largest, number) : number;
    open = true;
  }
  void end_step() {
    if (open) widest = std::max(widest, largest - smallest);
  }
};

/// How far apart the numbers of a step are at most, over all steps of a slice: its columns as they are, counted from each lane's row, and counted
/// from each lane's first.
struct column_widths {
  std::int64_t plain = 0;
  std::int64_t from_row = 0;
  std::int64_t from_first = 0;
};

/// The header of a slice in lanes, which says of its rows all it has to; how columns are coded follows from what takes the fewest bytes.
constexpr packed_slice header_in_lanes(packed_slice s, const column_widths& widths, packed_values values,
                                       std::uint32_t value_bytes, std::uint32_t& bytes) {
  if (s.steps == 0) values = packed_values::of_step;
  s.set(columns_for(widths.plain), packed_starts::zero, values);
  bytes = place_arrays(s, value_bytes);
  const auto consider = [&](std::int64_t widest, packed_starts from) {
    packed_slice other = s;
    other.set(columns_for(widest), from, values);
    const std::uint32_t bytes_of_other = place_arrays(other, value_bytes);
    if (other.columns() == packed_columns::four || bytes_of_other >= bytes) return;
    s = other;
    bytes = bytes_of_other;
  };
  if (s.steps == 0) return s;
  if (!s.is_part()) consider(widths.from_row, packed_starts::row);
  if (widths.from_first == 0) consider(widths.from_first, packed_starts::given);
  return s;
}

/// f(row, diagonal, entry) for each entry of rows on diagonals.
template <class V, offset O, class F>
void for_each_on_diagonals(const csr_view<V, O>& a, const packed_rows& rows, F&& f) {
  for (int r = 0; r < rows.count; ++r) {
    const std::int64_t i = rows.row[0] + r;
    std::size_t d = 0;
    for (auto k = static_cast<std::int64_t>(a.row_ptr.data()[i]);
         k < static_cast<std::int64_t>(a.row_ptr.data()[i + 1]); ++k) {
      while (rows.diagonals[d] != a.col.data()[k] - i) ++d;
      f(r, d, k);
    }
  }
}

template <value V, offset O>
packed_slice header_on_diagonals(const csr_view<V, O>& a, const packed_rows& rows,
                                 const packed_coding<V>& how) {
  packed_slice s;
  s.row = rows.row[0];
  s.steps = static_cast<std::uint16_t>(rows.diagonals.size());
  value_choice<V> values(how);
  std::vector<bits_of_value<V>> first(rows.diagonals.size());
  std::vector<char> seen(rows.diagonals.size());
  std::size_t entries = 0;
  for_each_on_diagonals(a, rows, [&](int, std::size_t d, std::int64_t k) {
    bool was = seen[d] != 0;
    values.add(a.val.data()[k], was, first[d]);
    seen[d] = 1;
    ++entries;
  });
  s.shortest = entries == rows.diagonals.size() * packed_rows_on_diagonals ? s.steps : std::uint16_t{0};
  s.set_rows(rows.count, 0, false, false, false, true);
  s.set(packed_columns::none, packed_starts::zero, values.best());
  return s;
}

}  // namespace packed_code

/// A slice's header but for where its arrays begin among all.
template <value V, offset O>
packed_slice packed_header(const csr_view<V, O>& a, const packed_rows& rows, const packed_coding<V>& how,
                           std::uint32_t& bytes) {
  if (rows.entries) return packed_code::header_of_entries(a, rows, how, bytes);
  if (!rows.diagonals.empty()) {
    packed_slice s = packed_code::header_on_diagonals(a, rows, how);
    bytes = place_arrays(s, sizeof(V));
    return s;
  }
  const packed_code::lanes<V, O> lanes(a, rows);
  packed_slice s;
  s.row = lanes.header_row;
  s.steps = static_cast<std::uint16_t>(lanes.steps);
  s.shortest = static_cast<std::uint16_t>(lanes.shortest);
  s.set_rows(rows.count, rows.sharing, rows.listed, rows.part >= 0,
             lanes.steps - lanes.shortest > std::numeric_limits<std::uint8_t>::max(), false);
  packed_code::column_range plain;
  packed_code::column_range from_row;
  packed_code::column_range from_first;
  packed_code::value_choice<V> values(how);
  for (std::int64_t j = 0; j < lanes.steps; ++j) {
    plain.begin_step();
    from_row.begin_step();
    from_first.begin_step();
    values.begin_step();
    for (int l = 0; l < packed_lanes; ++l) {
      if (!lanes.has(l, j)) continue;
      const std::int64_t k = lanes.entry(l, j);
      const std::int64_t col = a.col.data()[k];
      plain.add(col);
      from_row.add(col - lanes.row[static_cast<std::size_t>(l)]);
      from_first.add(col - a.col.data()[lanes.entry(l, 0)]);
      values.add(a.val.data()[k]);
    }
    plain.end_step();
    from_row.end_step();
    from_first.end_step();
  }
  return packed_code::header_in_lanes(
      s, {.plain = plain.widest, .from_row = from_row.widest, .from_first = from_first.widest}, values.best(),
      sizeof(V), bytes);
}

}  // namespace gossamer::inline v0::formats
