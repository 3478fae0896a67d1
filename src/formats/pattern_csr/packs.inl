// SPDX-License-Identifier: BSD-3-Clause
// pattern_csr on one core, several columns at once: the kernel of each kind of run for packs. It multiplies
// row by row, since the columns of a pack fill the registers. Each column has the additions and roundings of
// a single product; but where a place without an entry is stored, -0.0 becomes 0.0.
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

/// add(sum, k) for k = 0 ... n - 1, to `first` and `second` in turn.
template <class Sum, class Add>
[[gnu::always_inline]] inline void add_in_turn(std::int64_t n, Sum& first, Sum& second, Add&& add) {
  std::int64_t k = 0;
  for (; n - k >= 2; k += 2) {
    first = add(first, k);
    second = add(second, k + 1);
  }
  if (k < n) first = add(first, k);
}

/// As finish_rows(), of one row.
template <by_packs S>
[[gnu::always_inline]] inline void finish_pack(const product<S>& p, std::int64_t row,
                                               const pack_sum<S>& sum) {
  typename vec<sum_t<S>>::one result;
  result.v[0] = sum;
  finish_rows(p, row, result);
}
/// As product::finish_row().
template <by_packs S>
[[gnu::always_inline]] inline void finish_last_pack(const product<S>& p, std::int64_t row,
                                                    const pack_sum<S>& sum) {
  sum_t<S> stored;
  sum.store(&stored);
  p.finish_row(row, stored);
}

/// Row r of a tile whose values are at val: entry k in column col[k] + apart. With a mask, it has entry k
/// where bit r of mask[k] is set.
template <by_packs S, bool Masked>
[[gnu::always_inline]] inline pack_sum<S> row_of_tile(const matrix_t<S>* val, const std::uint8_t* mask, int r,
                                                      const std::int32_t* col, std::int64_t apart,
                                                      std::int64_t length, x_rows_t<S> x) {
  using sum = pack_sum<S>;
  sum even = sum::zero();
  sum odd = sum::zero();
  add_in_turn(
      length, even, odd, [&](const sum& before, std::int64_t k) __attribute__((always_inline)) {
        if (Masked && (mask[k] >> r & 1u) == 0) return before + sum::zero();
        return add_entry<S>(val[k * tiled_rows + r], x + (col[k] + apart), before);
      });
  return even + odd;
}

template <by_packs S, class O>
inline void tiled_run(const pattern_csr_pointers<matrix_t<S>, O>& a, const product<S>& p,
                      const pattern_run& run, const matrix_t<S>* val, bool /*ahead*/) {
  const std::int64_t model_row = std::int64_t{run.first} + run.model;
  const std::int64_t length = a.row_ptr[model_row + 1] - a.row_ptr[model_row];
  const std::int32_t* const col = a.col + a.row_ptr[model_row];
  const masked_tile* masked = run.first_tile < 0 ? nullptr : a.masked_tiles + run.first_tile;
  for (std::int64_t t = 0; t < run.parts; ++t, val += tiled_rows * length) {
    const std::int64_t row = first_of_tile(run, t);
    const std::int64_t finished = run.first + t * tiled_rows - row;  // by the tile before
    const bool is_masked = masked != nullptr && masked->tile == t;
    for (std::int64_t r = finished; r < tiled_rows; ++r) {
      const std::int64_t apart = row + r - model_row;
      const int bit = static_cast<int>(r);
      pack_sum<S> sum = is_masked
                            ? row_of_tile<S, true>(val, a.mask + masked->mask, bit, col, apart, length, p.x)
                            : row_of_tile<S, false>(val, nullptr, bit, col, apart, length, p.x);
      if (is_masked)
        for (std::int32_t e = masked[0].extra; e < masked[1].extra; ++e)
          if (a.extra[e].row == r)
            sum = sum + pack_sum<S>::all(a.extra_val[e]) * pack_sum<S>::load(p.x + a.extra[e].col);
      if (finished > 0)
        finish_last_pack(p, row + r, sum);
      else
        finish_pack(p, row + r, sum);
    }
    if (is_masked) ++masked;
  }
}

template <by_packs S, class O>
inline void shifted_columns(const pattern_csr_pointers<matrix_t<S>, O>& a, const product<S>& p,
                            std::int64_t first, std::int64_t last, bool /*ahead*/) {
  using sum = pack_sum<S>;
  using shape = tile<typename number_of<sum_t<S>>::type>;
  const std::int64_t begin = a.row_ptr[first];
  const std::int64_t length = a.row_ptr[first + 1] - begin;
  // The last columns are added as tile_sums() adds them.
  const std::int64_t in_turn = length / shape::depth * shape::depth;
  const std::int64_t whole_rows = (last - first) / shape::rows * shape::rows;
  const std::int32_t* const col = a.col + begin;
  for (std::int64_t i = first; i < last; ++i) {
    const matrix_t<S>* const val = a.val + begin + (i - first) * length;
    const auto add = [&](const sum& before, std::int64_t k) __attribute__((always_inline)) {
      return add_entry<S>(val[k], p.x + (col[k] + i - first), before);
    };
    sum even = sum::zero();
    sum odd = sum::zero();
    add_in_turn(in_turn, even, odd, add);
    for (std::int64_t k = in_turn; k < length; ++k) {
      if (in_turn > 0 && (length - k) % 2 != 0)
        odd = add(odd, k);
      else
        even = add(even, k);
    }
    if (i - first < whole_rows)
      finish_pack(p, i, even + odd);
    else
      finish_last_pack(p, i, even + odd);
  }
}

template <bool Gathers, by_packs S, class O>
inline void same_columns(const pattern_csr_pointers<matrix_t<S>, O>& a, const product<S>& p,
                         const pattern_run& run, const column_piece* piece, const std::int32_t* /*col*/,
                         bool /*ahead*/) {
  using lanes = vec<sum_t<S>>;
  using read = x_reader<Gathers>;
  constexpr int width = lanes::lanes;
  const std::int32_t* const first_col = a.col + a.row_ptr[run.first];
  const std::int64_t length = a.row_ptr[run.first + 1] - a.row_ptr[run.first];
  for (std::int64_t i = run.first; i < run.last; ++i) {
    const matrix_t<S>* val = a.val + a.row_ptr[i];
    const std::int32_t* col = first_col;
    // `count` columns: vectors of them to `whole`, the last, whole or not, to `end`.
    const auto add = [&](std::int64_t count, lanes & whole, lanes & end) __attribute__((always_inline)) {
      for (; count > width; count -= width, val += width, col += width)
        whole = lanes::multiply_add(lanes::load(val), read::template all<lanes>(p.x, col), whole);
      const int rest = static_cast<int>(count);
      end =
          lanes::multiply_add(lanes::load_first(val, rest), read::template first<lanes>(p.x, col, rest), end);
      val += rest;
      col += rest;
    };
    lanes even = lanes::zero();
    if (run.parts == 0) {
      add(length, even, even);
    } else {
      lanes odd = lanes::zero();
      std::int32_t k = 0;
      for (; run.parts - k >= 2; k += 2) {
        add(piece[k].count, odd, even);
        add(piece[k + 1].count, even, odd);
      }
      if (k < run.parts) add(piece[k].count, odd, even);
      even = lanes::add(even, odd);
    }
    finish_last_pack(p, i, even.one_of_four_sums());
  }
}

template <bool Packed, by_packs S, class O>
inline const matrix_t<S>* rows_on_diagonals(const pattern_csr_pointers<matrix_t<S>, O>& a,
                                            const product<S>& p, const pattern_run& run,
                                            const matrix_t<S>* val) {
  using sum = pack_sum<S>;
  const sum_t<S> none(0);
  const diagonal_tile* tile = a.diagonal_tiles + run.first_tile;
  for (std::int64_t i = run.first; i < run.last; i += diagonal_rows, ++tile) {
    const std::uint8_t* const mask = a.diagonal_mask + tile->mask;
    const std::int64_t masked = tile[1].mask - tile[0].mask;
    const std::int64_t whole = tile[1].first - tile[0].first - masked;
    const std::int32_t* const col = a.diagonal + tile->first;
    const std::int32_t* const masked_col = col + whole;
    const matrix_t<S>* const masked_val = val + whole * diagonal_rows;
    const matrix_t<S>* behind = masked_val + masked * diagonal_rows;
    for (int r = 0; r < diagonal_rows; ++r) {
      sum even = sum::zero();
      sum odd = sum::zero();
      add_in_turn(
          whole, even, odd, [&](const sum& before, std::int64_t k) __attribute__((always_inline)) {
            return add_entry<S>(val[k * diagonal_rows + r], p.x + (col[k] + r), before);
          });
      const matrix_t<S>* packed = masked_val;
      // Without a branch: which rows have an entry is hard to guess.
      add_in_turn(
          masked, odd, even, [&](const sum& before, std::int64_t k) __attribute__((always_inline)) {
            const unsigned bits = mask[k];
            const bool has = (bits >> r & 1u) != 0;
            const sum_t<S>* const x = has ? p.x + (masked_col[k] + r) : &none;
            if constexpr (!Packed) return add_entry<S>(masked_val[k * diagonal_rows + r], x, before);
            const matrix_t<S> value =
                has ? packed[__builtin_popcount(bits & ((1u << r) - 1u))] : matrix_t<S>{0};
            packed += __builtin_popcount(bits);
            return add_entry<S>(value, x, before);
          });
      if constexpr (Packed) behind = packed;
      finish_pack(p, i + r, even + odd);
    }
    val = behind;
  }
  return val;
}

template <bool Gathers, bool Ahead, by_packs S, class O>
inline const matrix_t<S>* rows_in_slices(const pattern_csr_pointers<matrix_t<S>, O>& a, const product<S>& p,
                                         const pattern_run& run, const matrix_t<S>* val) {
  using sum = pack_sum<S>;
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
        const auto add = [&](const sum& before, std::int64_t entry) __attribute__((always_inline)) {
          return add_entry<S>(val[entry], p.x + col[entry], before);
        };
        sum even = sum::zero();
        sum odd = sum::zero();
        add_in_turn(
            shortest, even, odd, [&](const sum& before, std::int64_t k) __attribute__((always_inline)) {
              return add(before, k * rows_of_slice + r);
            });
        std::int64_t entry = shortest * rows_of_slice + r;
        std::int64_t s = 0;
        for (; s < steps && r < rows_of_step[s]; entry += rows_of_step[s++]) odd = add(odd, entry);
        if (s < steps) odd = odd + sum::zero();
        finish_pack(p, i + slice[slice_bytes::place + r], even + odd);
      }
      val += entries;
      col += entries;
      slice += slice_bytes::count(slice);
    }
  }
  return val;
}

}  // namespace gossamer::inline v0::formats::pattern_csr_kernels::GOSSAMER_ISA
