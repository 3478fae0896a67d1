// SPDX-License-Identifier: BSD-3-Clause
// Chunks that are coded in one way on one core (included by cpu_kernel.inl, for each instruction set):
// whichever way it is.
#include "formats/papers/bccoo/uniform_entries.inl"
// The kernels of each.
#include "formats/papers/bccoo/diagonals_kernel.inl"
#include "formats/papers/bccoo/products_kernel.inl"
#include "formats/papers/bccoo/row_ends_kernel.inl"
#include "formats/papers/bccoo/row_numbers_kernel.inl"

namespace gossamer::inline v0::formats::bccoo_uniform_kernels::GOSSAMER_ISA {

/// Chunk h, of `size` entries, whose columns stand entry by entry; goes_on: its last row does.
template <class S, bool Gathers>
void chunk_of_entries(const bccoo_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t h,
                      std::int64_t size, std::int64_t next_row, bool goes_on, bool prefetches,
                      chunk_sums<S>& sums) {
  const std::uint8_t* const data = a.data + a.offset[h];
  const unsigned format = a.format[h];
  const std::int64_t row = a.row[h];
  const std::int64_t ends = next_row - row;
  const layout at = layout_of(format, size, sizeof(matrix_t<S>), ends);
  with_values<Gathers>(a, format, data + at.values, [&]<class Values>(const Values& values) {
    with_columns(format, data + at.columns, [&]<class Column>(const Column* column) {
      const entries<S, Values, Column, Gathers> all{values, column, p.x + a.column[h], size, prefetches};
      if ((format & bccoo_uniform::row_ends) == 0)
        sum_numbered(all, format, data, size, row, goes_on, sums);
      else if ((format >> bccoo_uniform::row_shift & bccoo_uniform::column_width) == 1)
        sum_ended(all, reinterpret_cast<const std::uint16_t*>(data), ends, size, row, sums);
      else
        sum_ended(all, reinterpret_cast<const std::uint32_t*>(data), ends, size, row, sums);
    });
  });
}

template <class S, bool Gathers>
inline void whole_chunk(const bccoo_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t h,
                        sum_t<S>* slots, bool prefetches) {
  const bool is_last = h + 1 == a.meta.chunks;
  const std::int64_t size = is_last ? a.meta.nnz - h * a.meta.chunk : a.meta.chunk;
  const std::int64_t next_row = is_last ? a.meta.rows : a.row[h + 1];
  const bool goes_on = a.carries.run_at_cut[h + 1] >= 0;
  chunk_sums<S> sums{.p = p, .next = h == 0 ? 0 : a.row[h], .began_before = a.carries.run_at_cut[h] >= 0};
  if ((a.format[h] & bccoo_uniform::on_diagonals) != 0)
    chunk_on_diagonals<S, Gathers>(a, p, h, size, next_row, goes_on, prefetches, sums);
  else
    chunk_of_entries<S, Gathers>(a, p, h, size, next_row, goes_on, prefetches, sums);
  // The rows without entries before the next chunk's first; where that goes on from here, before it.
  sums.finish_empty(next_row);
  if (a.carries.slots > 0) {
    slots[exec::slots_per_unit * h] = sums.began_before ? sums.open : sums.head;
    slots[exec::slots_per_unit * h + 1] = sums.began_before ? sum_t<S>{0} : sums.open;
  }
}

/// Gathers: where gathers are fast (exec/cpu/cpu_features.hpp).
template <class S, bool Gathers>
void whole_chunks(const bccoo_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first,
                  std::int64_t last, sum_t<S>* slots) {
  // By what the plan's threads have in all: a call may be for any part of a share.
  const std::int64_t bytes = a.offset[a.meta.chunks];
  const bool prefetches = bytes >= exec::long_bytes || bytes / a.meta.threads > stays_in_cache;
  constexpr bool gathers = Gathers && simd::GOSSAMER_ISA::has_gathers;
  for (std::int64_t h = first; h < last; ++h) whole_chunk<S, gathers>(a, p, h, slots, prefetches);
}

}  // namespace gossamer::inline v0::formats::bccoo_uniform_kernels::GOSSAMER_ISA
