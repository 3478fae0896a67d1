// SPDX-License-Identifier: BSD-3-Clause
// How the columns and values of one slice are coded: each in the way that takes the fewest bytes, all of them exact.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "formats/frequent_values.hpp"
#include "formats/packed/windows.hpp"

namespace gossamer::inline v0::formats {

/// What coding depends on beside the slice.
template <value V>
struct packed_coding {
  const value_index<V>* table;
  std::uint32_t together;  ///< packed_together_on_device, or 1
  [[nodiscard]] bool on_device() const { return together != 1; }
};

namespace packed_code {

template <class Number>
void put(std::uint8_t* to, std::uint32_t place, Number number) {
  std::memcpy(to + std::size_t{place} * sizeof(Number), &number, sizeof(Number));
}
template <class Number>
Number get(const std::uint8_t* from, std::uint32_t place) {
  Number number;
  std::memcpy(&number, from + std::size_t{place} * sizeof(Number), sizeof(Number));
  return number;
}

inline bool is_narrow(double v) {
  if (v > std::numeric_limits<float>::max() || v < std::numeric_limits<float>::lowest()) return false;
  return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<float>(v))) ==
         std::bit_cast<std::uint64_t>(v);
}
inline bool is_narrow(float) {
  return false;  // nothing is saved
}

constexpr packed_columns columns_for(std::int64_t largest) noexcept {
  if (largest == 0) return packed_columns::none;
  if (largest <= std::numeric_limits<std::uint8_t>::max()) return packed_columns::one;
  return largest <= std::numeric_limits<std::uint16_t>::max() ? packed_columns::two : packed_columns::four;
}

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

}  // namespace packed_code

/// A slice's header but for where its arrays begin.
template <value V, offset O>
packed_slice packed_header(const csr_view<V, O>& a, const packed_rows& rows, const packed_coding<V>& how) {
  const packed_code::lanes<V, O> lanes(a, rows);
  packed_slice s;
  s.row = lanes.header_row;
  s.steps = static_cast<std::uint16_t>(lanes.steps);
  s.shortest = static_cast<std::uint16_t>(lanes.shortest);
  s.set_rows(rows.count, rows.sharing, rows.listed, rows.part >= 0,
             lanes.steps - lanes.shortest > std::numeric_limits<std::uint8_t>::max());
  if (lanes.steps == 0) {
    s.set(packed_columns::none, packed_starts::zero, packed_values::of_step);
    return s;
  }
  using pattern = bits_of_value<V>;
  packed_code::column_range plain;
  packed_code::column_range from_row;
  packed_code::column_range from_first;
  const pattern one = std::bit_cast<pattern>(a.val.data()[lanes.entry(0, 0)]);
  bool constant = true;
  bool of_step = true;
  bool narrow = sizeof(V) > sizeof(float);
  int furthest = 0;  // in the table; -1: not all are there
  for (std::int64_t j = 0; j < lanes.steps; ++j) {
    plain.begin_step();
    from_row.begin_step();
    from_first.begin_step();
    bool seen = false;
    pattern of_this{};
    for (int l = 0; l < packed_lanes; ++l) {
      if (!lanes.has(l, j)) continue;
      const std::int64_t k = lanes.entry(l, j);
      const std::int64_t col = a.col.data()[k];
      plain.add(col);
      from_row.add(col - lanes.row[static_cast<std::size_t>(l)]);
      from_first.add(col - a.col.data()[lanes.entry(l, 0)]);
      const V v = a.val.data()[k];
      const pattern bits = std::bit_cast<pattern>(v);
      if (!seen) of_this = bits;
      seen = true;
      constant = constant && bits == one;
      of_step = of_step && bits == of_this;
      narrow = narrow && packed_code::is_narrow(v);
      if (furthest >= 0) {
        const int place = how.table->find(v);
        furthest = place < 0 ? -1 : std::max(furthest, place);
      }
    }
    plain.end_step();
    from_row.end_step();
    from_first.end_step();
  }
  packed_columns columns = packed_code::columns_for(plain.widest);
  auto starts = packed_starts::zero;
  const auto bytes_of = [&](packed_columns c, packed_starts from) {
    packed_slice t = s;
    t.set(c, from, packed_values::of_step);
    const packed_sections at = packed_sections_of(t, sizeof(V));
    return at.values - at.bases;
  };
  const auto consider = [&](const packed_code::column_range& range, packed_starts from) {
    const packed_columns c = packed_code::columns_for(range.widest);
    if (c == packed_columns::four || bytes_of(c, from) >= bytes_of(columns, starts)) return;
    columns = c;
    starts = from;
  };
  if (rows.part < 0) consider(from_row, packed_starts::row);
  if (from_first.widest == 0) consider(from_first, packed_starts::given);

  packed_values values = packed_values::full;
  if (narrow) values = packed_values::narrow;
  if (furthest >= 0) values = packed_values::table8;
  constexpr int nibble = 16;
  if (furthest >= 0 && furthest < nibble && how.on_device()) values = packed_values::table4;
  if (of_step) values = packed_values::of_step;
  if (constant) values = packed_values::constant;
  s.set(columns, starts, values);
  return s;
}

/// The arrays of a slice, packed_sections_of(s).end bytes; what no entry has is zero.
template <value V, offset O>
void write_packed(const csr_view<V, O>& a, const packed_rows& rows, const packed_coding<V>& how,
                  const packed_slice& s, std::uint8_t* to) {
  using packed_code::put;
  const packed_code::lanes<V, O> lanes(a, rows);
  const packed_sections at = packed_sections_of(s, sizeof(V));
  std::fill_n(to, at.end, std::uint8_t{0});
  const auto start_of = [&](int l) -> std::int64_t {
    const auto lane = static_cast<std::size_t>(l);
    if (s.starts() == packed_starts::row) return lanes.row[lane];
    if (s.starts() == packed_starts::given && lanes.count[lane] > 0) return a.col.data()[lanes.first[lane]];
    return 0;
  };
  for (int l = 0; l < packed_lanes; ++l) {
    const auto lane = static_cast<std::uint32_t>(l);
    if (s.starts() == packed_starts::given) put(to + at.starts, lane, static_cast<std::int32_t>(start_of(l)));
    if (s.lists_rows() && l < rows.count)
      put(to + at.rows, lane,
          static_cast<std::uint16_t>(rows.row[static_cast<std::size_t>(l)] - lanes.header_row));
    const std::int64_t missing = s.steps - lanes.count[static_cast<std::size_t>(l)];
    if (!s.is_full() && s.misses_many()) put(to + at.missing, lane, static_cast<std::uint16_t>(missing));
    if (!s.is_full() && !s.misses_many()) put(to + at.missing, lane, static_cast<std::uint8_t>(missing));
  }
  const std::uint32_t steps = s.steps;
  const std::uint32_t values_together = packed_values_together(how.together, sizeof(V));
  const bool has_bases = s.columns() != packed_columns::four;
  for (std::uint32_t j = 0; j < steps; ++j) {
    std::int64_t base = std::numeric_limits<std::int64_t>::max();
    for (int l = 0; l < packed_lanes; ++l)
      if (lanes.has(l, j)) base = std::min(base, a.col.data()[lanes.entry(l, j)] - start_of(l));
    if (has_bases) put(to + at.bases, j, static_cast<std::int32_t>(base));
    for (int l = 0; l < packed_lanes; ++l) {
      if (!lanes.has(l, j)) continue;
      const auto lane = static_cast<std::uint32_t>(l);
      const std::int64_t k = lanes.entry(l, j);
      const std::uint32_t place = packed_place(j, lane, steps, how.together);
      const std::int64_t number = a.col.data()[k] - start_of(l) - (has_bases ? base : 0);
      switch (s.columns()) {
        case packed_columns::none:
          break;
        case packed_columns::one:
          put(to + at.columns, place, static_cast<std::uint8_t>(number));
          break;
        case packed_columns::two:
          put(to + at.columns, place, static_cast<std::uint16_t>(number));
          break;
        case packed_columns::four:
          put(to + at.columns, place, static_cast<std::int32_t>(number));
      }
      const V v = a.val.data()[k];
      switch (s.values()) {
        case packed_values::constant:
          put(to, 0, v);
          break;
        case packed_values::of_step:
          put(to, j, v);
          break;
        case packed_values::table4: {
          const std::uint32_t word = j / 4 * packed_lanes + lane;
          const auto four = packed_code::get<std::uint16_t>(to + at.values, word);
          put(to + at.values, word, static_cast<std::uint16_t>(four | how.table->find(v) << (j % 4 * 4)));
          break;
        }
        case packed_values::table8:
          put(to + at.values, place, static_cast<std::uint8_t>(how.table->find(v)));
          break;
        case packed_values::narrow:
          put(to + at.values, place, static_cast<float>(v));
          break;
        case packed_values::full:
          put(to + at.values, packed_place(j, lane, steps, values_together), v);
      }
    }
  }
}

/// Reads what write_packed() wrote.
template <value V>
class packed_reader {
 public:
  packed_reader(const packed_slice& s, const std::uint8_t* data, const V* table, std::uint32_t together)
      : s_(s), from_(data), table_(table), together_(together), at_(packed_sections_of(s, sizeof(V))) {}

  [[nodiscard]] std::int64_t count(int lane) const {
    if (s_.is_full()) return s_.steps;
    const auto l = static_cast<std::uint32_t>(lane);
    return s_.steps - (s_.misses_many() ? packed_code::get<std::uint16_t>(from_ + at_.missing, l)
                                        : packed_code::get<std::uint8_t>(from_ + at_.missing, l));
  }
  /// Of the slice's row number `which`; parts have none.
  [[nodiscard]] std::int32_t row(int which) const {
    const auto w = static_cast<std::uint32_t>(which);
    return s_.row +
           (s_.lists_rows() ? std::int32_t{packed_code::get<std::uint16_t>(from_ + at_.rows, w)} : which);
  }
  [[nodiscard]] std::int32_t column(std::uint32_t step, int lane) const {
    const auto l = static_cast<std::uint32_t>(lane);
    const std::uint32_t place = packed_place(step, l, s_.steps, together_);
    if (s_.columns() == packed_columns::four)
      return packed_code::get<std::int32_t>(from_ + at_.columns, place);
    std::int32_t number = packed_code::get<std::int32_t>(from_ + at_.bases, step);
    if (s_.starts() == packed_starts::row) number += row(lane >> s_.sharing()) - s_.row;
    if (s_.starts() == packed_starts::given) number += packed_code::get<std::int32_t>(from_ + at_.starts, l);
    if (s_.columns() == packed_columns::one)
      number += packed_code::get<std::uint8_t>(from_ + at_.columns, place);
    if (s_.columns() == packed_columns::two)
      number += packed_code::get<std::uint16_t>(from_ + at_.columns, place);
    return number;
  }
  [[nodiscard]] V value_of(std::uint32_t step, int lane) const {
    const auto l = static_cast<std::uint32_t>(lane);
    const std::uint32_t place = packed_place(step, l, s_.steps, together_);
    switch (s_.values()) {
      case packed_values::constant:
        return packed_code::get<V>(from_, 0);
      case packed_values::of_step:
        return packed_code::get<V>(from_, step);
      case packed_values::table4:
        return table_[packed_code::get<std::uint16_t>(from_ + at_.values, step / 4 * packed_lanes + l) >>
                          (step % 4 * 4) &
                      0xf];
      case packed_values::table8:
        return table_[packed_code::get<std::uint8_t>(from_ + at_.values, place)];
      case packed_values::narrow:
        return static_cast<V>(packed_code::get<float>(from_ + at_.values, place));
      case packed_values::full:
        break;
    }
    return packed_code::get<V>(from_ + at_.values,
                               packed_place(step, l, s_.steps, packed_values_together(together_, sizeof(V))));
  }

 private:
  packed_slice s_;
  const std::uint8_t* from_;
  const V* table_;
  std::uint32_t together_;
  packed_sections at_;
};

}  // namespace gossamer::inline v0::formats
