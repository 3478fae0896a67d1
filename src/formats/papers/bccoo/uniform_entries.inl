// SPDX-License-Identifier: BSD-3-Clause
// How the entries of a chunk of chunk_uniform are read, and its rows written (included by cpu_kernel.inl, for
// each instruction set).
namespace gossamer::inline v0::formats::bccoo_uniform_kernels::GOSSAMER_ISA {

using bccoo_uniform::layout;
using bccoo_uniform::layout_of;
using simd::GOSSAMER_ISA::changes;
using simd::GOSSAMER_ISA::positions;
using simd::GOSSAMER_ISA::register_table;
using simd::GOSSAMER_ISA::short_vec;
using simd::GOSSAMER_ISA::vec;

/// Bytes that stay in a core's cache, and need not be prefetched.
constexpr std::int64_t stays_in_cache = 1 << 20;
/// By how many entries others are prefetched.
constexpr std::int64_t entry_prefetch_distance = 256;
/// By how many entries x is, where it is loaded one by one.
constexpr std::int64_t x_prefetch_distance = 128;

/// Asks for the cache lines of [p, p + count). Nothing is read. Inlined, as are its callers: GCC 12 finds a
/// function that does no more to be without effect, and leaves calls of it out. Locality: 3 into the
/// first-level cache, 2 into the second, which more requests are under way to.
template <int Locality, class T>
[[gnu::always_inline]] inline void prefetch(const T* p, int count) {
  constexpr int line = 64 / static_cast<int>(sizeof(T));
  for (int k = 0; k < count; k += line) __builtin_prefetch(p + k, 0, Locality);
}

/// The values of a chunk that stand in full.
template <class V>
struct full_values {
  const V* at;
  template <class Lanes>
  [[nodiscard]] Lanes load(std::int64_t k) const {
    return Lanes::load(at + k);
  }
  template <class Lanes>
  [[nodiscard]] Lanes load_first(std::int64_t k, int n) const {
    return Lanes::load_first(at + k, n);
  }
  /// The first from k on, in order, in the lanes whose bits are set; 0 in the others.
  template <class Lanes>
  [[nodiscard]] Lanes load_expanded(std::int64_t k, unsigned bits) const {
    return Lanes::load_expanded(at + k, bits);
  }
  template <int Locality>
  [[gnu::always_inline]] void prefetch_entries(std::int64_t k, int count) const {
    prefetch<Locality>(at + k, count);
  }
};

/// Those that are looked up.
template <class V, bool Gathers>
struct values_in_table {
  const std::uint8_t* at;
  const V* table;
  template <class Lanes>
  [[nodiscard]] Lanes load(std::int64_t k) const {
    if constexpr (Gathers)
      return Lanes::gather_at_once(table, at + k, Lanes::lanes);
    else
      return Lanes::gather(table, at + k);
  }
  template <class Lanes>
  [[nodiscard]] Lanes load_first(std::int64_t k, int n) const {
    if constexpr (Gathers)
      return Lanes::gather_at_once(table, at + k, n);
    else
      return Lanes::gather_first(table, at + k, n);
  }
  template <class Lanes>
  [[nodiscard]] Lanes load_expanded(std::int64_t k, unsigned bits) const {
    return Lanes::expand(load_first<Lanes>(k, __builtin_popcount(bits)), bits);
  }
  template <int Locality>
  [[gnu::always_inline]] void prefetch_entries(std::int64_t k, int count) const {
    prefetch<Locality>(at + k, count);
  }
};

/// The same where the table stays in registers.
template <class V>
struct values_in_registers {
  const std::uint8_t* at;
  register_table<V> table;
  template <class Lanes>
  [[nodiscard]] Lanes load(std::int64_t k) const {
    return table.template look_up<Lanes>(at + k);
  }
  template <class Lanes>
  [[nodiscard]] Lanes load_first(std::int64_t k, int n) const {
    return table.template look_up_first<Lanes>(at + k, n);
  }
  template <class Lanes>
  [[nodiscard]] Lanes load_expanded(std::int64_t k, unsigned bits) const {
    return Lanes::expand(load<Lanes>(k), bits);
  }
  template <int Locality>
  [[gnu::always_inline]] void prefetch_entries(std::int64_t k, int count) const {
    prefetch<Locality>(at + k, count);
  }
};

/// The same where the table has one value. A finite one, since it meets the zeros in lanes that a row does
/// not fill.
template <class V>
struct value_alone {
  V value;
  template <class Lanes>
  [[nodiscard]] Lanes load(std::int64_t /*k*/) const {
    return Lanes::all(value);
  }
  template <class Lanes>
  [[nodiscard]] Lanes load_first(std::int64_t /*k*/, int /*n*/) const {
    return Lanes::all(value);
  }
  template <class Lanes>
  [[nodiscard]] Lanes load_expanded(std::int64_t k, unsigned bits) const {
    return Lanes::expand(load<Lanes>(k), bits);
  }
  template <int Locality>
  [[gnu::always_inline]] void prefetch_entries(std::int64_t /*k*/, int /*count*/) const {}
};

/// The entries of a chunk. Columns count from x.
template <class S, class Values, class Column, bool Gathers>
struct entries {
  Values values;
  const Column* column;
  const vector_t<S>* x;
  std::int64_t size;
  bool prefetches;  ///< for what is read later

  /// Narrow columns are loaded one by one in any case: gathered they would have to be widened first.
  template <class Lanes>
  [[nodiscard, gnu::always_inline]] Lanes x_of(std::int64_t k) const {
    if constexpr (!Gathers && sizeof(Column) == sizeof(std::int32_t))
      return Lanes::gather_each(x, column + k);
    else
      return Lanes::gather(x, column + k);
  }
  template <class Lanes>
  [[nodiscard, gnu::always_inline]] Lanes multiply(std::int64_t k) const {
    return Lanes::multiply(values.template load<Lanes>(k), x_of<Lanes>(k));
  }
  template <class Lanes>
  [[nodiscard, gnu::always_inline]] Lanes multiply_first(std::int64_t k, int n) const {
    return Lanes::multiply(values.template load_first<Lanes>(k, n), Lanes::gather_first(x, column + k, n));
  }
  template <class Lanes>
  [[nodiscard, gnu::always_inline]] Lanes add(std::int64_t k, Lanes sum) const {
    return Lanes::multiply_add(values.template load<Lanes>(k), x_of<Lanes>(k), sum);
  }
  template <class Lanes>
  [[nodiscard, gnu::always_inline]] Lanes add_first(std::int64_t k, int n, Lanes sum) const {
    return Lanes::multiply_add(values.template load_first<Lanes>(k, n), Lanes::gather_first(x, column + k, n),
                               sum);
  }

  /// What lies behind the chunk's last entry is asked for in vain.
  [[gnu::always_inline]] void prefetch_entries(std::int64_t k, int count) const {
    if (!prefetches) return;
    values.template prefetch_entries<3>(k + entry_prefetch_distance, count);
    __builtin_prefetch(column + k + entry_prefetch_distance);
  }
  /// For the x of Count entries further on, or of the chunk's last ones. A Xeon took longer with it.
  template <int Count>
  [[gnu::always_inline]] void prefetch_x_of(std::int64_t k) const {
    if constexpr (!Gathers) {
      if (size < Count) return;
      const Column* const next = column + std::min(k + x_prefetch_distance, size - Count);
#pragma GCC unroll 16
      for (int i = 0; i < Count; ++i) __builtin_prefetch(x + next[i]);
    }
  }

  /// Lanes whose sum is that of `length` products from `begin` on. The order of additions depends on `length`
  /// alone.
  [[nodiscard, gnu::always_inline]] short_vec<sum_t<S>> row_lanes(std::int64_t begin,
                                                                  std::int64_t length) const {
    using lanes = vec<sum_t<S>>;
    using few = short_vec<sum_t<S>>;
    constexpr std::int64_t width = lanes::lanes;
    if (length <= few::lanes) {
      // How many lines are asked for must not depend on the row: the branch would be guessed wrong.
      prefetch_entries(begin, 1);
      return add_first(begin, static_cast<int>(length), few::zero());
    }
    lanes even = lanes::zero();
    lanes odd = lanes::zero();
    std::int64_t k = begin;
    const std::int64_t end = begin + length;
    for (; end - k >= 2 * width; k += 2 * width) {
      prefetch_entries(k, 2 * width);
      even = add(k, even);
      odd = add(k + width, odd);
    }
    if (end - k >= width) {
      even = add(k, even);
      k += width;
    }
    if (k < end) odd = add_first(k, static_cast<int>(end - k), odd);
    return lanes::add(even, odd).folded();
  }
  /// row_lanes() as a function call, for rows outside the hot loop. Inlining it at each call would lengthen
  /// compilation.
  [[nodiscard, gnu::noinline]] short_vec<sum_t<S>> row_lanes_noinline(std::int64_t begin,
                                                                      std::int64_t length) const {
    return row_lanes(begin, length);
  }
};

/// f(the values of a chunk that stand, or whose codes do, at `values`).
template <bool Gathers, class V, class F>
inline void with_values(const bccoo_pointers<V>& a, unsigned format, const std::uint8_t* values, F&& f) {
  if ((format & bccoo_uniform::in_table) == 0) return f(full_values<V>{reinterpret_cast<const V*>(values)});
  if (a.lut_size == 1 && std::isfinite(a.lut[0])) return f(value_alone<V>{a.lut[0]});
  if constexpr (register_table<V>::most > 0) {
    if (a.lut_size <= register_table<V>::most)
      return f(values_in_registers<V>{values, register_table<V>(a.lut, static_cast<int>(a.lut_size))});
  }
  f(values_in_table<V, Gathers>{values, a.lut});
}

/// f(columns, or those of diagonals).
template <class F>
inline void with_columns(unsigned format, const std::uint8_t* columns, F&& f) {
  switch (format & bccoo_uniform::column_width) {
    case 0:
      return f(columns);
    case 1:
      return f(reinterpret_cast<const std::uint16_t*>(columns));
    default:
      return f(reinterpret_cast<const std::int32_t*>(columns));
  }
}

/// Writes, for a chunk, the rows that end in it and those without entries before them.
template <class S>
struct chunk_sums {
  product<S> p;       ///< a copy, which what is written to y cannot change
  std::int64_t next;  ///< the first row not yet written
  bool began_before;  ///< the row at hand has entries in an earlier chunk
  sum_t<S> head{0};   ///< the sum of such a row
  sum_t<S> open{0};   ///< of the row at hand, in earlier blocks

  void finish_empty(std::int64_t before) {
    for (; next < before; ++next) p.finish_row(next, sum_t<S>{0});
  }
  void finish(std::int64_t row, sum_t<S> sum) {
    finish_empty(row);
    next = row + 1;
    if (began_before)
      head = sum;
    else
      p.finish_row(row, sum);
    began_before = false;
  }
  /// As many consecutive rows as there are lanes.
  template <class Lanes>
  [[gnu::always_inline]] void finish_rows(std::int64_t row, Lanes sums) {
    finish_empty(row);
    next = row + Lanes::lanes;
    Lanes result = Lanes::multiply(Lanes::all(p.alpha), sums);
    if (p.beta != sum_t<S>{0})
      result = Lanes::multiply_add(Lanes::all(p.beta), Lanes::load(p.y + row), result);
    result.store(p.y + row);
  }
};

}  // namespace gossamer::inline v0::formats::bccoo_uniform_kernels::GOSSAMER_ISA
