// SPDX-License-Identifier: BSD-3-Clause
// pattern_csr on one core: rows of one length, each with the columns of the row before plus one, so that x is
// loaded and not gathered; from CSR's own arrays, or from tiles in which their values are stored again.
namespace gossamer::inline v0::formats::pattern_csr_kernels::GOSSAMER_ISA {

/// One element of x for each of `rows` consecutive rows; Whole: for all lanes.
template <bool Whole, class Lanes, class X>
inline Lanes consecutive(const X* x, int rows) {
  if constexpr (Whole)
    return Lanes::load(x);
  else
    return Lanes::load_first(x, rows);
}

/// In lane r of sums[t] the sum of row number t * tile::rows + r: entries val[t * tile::rows * length +
/// offset[r] + k] and columns col[k] + that number, k < length.
template <bool Whole, class S, int Tiles>
inline void tile_sums(const matrix_t<S>* val, const std::int64_t (&offset)[tile<sum_t<S>>::rows],
                      const std::int32_t* col, std::int64_t length, const vector_t<S>* x, int rows,
                      typename tile<sum_t<S>>::lanes (&sums)[Tiles]) {
  using shape = tile<sum_t<S>>;
  using lanes = typename shape::lanes;
  constexpr int depth = shape::depth;
  const std::int64_t tile_entries = shape::rows * length;
  lanes sum[Tiles][2];
  for (int t = 0; t < Tiles; ++t) sum[t][0] = sum[t][1] = lanes::zero();
  lanes column[depth];
  std::int64_t k = 0;
  for (; length - k >= depth; k += depth) {
    for (int t = 0; t < Tiles; ++t) {
      shape::load(val + t * tile_entries + k, offset, column);
      for (int j = 0; j < depth; ++j)
        sum[t][j % 2] = lanes::multiply_add(
            column[j], consecutive<Whole, lanes>(x + col[k + j] + t * shape::rows, rows), sum[t][j % 2]);
    }
  }
  if (k < length && length >= depth) {
    // The last columns once more, since nothing behind a row may be read; those that were added are left out.
    for (int t = 0; t < Tiles; ++t) {
      shape::load(val + t * tile_entries + length - depth, offset, column);
      for (int j = 1; j < depth; ++j) {
        if (length - depth + j >= k)
          sum[t][j % 2] = lanes::multiply_add(
              column[j], consecutive<Whole, lanes>(x + col[length - depth + j] + t * shape::rows, rows),
              sum[t][j % 2]);
      }
    }
  } else {
    for (; k < length; ++k) {
      for (int t = 0; t < Tiles; ++t)
        sum[t][0] =
            lanes::multiply_add(shape::load_column(val + t * tile_entries + k, offset),
                                consecutive<Whole, lanes>(x + col[k] + t * shape::rows, rows), sum[t][0]);
    }
  }
  for (int t = 0; t < Tiles; ++t) sums[t] = lanes::add(sum[t][0], sum[t][1]);
}

/// Rows of one length, each with the columns of the row before plus one: one lane a row, so that x is read in
/// order, without a gather, and of `col` only the first row's part is read. A row's order of additions
/// depends on `length` alone.
template <class S, class O>
inline void shifted_columns(const pattern_csr_pointers<matrix_t<S>, O>& a, const product<S>& p,
                            std::int64_t first, std::int64_t last, bool ahead) {
  using lanes = typename tile<sum_t<S>>::lanes;
  constexpr int rows = tile<sum_t<S>>::rows;
  const std::int64_t begin = a.row_ptr[first];
  const std::int64_t length = a.row_ptr[first + 1] - begin;
  const std::int32_t* const col = a.col + begin;
  const matrix_t<S>* val = a.val + begin;
  const vector_t<S>* x = p.x;
  std::int64_t offset[rows];
  for (int r = 0; r < rows; ++r) offset[r] = r * length;
  std::int64_t i = first;
  constexpr int together = tile<sum_t<S>>::at_once;
  constexpr int step = together * rows;
  for (; last - i >= step; i += step, x += step, val += step * length) {
    if (ahead) prefetch<2>(val, step * length, tile_prefetch_bytes);
    lanes sums[together];
    tile_sums<true, S>(val, offset, col, length, x, rows, sums);
    // Few: NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result)
    for (int t = 0; t < together; ++t) finish_rows(p, i + t * rows, sums[t]);
  }
  lanes sums[1];
  for (; last - i >= rows; i += rows, x += rows, val += rows * length) {
    tile_sums<true, S>(val, offset, col, length, x, rows, sums);
    finish_rows(p, i, sums[0]);
  }
  const int rest = static_cast<int>(last - i);
  if (rest == 0) return;
  // Lanes without a row of their own repeat the last row's values; their x is 0, their sums are not used.
  for (int r = rest; r < rows; ++r) offset[r] = (rest - 1) * length;
  sum_t<S> sum[rows];
  tile_sums<false, S>(val, offset, col, length, x, rest, sums);
  sums[0].store(sum);
  for (int r = 0; r < rest; ++r) p.finish_row(i + r, sum[r]);
}

/// The sums of a part of a tile: entry k of its rows at val[k tiled_rows], in column col[k] of the first of
/// them at x.
template <int Length, class S>
[[gnu::always_inline]] inline short_vec<sum_t<S>> sums_of_tile(const matrix_t<S>* val,
                                                               const std::int32_t* col, std::int64_t length,
                                                               const vector_t<S>* x) {
  using lanes = short_vec<sum_t<S>>;
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

/// Rows [first, last) of a run of tiles, the first of them at val: no gather and no transposition.
/// Length: 0 or the rows' length. x is moved as far as the first row is from the one that `col` belongs to.
/// Not inlined: beside tiles with holes the loop had too few registers, and took twice as long.
template <int Length, class S>
[[gnu::noinline]] void tiled_rows_of_length(const matrix_t<S>* val, const std::int32_t* col,
                                            const vector_t<S>* x, std::int64_t first, std::int64_t last,
                                            const product<S>& p, std::int64_t length, bool ahead) {
  using lanes = short_vec<sum_t<S>>;
  static_assert(tiled_rows % lanes::lanes == 0);
  if constexpr (Length > 0) length = Length;
  std::int64_t i = first;
  for (; last - i >= tiled_rows; i += tiled_rows, x += tiled_rows, val += tiled_rows * length) {
    if (ahead) prefetch<2>(val, tiled_rows * length, tile_prefetch_bytes);
    for (int r = 0; r < tiled_rows; r += lanes::lanes)
      finish_rows(p, i + r, sums_of_tile<Length, S>(val + r, col, length, x + r));
  }
  if (i == last) return;
  // The last rows are a tile too, which begins with rows that are finished.
  const std::int64_t from = last - tiled_rows;
  x -= i - from;
  sum_t<S> sum[tiled_rows];
  for (int r = 0; r < tiled_rows; r += lanes::lanes)
    sums_of_tile<Length, S>(val + r, col, length, x + r).store(sum + r);
  for (; i < last; ++i) p.finish_row(i, sum[i - from]);
}

/// As sums_of_tile, where bit `row` of mask[k], and those above it, say which rows have column k.
template <int Length, class S>
[[gnu::always_inline]] inline short_vec<sum_t<S>> sums_of_masked_tile(const matrix_t<S>* val,
                                                                      const std::uint8_t* mask, int row,
                                                                      const std::int32_t* col,
                                                                      std::int64_t length,
                                                                      const vector_t<S>* x) {
  using lanes = short_vec<sum_t<S>>;
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

/// Of a run's tiles that have some.
template <class S>
struct masked_tile_arrays {
  const masked_tile* tile;
  const std::uint8_t* mask;
  const extra_entry* extra;
  const matrix_t<S>* val;  ///< of beside

  /// Adds what the rows of the tile have beside to their sums.
  [[gnu::always_inline]] void add_extra_entries(const vector_t<S>* x, sum_t<S> (&sum)[tiled_rows]) const {
    for (std::int32_t e = tile[0].extra; e < tile[1].extra; ++e)
      sum[extra[e].row] += val[e] * x[extra[e].col];
  }
};

/// The same of a whole run with holes: stretches of tiles without any, and one tile with some behind each but
/// the last.
template <int Length, class S>
void tiled_rows_with_masks(const matrix_t<S>* val, const std::int32_t* col, const vector_t<S>* x,
                           const pattern_run& run, const product<S>& p, std::int64_t length,
                           masked_tile_arrays<S> masked_tiles, bool ahead) {
  using lanes = short_vec<sum_t<S>>;
  const std::int64_t last = run.last;
  std::int64_t i = run.first;
  for (std::int64_t t = 0;; ++t, ++masked_tiles.tile) {
    const std::int64_t tiles = masked_tiles.tile->tile - t;
    const std::int64_t end = std::min(i + tiles * tiled_rows, last);
    if (i < end) tiled_rows_of_length<Length>(val, col, x, i, end, p, length, ahead);
    if (end == last) return;
    i = end;
    t += tiles;
    x += tiles * tiled_rows;
    val += tiles * tiled_rows * length;
    const std::int64_t finished = std::max<std::int64_t>(0, i + tiled_rows - last);
    const bool has_no_extra_entries = masked_tiles.tile[0].extra == masked_tiles.tile[1].extra;
    sum_t<S> sum[tiled_rows];
    for (int r = 0; r < tiled_rows; r += lanes::lanes) {
      const lanes sums = sums_of_masked_tile<Length, S>(val + r, masked_tiles.mask + masked_tiles.tile->mask,
                                                        r, col, length, x - finished + r);
      if (finished == 0 && has_no_extra_entries)
        finish_rows(p, i + r, sums);
      else
        sums.store(sum + r);
    }
    if (!has_no_extra_entries) {
      masked_tiles.add_extra_entries(p.x, sum);
      for (int r = 0; finished == 0 && r < tiled_rows; r += lanes::lanes)
        finish_rows(p, i + r, lanes::load(sum + r));
    }
    if (finished > 0)
      for (std::int64_t r = finished; r < tiled_rows; ++r) p.finish_row(i + r - finished, sum[r]);
    i += tiled_rows - finished;
    if (i == last) return;
    x += tiled_rows;
    val += tiled_rows * length;
  }
}

}  // namespace gossamer::inline v0::formats::pattern_csr_kernels::GOSSAMER_ISA
