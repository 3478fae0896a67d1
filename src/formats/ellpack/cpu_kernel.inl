// SPDX-License-Identifier: BSD-3-Clause
// ELLPACK on one core, compiled once for each instruction set (exec/cpu/simd/foreach_isa.inl): a lane a row.
namespace gossamer::inline v0::formats::ellpack_kernels::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::vec;

/// A unit is 32 rows: the rows of one line of each column of the table. A few columns go by for many units
/// before the next few do, so that memory is read as a few long stretches; in between the sums wait in the
/// first-level cache.
template <class S>
void rows_by_lanes(const ellpack_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first_unit,
                   std::int64_t last_unit, sum_t<S>* /*scratch*/) {
  using lanes = vec<sum_t<S>>;
  constexpr std::int64_t units_at_once = ellpack_units_together;
  constexpr std::int64_t columns_at_once = 8;
  constexpr int vectors = static_cast<int>(ellpack_row_multiple) / lanes::lanes;
  const std::int64_t width = a.meta.width;
  sum_t<S> sums[units_at_once * ellpack_row_multiple];
  for (std::int64_t first = first_unit; first < last_unit; first += units_at_once) {
    const std::int64_t units = last_unit - first < units_at_once ? last_unit - first : units_at_once;
    for (std::int64_t j = 0; j == 0 || j < width; j += columns_at_once) {
      const std::int64_t last = width - j < columns_at_once ? width : j + columns_at_once;
      for (std::int64_t u = 0; u < units; ++u) {
        sum_t<S>* const of_unit = sums + u * ellpack_row_multiple;
        lanes sum[vectors];
        for (int v = 0; v < vectors; ++v)
          sum[v] = j == 0 ? lanes::zero() : lanes::load(of_unit + v * lanes::lanes);
        for (std::int64_t c = j; c < last; ++c) {
          const std::int64_t slot = c * a.meta.stride + (first + u) * ellpack_row_multiple;
          for (int v = 0; v < vectors; ++v) {
            const std::int64_t at = slot + v * lanes::lanes;
            sum[v] =
                lanes::multiply_add(lanes::load(a.val + at), lanes::gather_if_valid(p.x, a.col + at), sum[v]);
          }
        }
        for (int v = 0; v < vectors; ++v) sum[v].store(of_unit + v * lanes::lanes);
      }
    }
    const std::int64_t row = first * ellpack_row_multiple;
    const std::int64_t left = a.meta.rows - row;
    const std::int64_t rows = left < units * ellpack_row_multiple ? left : units * ellpack_row_multiple;
    for (std::int64_t r = 0; r < rows; ++r) p.finish_row(row + r, sums[r]);
  }
}

}  // namespace gossamer::inline v0::formats::ellpack_kernels::GOSSAMER_ISA
