// SPDX-License-Identifier: BSD-3-Clause
// Chunks that are coded in one way on one core (included by cpu_kernel.inl, for each instruction set). A block of entries at a time:
// first where its rows end, by comparing each row number with the next, many at once; then row by row as csr does, where columns and
// values are widened as they are read.
namespace gossamer::inline v0::formats::bccoo_uniform_kernels::GOSSAMER_ISA {

using bccoo_uniform::layout;
using bccoo_uniform::layout_of;
using simd::GOSSAMER_ISA::changes;
using simd::GOSSAMER_ISA::positions;
using simd::GOSSAMER_ISA::short_vec;
using simd::GOSSAMER_ISA::vec;

/// Entries of a block.
constexpr std::int64_t block = 1024;
/// Entries whose rows are compared at once.
constexpr std::int64_t word = 64;
/// Bytes that stay in a core's cache, and need not be asked for ahead.
constexpr std::int64_t stays_in_cache = 1 << 20;

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
};

/// Those that are looked up.
template <class V>
struct values_in_table {
  const std::uint8_t* at;
  const V* table;
  template <class Lanes>
  [[nodiscard]] Lanes load(std::int64_t k) const {
    return Lanes::gather(table, at + k);
  }
  template <class Lanes>
  [[nodiscard]] Lanes load_first(std::int64_t k, int n) const {
    return Lanes::gather_first(table, at + k, n);
  }
};

/// The same where the table has one value. A finite one, since it meets the zeros in lanes that a row does not fill.
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
};

/// Where the bytes are that will be read after those at hand, as many of them for each entry; 0 where none are asked for.
struct read_ahead {
  const std::uint8_t* from;
  std::int64_t bytes_an_entry;

  void ask(std::int64_t begin, std::int64_t end) const {
    constexpr std::int64_t line = 64;
    for (std::int64_t at = begin * bytes_an_entry; at < end * bytes_an_entry; at += line)
      __builtin_prefetch(from + at, 0, 2);
  }
};

/// The entries of a chunk. Columns count from x.
template <class V, class Values, class Column>
struct entries {
  Values values;
  const Column* column;
  const V* x;
  read_ahead ahead;

  template <class Lanes>
  [[nodiscard]] Lanes add(std::int64_t k, Lanes sum) const {
    return Lanes::multiply_add(values.template load<Lanes>(k), Lanes::gather(x, column + k), sum);
  }
  template <class Lanes>
  [[nodiscard]] Lanes add_first(std::int64_t k, int n, Lanes sum) const {
    return Lanes::multiply_add(values.template load_first<Lanes>(k, n), Lanes::gather_first(x, column + k, n),
                               sum);
  }

  /// Lanes whose sum is that of `length` products from `begin` on. The order of additions depends on `length` alone.
  /// Asks: for the bytes that are read later too.
  template <bool Asks>
  [[nodiscard]] short_vec<V> row_lanes(std::int64_t begin, std::int64_t length) const {
    using lanes = vec<V>;
    using few = short_vec<V>;
    constexpr int width = lanes::lanes;
    if (length <= few::lanes) return add_first(begin, static_cast<int>(length), few::zero());
    lanes even = lanes::zero();
    lanes odd = lanes::zero();
    std::int64_t k = begin;
    const std::int64_t end = begin + length;
    for (; end - k >= 2 * width; k += 2 * width) {
      if constexpr (Asks) ahead.ask(k, k + 2 * width);
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
};

/// The rows that end in a block.
struct block_rows {
  std::int32_t end[block + word];  ///< one past the last entry of each, in the block
  std::int32_t number[block];      ///< which they are, from the chunk's first; where they are not consecutive
  int count = 0;
  bool consecutive = false;
  std::int32_t first = 0;

  [[nodiscard]] std::int64_t row(int r) const { return consecutive ? first + r : number[r]; }
};

/// Finds the rows that end among the n entries whose rows are given. The numbers do not tell whether one ends with a chunk's last entry:
/// where the entries are its last, `ends_last` says so.
template <class Row>
inline void find_rows(const Row* rows, std::int64_t n, bool is_last, bool ends_last, block_rows& found) {
  found.count = 0;
  for (std::int64_t k = 0; k < n; k += word) {
    const std::int64_t here = std::min(word, n - k);
    std::uint64_t bits = 0;
    if (here == word)
      bits = changes(rows + k);
    else
      for (std::int64_t i = 0; i < here; ++i) bits |= std::uint64_t{rows[k + i] != rows[k + i + 1]} << i;
    if (is_last && k + here == n) {
      const std::uint64_t bit = std::uint64_t{1} << (here - 1);
      bits = ends_last ? bits | bit : bits & ~bit;
    }
    found.count += positions(bits, static_cast<std::int32_t>(k) + 1, found.end + found.count);
  }
  if (found.count == 0) return;
  found.first = static_cast<std::int32_t>(rows[found.end[0] - 1]);
  const auto last = static_cast<std::int32_t>(rows[found.end[found.count - 1] - 1]);
  found.consecutive = last - found.first == found.count - 1;
  if (found.consecutive) return;
  for (int r = 0; r < found.count; ++r) found.number[r] = static_cast<std::int32_t>(rows[found.end[r] - 1]);
}

/// Writes, for a chunk, the rows that end in it and those without entries before them.
template <class V>
struct chunk_sums {
  const product<V>& p;
  std::int64_t next;  ///< the first row not yet written
  bool began_before;  ///< the row at hand has entries in an earlier chunk
  V head{0};          ///< the sum of such a row
  V open{0};          ///< of the row at hand, in earlier blocks

  void finish_empty(std::int64_t before) {
    for (; next < before; ++next) p.finish_row(next, V{0});
  }
  void finish(std::int64_t row, V sum) {
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
  void finish_rows(std::int64_t row, Lanes sums) {
    finish_empty(row);
    next = row + Lanes::lanes;
    Lanes result = Lanes::multiply(Lanes::all(p.alpha), sums);
    if (p.beta != V{0}) result = Lanes::multiply_add(Lanes::all(p.beta), Lanes::load(p.y + row), result);
    result.store(p.y + row);
  }
};

/// Adds up a block of n entries, the first of which is number `begin` of the chunk.
template <class V, class Entries>
void sum_block(const Entries& all, std::int64_t begin, std::int64_t n, std::int64_t first_row,
               const block_rows& rows, chunk_sums<V>& sums) {
  using few = short_vec<V>;
  constexpr int width = few::lanes;
  const int count = rows.count;
  const auto sum_of = [&](std::int64_t from, std::int64_t to) {
    return all.template row_lanes<true>(begin + from, to - from).sum();
  };
  if (count == 0) {
    sums.open += sum_of(0, n);
    return;
  }
  sums.finish(first_row + rows.row(0), sums.open + sum_of(0, rows.end[0]));
  int r = 1;
  for (; count - r >= width; r += width) {
    const std::int32_t* const end = rows.end + r;
    few lanes[width];
    // All at once only as far as that leaves the first-level cache to the rows at hand.
    if (end[width - 1] - end[-1] <= 16 * width) {
      all.ahead.ask(begin + end[-1], begin + end[width - 1]);
      for (int i = 0; i < width; ++i)
        lanes[i] = all.template row_lanes<false>(begin + end[i - 1], end[i] - end[i - 1]);
    } else {
      for (int i = 0; i < width; ++i)
        lanes[i] = all.template row_lanes<true>(begin + end[i - 1], end[i] - end[i - 1]);
    }
    const few together = few::sums(lanes);
    const std::int64_t row = rows.row(r);
    if (rows.row(r + width - 1) - row == width - 1) {
      sums.finish_rows(first_row + row, together);
    } else {
      V sum[width];
      together.store(sum);
      for (int i = 0; i < width; ++i) sums.finish(first_row + rows.row(r + i), sum[i]);
    }
  }
  for (; r < count; ++r) sums.finish(first_row + rows.row(r), sum_of(rows.end[r - 1], rows.end[r]));
  const std::int64_t rest = n - rows.end[count - 1];
  sums.open = rest > 0 ? sum_of(rows.end[count - 1], n) : V{0};
}

/// f(entries) of chunk h, the bytes of which are at `data`.
template <class V, class F>
inline void with_entries(const bccoo_pointers<V>& a, const V* x, std::int64_t h, const std::uint8_t* data,
                         const layout& at, read_ahead ahead, F&& f) {
  const unsigned format = a.format[h];
  const auto of_column = [&]<class Column>(const Column* column) {
    const std::uint8_t* const values = data + at.values;
    if ((format & bccoo_uniform::in_table) == 0)
      f(entries<V, full_values<V>, Column>{
          {reinterpret_cast<const V*>(values)}, column, x + a.column[h], ahead});
    else if (a.lut_size == 1 && std::isfinite(a.lut[0]))
      f(entries<V, value_alone<V>, Column>{{a.lut[0]}, column, x + a.column[h], ahead});
    else
      f(entries<V, values_in_table<V>, Column>{{values, a.lut}, column, x + a.column[h], ahead});
  };
  const std::uint8_t* const columns = data + at.columns;
  switch (format & bccoo_uniform::column_width) {
    case 0:
      return of_column(columns);
    case 1:
      return of_column(reinterpret_cast<const std::uint16_t*>(columns));
    default:
      return of_column(reinterpret_cast<const std::int32_t*>(columns));
  }
}

template <class V>
inline void whole_chunk(const bccoo_pointers<V>& a, const product<V>& p, std::int64_t h, V* slots,
                        bool ahead) {
  const bool is_last = h + 1 == a.meta.chunks;
  const std::int64_t size = is_last ? a.meta.nnz - h * a.meta.chunk : a.meta.chunk;
  const bool goes_on = a.carries.run_at_cut[h + 1] >= 0;
  const std::uint8_t* const data = a.data + a.offset[h];
  const unsigned format = a.format[h];
  const layout at = layout_of(format, size, sizeof(V));
  const read_ahead next{data + at.end, ahead ? at.end / size : 0};
  chunk_sums<V> sums{.p = p, .next = h == 0 ? 0 : a.row[h], .began_before = a.carries.run_at_cut[h] >= 0};
  block_rows rows;
  for (std::int64_t begin = 0; begin < size; begin += block) {
    const std::int64_t n = std::min(block, size - begin);
    const bool ends_chunk = begin + n == size;
    switch (format >> bccoo_uniform::row_shift & bccoo_uniform::column_width) {
      case 0:
        find_rows(data + begin, n, ends_chunk, !goes_on, rows);
        break;
      case 1:
        find_rows(reinterpret_cast<const std::uint16_t*>(data) + begin, n, ends_chunk, !goes_on, rows);
        break;
      default:
        find_rows(reinterpret_cast<const std::uint32_t*>(data) + begin, n, ends_chunk, !goes_on, rows);
    }
    with_entries(a, p.x, h, data, at, next,
                 [&](const auto& all) { sum_block(all, begin, n, a.row[h], rows, sums); });
  }
  // The rows without entries before the next chunk's first; where that goes on from here, before it.
  sums.finish_empty(is_last ? a.meta.rows : a.row[h + 1]);
  if (a.carries.slots > 0) {
    slots[exec::slots_per_unit * h] = sums.began_before ? sums.open : sums.head;
    slots[exec::slots_per_unit * h + 1] = sums.began_before ? V{0} : sums.open;
  }
}

template <class V>
void whole_chunks(const bccoo_pointers<V>& a, const product<V>& p, std::int64_t first, std::int64_t last,
                  V* slots) {
  const bool ahead = a.offset[last] - a.offset[first] > stays_in_cache;
  for (std::int64_t h = first; h < last; ++h) whole_chunk(a, p, h, slots, ahead);
}

}  // namespace gossamer::inline v0::formats::bccoo_uniform_kernels::GOSSAMER_ISA
