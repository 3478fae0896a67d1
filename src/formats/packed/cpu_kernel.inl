// SPDX-License-Identifier: BSD-3-Clause
// Coded slices on one core, compiled once for each instruction set (simd/foreach_isa.inl): 32 lanes are a few vectors.
#include "formats/packed/entries_kernel.inl"

namespace gossamer::inline v0::formats::packed_kernels::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::vec;

/// The arrays of a slice as numbers; those that it has not are not read.
template <class V>
struct arrays {
  const std::uint16_t* rows;
  const std::int32_t* starts;
  const std::uint8_t* missing;
  const std::int32_t* bases;
  const std::uint32_t* masks;
  const std::uint8_t* columns;
  const std::uint8_t* values;
  const V* constants;

  arrays(const std::uint8_t* data, const packed_slice& s)
      : rows(reinterpret_cast<const std::uint16_t*>(data)),
        starts(reinterpret_cast<const std::int32_t*>(data + s.starts_at())),
        missing(data + s.missing_at()),
        bases(reinterpret_cast<const std::int32_t*>(data + s.bases)),
        masks(reinterpret_cast<const std::uint32_t*>(data + s.masks)),
        columns(data + s.columns_at),
        values(data + s.values_at),
        constants(reinterpret_cast<const V*>(values)) {}
};

/// The values of 32 lanes in one slot of a slice.
template <class V, int Vectors>
inline void load_values(const packed_pointers<V>& a, packed_values how, const arrays<V>& of,
                        std::int64_t slot, std::int64_t step, vec<V> (&v)[Vectors]) {
  using lanes = vec<V>;
  if (how == packed_values::constant || how == packed_values::of_step) {
    const V one = of.constants[how == packed_values::constant ? 0 : step];
    for (int i = 0; i < Vectors; ++i) v[i] = lanes::all(one);
  } else if (how == packed_values::table8) {
    const std::uint8_t* const code = of.values + slot * packed_lanes;
    for (int i = 0; i < Vectors; ++i) v[i] = lanes::gather(a.table, code + i * lanes::lanes);
  } else if (how == packed_values::half) {
    V wide[packed_lanes];
    const auto* const from = reinterpret_cast<const std::uint16_t*>(of.values) + slot * packed_lanes;
    for (int l = 0; l < packed_lanes; ++l) wide[l] = half_value(a.half, from[l]);
    for (int i = 0; i < Vectors; ++i) v[i] = lanes::load(wide + i * lanes::lanes);
  } else if (how == packed_values::narrow) {
    V wide[packed_lanes];
    const float* const from = reinterpret_cast<const float*>(of.values) + slot * packed_lanes;
    for (int l = 0; l < packed_lanes; ++l) wide[l] = static_cast<V>(from[l]);
    for (int i = 0; i < Vectors; ++i) v[i] = lanes::load(wide + i * lanes::lanes);
  } else {
    const V* const from = reinterpret_cast<const V*>(of.values) + slot * packed_lanes;
    for (int i = 0; i < Vectors; ++i) v[i] = lanes::load(from + i * lanes::lanes);
  }
}

/// How the x of a step are found.
enum class walk { neighbours, one, from_starts, bytes, bytes_from_starts, pairs, pairs_from_starts, numbers };

inline walk walk_of(const packed_slice& s) {
  const bool from_zero = s.starts() == packed_starts::zero;
  switch (s.columns()) {
    case packed_columns::none:
      if (from_zero) return walk::one;
      return s.starts() == packed_starts::row && !s.lists_rows() && s.sharing() == 0 ? walk::neighbours
                                                                                     : walk::from_starts;
    case packed_columns::one:
      return from_zero ? walk::bytes : walk::bytes_from_starts;
    case packed_columns::two:
      return from_zero ? walk::pairs : walk::pairs_from_starts;
    case packed_columns::four:
      break;
  }
  return walk::numbers;
}

template <class Narrow>
inline void add_starts(const std::int32_t* start, const Narrow* number, std::int32_t* column) {
  for (int l = 0; l < packed_lanes; ++l) column[l] = start[l] + number[l];
}

/// Adds the steps that every lane has.
template <class V, int Vectors>
inline void add_full_steps(const packed_pointers<V>& a, const packed_slice& s, const arrays<V>& of,
                           const std::int32_t* start, const V* x, vec<V> (&sum)[Vectors]) {
  using lanes = vec<V>;
  const walk how = walk_of(s);
  const std::uint8_t* number = of.columns;
  for (int j = 0; j < s.shortest; ++j) {
    lanes v[Vectors];
    load_values(a, s.values(), of, j, j, v);
    std::int32_t column[packed_lanes];
    const auto gather = [&](const V* from, const auto* index) {
      for (int i = 0; i < Vectors; ++i)
        sum[i] = lanes::multiply_add(v[i], lanes::gather(from, index + i * lanes::lanes), sum[i]);
    };
    switch (how) {
      case walk::neighbours:
        for (int i = 0; i < Vectors; ++i)
          sum[i] = lanes::multiply_add(v[i], lanes::load(x + of.bases[j] + i * lanes::lanes), sum[i]);
        break;
      case walk::one:
        for (int i = 0; i < Vectors; ++i)
          sum[i] = lanes::multiply_add(v[i], lanes::all(x[of.bases[j]]), sum[i]);
        break;
      case walk::from_starts:
        gather(x + of.bases[j], start);
        break;
      case walk::bytes:
        gather(x + of.bases[j], number);
        number += packed_lanes;
        break;
      case walk::bytes_from_starts:
        add_starts(start, number, column);
        gather(x + of.bases[j], static_cast<const std::int32_t*>(column));
        number += packed_lanes;
        break;
      case walk::pairs:
        gather(x + of.bases[j], reinterpret_cast<const std::uint16_t*>(number));
        number += packed_lanes * sizeof(std::uint16_t);
        break;
      case walk::pairs_from_starts:
        add_starts(start, reinterpret_cast<const std::uint16_t*>(number), column);
        gather(x + of.bases[j], static_cast<const std::int32_t*>(column));
        number += packed_lanes * sizeof(std::uint16_t);
        break;
      case walk::numbers:
        gather(x, reinterpret_cast<const std::int32_t*>(number));
        number += packed_lanes * sizeof(std::int32_t);
    }
  }
}

/// A step's value and column, of a lane that has them.
template <class V>
inline V value_at(const packed_pointers<V>& a, packed_values how, const arrays<V>& of, int step, int lane) {
  const int place = step * packed_lanes + lane;
  switch (how) {
    case packed_values::constant:
      return of.constants[0];
    case packed_values::of_step:
      return of.constants[step];
    case packed_values::table4:
    case packed_values::table8:
      return a.table[of.values[place]];
    case packed_values::half:
      return half_value(a.half, reinterpret_cast<const std::uint16_t*>(of.values)[place]);
    case packed_values::narrow:
      return static_cast<V>(reinterpret_cast<const float*>(of.values)[place]);
    case packed_values::full:
      break;
  }
  return reinterpret_cast<const V*>(of.values)[place];
}
template <class V>
inline std::int32_t column_at(packed_columns how, const arrays<V>& of, const std::int32_t* start, int step,
                              int lane) {
  const int place = step * packed_lanes + lane;
  switch (how) {
    case packed_columns::none:
      return of.bases[step] + start[lane];
    case packed_columns::one:
      return of.bases[step] + start[lane] + of.columns[place];
    case packed_columns::two:
      return of.bases[step] + start[lane] + reinterpret_cast<const std::uint16_t*>(of.columns)[place];
    case packed_columns::four:
      break;
  }
  return reinterpret_cast<const std::int32_t*>(of.columns)[place];
}

/// Adds the steps that some lanes lack, lane by lane.
template <class V>
inline void add_rest(const packed_pointers<V>& a, const packed_slice& s, const arrays<V>& of,
                     const std::int32_t* start, const V* x, V* sums) {
  for (int l = 0; l < packed_lanes; ++l) {
    const int missing =
        s.misses_many() ? reinterpret_cast<const std::uint16_t*>(of.missing)[l] : of.missing[l];
    for (int j = s.shortest; j < s.steps - missing; ++j)
      sums[l] += value_at(a, s.values(), of, j, l) * x[column_at(s.columns(), of, start, j, l)];
  }
}

/// 32 neighbouring rows at a time, whose x are neighbours too.
template <class V>
inline void on_diagonals(const packed_pointers<V>& a, const product<V>& p, const packed_slice& s,
                         const arrays<V>& of) {
  using lanes = vec<V>;
  constexpr int vectors = packed_lanes / lanes::lanes;
  constexpr unsigned every_lane = lanes::lanes == 32 ? ~0u : (1u << lanes::lanes) - 1u;
  for (int part = 0; part * packed_lanes < s.rows(); ++part) {
    lanes sum[vectors];
    for (int i = 0; i < vectors; ++i) sum[i] = lanes::zero();
    for (int j = 0; j < s.steps; ++j) {
      const int slot = j * packed_rows_of_lane + part;
      const V* const x = p.x + (of.bases[j] + std::int64_t{part} * packed_lanes);
      lanes v[vectors];
      load_values(a, s.values(), of, slot, j, v);
      const std::uint32_t mask = s.is_full() ? ~0u : of.masks[slot];
      if (mask == ~0u) {
        for (int i = 0; i < vectors; ++i)
          sum[i] = lanes::multiply_add(v[i], lanes::load(x + i * lanes::lanes), sum[i]);
        continue;
      }
      // Of a hole neither x, which is another row's, nor the value counts.
      for (int i = 0; i < vectors; ++i) {
        const unsigned bits = mask >> (i * lanes::lanes) & every_lane;
        V here[lanes::lanes];
        v[i].store(here);
        sum[i] = lanes::multiply_add(lanes::load_where(here, bits),
                                     lanes::load_where(x + i * lanes::lanes, bits), sum[i]);
      }
    }
    V sums[packed_lanes];
    for (int i = 0; i < vectors; ++i) sum[i].store(sums + i * lanes::lanes);
    const int first = part * packed_lanes;
    const int rows = s.rows() - first < packed_lanes ? s.rows() - first : packed_lanes;
    for (int r = 0; r < rows; ++r) p.finish_row(s.row + first + r, sums[r]);
  }
}

template <class V>
inline void one_slice(const packed_pointers<V>& a, const product<V>& p, const packed_slice& s, V* slots) {
  using lanes = vec<V>;
  constexpr int vectors = packed_lanes / lanes::lanes;
  const arrays<V> of(a.data + std::int64_t{s.at} * packed_piece, s);
  if (s.on_diagonals()) return on_diagonals(a, p, s, of);
  const int sharing = s.sharing();
  std::int32_t start[packed_lanes] = {};
  if (s.starts() == packed_starts::row) {
    for (int l = 0; l < packed_lanes; ++l) start[l] = s.lists_rows() ? of.rows[l >> sharing] : l >> sharing;
  } else if (s.starts() == packed_starts::given) {
    for (int l = 0; l < packed_lanes; ++l) start[l] = of.starts[l];
  }
  lanes sum[vectors];
  for (int i = 0; i < vectors; ++i) sum[i] = lanes::zero();
  add_full_steps(a, s, of, start, p.x, sum);
  V sums[packed_lanes];
  for (int i = 0; i < vectors; ++i) sum[i].store(sums + i * lanes::lanes);
  if (!s.is_full()) add_rest(a, s, of, start, p.x, sums);
  for (int width = 1 << sharing >> 1; width > 0; width /= 2)
    for (int l = 0; l + width < packed_lanes; ++l) sums[l] += sums[l + width];
  if (s.is_part()) {
    slots[s.row] = sums[0];
    return;
  }
  const int rows = s.rows();
  if (s.lists_rows()) {
    for (int r = 0; r < rows; ++r) p.finish_row(s.row + of.rows[r], sums[r << sharing]);
  } else {
    for (int r = 0; r < rows; ++r) p.finish_row(s.row + r, sums[r << sharing]);
  }
}

template <class V>
void whole_slices(const packed_pointers<V>& a, const product<V>& p, std::int64_t first_unit,
                  std::int64_t last_unit, V* slots) {
  const std::int64_t last = a.unit_slice[last_unit];
  entry_rows<V> room;
  for (std::int64_t i = a.unit_slice[first_unit]; i < last; ++i) {
    if (a.slice[i].of_entries())
      one_slice_of_entries(a, p, a.slice[i], room);
    else
      one_slice(a, p, a.slice[i], slots);
  }
}

}  // namespace gossamer::inline v0::formats::packed_kernels::GOSSAMER_ISA
