// SPDX-License-Identifier: BSD-3-Clause
// Diagonals on one core, compiled once for each instruction set (exec/cpu/simd/foreach_isa.inl): a lane a
// row, x read in order.
namespace gossamer::inline v0::formats::dia_kernels::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::vec;

/// A unit is a block of 32 rows, whose sums stay in registers while the diagonals go by.
template <class S>
void blocks_by_lanes(const dia_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first_unit,
                     std::int64_t last_unit, sum_t<S>* /*scratch*/) {
  using lanes = vec<sum_t<S>>;
  constexpr int rows_here = static_cast<int>(dia_block_rows);
  constexpr int vectors = rows_here / lanes::lanes;
  const std::int64_t diagonals = a.meta.diagonals;
  const std::int64_t stride = a.meta.blocks * dia_block_rows;
  for (std::int64_t b = first_unit; b < last_unit; ++b) {
    const std::int64_t row = b * dia_block_rows;
    const std::uint32_t* valid = a.valid + b * diagonals;
    lanes sum[vectors];
    for (int v = 0; v < vectors; ++v) sum[v] = lanes::zero();
    for (std::int64_t d = 0; d < diagonals; ++d) {
      if (valid[d] == 0) continue;
      const matrix_t<S>* val = a.val + d * stride + row;
      const vector_t<S>* x =
          p.x + row + a.offset[d];  // outside of x where the block's first or last rows have no entry
      if (valid[d] == ~std::uint32_t{0}) {
        for (int v = 0; v < vectors; ++v) {
          const int at = v * lanes::lanes;
          sum[v] = lanes::multiply_add(lanes::load(val + at), lanes::load(x + at), sum[v]);
        }
      } else {
        for (int v = 0; v < vectors; ++v) {
          const int at = v * lanes::lanes;
          sum[v] =
              lanes::multiply_add(lanes::load(val + at), lanes::load_where(x + at, valid[d] >> at), sum[v]);
        }
      }
    }
    sum_t<S> sums[rows_here];
    for (int v = 0; v < vectors; ++v) sum[v].store(sums + v * lanes::lanes);
    const std::int64_t left = a.meta.rows - row;
    const std::int64_t rows = left < rows_here ? left : rows_here;
    for (std::int64_t r = 0; r < rows; ++r) p.finish_row(row + r, sums[r]);
  }
}

}  // namespace gossamer::inline v0::formats::dia_kernels::GOSSAMER_ISA
