// SPDX-License-Identifier: BSD-3-Clause
// Jagged diagonals on one core, compiled once for each instruction set (simd/foreach_isa.inl): a lane a row.
namespace gossamer::inline v0::formats::jds_kernels::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::vec;

/// Blocks of 32 positions, whose sums stay in registers while the diagonals go by. Rows are sorted, so those that a diagonal still
/// reaches are the first ones of the block.
template <class V>
void blocks_by_lanes(const jds_pointers<V>& a, const product<V>& p, std::int64_t first_unit,
                     std::int64_t last_unit, V* /*scratch*/) {
  using lanes = vec<V>;
  constexpr int vectors = static_cast<int>(jds_block_rows) / lanes::lanes;
  const std::int64_t last_block = a.unit_block[last_unit];
  for (std::int64_t b = a.unit_block[first_unit]; b < last_block; ++b) {
    const std::int64_t position = b * jds_block_rows;
    lanes sum[vectors];
    for (int v = 0; v < vectors; ++v) sum[v] = lanes::zero();
    for (std::int64_t j = 0; j < a.meta.width; ++j) {
      const std::int64_t reached = a.jd_ptr[j + 1] - a.jd_ptr[j] - position;
      if (reached <= 0) break;
      const V* val = a.val + a.jd_ptr[j] + position;
      const std::int32_t* col = a.col + a.jd_ptr[j] + position;
      if (reached >= jds_block_rows) {
        for (int v = 0; v < vectors; ++v) {
          const int at = v * lanes::lanes;
          sum[v] = lanes::multiply_add(lanes::load(val + at), lanes::gather(p.x, col + at), sum[v]);
        }
        continue;
      }
      for (int v = 0; v < vectors; ++v) {
        const int at = v * lanes::lanes;
        const std::int64_t rest = reached - at;
        if (rest <= 0) break;
        const int n = rest < lanes::lanes ? static_cast<int>(rest) : lanes::lanes;
        sum[v] = lanes::multiply_add(lanes::load_first(val + at, n), lanes::gather_first(p.x, col + at, n),
                                     sum[v]);
      }
    }
    V sums[jds_block_rows];
    for (int v = 0; v < vectors; ++v) sum[v].store(sums + v * lanes::lanes);
    const std::int64_t left = a.meta.rows - position;
    const std::int64_t rows = left < jds_block_rows ? left : jds_block_rows;
    for (std::int64_t r = 0; r < rows; ++r) p.finish_row(a.row_perm[position + r], sums[r]);
  }
}

}  // namespace gossamer::inline v0::formats::jds_kernels::GOSSAMER_ISA
