// SPDX-License-Identifier: BSD-3-Clause
// pattern_csr on one core, several columns at once: the kernel of each kind of run for packs. A few rows are
// multiplied together, so that their sums need not wait for each other. Each column has the additions and
// roundings of a single product. Where that adds a zero for a missing entry, or 0 times x, so do packs: it
// may turn -0.0 into 0.0.
#include "exec/cpu/simd/vec_pack.inl"

namespace gossamer::inline v0::formats::pattern_csr_kernels::GOSSAMER_ISA {

template <class S>
concept by_packs = is_pack<sum_t<S>>;

/// A sum of packs in registers.
template <by_packs S>
using pack_sum = typename vec<sum_t<S>>::lane;

template <by_packs S>
[[gnu::always_inline]] inline pack_sum<S> add_entry(matrix_t<S> value, const sum_t<S>* x,
                                                    const pack_sum<S>& sum) {
  return pack_sum<S>::multiply_add(pack_sum<S>::all(value), pack_sum<S>::load(x), sum);
}

/// Whether the sum of a column is zero, of either sign.
template <class T, int K>
[[gnu::always_inline]] inline bool has_zero(const pack<T, K>& sum) {
  bool zero = false;
  for (int j = 0; j < K; ++j) zero |= sum.v[j] == T{0};
  return zero;
}

/// Whether a column has a NaN.
template <class T, int K>
[[gnu::always_inline]] inline bool has_nan(const simd::GOSSAMER_ISA::columns<T, K>& sums) {
  pack<T, K> stored;
  sums.store(&stored);
  bool nan = false;
  for (int j = 0; j < K; ++j) nan |= stored.v[j] != stored.v[j];
  return nan;
}

/// How many rows are multiplied together. If there are more than one, their sums, two each, take at most half
/// of the registers.
template <by_packs S>
inline constexpr int rows_together = std::clamp((simd::GOSSAMER_ISA::register_bytes == 64 ? 8 : 4) /
                                                    pack_sum<S>::parts,
                                                1, 4);

/// The two sums of each of some rows, which entries are added to alternately.
template <by_packs S, int Rows>
struct sums_of_rows {
  using sums = pack_sum<S>[Rows];
  sums even{};
  sums odd{};

  [[nodiscard]] pack_sum<S> total(int r) const { return even[r] + odd[r]; }
};

/// add(sums, k) for k = 0 ... n - 1, with `first` and `second` alternately.
template <class Sums, class Add>
[[gnu::always_inline]] inline void add_alternately(std::int64_t n, Sums& first, Sums& second, Add&& add) {
  std::int64_t k = 0;
  for (; n - k >= 2; k += 2) {
    add(first, k);
    add(second, k + 1);
  }
  if (k < n) add(first, k);
}

/// As finish_rows(), for one row: fused.
template <by_packs S>
[[gnu::always_inline]] inline void finish_pack(const product<S>& p, std::int64_t row,
                                               const pack_sum<S>& sum) {
  typename vec<sum_t<S>>::one result;
  result.v[0] = sum;
  finish_rows(p, row, result);
}
/// As product::finish_row(): not fused.
template <by_packs S>
[[gnu::always_inline]] inline void finish_pack_unfused(const product<S>& p, std::int64_t row,
                                                       const pack_sum<S>& sum) {
  sum_t<S> stored;
  sum.store(&stored);
  p.finish_row(row, stored);
}

/// Rows from r on of a tile whose values are at val: entry k of row r is in column col[k] + offset. With a
/// mask, row r has entry k where bit r of mask[k] is set.
template <bool Masked, int Rows, by_packs S>
[[gnu::always_inline]] inline sums_of_rows<S, Rows> rows_of_tile(const matrix_t<S>* val,
                                                                 const std::uint8_t* mask, int r,
                                                                 const std::int32_t* col, std::int64_t offset,
                                                                 std::int64_t length, const product<S>& p) {
  using rows = sums_of_rows<S, Rows>;
  rows sums;
  add_alternately(
      length, sums.even,
      sums.odd, [&](typename rows::sums & to, std::int64_t k) __attribute__((always_inline)) {
        const std::int64_t column = col[k] + offset;
        if constexpr (Masked) {
          static_assert(Rows == 1);
          to[0] = (mask[k] >> r & 1u) == 0 ? to[0] + pack_sum<S>::zero()
                                           : add_entry<S>(val[k * tiled_rows + r], p.x + column, to[0]);
        } else {
          const auto x = p.x.from(column);
          for (int i = 0; i < Rows; ++i) to[i] = add_entry<S>(val[k * tiled_rows + r + i], x + i, to[i]);
        }
      });
  return sums;
}

template <by_packs S, class O>
inline void tiled_run(const pattern_csr_pointers<matrix_t<S>, O>& a, const product<S>& p,
                      const pattern_run& run, const matrix_t<S>* val, bool /*ahead*/) {
  constexpr int together = rows_together<S>;
  const std::int64_t model_row = std::int64_t{run.first} + run.model;
  const std::int64_t length = a.row_ptr[model_row + 1] - a.row_ptr[model_row];
  const std::int32_t* const col = a.col + a.row_ptr[model_row];
  const masked_tile* masked = run.first_tile < 0 ? nullptr : a.masked_tiles + run.first_tile;
  for (std::int64_t t = 0; t < run.parts; ++t, val += tiled_rows * length) {
    const std::int64_t row = first_of_tile(run, t);
    const std::int64_t finished = run.first + t * tiled_rows - row;  // by the tile before
    if (masked != nullptr && masked->tile == t) {
      for (int r = static_cast<int>(finished); r < tiled_rows; ++r) {
        pack_sum<S> sum =
            rows_of_tile<true, 1>(val, a.mask + masked->mask, r, col, row + r - model_row, length, p)
                .total(0);
        for (std::int32_t e = masked[0].extra; e < masked[1].extra; ++e)
          if (a.extra[e].row == r)
            sum = sum + pack_sum<S>::all(a.extra_val[e]) * pack_sum<S>::load(p.x + a.extra[e].col);
        if (finished > 0)
          finish_pack_unfused(p, row + r, sum);
        else
          finish_pack(p, row + r, sum);
      }
      ++masked;
    } else if (finished > 0) {
      for (int r = static_cast<int>(finished); r < tiled_rows; ++r)
        finish_pack_unfused(
            p, row + r,
            rows_of_tile<false, 1>(val, nullptr, r, col, row + r - model_row, length, p).total(0));
    } else {
      for (int r = 0; r < tiled_rows; r += together) {
        const auto rows = rows_of_tile<false, together>(val, nullptr, r, col, row + r - model_row, length, p);
        for (int i = 0; i < together; ++i) finish_pack(p, row + r + i, rows.total(i));
      }
    }
  }
}

/// Rows of a shifted pattern, the first of which has its values at val: its entry k is in column
/// col[k] + offset.
template <int Rows, by_packs S>
[[gnu::always_inline]] inline sums_of_rows<S, Rows> shifted_rows(const matrix_t<S>* val,
                                                                 const std::int32_t* col, std::int64_t length,
                                                                 std::int64_t offset, const product<S>& p) {
  using rows = sums_of_rows<S, Rows>;
  constexpr int depth = tile<typename number_of<sum_t<S>>::type>::depth;
  rows sums;
  const auto add = [&](typename rows::sums & to, std::int64_t k) __attribute__((always_inline)) {
    const auto x = p.x.from(col[k] + offset);
    for (int r = 0; r < Rows; ++r) to[r] = add_entry<S>(val[r * length + k], x + r, to[r]);
  };
  // The last columns are added as tile_sums() adds them.
  const std::int64_t alternating = length / depth * depth;
  add_alternately(alternating, sums.even, sums.odd, add);
  for (std::int64_t k = alternating; k < length; ++k)
    add(alternating > 0 && (length - k) % 2 != 0 ? sums.odd : sums.even, k);
  return sums;
}

template <by_packs S, class O>
inline void shifted_columns(const pattern_csr_pointers<matrix_t<S>, O>& a, const product<S>& p,
                            std::int64_t first, std::int64_t last, bool /*ahead*/) {
  constexpr int together = rows_together<S>;
  constexpr int tile_rows = tile<typename number_of<sum_t<S>>::type>::rows;
  static_assert(tile_rows % together == 0);
  const std::int64_t length = a.row_ptr[first + 1] - a.row_ptr[first];
  const std::int32_t* const col = a.col + a.row_ptr[first];
  const matrix_t<S>* val = a.val + a.row_ptr[first];
  const std::int64_t end_of_tiles = last - (last - first) % tile_rows;
  std::int64_t i = first;
  for (; i < end_of_tiles; i += together, val += together * length) {
    const auto rows = shifted_rows<together>(val, col, length, i - first, p);
    for (int r = 0; r < together; ++r) finish_pack(p, i + r, rows.total(r));
  }
  for (; i < last; ++i, val += length)
    finish_pack_unfused(p, i, shifted_rows<1>(val, col, length, i - first, p).total(0));
}

/// The sum of one row with the columns at col, or in pieces.
template <by_packs S, class O>
[[gnu::noinline]] inline sum_t<S> row_of_same_columns(const pattern_csr_pointers<matrix_t<S>, O>& a,
                                                      const product<S>& p, std::int64_t row,
                                                      const std::int32_t* col, const column_piece* piece,
                                                      std::int32_t pieces) {
  using lanes = vec<sum_t<S>>;
  using read = x_reader<false>;
  constexpr int width = lanes::lanes;
  const matrix_t<S>* val = a.val + a.row_ptr[row];
  // Adds `count` columns: the last vector, full or partial, to `end`, the others to `whole`.
  const auto add = [&](std::int64_t count, lanes & whole, lanes & end) __attribute__((always_inline)) {
    for (; count > width; count -= width, val += width, col += width)
      whole = lanes::multiply_add(lanes::load(val), read::template all<lanes>(p.x, col), whole);
    const int rest = static_cast<int>(count);
    end = lanes::multiply_add(lanes::load_first(val, rest), read::template first<lanes>(p.x, col, rest), end);
    val += rest;
    col += rest;
  };
  lanes even = lanes::zero();
  if (pieces == 0) {
    add(a.row_ptr[row + 1] - a.row_ptr[row], even, even);
  } else {
    lanes odd = lanes::zero();
    std::int32_t k = 0;
    for (; pieces - k >= 2; k += 2) {
      add(piece[k].count, odd, even);
      add(piece[k + 1].count, even, odd);
    }
    if (k < pieces) add(piece[k].count, odd, even);
    even = lanes::add(even, odd);
  }
  sum_t<S> sum;
  even.one_of_four_sums().store(&sum);
  return sum;
}

/// A tile on diagonals.
template <by_packs S>
struct tile_on_diagonals {
  const matrix_t<S>* val;
  const std::int32_t* col;   ///< of each diagonal in the tile's first row
  std::int64_t whole;        ///< how many diagonals all rows have; they come first
  std::int64_t masked;       ///< how many others there are
  const std::uint8_t* mask;  ///< of each other: bit r is set if row r has it
};

/// The sums of rows_together rows from r on. Packed: places without an entry have no value; then `behind` is
/// moved behind the tile's values. Masked: x is not read where a row has no entry.
template <bool Packed, bool Masked, by_packs S>
[[gnu::always_inline]] inline sums_of_rows<S, rows_together<S>> sums_on_diagonals(
    const tile_on_diagonals<S>& of, int r, const product<S>& p, const matrix_t<S>*& behind) {
  constexpr int together = rows_together<S>;
  using rows = sums_of_rows<S, together>;
  const sum_t<S> zeros(0);
  rows sums;
  add_alternately(
      of.whole, sums.even,
      sums.odd, [&](typename rows::sums & to, std::int64_t k) __attribute__((always_inline)) {
        const auto x = p.x.from(std::int64_t{of.col[k]} + r);
        for (int j = 0; j < together; ++j)
          to[j] = add_entry<S>(of.val[k * diagonal_rows + r + j], x + j, to[j]);
      });
  const matrix_t<S>* const masked_val = of.val + of.whole * diagonal_rows;
  const std::int32_t* const masked_col = of.col + of.whole;
  const matrix_t<S>* packed = masked_val;
  // Selects, not branches: which rows have an entry is hard to guess.
  add_alternately(
      of.masked, sums.odd,
      sums.even, [&](typename rows::sums & to, std::int64_t k) __attribute__((always_inline)) {
        const unsigned bits = Packed || Masked ? of.mask[k] : 0;
        const std::int64_t column = std::int64_t{masked_col[k]} + r;
        for (int j = 0; j < together; ++j) {
          const bool has = (bits >> (r + j) & 1u) != 0;
          const sum_t<S>* const x = !Masked ? p.x.from(column) + j : has ? p.x + (column + j) : &zeros;
          matrix_t<S> value;
          if constexpr (Packed)
            value = has ? packed[__builtin_popcount(bits & ((1u << (r + j)) - 1u))] : matrix_t<S>{0};
          else
            value = masked_val[k * diagonal_rows + r + j];
          to[j] = add_entry<S>(value, x, to[j]);
        }
        if constexpr (Packed) packed += __builtin_popcount(bits);
      });
  if constexpr (Packed) behind = packed;
  return sums;
}

/// Replaces the sums of columns in which a sum of the tile is not finite. not_finite: NaN in these columns.
/// Seldom called, and not inlined.
template <bool Packed, by_packs S>
[[gnu::noinline]] inline void sum_under_masks(const tile_on_diagonals<S>& of, const product<S>& p,
                                              const pack_sum<S>& not_finite,
                                              pack_sum<S> (&total)[diagonal_rows]) {
  const matrix_t<S>* behind = nullptr;
  for (int r = 0; r < diagonal_rows; r += rows_together<S>) {
    const auto rows = sums_on_diagonals<Packed, true, S>(of, r, p, behind);
    for (int j = 0; j < rows_together<S>; ++j) {
      const pack_sum<S> masked = rows.total(j);
      pack_sum<S>& sum = total[r + j];
      for (int part = 0; part < pack_sum<S>::parts; ++part)
        sum.v[part] = not_finite.v[part] == not_finite.v[part] ? sum.v[part] : masked.v[part];
    }
  }
}

/// As rows_on_diagonals() of numbers: masks of x are left out where x has elements, and columns with sums
/// that are not finite are summed again under masks.
template <bool Packed, by_packs S, class O>
inline const matrix_t<S>* rows_on_diagonals(const pattern_csr_pointers<matrix_t<S>, O>& a,
                                            const product<S>& p, const pattern_run& run,
                                            const matrix_t<S>* val) {
  constexpr int together = rows_together<S>;
  const diagonal_tile* tile = a.diagonal_tiles + run.first_tile;
  for (std::int64_t i = run.first; i < run.last; i += diagonal_rows, ++tile) {
    const std::int64_t all = tile[1].first - tile[0].first;
    const std::int64_t masked = tile[1].mask - tile[0].mask;
    const tile_on_diagonals<S> of{.val = val,
                                  .col = a.diagonal + tile->first,
                                  .whole = all - masked,
                                  .masked = masked,
                                  .mask = a.diagonal_mask + tile->mask};
    const matrix_t<S>* behind = val + all * diagonal_rows;
    pack_sum<S> total[diagonal_rows];
    pack_sum<S> not_finite{};  // NaN in columns in which a sum is not finite
    const bool reads_beyond_x =
        masked > 0 && (of.col[of.whole] < 0 || std::int64_t{of.col[all - 1]} + diagonal_rows > a.meta.cols);
    for (int r = 0; r < diagonal_rows; r += together) {
      const auto rows = reads_beyond_x ? sums_on_diagonals<Packed, true, S>(of, r, p, behind)
                                       : sums_on_diagonals<Packed, false, S>(of, r, p, behind);
      for (int j = 0; j < together; ++j) {
        total[r + j] = rows.total(j);
        for (int part = 0; part < pack_sum<S>::parts; ++part)
          not_finite.v[part] += total[r + j].v[part] - total[r + j].v[part];
      }
    }
    if (masked > 0 && !reads_beyond_x && has_nan(not_finite))
      sum_under_masks<Packed>(of, p, not_finite, total);
    for (int j = 0; j < diagonal_rows; ++j) finish_pack(p, i + j, total[j]);
    val = behind;
  }
  return val;
}

/// Row by row: accesses to x are irregular, so rows together would only compete for the caches.
template <bool Gathers, bool Ahead, by_packs S, class O>
inline const matrix_t<S>* rows_in_slices(const pattern_csr_pointers<matrix_t<S>, O>& a, const product<S>& p,
                                         const pattern_run& run, const matrix_t<S>* val) {
  using rows = sums_of_rows<S, 1>;
  const diagonal_tile* const begin = a.diagonal_tiles + run.first_tile;
  const std::int32_t* col = a.diagonal + begin->first;
  const std::uint8_t* slice = a.diagonal_mask + begin->mask;
  for (std::int64_t i = run.first; i < run.last; i += window_rows) {
    for (std::int64_t left = std::min(window_rows, run.last - i); left > 0; left -= rows_of_slice) {
      const std::int64_t shortest = slice[slice_bytes::shortest];
      const std::int64_t steps = slice[slice_bytes::longest] - shortest;
      const std::uint8_t* const rows_of_step = slice + slice_bytes::rows_of_step;
      std::int64_t entries = shortest * rows_of_slice;
      for (std::int64_t s = 0; s < steps; ++s) entries += rows_of_step[s];
      for (int r = 0; r < rows_of_slice; ++r) {
        const auto add = [&](typename rows::sums & to, std::int64_t entry) __attribute__((always_inline)) {
          to[0] = add_entry<S>(val[entry], p.x + col[entry], to[0]);
        };
        rows sums;
        add_alternately(
            shortest, sums.even,
            sums.odd, [&](typename rows::sums & to, std::int64_t k) __attribute__((always_inline)) {
              add(to, k * rows_of_slice + r);
            });
        std::int64_t entry = shortest * rows_of_slice + r;
        std::int64_t s = 0;
        for (; s < steps && r < rows_of_step[s]; entry += rows_of_step[s++]) add(sums.odd, entry);
        if (s < steps) sums.odd[0] = sums.odd[0] + pack_sum<S>::zero();
        finish_pack(p, i + slice[slice_bytes::place + r], sums.total(0));
      }
      val += entries;
      col += entries;
      slice += slice_bytes::count(slice);
    }
  }
  return val;
}

}  // namespace gossamer::inline v0::formats::pattern_csr_kernels::GOSSAMER_ISA
