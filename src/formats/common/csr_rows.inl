// SPDX-License-Identifier: BSD-3-Clause
// CSR rows on one core (included by the cpu_kernel.inl of formats that keep them, for each instruction set):
// one by one or, where they are short, from a buffer of their products; and units of which rows may be cut.
#include "formats/common/csr_reading.inl"
#include "formats/common/product_sums.inl"

namespace gossamer::inline v0::formats::csr_rows::GOSSAMER_ISA {

using product_sums::GOSSAMER_ISA::sums_of_rows;

/// Entries of a row that is a long stretch alone (prefetch_policy::long_rows).
constexpr std::int64_t long_row = 64;

/// A row of `length` entries at val and col: lanes whose sum is the row's. The order of additions depends on
/// `length` alone.
template <bool Gathers, class S>
inline short_vec<sum_t<S>> row_lanes(const matrix_t<S>* val, const std::int32_t* col, std::int64_t length,
                                     x_rows_t<S> x, const prefetch_policy& ahead) {
  using lanes = vec<sum_t<S>>;
  using few = short_vec<sum_t<S>>;
  using read = x_reader<Gathers>;
  constexpr int width = lanes::lanes;
  if (length <= few::lanes) {
    // How many lines are asked for must not depend on the row: the branch would be guessed wrong.
    if (ahead.rows) prefetch_entries(val, col, 1);
    const int n = static_cast<int>(length);
    return few::multiply_add(few::load_first(val, n), read::template first<few>(x, col, n), few::zero());
  }
  // Two sums: a fused multiply-add takes four cycles and two can start in each.
  lanes even = lanes::zero();
  lanes odd = lanes::zero();
  std::int64_t k = 0;
  const bool asks = length > long_row ? ahead.long_rows : ahead.rows;
  for (;; k += std::int64_t{2} * width) {
    if (asks) prefetch_entries(val + k, col + k, 2 * width);
    prefetch_x<2 * width, Gathers>(x, col + k, ahead.x_of_rows_until);
    if (length - k <= std::int64_t{2} * width) break;
    even = lanes::multiply_add(lanes::load(val + k), read::template all<lanes>(x, col + k), even);
    odd =
        lanes::multiply_add(lanes::load(val + k + width), read::template all<lanes>(x, col + k + width), odd);
  }
  if (length - k > width) {
    even = lanes::multiply_add(lanes::load(val + k), read::template all<lanes>(x, col + k), even);
    k += width;
  }
  const int rest = static_cast<int>(length - k);
  odd = lanes::multiply_add(lanes::load_first(val + k, rest), read::template first<lanes>(x, col + k, rest),
                            odd);
  return lanes::add(even, odd).folded();
}

/// The sum of val[k] x[col[k]] over [begin, end).
template <bool Gathers, class S>
inline sum_t<S> dot(const matrix_t<S>* val, const std::int32_t* col, std::int64_t begin, std::int64_t end,
                    x_rows_t<S> x, const prefetch_policy& ahead) {
  return row_lanes<Gathers, S>(val + begin, col + begin, end - begin, x, ahead).sum();
}

/// Entries whose products are in the buffer at a time: enough that they have left the store buffer when they
/// are read.
constexpr std::int64_t entries_of_block = 512;

/// Writes the products of n entries and asks for entries behind them.
template <bool Gathers, class S>
inline void multiply_entries(const matrix_t<S>* val, const std::int32_t* col, std::int64_t n,
                             const vector_t<S>* x, sum_t<S>* to, const prefetch_policy& ahead) {
  using lanes = vec<sum_t<S>>;
  using read = x_reader<Gathers>;
  constexpr int width = lanes::lanes;
  std::int64_t k = 0;
  for (; n - k >= std::int64_t{2} * width; k += std::int64_t{2} * width) {
    if (ahead.rows) prefetch_entries(val + k, col + k, 2 * width);
    prefetch_x<2 * width, Gathers>(x, col + k, ahead.x_until);
    lanes::multiply(lanes::load(val + k), read::template all<lanes>(x, col + k)).store(to + k);
    lanes::multiply(lanes::load(val + k + width), read::template all<lanes>(x, col + k + width))
        .store(to + k + width);
  }
  for (; k < n; ++k) to[k] = val[k] * x[col[k]];
}

/// Rows that have nothing in common, as many at a time as there are lanes, so that their lanes are summed
/// together. Which row stands where among them depends on `first` alone.
template <bool Gathers, class Matrix, class S>
inline void rows_one_by_one(const Matrix& a, const product<S>& p, std::int64_t first, std::int64_t last,
                            const prefetch_policy& ahead) {
  using lanes = short_vec<sum_t<S>>;
  constexpr int width = lanes::lanes;
  // Rows without entries may read x[0].
  const vector_t<S> none{0};
  const vector_t<S>* const x = a.meta.cols > 0 ? p.x : &none;
  std::int64_t i = first;
  for (; last - i >= width; i += width) {
    const auto* const begin = a.row_ptr + i;
    lanes rows[width];
    // Unrolled, the branches of each row are guessed by themselves: less often wrong.
#pragma GCC unroll 8
    for (int r = 0; r < width; ++r)
      rows[r] = row_lanes<Gathers, S>(a.val + begin[r], a.col + begin[r], begin[r + 1] - begin[r], x, ahead);
    finish_rows(p, i, lanes::sums(rows));
  }
  for (; i < last; ++i)
    p.finish_row(i, dot<Gathers, S>(a.val, a.col, a.row_ptr[i], a.row_ptr[i + 1], x, ahead));
}

/// The same of rows that are short in the mean: the products of many of them first, so that their loads of x
/// need not wait for the ends of rows, then the sums.
template <bool Gathers, class Matrix, class S>
inline void short_rows(const Matrix& a, const product<S>& p, std::int64_t first, std::int64_t last,
                       const prefetch_policy& ahead) {
  using few = short_vec<sum_t<S>>;
  constexpr int width = few::lanes;
  sum_t<S> products[entries_of_block + 32];
  std::int64_t i = first;
  while (last - i >= width) {
    const std::int64_t begin = a.row_ptr[i];
    if (a.row_ptr[i + width] - begin > entries_of_block) {
      rows_one_by_one<Gathers>(a, p, i, i + width, ahead);
      i += width;
      continue;
    }
    std::int64_t end = i + width;
    while (last - end >= width && a.row_ptr[end + width] - begin <= entries_of_block) end += width;
    multiply_entries<Gathers, S>(a.val + begin, a.col + begin, a.row_ptr[end] - begin, p.x, products, ahead);
    for (; i < end; i += width)
      finish_rows(p, i, sums_of_rows<true>(products + (a.row_ptr[i] - begin), a.row_ptr + i));
  }
  if (i < last) rows_one_by_one<Gathers>(a, p, i, last, ahead);
}

/// Mean length up to which rows are multiplied together. Above it a row alone has loads enough under way.
constexpr std::int64_t short_mean = 32;

/// The sum of a row of packs, as short_rows() adds it but without the buffer, which would take up to 64 KiB.
/// The columns of a pack do not wait for each other.
template <class S>
[[gnu::always_inline]] inline auto short_row_of_packs(const matrix_t<S>* val, const std::int32_t* col,
                                                      std::int64_t n, x_rows_t<S> x) {
  using lanes = vec<sum_t<S>>;
  using few = short_vec<sum_t<S>>;
  constexpr int width = lanes::lanes;
  if (n <= few::lanes) return few::first_products(val, col, x, static_cast<int>(n)).sum_of_row();
  if (n <= std::int64_t{2} * few::lanes) {
    constexpr int half = few::lanes;
    const few sums = few::first_products(val, col, x, half);
    return few::add_products(sums, val + half, col + half, x, static_cast<int>(n) - half).sum_of_row();
  }
  lanes even = lanes::zero();
  lanes odd = lanes::zero();
  std::int64_t k = 0;
  for (; n - k > std::int64_t{2} * width; k += std::int64_t{2} * width) {
    even = lanes::add_products(even, val + k, col + k, x, width);
    odd = lanes::add_products(odd, val + k + width, col + k + width, x, width);
  }
  if (n - k > width) {
    even = lanes::add_products(even, val + k, col + k, x, width);
    k += width;
  }
  odd = lanes::add_products(odd, val + k, col + k, x, static_cast<int>(n - k));
  return lanes::add(even, odd).folded().sum_of_row();
}

/// separate_rows() of packs. Each row is written alone, with the additions and roundings of short_rows() or
/// rows_one_by_one().
template <bool Gathers, class Matrix, class S>
inline void rows_of_packs(const Matrix& a, const product<S>& p, std::int64_t first, std::int64_t last,
                          const prefetch_policy& ahead) {
  constexpr int width = short_vec<sum_t<S>>::lanes;
  const bool are_short = a.row_ptr[last] - a.row_ptr[first] <= short_mean * (last - first);
  std::int64_t i = first;
  for (; last - i >= width; i += width) {
    const auto* const begin = a.row_ptr + i;
    const std::int64_t entries = begin[width] - begin[0];
    const bool are_products = are_short && entries <= entries_of_block;
    for (int r = 0; r < width; ++r) {
      const matrix_t<S>* const val = a.val + begin[r];
      const std::int32_t* const col = a.col + begin[r];
      const std::int64_t length = begin[r + 1] - begin[r];
      const auto sum = are_products ? short_row_of_packs<S>(val, col, length, p.x)
                                    : row_lanes<Gathers, S>(val, col, length, p.x, ahead).sum_of_row();
      finish_rows(p, i + r, sum);
    }
  }
  for (; i < last; ++i)
    p.finish_row(i, dot<Gathers, S>(a.val, a.col, a.row_ptr[i], a.row_ptr[i + 1], p.x, ahead));
}

template <bool Gathers, class Matrix, class S>
inline void separate_rows(const Matrix& a, const product<S>& p, std::int64_t first, std::int64_t last,
                          const prefetch_policy& ahead) {
  if constexpr (is_pack<sum_t<S>>)
    rows_of_packs<Gathers>(a, p, first, last, ahead);
  else if (a.row_ptr[last] - a.row_ptr[first] <= short_mean * (last - first))
    short_rows<Gathers>(a, p, first, last, ahead);
  else
    rows_one_by_one<Gathers>(a, p, first, last, ahead);
}

/// One unit of a balanced cut, whose whole rows multiply_rows(first, last) multiplies. A row that began in an
/// earlier unit, or goes on in a later one, is left in a slot.
template <bool Gathers, class Matrix, class S, class Rows>
[[gnu::always_inline]] inline void balanced_unit(const Matrix& a, const product<S>& p, std::int64_t u,
                                                 sum_t<S>* slots, const prefetch_policy& ahead,
                                                 Rows&& multiply_rows) {
  std::int64_t row = a.cut_row[u];
  const std::int64_t last_row = a.cut_row[u + 1];
  const std::int64_t first_entry = a.cut_entry[u];
  const std::int64_t last_entry = a.cut_entry[u + 1];
  sum_t<S> head{0};
  sum_t<S> tail{0};
  bool inside_one_row = false;
  if (row < a.meta.rows && first_entry > a.row_ptr[row]) {
    inside_one_row = row == last_row;
    head = dot<Gathers, S>(a.val, a.col, first_entry,
                           inside_one_row ? last_entry : std::int64_t{a.row_ptr[row + 1]}, p.x, ahead);
    ++row;
  }
  if (!inside_one_row) {
    multiply_rows(row, last_row);
    if (last_row < a.meta.rows && last_entry > a.row_ptr[last_row])
      tail = dot<Gathers, S>(a.val, a.col, a.row_ptr[last_row], last_entry, p.x, ahead);
  }
  if (a.carries.slots > 0) {
    slots[exec::slots_per_unit * u] = head;
    slots[exec::slots_per_unit * u + 1] = tail;
  }
}

}  // namespace gossamer::inline v0::formats::csr_rows::GOSSAMER_ISA
