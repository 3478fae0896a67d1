// SPDX-License-Identifier: BSD-3-Clause
// CSR on one core, compiled once for each instruction set (simd/foreach_isa.inl).
namespace gossamer::inline v0::formats::csr_kernels::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::short_vec;
using simd::GOSSAMER_ISA::tile;
using simd::GOSSAMER_ISA::vec;

/// Bytes by which entries are asked for ahead, where the part of the matrix that one thread reads does not stay in its core's
/// cache. The hardware's own prefetcher stops at each 4 KiB page, and rows that need little work catch up with it.
constexpr std::int64_t rows_ahead = 2048;
constexpr std::int64_t tiles_ahead = 8192;
constexpr std::int64_t tiles_stay_in_cache = 2 << 20;

/// Asks for the cache lines that lie `ahead` bytes after [p, p + count). They may lie outside of the array: nothing is read.
/// Locality: 3 into the first-level cache, 2 into the second.
template <int Locality, class T>
inline void prefetch(const T* p, std::int64_t count, std::int64_t ahead) {
  constexpr std::int64_t line = 64;
  const auto address = reinterpret_cast<std::uintptr_t>(p) + static_cast<std::uintptr_t>(ahead);
  for (std::int64_t b = 0; b < count * static_cast<std::int64_t>(sizeof(T)); b += line)
    __builtin_prefetch(reinterpret_cast<const void*>(address + static_cast<std::uintptr_t>(b)), 0, Locality);
}

/// The columns run ahead as many entries as the values do.
template <class V>
inline void prefetch_entries(const V* val, const std::int32_t* col, std::int64_t count) {
  constexpr std::int64_t columns_ahead =
      rows_ahead / static_cast<std::int64_t>(sizeof(V) / sizeof(std::int32_t));
  prefetch<3>(val, count, rows_ahead);
  prefetch<3>(col, count, columns_ahead);
}

/// Whether entries are worth asking for ahead.
struct asks_ahead {
  bool rows = false;
  bool tiles = false;  ///< read values alone, of which more stay
};

/// The same of the units that one thread multiplies.
template <class V, class O>
inline asks_ahead reads_ahead(const csr_pointers<V, O>& a, std::int64_t first_unit, std::int64_t last_unit) {
  const std::int64_t entries = a.row_ptr[a.cut_row[last_unit]] - a.row_ptr[a.cut_row[first_unit]];
  return {.rows = entries * static_cast<std::int64_t>(sizeof(V) + sizeof(std::int32_t)) > stays_in_cache,
          .tiles = entries * static_cast<std::int64_t>(sizeof(V)) > tiles_stay_in_cache};
}

/// A row of `length` entries at val and col: lanes whose sum is the row's. The order of additions depends on `length` alone.
template <class V>
inline short_vec<V> row_lanes(const V* val, const std::int32_t* col, std::int64_t length, const V* x,
                              bool ahead) {
  using lanes = vec<V>;
  using few = short_vec<V>;
  constexpr int width = lanes::lanes;
  if (length <= few::lanes) {
    // How many lines are asked for must not depend on the row: the branch would be guessed wrong.
    if (ahead) prefetch_entries(val, col, 1);
    const int n = static_cast<int>(length);
    return few::multiply_add(few::load_first(val, n), few::gather_first(x, col, n), few::zero());
  }
  // Two sums: a fused multiply-add takes four cycles and two can start in each.
  lanes even = lanes::zero();
  lanes odd = lanes::zero();
  std::int64_t k = 0;
  for (;; k += 2 * width) {
    if (ahead) prefetch_entries(val + k, col + k, 2 * width);
    if (length - k <= 2 * width) break;
    even = lanes::multiply_add(lanes::load(val + k), lanes::gather(x, col + k), even);
    odd = lanes::multiply_add(lanes::load(val + k + width), lanes::gather(x, col + k + width), odd);
  }
  if (length - k > width) {
    even = lanes::multiply_add(lanes::load(val + k), lanes::gather(x, col + k), even);
    k += width;
  }
  const int rest = static_cast<int>(length - k);
  odd = lanes::multiply_add(lanes::load_first(val + k, rest), lanes::gather_first(x, col + k, rest), odd);
  return lanes::add(even, odd).folded();
}

/// The sum of val[k] x[col[k]] over [begin, end).
template <class V>
inline V dot(const V* val, const std::int32_t* col, std::int64_t begin, std::int64_t end, const V* x,
             bool ahead) {
  return row_lanes(val + begin, col + begin, end - begin, x, ahead).sum();
}

/// As product::finish_row, for all lanes.
template <class Lanes, class V>
inline void finish_rows(const product<V>& p, std::int64_t row, Lanes sums) {
  Lanes result = Lanes::multiply_add(Lanes::all(p.alpha), sums, Lanes::zero());
  if (p.beta != V{0}) result = Lanes::multiply_add(Lanes::all(p.beta), Lanes::load(p.y + row), result);
  result.store(p.y + row);
}

/// Finishes the N <= 4 rows from `row` on, whose sums are those of the lanes.
template <int N, class V>
[[gnu::always_inline]] inline void finish_few(const product<V>& p, std::int64_t row,
                                              const vec<V> (&lanes)[4]) {
  V sum[4];
  vec<V>::four_sums(lanes, sum);
  if (p.beta == V{0}) {
    for (int r = 0; r < N; ++r) p.y[row + r] = p.alpha * sum[r];
  } else {
    for (int r = 0; r < N; ++r) p.finish_row(row + r, sum[r]);
  }
}

/// Rows that have nothing in common, as many at a time as there are lanes, so that their lanes are summed together. Which row
/// stands where among them depends on `first` alone.
template <class V, class O>
inline void separate_rows(const csr_pointers<V, O>& a, const product<V>& p, std::int64_t first,
                          std::int64_t last, bool ahead) {
  using lanes = short_vec<V>;
  constexpr int width = lanes::lanes;
  std::int64_t i = first;
  for (; last - i >= width; i += width) {
    const O* const begin = a.row_ptr + i;
    lanes rows[width];
    // Unrolled, the branches of each row are guessed by themselves: less often wrong.
#pragma GCC unroll 8
    for (int r = 0; r < width; ++r)
      rows[r] = row_lanes(a.val + begin[r], a.col + begin[r], begin[r + 1] - begin[r], p.x, ahead);
    finish_rows(p, i, lanes::sums(rows));
  }
  for (; i < last; ++i) p.finish_row(i, dot(a.val, a.col, a.row_ptr[i], a.row_ptr[i + 1], p.x, ahead));
}

/// N rows from `row` on, of one length, with the same columns. The order of additions in a row does not depend on N.
template <int N, class V, class O>
inline void rows_of_same_columns(const csr_pointers<V, O>& a, const product<V>& p, std::int64_t row,
                                 bool ahead) {
  using lanes = vec<V>;
  constexpr int width = lanes::lanes;
  const std::int64_t begin = a.row_ptr[row];
  const std::int64_t length = a.row_ptr[row + 1] - begin;
  const V* const val = a.val + begin;
  const std::int32_t* const col = a.col + begin;
  lanes sum[4];
  for (int r = 0; r < 4; ++r) sum[r] = lanes::zero();
  std::int64_t k = 0;
  for (; length - k > width; k += width) {
    if (ahead) prefetch<3>(val + N * k, N * width, rows_ahead);
    const lanes gathered = lanes::gather(p.x, col + k);
    for (int r = 0; r < N; ++r)
      sum[r] = lanes::multiply_add(lanes::load(val + r * length + k), gathered, sum[r]);
  }
  const int rest = static_cast<int>(length - k);
  if (ahead) prefetch<3>(val + N * k, N * rest, rows_ahead);
  const lanes gathered = lanes::gather_first(p.x, col + k, rest);
  for (int r = 0; r < N; ++r)
    sum[r] = lanes::multiply_add(lanes::load_first(val + r * length + k, rest), gathered, sum[r]);
  finish_few<N>(p, row, sum);
}

/// The same, where the columns come in `pieces` pieces: x is loaded, not gathered, and `col` not read.
template <int N, class V, class O>
inline void rows_of_pieces(const csr_pointers<V, O>& a, const product<V>& p, std::int64_t row,
                           const column_piece* piece, std::int32_t pieces, bool ahead) {
  using lanes = vec<V>;
  constexpr int width = lanes::lanes;
  const std::int64_t begin = a.row_ptr[row];
  const std::int64_t length = a.row_ptr[row + 1] - begin;
  const V* val = a.val + begin;
  if (ahead) prefetch<3>(val, N * length, rows_ahead);
  // Two sums a row, taken in turn, so that they need not wait for each other.
  lanes even[4];
  lanes odd[4];
  for (int r = 0; r < 4; ++r) even[r] = odd[r] = lanes::zero();
  const auto add = [&](column_piece here, lanes(&whole)[4], lanes(&end)[4]) {
    const V* x = p.x + here.first;
    int count = here.count;
    for (; count > width; count -= width, x += width, val += width) {
      const lanes loaded = lanes::load(x);
      for (int r = 0; r < N; ++r)
        whole[r] = lanes::multiply_add(lanes::load(val + r * length), loaded, whole[r]);
    }
    const lanes loaded = lanes::load_first(x, count);
    for (int r = 0; r < N; ++r)
      end[r] = lanes::multiply_add(lanes::load_first(val + r * length, count), loaded, end[r]);
    val += count;
  };
  for (; pieces >= 2; pieces -= 2, piece += 2) {
    add(piece[0], odd, even);
    add(piece[1], even, odd);
  }
  if (pieces == 1) add(piece[0], odd, even);
  for (int r = 0; r < N; ++r) even[r] = lanes::add(even[r], odd[r]);
  finish_few<N>(p, row, even);
}

/// f(number of rows, first row) for groups of up to four rows of [first, last).
template <class F>
inline void by_fours(std::int64_t first, std::int64_t last, F&& f) {
  std::int64_t i = first;
  for (; last - i >= 4; i += 4) f(std::integral_constant<int, 4>(), i);
  if (last - i == 3) f(std::integral_constant<int, 3>(), i);
  if (last - i == 2) f(std::integral_constant<int, 2>(), i);
  if (last - i == 1) f(std::integral_constant<int, 1>(), i);
}

/// Rows whose columns are all those of the first: x is read once for several rows.
template <class V, class O>
inline void same_columns(const csr_pointers<V, O>& a, const product<V>& p, const csr_run& run,
                         const column_piece* piece, bool ahead) {
  if (run.parts > 0)
    by_fours(run.first, run.last,
             [&](auto n, std::int64_t i) { rows_of_pieces<n()>(a, p, i, piece, run.parts, ahead); });
  else
    by_fours(run.first, run.last, [&](auto n, std::int64_t i) { rows_of_same_columns<n()>(a, p, i, ahead); });
}

/// One element of x for each of `rows` consecutive rows; Whole: for all lanes.
template <bool Whole, class Lanes, class V>
inline Lanes consecutive(const V* x, int rows) {
  if constexpr (Whole)
    return Lanes::load(x);
  else
    return Lanes::load_first(x, rows);
}

/// In lane r of sums[t] the sum of row number t * tile::rows + r: entries val[t * tile::rows * length + offset[r] + k] and
/// columns col[k] + that number, k < length.
template <bool Whole, int Tiles, class V>
inline void tile_sums(const V* val, const std::int64_t (&offset)[tile<V>::rows], const std::int32_t* col,
                      std::int64_t length, const V* x, int rows, typename tile<V>::lanes (&sums)[Tiles]) {
  using lanes = typename tile<V>::lanes;
  constexpr int depth = tile<V>::depth;
  const std::int64_t tile_entries = tile<V>::rows * length;
  lanes sum[Tiles][2];
  for (int t = 0; t < Tiles; ++t) sum[t][0] = sum[t][1] = lanes::zero();
  lanes column[depth];
  std::int64_t k = 0;
  for (; length - k >= depth; k += depth) {
    for (int t = 0; t < Tiles; ++t) {
      tile<V>::load(val + t * tile_entries + k, offset, column);
      for (int j = 0; j < depth; ++j)
        sum[t][j % 2] = lanes::multiply_add(
            column[j], consecutive<Whole, lanes>(x + col[k + j] + t * tile<V>::rows, rows), sum[t][j % 2]);
    }
  }
  if (k < length && length >= depth) {
    // The last columns once more, since nothing behind a row may be read; those that were added are left out.
    for (int t = 0; t < Tiles; ++t) {
      tile<V>::load(val + t * tile_entries + length - depth, offset, column);
      for (int j = 1; j < depth; ++j) {
        if (length - depth + j >= k)
          sum[t][j % 2] = lanes::multiply_add(
              column[j], consecutive<Whole, lanes>(x + col[length - depth + j] + t * tile<V>::rows, rows),
              sum[t][j % 2]);
      }
    }
  } else {
    for (; k < length; ++k) {
      for (int t = 0; t < Tiles; ++t)
        sum[t][0] =
            lanes::multiply_add(tile<V>::load_column(val + t * tile_entries + k, offset),
                                consecutive<Whole, lanes>(x + col[k] + t * tile<V>::rows, rows), sum[t][0]);
    }
  }
  for (int t = 0; t < Tiles; ++t) sums[t] = lanes::add(sum[t][0], sum[t][1]);
}

/// Rows of one length, each with the columns of the row before plus one: one lane a row, so that x is read in order,
/// without a gather, and of `col` only the first row's part is read. A row's order of additions depends on `length` alone.
template <class V, class O>
inline void shifted_columns(const csr_pointers<V, O>& a, const product<V>& p, std::int64_t first,
                            std::int64_t last, bool ahead) {
  using lanes = typename tile<V>::lanes;
  constexpr int rows = tile<V>::rows;
  const std::int64_t begin = a.row_ptr[first];
  const std::int64_t length = a.row_ptr[first + 1] - begin;
  const std::int32_t* const col = a.col + begin;
  const V* val = a.val + begin;
  const V* x = p.x;
  std::int64_t offset[rows];
  for (int r = 0; r < rows; ++r) offset[r] = r * length;
  std::int64_t i = first;
  constexpr int together = tile<V>::at_once;
  constexpr int step = together * rows;
  for (; last - i >= step; i += step, x += step, val += step * length) {
    if (ahead) prefetch<2>(val, step * length, tiles_ahead);
    lanes sums[together];
    tile_sums<true>(val, offset, col, length, x, rows, sums);
    for (int t = 0; t < together; ++t) finish_rows(p, i + t * rows, sums[t]);
  }
  lanes sums[1];
  for (; last - i >= rows; i += rows, x += rows, val += rows * length) {
    tile_sums<true>(val, offset, col, length, x, rows, sums);
    finish_rows(p, i, sums[0]);
  }
  const int rest = static_cast<int>(last - i);
  if (rest == 0) return;
  // Lanes without a row of their own repeat the last row's values; their x is 0, their sums are not used.
  for (int r = rest; r < rows; ++r) offset[r] = (rest - 1) * length;
  V sum[rows];
  tile_sums<false>(val, offset, col, length, x, rest, sums);
  sums[0].store(sum);
  for (int r = 0; r < rest; ++r) p.finish_row(i + r, sum[r]);
}

/// The sums of a part of a tile: entry k of its rows at val[k tiled_rows], in column col[k] of the first of them at x.
template <int Length, class V>
[[gnu::always_inline]] inline short_vec<V> sums_of_tile(const V* val, const std::int32_t* col,
                                                        std::int64_t length, const V* x) {
  using lanes = short_vec<V>;
  const std::int64_t columns = Length > 0 ? Length : length;
  lanes even = lanes::zero();
  lanes odd = lanes::zero();
  std::int64_t k = 0;
  for (; columns - k >= 2; k += 2) {
    even = lanes::multiply_add(lanes::load(val + k * tiled_rows), lanes::load(x + col[k]), even);
    odd = lanes::multiply_add(lanes::load(val + (k + 1) * tiled_rows), lanes::load(x + col[k + 1]), odd);
  }
  if (k < columns)
    even = lanes::multiply_add(lanes::load(val + k * tiled_rows), lanes::load(x + col[k]), even);
  return lanes::add(even, odd);
}

/// Rows [first, last) of a run of step 1 whose values are stored by tiles, the first of them at val: no gather and no transposition.
/// Length: 0 or the rows' length. x is moved as far as the first row is from the one that `col` belongs to. Not inlined: beside
/// tiles with holes the loop had too few registers, and took twice as long.
template <int Length, class V>
[[gnu::noinline]] void tiled_rows_of_length(const V* val, const std::int32_t* col, const V* x,
                                            std::int64_t first, std::int64_t last, const product<V>& p,
                                            std::int64_t length, bool ahead) {
  using lanes = short_vec<V>;
  static_assert(tiled_rows % lanes::lanes == 0);
  if constexpr (Length > 0) length = Length;
  std::int64_t i = first;
  for (; last - i >= tiled_rows; i += tiled_rows, x += tiled_rows, val += tiled_rows * length) {
    if (ahead) prefetch<2>(val, tiled_rows * length, tiles_ahead);
    for (int r = 0; r < tiled_rows; r += lanes::lanes)
      finish_rows(p, i + r, sums_of_tile<Length>(val + r, col, length, x + r));
  }
  if (i == last) return;
  // The last rows are a tile too, which begins with rows that are finished.
  const std::int64_t from = last - tiled_rows;
  x -= i - from;
  V sum[tiled_rows];
  for (int r = 0; r < tiled_rows; r += lanes::lanes)
    sums_of_tile<Length>(val + r, col, length, x + r).store(sum + r);
  for (; i < last; ++i) p.finish_row(i, sum[i - from]);
}

/// As sums_of_tile, where bit `row` of mask[k], and those above it, say which rows have column k.
template <int Length, class V>
[[gnu::always_inline]] inline short_vec<V> sums_of_holed_tile(const V* val, const std::uint8_t* mask, int row,
                                                              const std::int32_t* col, std::int64_t length,
                                                              const V* x) {
  using lanes = short_vec<V>;
  const std::int64_t columns = Length > 0 ? Length : length;
  const auto add = [&](std::int64_t k, lanes sum) {
    return lanes::multiply_add(lanes::load(val + k * tiled_rows),
                               lanes::load_where(x + col[k], unsigned{mask[k]} >> row), sum);
  };
  lanes even = lanes::zero();
  lanes odd = lanes::zero();
  std::int64_t k = 0;
  for (; columns - k >= 2; k += 2) {
    even = add(k, even);
    odd = add(k + 1, odd);
  }
  if (k < columns) even = add(k, even);
  return lanes::add(even, odd);
}

/// The same of a whole run with holes: stretches of tiles without any, and one tile with some behind each but the last.
template <int Length, class V>
void tiled_rows_with_holes(const V* val, const std::int32_t* col, const V* x, const csr_run& run,
                           const product<V>& p, std::int64_t length, const holed_tile* holed,
                           const std::uint8_t* mask, bool ahead) {
  using lanes = short_vec<V>;
  const std::int64_t last = run.last;
  std::int64_t i = run.first;
  for (std::int64_t t = 0;; ++t, ++holed) {
    const std::int64_t tiles = holed->tile - t;
    const std::int64_t end = std::min(i + tiles * tiled_rows, last);
    if (i < end) tiled_rows_of_length<Length>(val, col, x, i, end, p, length, ahead);
    if (end == last) return;
    i = end;
    t += tiles;
    x += tiles * tiled_rows;
    val += tiles * tiled_rows * length;
    const std::int64_t finished = std::max<std::int64_t>(0, i + tiled_rows - last);
    V sum[tiled_rows];
    for (int r = 0; r < tiled_rows; r += lanes::lanes) {
      const lanes sums =
          sums_of_holed_tile<Length>(val + r, mask + holed->mask, r, col, length, x - finished + r);
      if (finished == 0)
        finish_rows(p, i + r, sums);
      else
        sums.store(sum + r);
    }
    if (finished > 0)
      for (std::int64_t r = finished; r < tiled_rows; ++r) p.finish_row(i + r - finished, sum[r]);
    i += tiled_rows - finished;
    if (i == last) return;
    x += tiled_rows;
    val += tiled_rows * length;
  }
}

/// The sums of a tile on diagonals, of which the first `whole` are in all of its rows, in one pass: making a mask takes as long as using it.
template <class V>
[[gnu::always_inline]] inline void sums_on_diagonals(
    const V* val, const std::int32_t* col, std::int64_t whole, const std::uint8_t* mask, std::int64_t masked,
    const V* x, short_vec<V> (&sums)[diagonal_rows / short_vec<V>::lanes]) {
  using lanes = short_vec<V>;
  constexpr int width = lanes::lanes;
  constexpr int parts = diagonal_rows / width;
  lanes odd[parts];
  for (int r = 0; r < parts; ++r) sums[r] = odd[r] = lanes::zero();
  const auto add_whole = [&](std::int64_t k, lanes(&to)[parts]) {
    for (int r = 0; r < parts; ++r)
      to[r] = lanes::multiply_add(lanes::load(val + k * diagonal_rows + r * width),
                                  lanes::load(x + col[k] + r * width), to[r]);
  };
  const auto add_masked = [&](std::int64_t k, lanes(&to)[parts]) {
    const unsigned bits = mask[k - whole];
    for (int r = 0; r < parts; ++r)
      to[r] = lanes::multiply_add(lanes::load(val + k * diagonal_rows + r * width),
                                  lanes::load_where(x + col[k] + r * width, bits >> r * width), to[r]);
  };
  std::int64_t k = 0;
  for (; whole - k >= 2; k += 2) {
    add_whole(k, sums);
    add_whole(k + 1, odd);
  }
  if (k < whole) add_whole(k++, sums);
  const std::int64_t all = whole + masked;
  for (; all - k >= 2; k += 2) {
    add_masked(k, odd);
    add_masked(k + 1, sums);
  }
  if (k < all) add_masked(k, odd);
  for (int r = 0; r < parts; ++r) sums[r] = lanes::add(sums[r], odd[r]);
}

/// The rows of a run on diagonals, whose values are at val: what comes behind them. Asking for values ahead took longer, in whichever
/// cache they were.
template <class V, class O>
inline const V* rows_on_diagonals(const csr_pointers<V, O>& a, const product<V>& p, const csr_run& run,
                                  const V* val) {
  using lanes = short_vec<V>;
  const diagonal_tile* tile = a.diagonal_tiles + run.holed;
  for (std::int64_t i = run.first; i < run.last; i += diagonal_rows, ++tile) {
    const std::int64_t all = tile[1].first - tile[0].first;
    const std::int64_t masked = tile[1].mask - tile[0].mask;
    lanes sums[diagonal_rows / lanes::lanes];
    sums_on_diagonals(val, a.diagonal + tile->first, all - masked, a.diagonal_mask + tile->mask, masked, p.x,
                      sums);
    for (int r = 0; r < diagonal_rows / lanes::lanes; ++r) finish_rows(p, i + r * lanes::lanes, sums[r]);
    val += all * diagonal_rows;
  }
  return val;
}

/// Asks for the row behind a run: nothing that the run reads lies near it.
template <class V, class O>
inline void prefetch_behind(const csr_pointers<V, O>& a, const csr_run& run) {
  const std::int64_t begin = a.row_ptr[run.first];
  const O* const model = a.row_ptr + run.first + run.model;
  // Without holes this takes no number from where the run ends, which is not in any cache yet.
  const std::int64_t behind = run.holed < 0 ? begin + (run.last - run.first) * (model[1] - model[0])
                                            : static_cast<std::int64_t>(a.row_ptr[run.last]);
  constexpr std::int64_t entries = 32;  // two short rows and the first of the next run
  prefetch<3>(a.row_ptr + run.last, 4, 0);
  prefetch<3>(a.col + behind, entries, 0);
  prefetch<3>(a.val + behind, entries, 0);
}

template <class V, class O>
inline void tiled_run(const csr_pointers<V, O>& a, const product<V>& p, const csr_run& run, const V* val,
                      bool ahead) {
  const O* const model = a.row_ptr + run.first + run.model;
  const std::int64_t length = model[1] - model[0];
  const std::int32_t* const col = a.col + model[0];
  const V* const x = p.x - run.model;
  const auto multiply = [&](auto known) {
    if (run.holed < 0)
      tiled_rows_of_length<known()>(val, col, x, run.first, run.last, p, length, ahead);
    else
      tiled_rows_with_holes<known()>(val, col, x, run, p, length, a.holed + run.holed, a.mask, ahead);
  };
  switch (length) {
    case 5:
      return multiply(std::integral_constant<int, 5>());
    case 6:
      return multiply(std::integral_constant<int, 6>());
    case 7:
      return multiply(std::integral_constant<int, 7>());
    case 9:
      return multiply(std::integral_constant<int, 9>());
    default:
      return multiply(std::integral_constant<int, 0>());
  }
}

/// The rows [first, last) of unit u, each of which lies in that unit as a whole.
template <class V, class O>
inline void rows_of_unit(const csr_pointers<V, O>& a, const product<V>& p, std::int64_t u, std::int64_t first,
                         std::int64_t last, asks_ahead ahead) {
  std::int64_t i = first;
  const column_piece* piece = a.piece + a.unit_piece[u];
  const V* tiled = a.tiled + a.unit_tiled[u];
  for (std::int64_t r = a.unit_run[u]; r < a.unit_run[u + 1]; ++r) {
    const csr_run run = a.run[r];
    if (i < run.first) separate_rows(a, p, i, run.first, ahead.rows);
    if (run.step == 0) {
      same_columns(a, p, run, piece, ahead.rows);
      piece += run.parts;
    } else if (run.step == on_diagonals) {
      tiled = rows_on_diagonals(a, p, run, tiled);
    } else if (run.parts > 0) {
      prefetch_behind(a, run);
      tiled_run(a, p, run, tiled, ahead.tiles);
      const O* const model = a.row_ptr + run.first + run.model;
      tiled += run.parts * tiled_rows * (model[1] - model[0]);
    } else {
      shifted_columns(a, p, run.first, run.last, ahead.rows);
    }
    i = run.last;
  }
  if (i < last) separate_rows(a, p, i, last, ahead.rows);
}

template <class V, class O>
void whole_rows(const csr_pointers<V, O>& a, const product<V>& p, std::int64_t first_unit,
                std::int64_t last_unit, V* /*scratch*/) {
  const asks_ahead ahead = reads_ahead(a, first_unit, last_unit);
  for (std::int64_t u = first_unit; u < last_unit; ++u)
    rows_of_unit(a, p, u, a.cut_row[u], a.cut_row[u + 1], ahead);
}

/// One unit of the balanced cut. A row that began in an earlier unit, or goes on in a later one, is left in a slot.
template <class V, class O>
inline void balanced_unit(const csr_pointers<V, O>& a, const product<V>& p, std::int64_t u, V* slots,
                          asks_ahead ahead) {
  std::int64_t row = a.cut_row[u];
  const std::int64_t last_row = a.cut_row[u + 1];
  const std::int64_t first_entry = a.cut_entry[u];
  const std::int64_t last_entry = a.cut_entry[u + 1];
  V head{0};
  V tail{0};
  bool inside_one_row = false;
  if (row < a.meta.rows && first_entry > a.row_ptr[row]) {
    inside_one_row = row == last_row;
    head = dot(a.val, a.col, first_entry, inside_one_row ? last_entry : std::int64_t{a.row_ptr[row + 1]}, p.x,
               ahead.rows);
    ++row;
  }
  if (!inside_one_row) {
    rows_of_unit(a, p, u, row, last_row, ahead);
    if (last_row < a.meta.rows && last_entry > a.row_ptr[last_row])
      tail = dot(a.val, a.col, a.row_ptr[last_row], last_entry, p.x, ahead.rows);
  }
  if (a.carries.slots > 0) {
    slots[exec::slots_per_unit * u] = head;
    slots[exec::slots_per_unit * u + 1] = tail;
  }
}

template <class V, class O>
void balanced(const csr_pointers<V, O>& a, const product<V>& p, std::int64_t first_unit,
              std::int64_t last_unit, V* slots) {
  const asks_ahead ahead = reads_ahead(a, first_unit, last_unit);
  for (std::int64_t u = first_unit; u < last_unit; ++u) balanced_unit(a, p, u, slots, ahead);
}

}  // namespace gossamer::inline v0::formats::csr_kernels::GOSSAMER_ISA
