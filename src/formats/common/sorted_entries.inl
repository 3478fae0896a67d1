// SPDX-License-Identifier: BSD-3-Clause
// Coordinates sorted by row on one core: included by the cpu_kernel.inl of formats that store them, for each
// instruction set. A block of entries at a time: where its rows end; the products of all its entries by whole
// vectors, whatever their rows, into a buffer; then the rows from the buffer.
#include "formats/common/sorted_rows.inl"

namespace gossamer::inline v0::formats::sorted_entries::GOSSAMER_ISA {

/// Bytes of values by which entries are prefetched: the hardware's own prefetcher stops at each 4 KiB page,
/// and is late where three arrays are read in turn.
constexpr std::uintptr_t value_prefetch_bytes = 2048;

/// Asks for the cache lines of [p, p + count), `ahead` bytes further on. They may lie outside of the array:
/// nothing is read.
template <class T>
[[gnu::always_inline]] inline void prefetch(const T* p, int count, std::uintptr_t ahead) {
  constexpr int line = 64;
  // As a number: what lies beyond an array is no pointer. NOLINTBEGIN(performance-no-int-to-ptr)
  for (int b = 0; b < count * static_cast<int>(sizeof(T)); b += line)
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(p) + ahead +
                                                     static_cast<std::uintptr_t>(b)));
  // NOLINTEND(performance-no-int-to-ptr)
}

/// Writes the products of the n entries from number k on, and asks for entries behind them.
template <class S, class Matrix>
inline void multiply_entries(const Matrix& a, std::int64_t k, std::int64_t n, const vector_t<S>* x,
                             sum_t<S>* to) {
  using lanes = vec<sum_t<S>>;
  constexpr std::int64_t width = lanes::lanes;
  constexpr std::uintptr_t column_prefetch_bytes =
      value_prefetch_bytes / sizeof(matrix_t<S>) * sizeof(std::int32_t);
  constexpr std::uintptr_t next_block = entries_of_block * sizeof(std::int32_t);
  const matrix_t<S>* const val = a.val + k;
  const std::int32_t* const col = a.col + k;
  const std::int32_t* const row = a.row + k;
  std::int64_t i = 0;
  for (; n - i >= 2 * width; i += 2 * width) {
    prefetch(val + i, 2 * width, value_prefetch_bytes);
    prefetch(col + i, 2 * width, column_prefetch_bytes);
    prefetch(row + i, 2 * width, next_block);
    lanes::multiply(lanes::load(val + i), lanes::gather_each(x, col + i)).store(to + i);
    lanes::multiply(lanes::load(val + i + width), lanes::gather_each(x, col + i + width))
        .store(to + i + width);
  }
  for (; i < n; ++i) to[i] = val[i] * x[col[i]];
}

/// A unit finishes the rows that end in it, and those without entries before them. What it has of a row that
/// goes on in another unit is left in its two slots: of its first row, which then began earlier or fills it,
/// and of its last.
template <class S, class Matrix>
inline void sum_unit(const Matrix& a, const product<S>& p, std::int64_t u, std::int64_t begin,
                     std::int64_t end, sum_t<S>* slots) {
  row_writer<S> rows{.p = p,
                     .next = u == 0 ? 0 : std::int64_t{a.row[begin - 1]} + 1,
                     .began_before = a.carries.run_at_cut[u] >= 0};
  block_of_rows<sum_t<S>> block;
  for (std::int64_t k = begin; k < end; k += entries_of_block) {
    const std::int64_t n = std::min(entries_of_block, end - k);
    find_ends(a.row + k, n, a.meta.nnz - k, block);
    multiply_entries<S>(a, k, n, p.x, block.products());
    sum_rows(a.row + k, n, block, rows);
  }
  // Those before a row that goes on are finished here: the next unit begins behind it.
  rows.finish_empty(end == a.meta.nnz ? a.meta.rows : std::int64_t{a.row[end - 1]});
  if (a.carries.slots > 0) {
    slots[exec::slots_per_unit * u] = rows.began_before ? rows.open : rows.head;
    slots[exec::slots_per_unit * u + 1] = rows.began_before ? sum_t<S>{0} : rows.open;
  }
}

/// Units first ... last - 1 of `units`, each of `size` entries; the last of all has what is left.
template <class S, class Matrix>
inline void sum_units(const Matrix& a, const product<S>& p, std::int64_t units, std::int64_t size,
                      std::int64_t first, std::int64_t last, sum_t<S>* slots) {
  for (std::int64_t u = first; u < last; ++u)
    sum_unit(a, p, u, u * size, u + 1 == units ? a.meta.nnz : (u + 1) * size, slots);
}

}  // namespace gossamer::inline v0::formats::sorted_entries::GOSSAMER_ISA
