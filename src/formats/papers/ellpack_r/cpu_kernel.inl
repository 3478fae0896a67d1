// SPDX-License-Identifier: BSD-3-Clause
// ELLPACK-R on one core, compiled once for each instruction set (exec/cpu/simd/foreach_isa.inl): a lane a
// row, as far as the lane's row goes.
namespace gossamer::inline v0::formats::ellpack_r_kernels::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::vec;

/// A unit's columns are read one after the other, each as a stretch of memory (the order of paper 002's Table
/// II); the sums wait in the first-level cache. A vector of rows stops at its longest, and needs no mask up
/// to its shortest.
template <class S>
void rows_by_lanes(const ellpack_r_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first_unit,
                   std::int64_t last_unit, sum_t<S>* /*scratch*/) {
  using lanes = vec<sum_t<S>>;
  constexpr int width = lanes::lanes;
  sum_t<S> sums[ellpack_r_unit_rows];
  std::int32_t least[ellpack_r_unit_rows / width];
  std::int32_t most[ellpack_r_unit_rows / width];
  for (std::int64_t u = first_unit; u < last_unit; ++u) {
    const std::int64_t first = u * ellpack_r_unit_rows;
    const std::int64_t slots =
        a.meta.stride - first < ellpack_r_unit_rows ? a.meta.stride - first : ellpack_r_unit_rows;
    const std::int64_t rows = a.meta.rows - first < slots ? a.meta.rows - first : slots;
    const std::int64_t vectors = slots / width;
    std::int32_t columns = 0;
    for (std::int64_t v = 0; v < vectors; ++v) {
      const std::int64_t begin = v * width;
      const std::int64_t end = begin + width < rows ? begin + width : rows;
      least[v] = end - begin == width ? a.length[first + begin] : 0;  // lanes without a row have no entries
      most[v] = 0;
      for (std::int64_t r = begin; r < end; ++r) {
        const std::int32_t length = a.length[first + r];
        least[v] = length < least[v] ? length : least[v];
        most[v] = length > most[v] ? length : most[v];
      }
      columns = most[v] > columns ? most[v] : columns;
      lanes::zero().store(sums + begin);
    }
    for (std::int32_t j = 0; j < columns; ++j) {
      const std::int64_t slot = j * a.meta.stride + first;
      for (std::int64_t v = 0; v < vectors; ++v) {
        if (j >= most[v]) continue;
        const std::int64_t at = slot + v * width;
        const lanes x =
            j < least[v] ? lanes::gather(p.x, a.col + at) : lanes::gather_if_valid(p.x, a.col + at);
        lanes::multiply_add(lanes::load(a.val + at), x, lanes::load(sums + v * width))
            .store(sums + v * width);
      }
    }
    for (std::int64_t r = 0; r < rows; ++r) p.finish_row(first + r, sums[r]);
  }
}

}  // namespace gossamer::inline v0::formats::ellpack_r_kernels::GOSSAMER_ISA
