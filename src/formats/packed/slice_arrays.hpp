// SPDX-License-Identifier: BSD-3-Clause
// The arrays of one slice, written in the way that its header says, and read back.
#pragma once

#include <algorithm>
#include <limits>

#include "formats/packed/coding.hpp"
#include "formats/packed/storage.hpp"

namespace gossamer::inline v0::formats {

namespace packed_code {

/// The byte of a step and a lane among masks on a device, and in it the bit of row number r.
inline std::uint32_t mask_byte(std::uint32_t step, std::uint32_t lane) {
  return step / 2 * packed_lanes + lane;
}
inline std::uint32_t mask_bit(std::uint32_t step, int r) {
  return step % 2 * packed_rows_of_lane + static_cast<std::uint32_t>(r) / packed_lanes;
}

/// f(std::integral_constant<packed_values, W>()), where W is how a slice's values are coded: asked once, not for each value.
template <class F>
void with_code_of_values(const packed_slice& s, F&& f) {
  switch (s.values()) {
    case packed_values::constant:
      return f(std::integral_constant<packed_values, packed_values::constant>());
    case packed_values::of_step:
      return f(std::integral_constant<packed_values, packed_values::of_step>());
    case packed_values::table4:
      return f(std::integral_constant<packed_values, packed_values::table4>());
    case packed_values::table8:
      return f(std::integral_constant<packed_values, packed_values::table8>());
    case packed_values::half:
      return f(std::integral_constant<packed_values, packed_values::half>());
    case packed_values::narrow:
      return f(std::integral_constant<packed_values, packed_values::narrow>());
    case packed_values::full:
      return f(std::integral_constant<packed_values, packed_values::full>());
  }
}

/// A value into a lane's slot of a slice.
template <packed_values W, value V>
void put_value(const packed_slice& s, const packed_coding<V>& how, std::uint8_t* to, std::uint32_t slot,
               std::uint32_t step, std::uint32_t lane, V v) {
  std::uint8_t* const values = to + s.values_at;
  const std::uint32_t slots = packed_slots(s);
  const std::uint32_t place = packed_place(slot, lane, slots, how.together);
  if constexpr (W == packed_values::constant) put(values, 0, v);
  if constexpr (W == packed_values::of_step) put(values, step, v);
  if constexpr (W == packed_values::table4) {
    const std::uint32_t word = slot / 4 * packed_lanes + lane;
    put(values, word,
        static_cast<std::uint16_t>(get<std::uint16_t>(values, word) | how.table->find(v) << (slot % 4 * 4)));
  }
  if constexpr (W == packed_values::table8) put(values, place, static_cast<std::uint8_t>(how.table->find(v)));
  if constexpr (W == packed_values::half) put(values, place, to_16_bits(v, how.half()));
  if constexpr (W == packed_values::narrow) put(values, place, static_cast<float>(v));
  if constexpr (W == packed_values::full)
    put(values, packed_place(slot, lane, slots, packed_values_together(how.together, sizeof(V))), v);
}

template <value V, offset O>
void write_on_diagonals(const csr_view<V, O>& a, const packed_rows& rows, const packed_coding<V>& how,
                        const packed_slice& s, std::uint8_t* to) {
  for (std::uint32_t d = 0; d < s.steps; ++d)
    put(to + s.bases, d, static_cast<std::int32_t>(rows.diagonals[d] + s.row));
  if (!s.is_full())
    for_each_on_diagonals(a, rows, [&](int r, std::size_t d, std::int64_t) {
      const auto step = static_cast<std::uint32_t>(d);
      const std::uint32_t lane = static_cast<std::uint32_t>(r) % packed_lanes;
      const std::uint32_t slot = step * packed_rows_of_lane + static_cast<std::uint32_t>(r) / packed_lanes;
      if (how.on_device())
        to[s.masks + mask_byte(step, lane)] |= static_cast<std::uint8_t>(1u << mask_bit(step, r));
      else
        put(to + s.masks, slot, get<std::uint32_t>(to + s.masks, slot) | 1u << lane);
    });
  with_code_of_values(s, [&](auto code) {
    for_each_on_diagonals(a, rows, [&](int r, std::size_t d, std::int64_t k) {
      const auto step = static_cast<std::uint32_t>(d);
      const auto row = static_cast<std::uint32_t>(r);
      put_value<code()>(s, how, to, step * packed_rows_of_lane + row / packed_lanes, step, row % packed_lanes,
                        a.val.data()[k]);
    });
  });
}

/// Columns of a slice in lanes, as numbers of type Number.
template <class Number, value V, offset O>
void write_columns(const csr_view<V, O>& a, const lanes<V, O>& of, const packed_coding<V>& how,
                   const packed_slice& s, std::uint8_t* to, bool has_bases, std::int64_t start, int l) {
  const auto lane = static_cast<std::uint32_t>(l);
  const std::int32_t* const col = a.col.data() + of.first[lane];
  for (std::int64_t j = 0; j < of.count[lane]; ++j) {
    const auto step = static_cast<std::uint32_t>(j);
    const std::int64_t base = has_bases ? get<std::int32_t>(to + s.bases, step) : 0;
    put(to + s.columns_at, packed_place(step, lane, s.steps, how.together),
        static_cast<Number>(col[j << of.sharing] - start - base));
  }
}

}  // namespace packed_code

/// The arrays of a slice, as many bytes as packed_header() said; what no entry has is zero.
template <value V, offset O>
void write_packed(const csr_view<V, O>& a, const packed_rows& rows, const packed_coding<V>& how,
                  const packed_slice& s, std::uint32_t bytes, std::uint8_t* to) {
  using packed_code::put;
  std::fill_n(to, bytes, std::uint8_t{0});
  if (s.of_entries()) return packed_code::write_entries(a, rows, how, s, to);
  if (s.on_diagonals()) return packed_code::write_on_diagonals(a, rows, how, s, to);
  const packed_code::lanes<V, O> lanes(a, rows);
  const auto start_of = [&](int l) -> std::int64_t {
    const auto lane = static_cast<std::size_t>(l);
    if (s.starts() == packed_starts::row) return lanes.row[lane];
    if (s.starts() == packed_starts::given && lanes.count[lane] > 0) return a.col.data()[lanes.first[lane]];
    return 0;
  };
  for (int l = 0; l < packed_lanes; ++l) {
    const auto lane = static_cast<std::uint32_t>(l);
    if (s.starts() == packed_starts::given)
      put(to + s.starts_at(), lane, static_cast<std::int32_t>(start_of(l)));
    if (s.lists_rows() && l < rows.count)
      put(to, lane, static_cast<std::uint16_t>(rows.row[static_cast<std::size_t>(l)] - lanes.header_row));
    const std::int64_t missing = s.steps - lanes.count[static_cast<std::size_t>(l)];
    if (!s.is_full() && s.misses_many()) put(to + s.missing_at(), lane, static_cast<std::uint16_t>(missing));
    if (!s.is_full() && !s.misses_many()) put(to + s.missing_at(), lane, static_cast<std::uint8_t>(missing));
  }
  const bool has_bases = s.columns() != packed_columns::four;
  if (has_bases) {
    for (std::uint32_t j = 0; j < s.steps; ++j)
      put(to + s.bases, j, std::numeric_limits<std::int32_t>::max());
    for (int l = 0; l < packed_lanes; ++l) {
      const auto lane = static_cast<std::size_t>(l);
      const std::int32_t* const col = a.col.data() + lanes.first[lane];
      const auto start = static_cast<std::int32_t>(start_of(l));
      for (std::int64_t j = 0; j < lanes.count[lane]; ++j) {
        const auto step = static_cast<std::uint32_t>(j);
        put(to + s.bases, step,
            std::min(packed_code::get<std::int32_t>(to + s.bases, step), col[j << lanes.sharing] - start));
      }
    }
  }
  for (int l = 0; l < packed_lanes; ++l) {
    if (s.columns() == packed_columns::one)
      packed_code::write_columns<std::uint8_t>(a, lanes, how, s, to, has_bases, start_of(l), l);
    if (s.columns() == packed_columns::two)
      packed_code::write_columns<std::uint16_t>(a, lanes, how, s, to, has_bases, start_of(l), l);
    if (s.columns() == packed_columns::four)
      packed_code::write_columns<std::int32_t>(a, lanes, how, s, to, has_bases, start_of(l), l);
  }
  packed_code::with_code_of_values(s, [&](auto code) {
    for (int l = 0; l < packed_lanes; ++l) {
      const auto lane = static_cast<std::uint32_t>(l);
      const V* const val = a.val.data() + lanes.first[lane];
      for (std::int64_t j = 0; j < lanes.count[lane]; ++j) {
        const auto step = static_cast<std::uint32_t>(j);
        packed_code::put_value<code()>(s, how, to, step, step, lane, val[j << lanes.sharing]);
      }
    }
  });
}

/// Reads what write_packed() wrote.
template <value V>
class packed_reader {
 public:
  packed_reader(const packed_slice& s, const std::uint8_t* data, const V* table, const packed_meta& meta)
      : s_(s), from_(data), table_(table), together_(meta.together), bf16_(meta.bf16) {}

  /// On diagonals: whether row number r has an entry there.
  [[nodiscard]] bool has(std::uint32_t step, int r) const {
    if (s_.is_full()) return true;
    const auto lane = static_cast<std::uint32_t>(r % packed_lanes);
    const std::uint8_t* const masks = from_ + s_.masks;
    if (together_ != 1)
      return (masks[packed_code::mask_byte(step, lane)] >> packed_code::mask_bit(step, r) & 1u) != 0;
    return (packed_code::get<std::uint32_t>(masks, slot_of(step, r)) >> lane & 1u) != 0;
  }
  /// Else: entries of a lane.
  [[nodiscard]] std::int64_t count(int lane) const {
    if (s_.is_full()) return s_.steps;
    const auto l = static_cast<std::uint32_t>(lane);
    return s_.steps - (s_.misses_many() ? packed_code::get<std::uint16_t>(from_ + s_.missing_at(), l)
                                        : packed_code::get<std::uint8_t>(from_ + s_.missing_at(), l));
  }
  /// Of entries: how many stand before those of row number r; behind the last row all.
  [[nodiscard]] std::uint32_t start(int r) const { return r < s_.rows() ? from_[r] : s_.steps; }
  /// The row of row number r; parts have none.
  [[nodiscard]] std::int32_t row(int r) const {
    return s_.row + (s_.lists_rows()
                         ? std::int32_t{packed_code::get<std::uint16_t>(from_, static_cast<std::uint32_t>(r))}
                         : r);
  }
  /// Of a lane, or, on diagonals, of row number `which`; or of entry number `step`.
  [[nodiscard]] std::int32_t column(std::uint32_t step, int which) const {
    if (s_.of_entries()) return packed_code::column_of_entry(s_, from_ + s_.columns_at, step);
    if (s_.on_diagonals()) return packed_code::get<std::int32_t>(from_ + s_.bases, step) + which;
    const auto l = static_cast<std::uint32_t>(which);
    const std::uint32_t place = packed_place(step, l, s_.steps, together_);
    const std::uint8_t* const columns = from_ + s_.columns_at;
    if (s_.columns() == packed_columns::four) return packed_code::get<std::int32_t>(columns, place);
    std::int32_t number = packed_code::get<std::int32_t>(from_ + s_.bases, step);
    if (s_.starts() == packed_starts::row) number += row(which >> s_.sharing()) - s_.row;
    if (s_.starts() == packed_starts::given)
      number += packed_code::get<std::int32_t>(from_ + s_.starts_at(), l);
    if (s_.columns() == packed_columns::one) number += packed_code::get<std::uint8_t>(columns, place);
    if (s_.columns() == packed_columns::two) number += packed_code::get<std::uint16_t>(columns, place);
    return number;
  }
  [[nodiscard]] V value_of(std::uint32_t step, int which) const {
    const std::uint8_t* const values = from_ + s_.values_at;
    if (s_.of_entries()) return packed_code::value_of_entry(s_, values, table_, bf16_, step);
    const std::uint32_t slot = s_.on_diagonals() ? slot_of(step, which) : step;
    const auto lane = static_cast<std::uint32_t>(which % packed_lanes);
    const std::uint32_t slots = packed_slots(s_);
    const std::uint32_t place = packed_place(slot, lane, slots, together_);
    switch (s_.values()) {
      case packed_values::constant:
        return packed_code::get<V>(values, 0);
      case packed_values::of_step:
        return packed_code::get<V>(values, step);
      case packed_values::table4:
        return table_[packed_code::get<std::uint16_t>(values, slot / 4 * packed_lanes + lane) >>
                          (slot % 4 * 4) &
                      0xf];
      case packed_values::table8:
        return table_[packed_code::get<std::uint8_t>(values, place)];
      case packed_values::half:
        return static_cast<V>(
            from_16_bits(packed_code::get<std::uint16_t>(values, place), packed_half_kind(bf16_)));
      case packed_values::narrow:
        return static_cast<V>(packed_code::get<float>(values, place));
      case packed_values::full:
        break;
    }
    return packed_code::get<V>(values,
                               packed_place(slot, lane, slots, packed_values_together(together_, sizeof(V))));
  }

 private:
  static std::uint32_t slot_of(std::uint32_t step, int r) {
    return step * packed_rows_of_lane + static_cast<std::uint32_t>(r) / packed_lanes;
  }

  packed_slice s_;
  const std::uint8_t* from_;
  const V* table_;
  std::uint32_t together_;
  bool bf16_;
};

}  // namespace gossamer::inline v0::formats
