// SPDX-License-Identifier: BSD-3-Clause
// Writes the arrays of one slice as its header states. The encoding is selected once for each slice, outside
// the loops over entries. Rows are read through local pointers, which stores of bytes cannot alias.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>

#include "formats/packed/choose/header.hpp"

namespace gossamer::inline v0::formats {

namespace packed_code {

/// f(std::integral_constant<std::uint32_t, T>()) for T = together: 1, 2 or 4.
template <class F>
void with_together(std::uint32_t together, F&& f) {
  if (together == 1) return f(std::integral_constant<std::uint32_t, 1>());
  if (together == 2) return f(std::integral_constant<std::uint32_t, 2>());
  f(std::integral_constant<std::uint32_t, 4>());
}

/// f(together, encode) if each slot has an encoded value of at least a byte. `together` of a lane are
/// contiguous; encode(v) is what the slot stores.
template <value V, class F>
void with_encoded_values(const packed_slice& s, const packed_encoding<V>& how, F&& f) {
  const value_index<V>& table = *how.table;
  const short_float half = how.half();
  switch (s.values()) {
    case packed_values::constant:
    case packed_values::of_step:
    case packed_values::table4:
      return;
    case packed_values::table8:
      return f(how.together, [&table](V v) { return static_cast<std::uint8_t>(table.find(v)); });
    case packed_values::half:
      return f(how.together, [half](V v) { return to_16_bits(v, half); });
    case packed_values::narrow:
      return f(how.together, [](V v) { return static_cast<float>(v); });
    case packed_values::full:
      return f(packed_values_together(how.together, sizeof(V)), [](V v) { return v; });
  }
}

template <class Column>
void put_columns(std::uint8_t* to, const std::int32_t* col, std::uint32_t entries, std::int32_t smallest) {
  for (std::uint32_t k = 0; k < entries; ++k) put(to, k, static_cast<Column>(col[k] - smallest));
}

template <value V>
void put_values(const V* val, const packed_slice& s, const packed_encoding<V>& how, std::uint8_t* to) {
  const std::uint32_t entries = s.steps;
  if (s.values() == packed_values::constant && entries > 0) put(to, 0, val[0]);
  if (s.values() == packed_values::table4)
    for (std::uint32_t k = 0; k < entries; ++k)
      to[k / 2] = static_cast<std::uint8_t>(to[k / 2] | how.table->find(val[k]) << (k % 2 * 4));
  with_encoded_values(s, how, [&](std::uint32_t, auto encode) {
    for (std::uint32_t k = 0; k < entries; ++k) put(to, k, encode(val[k]));
  });
}

template <value V, offset O>
void write_coo_slice(const csr_view<V, O>& a, const packed_rows& rows, const packed_encoding<V>& how,
                     const packed_slice& s, std::uint8_t* to) {
  const entry_range of(a, rows);
  for (int r = 0; r < rows.count; ++r)
    to[r] = static_cast<std::uint8_t>(static_cast<std::int64_t>(a.row_ptr.data()[s.row + r]) - of.first);
  const std::int32_t* const col = a.col.data() + of.first;
  const auto smallest = static_cast<std::int32_t>(s.bases);
  if (s.columns() == packed_columns::one)
    put_columns<std::uint8_t>(to + s.columns_at, col, s.steps, smallest);
  if (s.columns() == packed_columns::two)
    put_columns<std::uint16_t>(to + s.columns_at, col, s.steps, smallest);
  if (s.columns() == packed_columns::four)
    put_columns<std::int32_t>(to + s.columns_at, col, s.steps, smallest);
  put_values(a.val.data() + of.first, s, how, to + s.values_at);
}

/// table4: the indices of a lane in four slots are one 16-bit number.
inline void put_in_table4(std::uint8_t* values, std::uint32_t slot, std::uint32_t lane, int place) {
  const std::uint32_t word = slot / 4 * packed_lanes + lane;
  put(values, word, static_cast<std::uint16_t>(get<std::uint16_t>(values, word) | place << (slot % 4 * 4)));
}

template <value V, offset O>
void write_masks(const csr_view<V, O>& a, const packed_rows& rows, const packed_encoding<V>& how,
                 std::uint8_t* to) {
  for (int r = 0; r < rows.count; ++r) {
    const auto row = static_cast<std::uint32_t>(r);
    const std::uint32_t lane = row % packed_lanes;
    for_each_diagonal_entry(a, rows, r, [&](std::size_t d, std::int64_t) {
      const auto step = static_cast<std::uint32_t>(d);
      const std::uint32_t word = packed_diagonal_slot(step, row);
      if (how.on_device())
        to[packed_mask_byte(step, lane)] |= static_cast<std::uint8_t>(1u << packed_mask_bit(step, row));
      else
        put(to, word, get<std::uint32_t>(to, word) | 1u << lane);
    });
  }
}

template <value V, offset O>
void write_diagonal_slice(const csr_view<V, O>& a, const packed_rows& rows, const packed_encoding<V>& how,
                          const packed_slice& s, std::uint8_t* to) {
  for (std::uint32_t d = 0; d < s.steps; ++d)
    put(to + s.bases, d, static_cast<std::int32_t>(rows.diagonals[d] + s.row));
  if (!s.is_full()) write_masks(a, rows, how, to + s.masks);
  std::uint8_t* const values = to + s.values_at;
  const V* const val = a.val.data();
  if (s.values() == packed_values::constant) {
    const auto some = static_cast<std::int64_t>(a.row_ptr.data()[rows.row[0]]);
    return put(values, 0, val[some]);
  }
  const std::uint32_t slots = packed_slots(s);
  /// put_one(step, slot, lane, entry)
  const auto for_each_slot = [&](auto&& put_one) {
    for (int r = 0; r < rows.count; ++r) {
      const auto row = static_cast<std::uint32_t>(r);
      for_each_diagonal_entry(a, rows, r, [&](std::size_t d, std::int64_t k) {
        const auto step = static_cast<std::uint32_t>(d);
        put_one(step, packed_diagonal_slot(step, row), row % packed_lanes, k);
      });
    }
  };
  if (s.values() == packed_values::of_step)
    for_each_slot(
        [&](std::uint32_t step, std::uint32_t, std::uint32_t, std::int64_t k) { put(values, step, val[k]); });
  if (s.values() == packed_values::table4)
    for_each_slot([&](std::uint32_t, std::uint32_t slot, std::uint32_t lane, std::int64_t k) {
      put_in_table4(values, slot, lane, how.table->find(val[k]));
    });
  with_encoded_values(s, how, [&](std::uint32_t values_together, auto encode) {
    with_together(values_together, [&](auto together) {
      for_each_slot([&](std::uint32_t, std::uint32_t slot, std::uint32_t lane, std::int64_t k) {
        put(values, packed_place(slot, lane, slots, together()), encode(val[k]));
      });
    });
  });
}

/// Writes encode(lane, entry, step - from) for the entries of steps [from, from + steps). `Together` of a
/// lane are contiguous.
template <std::uint32_t Together, class V, offset O, class Encode>
void write_steps(const lanes<V, O>& of, std::int64_t from, std::int64_t steps, std::uint8_t* to,
                 Encode&& encode) {
  constexpr auto group = std::int64_t{Together};
  const int sharing = of.sharing;
  const auto slots = static_cast<std::uint32_t>(of.steps);
  // Steps that all lanes have go side by side: 32 rows are read at once, and bytes are written in order.
  const std::int64_t all_have = std::min(from + steps, of.shortest / group * group);
  std::int64_t j = from;
  for (; j < all_have; j += group)
    for (int l = 0; l < packed_lanes; ++l) {
      const std::int64_t first = of.entry(l, j);
      const auto place = static_cast<std::uint32_t>(j * packed_lanes + l * group);
      for (std::int64_t t = 0; t < group; ++t)
        put(to, place + static_cast<std::uint32_t>(t), encode(l, first + (t << sharing), j - from + t));
    }
  for (int l = 0; l < packed_lanes; ++l) {
    const std::int64_t first = of.entry(l, 0);
    const std::int64_t end = std::min(from + steps, of.count[static_cast<std::size_t>(l)]);
    for (std::int64_t step = j; step < end; ++step)
      put(to, packed_place(static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(l), slots, Together),
          encode(l, first + (step << sharing), step - from));
  }
}

/// The start of each lane.
template <class V, offset O>
std::array<std::int32_t, packed_lanes> starts_of(const csr_view<V, O>& a, const lanes<V, O>& of,
                                                 packed_starts starts) {
  std::array<std::int32_t, packed_lanes> all{};
  if (starts == packed_starts::row) all = of.row;
  if (starts == packed_starts::given)
    for (std::size_t l = 0; l < packed_lanes; ++l)
      if (of.count[l] > 0) all[l] = a.col.data()[of.first[l]];
  return all;
}

/// Writes the bases and deltas of a lane slice.
template <value V, offset O>
void write_columns(const csr_view<V, O>& a, const lanes<V, O>& of, const packed_encoding<V>& how,
                   const packed_slice& s, const std::array<std::int32_t, packed_lanes>& starts,
                   std::uint8_t* to) {
  const std::int32_t* const col = a.col.data();
  std::uint8_t* const columns = to + s.columns_at;
  with_together(how.together, [&](auto together) {
    for (std::int64_t from = 0; from < of.steps; from += steps_at_once) {
      const std::int64_t steps = std::min(of.steps - from, steps_at_once);
      if (s.columns() == packed_columns::four) {
        write_steps<together()>(of, from, steps, columns,
                                [&](int, std::int64_t k, std::int64_t) { return col[k]; });
        continue;
      }
      step_ranges ranges(steps);
      if (s.starts() == packed_starts::given) {
        for (int l = 0; l < packed_lanes; ++l) {
          const entry_span span = span_of_lane(of, l, from, steps);
          for (std::int64_t j = 0; j < span.count; ++j) {
            const std::int32_t offset =
                col[span.first + (j << of.sharing)] - starts[static_cast<std::size_t>(l)];
            ranges.add_to(j, offset, offset);
          }
        }
      } else {
        for (int r = 0; r < of.rows; ++r) {
          const entry_span span = span_of_row(of, r, from, steps);
          if (span.count == 0) continue;
          ranges.add(col + span.first, span.count, of.sharing,
                     starts[static_cast<std::size_t>(r) << of.sharing]);
        }
      }
      const std::int32_t* const base = ranges.least();
      std::memcpy(to + s.bases + static_cast<std::size_t>(from) * sizeof(std::int32_t), base,
                  static_cast<std::size_t>(steps) * sizeof(std::int32_t));
      const auto delta = [&, base](int l, std::int64_t k, std::int64_t step) {
        return col[k] - starts[static_cast<std::size_t>(l)] - base[step];
      };
      if (s.columns() == packed_columns::one)
        write_steps<together()>(of, from, steps, columns, [&](int l, std::int64_t k, std::int64_t step) {
          return static_cast<std::uint8_t>(delta(l, k, step));
        });
      if (s.columns() == packed_columns::two)
        write_steps<together()>(of, from, steps, columns, [&](int l, std::int64_t k, std::int64_t step) {
          return static_cast<std::uint16_t>(delta(l, k, step));
        });
    }
  });
}

/// The same for a slice that elides deltas. The base of a step without deltas is the previous base plus the
/// distance that all lanes moved.
template <class Delta, value V, offset O>
void write_elided_deltas(const csr_view<V, O>& a, const lanes<V, O>& of, const packed_delta_mask& mask,
                         std::uint32_t together, const packed_slice& s,
                         const std::array<std::int32_t, packed_lanes>& starts, std::uint8_t* to) {
  const std::int32_t* const col = a.col.data();
  const std::uint32_t deltas = packed_stored_deltas(mask);  // of each lane
  std::uint32_t base = 0;  // unsigned, since it wraps around where it would be negative
  std::uint32_t stored_steps = 0;
  for (std::int64_t j = 0; j < of.steps; ++j) {
    const auto has = [&](std::size_t l) { return j < of.count[l]; };
    const auto column = [&](std::size_t l, std::int64_t step) {
      return col[of.entry(static_cast<int>(l), step)];
    };
    if (mask.has(j)) {
      std::int32_t least = std::numeric_limits<std::int32_t>::max();
      for (std::size_t l = 0; l < packed_lanes; ++l)
        if (has(l)) least = std::min(least, column(l, j) - starts[l]);
      for (std::size_t l = 0; l < packed_lanes; ++l)
        if (has(l))
          put(to + s.columns_at, packed_place(stored_steps, static_cast<std::uint32_t>(l), deltas, together),
              static_cast<Delta>(column(l, j) - starts[l] - least));
      base = static_cast<std::uint32_t>(least);
      ++stored_steps;
    } else {
      std::size_t l = 0;
      while (!has(l)) ++l;
      base += static_cast<std::uint32_t>(column(l, j) - column(l, j - 1));
    }
    put(to + s.bases, static_cast<std::uint32_t>(j), base);
  }
}

/// Prefetches the values of all lanes. Lanes are read side by side, in more streams than the hardware
/// prefetcher follows.
template <class V, offset O>
void prefetch_values(const csr_view<V, O>& a, const lanes<V, O>& of) {
  constexpr std::int64_t of_a_line = 64 / sizeof(V);
  for (int r = 0; r < of.rows; ++r) {
    const entry_span span = span_of_row(of, r, 0, of.steps);
    for (std::int64_t k = 0; k < span.count; k += of_a_line)
      __builtin_prefetch(a.val.data() + span.first + k);
  }
}

template <value V, offset O>
void write_values(const csr_view<V, O>& a, const lanes<V, O>& of, const packed_encoding<V>& how,
                  const packed_slice& s, std::uint8_t* values) {
  const V* const val = a.val.data();
  if (s.values() == packed_values::constant || s.values() == packed_values::of_step) {
    std::int64_t written = 0;
    for (int l = 0; l < packed_lanes; ++l)
      for (; written < of.count[static_cast<std::size_t>(l)]; ++written) {
        const bool once = s.values() == packed_values::constant;
        put(values, once ? 0u : static_cast<std::uint32_t>(written), val[of.entry(l, written)]);
      }
  }
  if (s.values() == packed_values::table4)
    for (int l = 0; l < packed_lanes; ++l)
      for (std::int64_t j = 0; j < of.count[static_cast<std::size_t>(l)]; ++j)
        put_in_table4(values, static_cast<std::uint32_t>(j), static_cast<std::uint32_t>(l),
                      how.table->find(val[of.entry(l, j)]));
  with_encoded_values(s, how, [&](std::uint32_t values_together, auto encode) {
    with_together(values_together, [&](auto together) {
      write_steps<together()>(of, 0, of.steps, values,
                              [&](int, std::int64_t k, std::int64_t) { return encode(val[k]); });
    });
  });
}

}  // namespace packed_code

/// Writes the arrays of a slice: as many bytes as packed_header() returned. Empty slots and padding are zero.
template <value V, offset O>
void write_packed(const csr_view<V, O>& a, const packed_rows& rows, const packed_encoding<V>& how,
                  const packed_slice& header, std::uint32_t bytes, std::uint8_t* to) {
  using packed_code::put;
  const packed_slice s = packed_opened(header);
  std::memset(to, 0, bytes);
  if (s.is_coo_slice()) return packed_code::write_coo_slice(a, rows, how, s, to);
  if (s.is_diagonal_slice()) return packed_code::write_diagonal_slice(a, rows, how, s, to);
  const packed_code::lanes<V, O> lanes(a, rows);
  const auto starts = packed_code::starts_of(a, lanes, s.starts());
  for (std::uint32_t lane = 0; lane < packed_lanes; ++lane) {
    if (s.starts() == packed_starts::given) put(to + s.starts_at(), lane, starts[lane]);
    if (s.lists_rows() && lane < static_cast<std::uint32_t>(rows.count))
      put(to, lane, static_cast<std::uint16_t>(rows.row[lane] - lanes.header_row));
    if (s.is_full()) continue;
    const std::int64_t missing = s.steps - lanes.count[lane];
    if (s.misses_many())
      put(to + s.missing_at(), lane, static_cast<std::uint16_t>(missing));
    else
      put(to + s.missing_at(), lane, static_cast<std::uint8_t>(missing));
  }
  if (s.values() != packed_values::constant && s.values() != packed_values::of_step)
    packed_code::prefetch_values(a, lanes);
  if (!s.elides_deltas())
    packed_code::write_columns(a, lanes, how, s, starts, to);
  else if (s.columns() == packed_columns::one)
    packed_code::write_elided_deltas<std::uint8_t>(a, lanes, header.delta_mask(), how.together, s, starts,
                                                   to);
  else
    packed_code::write_elided_deltas<std::uint16_t>(a, lanes, header.delta_mask(), how.together, s, starts,
                                                    to);
  packed_code::write_values(a, lanes, how, s, to + s.values_at);
}

}  // namespace gossamer::inline v0::formats
