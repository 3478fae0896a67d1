// SPDX-License-Identifier: BSD-3-Clause
// ELLPACK on one core, compiled once for each instruction set (simd/foreach_isa.inl): a lane a row.
namespace gossamer::inline v0::formats::ellpack_kernels::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::vec;

/// A unit is 32 rows: the rows of one line of each column of the table, kept in registers while the columns go by.
template <class V>
void rows_by_lanes(const ellpack_pointers<V>& a, const product<V>& p, std::int64_t first_unit,
                   std::int64_t last_unit, V* /*scratch*/) {
  using lanes = vec<V>;
  constexpr int vectors = static_cast<int>(ellpack_row_multiple) / lanes::lanes;
  const std::int64_t width = a.meta.width;
  for (std::int64_t u = first_unit; u < last_unit; ++u) {
    const std::int64_t row = u * ellpack_row_multiple;
    lanes sum[vectors];
    for (int v = 0; v < vectors; ++v) sum[v] = lanes::zero();
    for (std::int64_t j = 0; j < width; ++j) {
      const std::int64_t slot = j * a.meta.stride + row;
      for (int v = 0; v < vectors; ++v) {
        const std::int64_t at = slot + v * lanes::lanes;
        sum[v] =
            lanes::multiply_add(lanes::load(a.val + at), lanes::gather_if_valid(p.x, a.col + at), sum[v]);
      }
    }
    V sums[ellpack_row_multiple];
    for (int v = 0; v < vectors; ++v) sum[v].store(sums + v * lanes::lanes);
    const std::int64_t rows =
        a.meta.rows - row < ellpack_row_multiple ? a.meta.rows - row : ellpack_row_multiple;
    for (std::int64_t r = 0; r < rows; ++r) p.finish_row(row + r, sums[r]);
  }
}

}  // namespace gossamer::inline v0::formats::ellpack_kernels::GOSSAMER_ISA
