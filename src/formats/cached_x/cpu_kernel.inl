// SPDX-License-Identifier: BSD-3-Clause
// cached_x on one core, compiled once for each instruction set (exec/cpu/simd/foreach_isa.inl).
namespace gossamer::inline v0::formats::cached_x_kernels::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::vec;

/// The sum of val[k] x[column[k]] for `count` entries. `readable` elements of `column` may be read, at least
/// `count`.
template <class S>
inline sum_t<S> dot(const matrix_t<S>* val, const std::uint16_t* column, int count, int readable,
                    const vector_t<S>* x) {
  using lanes = vec<sum_t<S>>;
  constexpr int width = lanes::lanes;
  lanes even = lanes::zero();
  lanes odd = lanes::zero();
  int k = 0;
  for (; count - k >= 2 * width; k += 2 * width) {
    even = lanes::multiply_add(lanes::load(val + k), lanes::gather(x, column + k), even);
    odd = lanes::multiply_add(lanes::load(val + k + width), lanes::gather(x, column + k + width), odd);
  }
  if (count - k >= width) {
    even = lanes::multiply_add(lanes::load(val + k), lanes::gather(x, column + k), even);
    k += width;
  }
  if (k < count) {
    // gather_first() reads as many columns as there are lanes.
    std::uint16_t last[width] = {};
    const std::uint16_t* from = column + k;
    if (readable - k < width) from = std::copy_n(from, count - k, last) - (count - k);
    odd = lanes::multiply_add(lanes::load_first(val + k, count - k), lanes::gather_first(x, from, count - k),
                              odd);
  }
  return lanes::add(even, odd).sum();
}

/// Multiplies chunk c. x begins at the first column of the panel. Finishes rows with a single piece, and
/// writes the sums of other pieces into `sums`.
template <class S>
inline void multiply_chunk(const cached_x_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t c,
                           const vector_t<S>* x, sum_t<S>* sums) {
  const matrix_t<S>* const val = a.val + c * cached_x_chunk;
  const std::uint16_t* const column = a.column + c * cached_x_chunk;
  const std::int32_t* target = a.target + a.chunk_piece[c];
  const int readable = cached_x_chunk * (c + 1 < a.meta.chunks ? 2 : 1);
  int begin = 0;
  for (int word = 0; word < cached_x_chunk / 64; ++word) {
    std::uint64_t ends = 0;
    std::memcpy(&ends, a.ends + c * cached_x_lanes + word * 8, sizeof(ends));
    for (; ends != 0; ends &= ends - 1) {
      const int end = word * 64 + std::countr_zero(ends) + 1;
      const sum_t<S> sum = dot<S>(val + begin, column + begin, end - begin, readable - begin, x);
      if (*target >= 0)
        p.finish_row(*target, sum);
      else
        sums[~*target] = sum;
      ++target;
      begin = end;
    }
  }
}

/// Multiplies the units first_unit ... last_unit - 1. Units of chunks come first, then units of rows without
/// entries.
template <class S>
void multiply_units(const cached_x_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first_unit,
                    std::int64_t last_unit, sum_t<S>* sums) {
  const std::int64_t chunk_units = cached_x_chunk_units(a.meta);
  const std::int64_t first_chunk = std::min(first_unit, chunk_units) * cached_x_unit_chunks;
  const std::int64_t last_chunk =
      std::min(a.meta.chunks, std::min(last_unit, chunk_units) * cached_x_unit_chunks);
  std::int64_t panel =
      std::upper_bound(a.panel_chunk, a.panel_chunk + a.meta.panels + 1, first_chunk) - a.panel_chunk - 1;
  for (std::int64_t c = first_chunk; c < last_chunk; ++c) {
    while (c >= a.panel_chunk[panel + 1]) ++panel;
    multiply_chunk(a, p, c, p.x + panel * a.meta.width, sums);
  }
  const std::int64_t first_empty = std::max<std::int64_t>(0, first_unit - chunk_units) * cached_x_unit_rows;
  const std::int64_t last_empty =
      std::min(a.meta.empty_rows, std::max<std::int64_t>(0, last_unit - chunk_units) * cached_x_unit_rows);
  for (std::int64_t e = first_empty; e < last_empty; ++e) p.finish_row(a.empty_row[e], sum_t<S>{0});
}

}  // namespace gossamer::inline v0::formats::cached_x_kernels::GOSSAMER_ISA
