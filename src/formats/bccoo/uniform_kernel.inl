// SPDX-License-Identifier: BSD-3-Clause
// Chunks that are coded in one way on one core (included by cpu_kernel.inl, for each instruction set). In two steps, a block of entries
// at a time: all products, which asks nothing about rows; then the sum of each row's products.
namespace gossamer::inline v0::formats::bccoo_uniform_kernels::GOSSAMER_ISA {

using bccoo_uniform::layout;
using bccoo_uniform::layout_of;
using simd::GOSSAMER_ISA::changes;
using simd::GOSSAMER_ISA::positions;
using simd::GOSSAMER_ISA::short_vec;
using simd::GOSSAMER_ISA::vec;

/// Entries of a block. Its products stay in the first-level cache.
constexpr std::int64_t block = 1024;
/// Rows whose ends are looked for at once.
constexpr std::int64_t word = 64;

/// Where the bytes are that will be read after those of the block at hand, in the same order; 0 lines where none are asked for.
struct read_ahead {
  const std::uint8_t* from;
  std::int64_t lines;  ///< for each 64 entries
};

/// term[k] = value of entry k times x in its column, k < n. A value is numbers[k] where that is its type, else table[numbers[k]].
template <class V, class Number, class Column>
inline void products(const V* table, const Number* numbers, const Column* columns, const V* x, std::int64_t n,
                     read_ahead ahead, V* term) {
  using lanes = vec<V>;
  constexpr int width = lanes::lanes;
  constexpr bool in_full = std::is_same_v<Number, V>;
  std::int64_t k = 0;
  const auto whole = [&] {
    lanes values;
    if constexpr (in_full)
      values = lanes::load(numbers + k);
    else
      values = lanes::gather(table, numbers + k);
    lanes::multiply(values, lanes::gather(x, columns + k)).store(term + k);
  };
  while (n - k >= word) {
    for (std::int64_t line = 0; line < ahead.lines; ++line) __builtin_prefetch(ahead.from + 64 * line, 0, 3);
    ahead.from += 64 * ahead.lines;
    for (const std::int64_t stop = k + word; k < stop; k += width) whole();
  }
  for (; n - k >= width; k += width) whole();
  for (; k < n; ++k) {
    if constexpr (in_full)
      term[k] = numbers[k] * x[columns[k]];
    else
      term[k] = table[numbers[k]] * x[columns[k]];
  }
}

/// The same for the entries of a chunk from `begin` on.
template <class V>
inline void products_of(const bccoo_pointers<V>& a, const V* x, std::int64_t h, const std::uint8_t* data,
                        const layout& at, std::int64_t begin, std::int64_t n, read_ahead ahead, V* term) {
  const unsigned format = a.format[h];
  const V* const from = x + a.column[h];
  const auto of_columns = [&](const auto* columns) {
    const std::uint8_t* const values = data + at.values;
    if ((format & bccoo_uniform::in_table) != 0)
      products(a.lut, values + begin, columns + begin, from, n, ahead, term);
    else
      products(a.lut, reinterpret_cast<const V*>(values) + begin, columns + begin, from, n, ahead, term);
  };
  const std::uint8_t* const columns = data + at.columns;
  switch (format & bccoo_uniform::column_width) {
    case 0:
      return of_columns(columns);
    case 1:
      return of_columns(reinterpret_cast<const std::uint16_t*>(columns));
    default:
      return of_columns(reinterpret_cast<const std::int32_t*>(columns));
  }
}

/// Lanes whose sum is that of `length` terms. The order of additions depends on `length` alone.
template <class V>
inline short_vec<V> row_lanes(const V* term, std::int64_t length) {
  using lanes = vec<V>;
  using few = short_vec<V>;
  constexpr int width = lanes::lanes;
  if (length <= few::lanes) return few::load_first(term, static_cast<int>(length));
  lanes even = lanes::zero();
  lanes odd = lanes::zero();
  std::int64_t k = 0;
  for (; length - k >= 2 * width; k += 2 * width) {
    even = lanes::add(even, lanes::load(term + k));
    odd = lanes::add(odd, lanes::load(term + k + width));
  }
  if (length - k >= width) {
    even = lanes::add(even, lanes::load(term + k));
    k += width;
  }
  if (k < length) odd = lanes::add(odd, lanes::load_first(term + k, static_cast<int>(length - k)));
  return lanes::add(even, odd).folded();
}

/// Writes, for a chunk, the rows that end in it and the rows without entries behind those.
template <class V>
struct rows_of_chunk {
  const product<V>& p;
  std::int64_t next;  ///< the first row not yet written
  bool began_before;  ///< the row at hand has entries in an earlier chunk
  V head{0};          ///< the sum of such a row
  V open{0};          ///< of the row at hand, in earlier blocks

  void close(std::int64_t row, V sum) {
    for (; next < row; ++next) p.finish_row(next, V{0});
    next = row + 1;
    if (began_before)
      head = sum;
    else
      p.finish_row(row, sum);
    began_before = false;
  }
};

/// One past the last entry of each row that ends among the n entries at `rows`. Whether one ends with the last of a chunk's entries, its
/// numbers do not tell.
template <class Row>
inline int find_ends(const Row* rows, std::int64_t n, bool is_last, bool goes_on, std::int32_t* ends) {
  int count = 0;
  std::int64_t k = 0;
  const auto last_bit = [&](std::uint64_t bits, std::int64_t bit) {
    bits &= ~(std::uint64_t{1} << bit);
    return goes_on ? bits : bits | std::uint64_t{1} << bit;
  };
  for (; n - k >= word; k += word) {
    std::uint64_t bits = changes(rows + k);
    if (is_last && n - k == word) bits = last_bit(bits, word - 1);
    count += positions(bits, static_cast<std::int32_t>(k) + 1, ends + count);
  }
  if (k < n) {
    std::uint64_t bits = 0;
    for (std::int64_t i = k; i + 1 < n; ++i) bits |= std::uint64_t{rows[i] != rows[i + 1]} << (i - k);
    const bool ends_here = is_last ? !goes_on : rows[n - 1] != rows[n];
    bits |= std::uint64_t{ends_here} << (n - 1 - k);
    count += positions(bits, static_cast<std::int32_t>(k) + 1, ends + count);
  }
  return count;
}

/// As product::finish_row, for all lanes.
template <class Lanes, class V>
inline void finish_rows(const product<V>& p, std::int64_t row, Lanes sums) {
  Lanes result = Lanes::multiply(Lanes::all(p.alpha), sums);
  if (p.beta != V{0}) result = Lanes::multiply_add(Lanes::all(p.beta), Lanes::load(p.y + row), result);
  result.store(p.y + row);
}

/// Adds up a block: the products of n entries, whose rows are counted from `first_row`.
template <class V, class Row>
inline void sum_block(const V* term, const Row* rows, std::int64_t n, std::int64_t first_row, bool is_last,
                      bool goes_on, rows_of_chunk<V>& chunk) {
  using few = short_vec<V>;
  constexpr int width = few::lanes;
  std::int32_t ends[block + word];
  const int count = find_ends(rows, n, is_last, goes_on, ends);
  if (count == 0) {
    chunk.open += row_lanes(term, n).sum();
    return;
  }
  chunk.close(first_row + rows[ends[0] - 1], chunk.open + row_lanes(term, ends[0]).sum());
  int r = 1;
  for (; count - r >= width; r += width) {
    few lanes[width];
    for (int i = 0; i < width; ++i)
      lanes[i] = row_lanes(term + ends[r + i - 1], ends[r + i] - ends[r + i - 1]);
    const few sums = few::sums(lanes);
    const std::int64_t row = first_row + rows[ends[r] - 1];
    if (row == chunk.next && first_row + rows[ends[r + width - 1] - 1] == row + width - 1) {
      finish_rows(chunk.p, row, sums);
      chunk.next += width;
    } else {
      V sum[width];
      sums.store(sum);
      for (int i = 0; i < width; ++i) chunk.close(first_row + rows[ends[r + i] - 1], sum[i]);
    }
  }
  for (; r < count; ++r)
    chunk.close(first_row + rows[ends[r] - 1], row_lanes(term + ends[r - 1], ends[r] - ends[r - 1]).sum());
  const std::int64_t rest = n - ends[count - 1];
  chunk.open = rest > 0 ? row_lanes(term + ends[count - 1], rest).sum() : V{0};
}

template <class V>
inline void whole_chunk(const bccoo_pointers<V>& a, const product<V>& p, std::int64_t h, V* slots,
                        bool ahead) {
  const bool is_last = h + 1 == a.meta.chunks;
  const std::int64_t entries = is_last ? a.meta.nnz - h * a.meta.chunk : a.meta.chunk;
  const bool goes_on = a.carries.run_at_cut[h + 1] >= 0;
  const std::uint8_t* const data = a.data + a.offset[h];
  const unsigned format = a.format[h];
  const layout at = layout_of(format, entries, sizeof(V));
  rows_of_chunk<V> chunk{.p = p, .next = h == 0 ? 0 : a.row[h], .began_before = a.carries.run_at_cut[h] >= 0};
  alignas(64) V term[block];
  for (std::int64_t begin = 0; begin < entries; begin += block) {
    const std::int64_t n = std::min(block, entries - begin);
    const std::int64_t lines = ahead ? (at.end + entries - 1) / entries : 0;
    products_of(a, p.x, h, data, at, begin, n, {data + at.end + begin * lines, lines}, term);
    const auto sum = [&](const auto* rows) {
      sum_block(term, rows + begin, n, a.row[h], begin + n == entries, goes_on, chunk);
    };
    switch (format >> bccoo_uniform::row_shift & bccoo_uniform::column_width) {
      case 0:
        sum(data);
        break;
      case 1:
        sum(reinterpret_cast<const std::uint16_t*>(data));
        break;
      default:
        sum(reinterpret_cast<const std::uint32_t*>(data));
    }
  }
  const std::int64_t stop = is_last ? a.meta.rows : a.row[h + 1];
  for (; chunk.next < stop; ++chunk.next) p.finish_row(chunk.next, V{0});
  if (a.carries.slots > 0) {
    slots[exec::slots_per_unit * h] = chunk.began_before ? chunk.open : chunk.head;
    slots[exec::slots_per_unit * h + 1] = chunk.began_before ? V{0} : chunk.open;
  }
}

/// Bytes that stay in a core's cache, and need not be asked for ahead.
constexpr std::int64_t stays_in_cache = 1 << 20;

template <class V>
void whole_chunks(const bccoo_pointers<V>& a, const product<V>& p, std::int64_t first, std::int64_t last,
                  V* slots) {
  const bool ahead = a.offset[last] - a.offset[first] > stays_in_cache;
  for (std::int64_t h = first; h < last; ++h) whole_chunk(a, p, h, slots, ahead);
}

}  // namespace gossamer::inline v0::formats::bccoo_uniform_kernels::GOSSAMER_ISA
