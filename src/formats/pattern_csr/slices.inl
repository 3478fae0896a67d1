// SPDX-License-Identifier: BSD-3-Clause
// pattern_csr on one core: short rows sorted by length in windows of 128, eight to a slice, whose entries are
// stored again column by column.
namespace gossamer::inline v0::formats::pattern_csr_kernels::GOSSAMER_ISA {

/// One step of a slice: an entry of each of the first `rows` rows. Whole: of all.
template <bool Gathers, bool Whole, class S>
[[gnu::always_inline]] inline void add_step(
    const matrix_t<S>* val, const std::int32_t* col, int rows, const vector_t<S>* x,
    short_vec<sum_t<S>> (&sums)[rows_of_slice / short_vec<sum_t<S>>::lanes]) {
  using lanes = short_vec<sum_t<S>>;
  constexpr int width = lanes::lanes;
  for (int r = 0; r < rows_of_slice / width; ++r) {
    // Eight: NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result)
    const lanes of_x = x_reader<Gathers>::template all<lanes>(x, col + r * width);
    if constexpr (Whole) {
      sums[r] = lanes::multiply_add(lanes::load(val + r * width), of_x, sums[r]);
    } else {
      // Columns of the next entries stand in the other lanes.
      const int here = std::clamp(rows - r * width, 0, width);
      sums[r] = lanes::multiply_add(lanes::load_first(val + r * width, here), lanes::keep_first(of_x, here),
                                    sums[r]);
    }
  }
}

/// The rows of a run of slices, whose values are at val: what comes behind them. Ahead: entries are asked
/// for.
template <bool Gathers, bool Ahead, class S, class O>
[[gnu::noinline]] const matrix_t<S>* rows_in_slices(const pattern_csr_pointers<matrix_t<S>, O>& a,
                                                    const product<S>& p, const pattern_run& run,
                                                    const matrix_t<S>* val) {
  using lanes = short_vec<sum_t<S>>;
  constexpr int width = lanes::lanes;
  constexpr int parts = rows_of_slice / width;
  const diagonal_tile* const begin = a.diagonal_tiles + run.first_tile;
  const std::int32_t* col = a.diagonal + begin->first;
  const std::uint8_t* slice = a.diagonal_mask + begin->mask;
  const vector_t<S>* const x = p.x;
  vector_t<S>* const y = p.y;
  for (std::int64_t i = run.first; i < run.last; i += window_rows) {
    vector_t<S>* const window = y + i;
    for (std::int64_t r = std::min(window_rows, run.last - i); r > 0; r -= rows_of_slice) {
      lanes even[parts];
      lanes odd[parts];
      for (int part = 0; part < parts; ++part) even[part] = odd[part] = lanes::zero();
      int whole = slice[slice_bytes::shortest];
      int rest = slice[slice_bytes::longest] - whole;
      const std::uint8_t* const place = slice + slice_bytes::place;
      slice += slice_bytes::rows_of_step;
      for (; whole >= 2;
           whole -= 2, val += std::ptrdiff_t{2} * rows_of_slice, col += std::ptrdiff_t{2} * rows_of_slice) {
        if (Ahead) prefetch_entries(val, col, 2 * rows_of_slice);
        add_step<Gathers, true, S>(val, col, rows_of_slice, x, even);
        add_step<Gathers, true, S>(val + rows_of_slice, col + rows_of_slice, rows_of_slice, x, odd);
      }
      if (whole > 0) {
        add_step<Gathers, true, S>(val, col, rows_of_slice, x, even);
        val += rows_of_slice;
        col += rows_of_slice;
      }
      for (; rest > 0; --rest) {
        const int rows = *slice++;
        if (Ahead) prefetch_entries(val, col, rows_of_slice);
        add_step<Gathers, false, S>(val, col, rows, x, odd);
        val += rows;
        col += rows;
      }
      sum_t<S> sum[rows_of_slice];
      for (int part = 0; part < parts; ++part) {
        lanes result =
            lanes::multiply_add(lanes::all(p.alpha), lanes::add(even[part], odd[part]), lanes::zero());
        if (p.beta != sum_t<S>{0}) {
          sum_t<S> before[width];
          for (int k = 0; k < width; ++k) before[k] = window[place[part * width + k]];
          result = lanes::multiply_add(lanes::all(p.beta), lanes::load(before), result);
        }
        result.store(sum + part * width);
      }
      for (int k = 0; k < rows_of_slice; ++k) window[place[k]] = sum[k];
    }
  }
  return val;
}

}  // namespace gossamer::inline v0::formats::pattern_csr_kernels::GOSSAMER_ISA
