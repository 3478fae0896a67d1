// SPDX-License-Identifier: BSD-3-Clause
// Several columns at once on a CPU (included by cpu_kernel.inl, for each instruction set). Entries of a slice
// are decoded into a buffer, and each is multiplied by a pack of a row of X. Each column has the additions
// and roundings of a single product.
#include "exec/cpu/simd/vec_pack.inl"

namespace gossamer::inline v0::formats::packed_kernels::GOSSAMER_ISA {

template <class S>
concept by_packs = is_pack<sum_t<S>>;

/// A sum of packs in registers.
template <by_packs S>
using pack_sum = typename vec<sum_t<S>>::lane;

/// How many lanes are multiplied together, so that their sums need not wait for each other. If there are more
/// than one, the sums take at most a quarter of the registers.
template <by_packs S>
inline constexpr int lanes_together = std::clamp((simd::GOSSAMER_ISA::register_bytes == 64 ? 8 : 4) /
                                                     pack_sum<S>::parts,
                                                 1, 4);

/// Some steps of 32 lanes, decoded.
template <class V>
struct decoded_steps {
  static constexpr int most = 16;
  V value[most * packed_lanes];
  std::int32_t column[most * packed_lanes];

  /// Decodes the values of `step`, which are in `slot`, into step `to` of the buffer.
  void decode_values(const packed_pointers<V>& a, packed_values how, const arrays<V>& of, std::int64_t slot,
                     std::int64_t step, int to) {
    using lanes = vec<V>;
    lanes v[packed_lanes / lanes::lanes];
    load_values(a, how, of, slot, step, v);
    for (int i = 0; i < packed_lanes / lanes::lanes; ++i)
      v[i].store(value + to * packed_lanes + i * lanes::lanes);
  }
  void decode_columns(packed_columns how, const arrays<V>& of, const std::int32_t* start, int step, int to) {
    std::int32_t* const here = column + to * packed_lanes;
    const std::int64_t place = std::int64_t{step} * packed_lanes;
    const auto sums = [&](auto&& delta_of) __attribute__((always_inline)) {
      // Unsigned: a lane that lacks the step may have a sum beyond the largest column.
      const auto base = static_cast<std::uint32_t>(of.bases[step]);
      for (int l = 0; l < packed_lanes; ++l)
        here[l] = static_cast<std::int32_t>(base + static_cast<std::uint32_t>(start[l]) + delta_of(l));
    };
    switch (how) {
      case packed_columns::none:
        return sums([](int) { return 0u; });
      case packed_columns::one:
        return sums([&](int l) { return std::uint32_t{of.columns[place + l]}; });
      case packed_columns::two:
        return sums([&](int l) {
          return std::uint32_t{reinterpret_cast<const std::uint16_t*>(of.columns)[place + l]};
        });
      case packed_columns::four:
        std::copy_n(reinterpret_cast<const std::int32_t*>(of.columns) + place, packed_lanes, here);
    }
  }
};

/// Adds the decoded steps [first, last) to the sums of `Lanes` lanes from `lane` on. Fused: products are not
/// rounded.
template <bool Fused, int Lanes, by_packs S>
[[gnu::always_inline]] inline void add_steps(const decoded_steps<matrix_t<S>>& steps, int first, int last,
                                             int lane, x_rows_t<S> x, sum_t<S>* sums) {
  using sum = pack_sum<S>;
  if (first >= last) return;
  sum s[Lanes];
#pragma GCC unroll 4
  for (int i = 0; i < Lanes; ++i) s[i] = sum::load(sums + lane + i);
  for (int j = first; j < last; ++j) {
#pragma GCC unroll 4
    for (int i = 0; i < Lanes; ++i) {
      const int place = j * packed_lanes + lane + i;
      const sum value = sum::all(steps.value[place]);
      const sum of_x = sum::load(x + steps.column[place]);
      s[i] = Fused ? sum::multiply_add(value, of_x, s[i]) : s[i] + value * of_x;
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < Lanes; ++i) s[i].store(sums + lane + i);
}

/// Adds all steps of a lane slice. Steps that all lanes have use fused multiply-adds; the others round each
/// product.
template <by_packs S>
inline void add_all_steps(const packed_pointers<matrix_t<S>>& a, const packed_slice& s,
                          const arrays<matrix_t<S>>& of, const std::int32_t* start, x_rows_t<S> x,
                          sum_t<S>* sums) {
  using steps = decoded_steps<matrix_t<S>>;
  constexpr int together = lanes_together<S>;
  int count[packed_lanes];  // steps of each lane
  for (int l = 0; l < packed_lanes; ++l) {
    int missing = 0;
    if (!s.is_full())
      missing = s.misses_many() ? reinterpret_cast<const std::uint16_t*>(of.missing)[l] : of.missing[l];
    count[l] = s.steps - missing;
  }
  steps some;
  for (int begin = 0; begin < s.steps; begin += steps::most) {
    const int end = std::min<int>(begin + steps::most, s.steps);
    for (int j = begin; j < end; ++j) {
      some.decode_values(a, s.values(), of, j, j, j - begin);
      some.decode_columns(s.columns(), of, start, j, j - begin);
    }
    const int fused = std::clamp<int>(s.shortest, begin, end);
    for (int l = 0; l < packed_lanes; l += together) {
      add_steps<true, together, S>(some, 0, fused - begin, l, x, sums);
      if (fused == end) continue;
      const int common = std::clamp(*std::min_element(count + l, count + l + together), fused, end);
      add_steps<false, together, S>(some, fused - begin, common - begin, l, x, sums);
      for (int i = l; i < l + together; ++i)
        add_steps<false, 1, S>(some, common - begin, std::min(count[i], end) - begin, i, x, sums);
    }
  }
}

/// Adds diagonals [begin, end), whose values are decoded, to the sums of `Lanes` rows of a diagonal slice,
/// from row number `first` on. A hole adds 0. is_last: then writes the rows of Y.
template <int Lanes, by_packs S>
inline void add_diagonals(const decoded_steps<matrix_t<S>>& steps, const product<S>& p, const packed_slice& s,
                          const arrays<matrix_t<S>>& of, int begin, int end, int first, bool is_last,
                          sum_t<S>* sums) {
  using sum = pack_sum<S>;
  constexpr std::uint32_t all = (1u << Lanes) - 1;
  const int lane = first % packed_lanes;
  sum some[Lanes];
#pragma GCC unroll 4
  for (int i = 0; i < Lanes; ++i) some[i] = begin == 0 ? sum::zero() : sum::load(sums + lane + i);
  for (int j = begin; j < end; ++j) {
    const matrix_t<S>* const value = steps.value + (j - begin) * packed_lanes + lane;
    const std::int64_t column = of.bases[j] + std::int64_t{first};
    std::uint32_t has = all;
    if (!s.is_full())
      has = of.masks[std::int64_t{j} * packed_rows_of_lane + first / packed_lanes] >> lane & all;
    if (has == all) {
#pragma GCC unroll 4
      for (int i = 0; i < Lanes; ++i)
        some[i] = sum::multiply_add(sum::all(value[i]), sum::load(p.x + (column + i)), some[i]);
    } else {
#pragma GCC unroll 4
      for (int i = 0; i < Lanes; ++i) {
        sum of_x = sum::zero();
        if ((has >> i & 1u) != 0) of_x = sum::load(p.x + (column + i));
        some[i] = sum::multiply_add(sum::all(value[i]), of_x, some[i]);
      }
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < Lanes; ++i) {
    if (is_last) {
      typename vec<sum_t<S>>::one result;
      result.v[0] = some[i];
      finish_rows(p, s.row + first + i, result);
    } else {
      some[i].store(sums + lane + i);
    }
  }
}

/// 32 rows of a diagonal slice, or fewer at its end, from row number `first` on.
template <by_packs S>
inline void multiply_diagonal_rows(const packed_pointers<matrix_t<S>>& a, const product<S>& p,
                                   const packed_slice& s, const arrays<matrix_t<S>>& of, int first) {
  using steps = decoded_steps<matrix_t<S>>;
  constexpr int together = lanes_together<S>;
  const int rows = std::min(s.rows() - first, packed_lanes);
  sum_t<S> sums[packed_lanes];
  steps some;
  for (int begin = 0; begin == 0 || begin < s.steps; begin += steps::most) {
    const int end = std::min<int>(begin + steps::most, s.steps);
    for (int j = begin; j < end; ++j)
      some.decode_values(a, s.values(), of, std::int64_t{j} * packed_rows_of_lane + first / packed_lanes, j,
                         j - begin);
    const bool is_last = end == s.steps && rows == packed_lanes;
    int row = 0;
    for (; rows - row >= together; row += together)
      add_diagonals<together>(some, p, s, of, begin, end, first + row, is_last, sums);
    for (; row < rows; ++row) add_diagonals<1>(some, p, s, of, begin, end, first + row, is_last, sums);
  }
  if (rows < packed_lanes)
    for (int r = 0; r < rows; ++r) p.finish_row(s.row + first + r, sums[r]);
}

template <by_packs S>
inline void multiply_slice_of_packs(const packed_pointers<matrix_t<S>>& a, const product<S>& p,
                                    const packed_slice& s, sum_t<S>* slots) {
  const arrays<matrix_t<S>> of(a.data + std::int64_t{s.at} * packed_piece, s);
  if (s.is_diagonal_slice()) {
    for (int first = 0; first < s.rows(); first += packed_lanes) multiply_diagonal_rows(a, p, s, of, first);
    return;
  }
  const int sharing = s.sharing();
  std::int32_t start[packed_lanes];
  starts_of_lanes(s, of, start);
  sum_t<S> sums[packed_lanes];
  std::fill(sums, sums + packed_lanes, sum_t<S>(0));
  add_all_steps<S>(a, s, of, start, p.x, sums);
  for (int width = 1 << sharing >> 1; width > 0; width /= 2)
    for (int l = 0; l + width < packed_lanes; ++l) sums[l] += sums[l + width];
  if (s.is_row_part()) {
    slots[s.row] = sums[0];
    return;
  }
  for (int r = 0; r < s.rows(); ++r)
    p.finish_row(s.row + (s.lists_rows() ? of.rows[r] : r), sums[r << sharing]);
}

/// The sum of n entries of a COO slice, as sums_of_rows() adds their products. `lengths`: bitwise or of
/// length - 1 of the rows that it adds together, which selects the order of additions.
template <by_packs S>
[[gnu::always_inline]] inline auto sum_of_entries(const matrix_t<S>* val, const std::int32_t* col, int n,
                                                  std::uint64_t lengths, x_rows_t<S> x) {
  using few = short_vec<sum_t<S>>;
  using lanes = vec<sum_t<S>>;
  constexpr int width = lanes::lanes;
  if (lengths < few::lanes) return few::first_products(val, col, x, n).sum_of_row();
  if (lengths < 2 * few::lanes) {
    const int before = std::min(n, few::lanes);
    return few::add(few::first_products(val, col, x, before),
                    few::first_products(val + before, col + before, x, n - before))
        .sum_of_row();
  }
  lanes even = lanes::zero();
  lanes odd = lanes::zero();
  int k = 0;
  for (; n - k >= 2 * width; k += 2 * width) {
    even = lanes::add_products(even, val + k, col + k, x, width);
    odd = lanes::add_products(odd, val + k + width, col + k + width, x, width);
  }
  if (n - k >= width) {
    even = lanes::add_products(even, val + k, col + k, x, width);
    k += width;
  }
  odd = lanes::add_products(odd, val + k, col + k, x, n - k);
  return lanes::add(even, odd).folded().sum_of_row();
}

template <by_packs S>
inline void multiply_coo_slice_of_packs(const packed_pointers<matrix_t<S>>& a, const product<S>& p,
                                        const packed_slice& s) {
  constexpr int width = short_vec<sum_t<S>>::lanes;
  const std::uint8_t* const data = a.data + std::int64_t{s.at} * packed_piece;
  matrix_t<S> value[packed_max_coo_entries];
  std::int32_t column[packed_max_coo_entries];
  const std::uint8_t* const stored = data + s.columns_at;
  const auto decode = [&](auto&& value_of, auto&& column_of) __attribute__((always_inline)) {
    for (int k = 0; k < s.steps; ++k) {
      value[k] = value_of(k);
      column[k] = static_cast<std::int32_t>(s.bases) + static_cast<std::int32_t>(column_of(k));
    }
  };
  const auto with_columns = [&](auto&& value_of) __attribute__((always_inline)) {
    if (s.columns() == packed_columns::one) return decode(value_of, [&](int k) { return stored[k]; });
    if (s.columns() == packed_columns::two)
      return decode(value_of, [&](int k) { return reinterpret_cast<const std::uint16_t*>(stored)[k]; });
    decode(value_of, [&](int k) { return reinterpret_cast<const std::int32_t*>(stored)[k]; });
  };
  const auto* const full = reinterpret_cast<const matrix_t<S>*>(data + s.values_at);
  if (s.values() == packed_values::full)
    with_columns([&](int k) { return full[k]; });
  else
    with_columns([&](int k) { return value_at(a, s.values(), data + s.values_at, k, 0); });
  const int rows = s.rows();
  const auto begin_of = [&](int r) -> int { return r < rows ? data[r] : s.steps; };
  for (int first = 0; first < rows; first += width) {
    std::uint64_t lengths = 0;
    for (int r = first; r < first + width; ++r)
      lengths |= static_cast<std::uint64_t>(std::int64_t{begin_of(r + 1)} - begin_of(r) - 1);
    for (int r = first; r < std::min(first + width, rows); ++r) {
      const int begin = begin_of(r);
      sum_t<S> sum;
      sum_of_entries<S>(value + begin, column + begin, begin_of(r + 1) - begin, lengths, p.x).store(&sum);
      p.finish_row(s.row + r, sum);
    }
  }
}

template <class S>
void slices_of_packs(const packed_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first_unit,
                     std::int64_t last_unit, sum_t<S>* slots) {
  for (std::int64_t i = a.unit_slice[first_unit]; i < a.unit_slice[last_unit]; ++i) {
    if (a.slice[i].is_coo_slice())
      multiply_coo_slice_of_packs(a, p, a.slice[i]);
    else
      multiply_slice_of_packs(a, p, a.slice[i], slots);
  }
}

}  // namespace gossamer::inline v0::formats::packed_kernels::GOSSAMER_ISA
