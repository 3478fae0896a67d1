// SPDX-License-Identifier: BSD-3-Clause
// Diagonal slices on a CPU (included by cpu_kernel.inl, for each instruction set). 32 neighbouring rows are
// processed together. Their x are contiguous on a diagonal, so all loads are of whole vectors.
#include "formats/common/finished_rows.inl"

namespace gossamer::inline v0::formats::packed_kernels::GOSSAMER_ISA {

using finished_rows::GOSSAMER_ISA::finish_rows;
using simd::GOSSAMER_ISA::register_table;
using simd::GOSSAMER_ISA::vec;

static_assert(register_table<double>::most == simd::values_in_registers(isa::GOSSAMER_ISA, sizeof(double)));
static_assert(register_table<float>::most == simd::values_in_registers(isa::GOSSAMER_ISA, sizeof(float)));

// at(slot, diagonal, lane) returns a vector of the values of a slot: 32 rows on one diagonal. `slots` is the
// number of slots whose sums are in registers together.
template <class V, class Lanes>
struct one_of_diagonal {
  static constexpr int slots = 1;
  const V* constants;
  bool each_step;
  [[nodiscard, gnu::always_inline]] Lanes at(std::int64_t, std::int64_t step, int) const {
    return Lanes::all(constants[each_step ? step : 0]);
  }
};
template <class V, class Lanes>
struct in_registers {
  static constexpr int slots = 1;
  register_table<V> table;
  const std::uint8_t* code;
  [[nodiscard, gnu::always_inline]] Lanes at(std::int64_t slot, std::int64_t, int lane) const {
    return table.template look_up<Lanes>(code + slot * packed_lanes + lane);
  }
};
template <class V, class Lanes>
struct in_table {
  static constexpr int slots = 1;
  const V* table;
  const std::uint8_t* code;
  [[nodiscard, gnu::always_inline]] Lanes at(std::int64_t slot, std::int64_t, int lane) const {
    return Lanes::gather(table, code + slot * packed_lanes + lane);
  }
};
template <class V, class Lanes>
struct in_full {
  /// Four slots if there are registers for so many sums, since values are then read in order.
  static constexpr int slots = vec<V>::lanes * static_cast<int>(sizeof(V)) == 64 ? packed_rows_of_lane : 1;
  const V* value;
  [[nodiscard, gnu::always_inline]] Lanes at(std::int64_t slot, std::int64_t, int lane) const {
    return Lanes::load(value + slot * packed_lanes + lane);
  }
};
template <class Lanes, class Numbers>
struct in_few_bytes {
  static constexpr int slots = 1;
  Numbers value;
  [[nodiscard, gnu::always_inline]] Lanes at(std::int64_t slot, std::int64_t, int lane) const {
    return load_widened<Lanes>(value, slot * packed_lanes + lane);
  }
};

/// f(values) with the type for the slice's encoding.
template <class Lanes, class V, class F>
inline void with_values(const packed_pointers<V>& a, packed_values how, const arrays<V>& of, F&& f) {
  switch (how) {
    case packed_values::constant:
    case packed_values::of_step:
      return f(one_of_diagonal<V, Lanes>{of.constants, how == packed_values::of_step});
    case packed_values::table4:
    case packed_values::table8:
      if constexpr (register_table<V>::most > 0) {
        if (a.table_size <= register_table<V>::most)
          return f(
              in_registers<V, Lanes>{register_table<V>(a.table, static_cast<int>(a.table_size)), of.values});
      }
      return f(in_table<V, Lanes>{a.table, of.values});
    case packed_values::half:
      return f(in_few_bytes<Lanes, halves<V>>{{a.half, of.values}});
    case packed_values::narrow:
      return f(in_few_bytes<Lanes, narrow_values<V>>{{of.values}});
    case packed_values::full:
      return f(in_full<V, Lanes>{reinterpret_cast<const V*>(of.values)});
  }
}

/// Multiplies `Slots` times 32 rows, from row `first` of the slice on. Full: there are no holes. A masked
/// load gives a zero for the x of a hole.
template <bool Full, int Slots, class S, class Values>
inline void multiply_diagonal_rows(const product<S>& p, const packed_slice& s, const arrays<matrix_t<S>>& of,
                                   const Values& values, int first) {
  using lanes = vec<sum_t<S>>;
  constexpr int of_slot = packed_lanes / lanes::lanes;
  constexpr int vectors = Slots * of_slot;
  lanes sum[vectors];
  for (int i = 0; i < vectors; ++i) sum[i] = lanes::zero();
  const vector_t<S>* const from = p.x + first;
  std::int64_t slot = first / packed_lanes;
  for (int j = 0; j < s.steps; ++j, slot += packed_rows_of_lane) {
    const vector_t<S>* const x = from + of.bases[j];
    std::uint32_t all = ~0u;
    if constexpr (!Full)
      for (int k = 0; k < Slots; ++k) all &= of.masks[slot + k];
    if (all == ~0u) {
      for (int i = 0; i < vectors; ++i)
        sum[i] = lanes::multiply_add(values.at(slot, j, i * lanes::lanes), lanes::load(x + i * lanes::lanes),
                                     sum[i]);
      continue;
    }
    for (int i = 0; i < vectors; ++i) {
      const unsigned here = of.masks[slot + i / of_slot] >> (i % of_slot * lanes::lanes);
      sum[i] = lanes::multiply_add(values.at(slot, j, i * lanes::lanes),
                                   lanes::load_where(x + i * lanes::lanes, here), sum[i]);
    }
  }
  const std::int64_t row = s.row + first;
  const int rows = s.rows() - first;
  if (rows >= Slots * packed_lanes) {
    for (int i = 0; i < vectors; ++i) finish_rows(p, row + i * lanes::lanes, sum[i]);
    return;
  }
  sum_t<S> sums[Slots * packed_lanes];
  for (int i = 0; i < vectors; ++i) sum[i].store(sums + i * lanes::lanes);
  for (int r = 0; r < rows; ++r) p.finish_row(row + r, sums[r]);
}

template <bool Full, class S, class Values>
inline void multiply_diagonal_rows(const product<S>& p, const packed_slice& s, const arrays<matrix_t<S>>& of,
                                   const Values& values) {
  int first = 0;
  constexpr int together = Values::slots * packed_lanes;
  for (; first + together <= s.rows(); first += together)
    multiply_diagonal_rows<Full, Values::slots>(p, s, of, values, first);
  for (; first < s.rows(); first += packed_lanes) multiply_diagonal_rows<Full, 1>(p, s, of, values, first);
}

template <class S>
inline void multiply_diagonal_slice(const packed_pointers<matrix_t<S>>& a, const product<S>& p,
                                    const packed_slice& s, const arrays<matrix_t<S>>& of) {
  with_values<vec<sum_t<S>>>(a, s.values(), of, [&](const auto& values) {
    if (s.is_full())
      multiply_diagonal_rows<true>(p, s, of, values);
    else
      multiply_diagonal_rows<false>(p, s, of, values);
  });
}

}  // namespace gossamer::inline v0::formats::packed_kernels::GOSSAMER_ISA
