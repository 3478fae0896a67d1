// SPDX-License-Identifier: BSD-3-Clause
// Jagged diagonals on one core, compiled once for each instruction set (exec/cpu/simd/foreach_isa.inl): a
// lane a row.
namespace gossamer::inline v0::formats::jds_kernels::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::vec;

/// Blocks of 32 positions. A few diagonals go by for many blocks before the next few do, so that memory is
/// read as a few long stretches; in between the sums wait in the first-level cache. Rows are sorted, so those
/// that a diagonal still reaches are the first ones of a block, and no block reaches further than the first.
template <class S>
void blocks_by_lanes(const jds_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first_unit,
                     std::int64_t last_unit, sum_t<S>* /*scratch*/) {
  using lanes = vec<sum_t<S>>;
  constexpr std::int64_t blocks_at_once = jds_blocks_together;
  constexpr std::int64_t diagonals_at_once = 8;
  constexpr int vectors = static_cast<int>(jds_block_rows) / lanes::lanes;
  const std::int64_t last_block = a.unit_block[last_unit];
  sum_t<S> sums[blocks_at_once * jds_block_rows];
  for (std::int64_t first = a.unit_block[first_unit]; first < last_block; first += blocks_at_once) {
    const std::int64_t blocks = last_block - first < blocks_at_once ? last_block - first : blocks_at_once;
    const auto is_reached = [&](std::int64_t d) {
      return d < a.meta.width && a.jd_ptr[d + 1] - a.jd_ptr[d] > first * jds_block_rows;
    };
    for (std::int64_t d = 0; d == 0 || is_reached(d); d += diagonals_at_once) {
      const std::int64_t last = a.meta.width - d < diagonals_at_once ? a.meta.width : d + diagonals_at_once;
      for (std::int64_t b = 0; b < blocks; ++b) {
        const std::int64_t position = (first + b) * jds_block_rows;
        sum_t<S>* const of_block = sums + b * jds_block_rows;
        lanes sum[vectors];
        for (int v = 0; v < vectors; ++v)
          sum[v] = d == 0 ? lanes::zero() : lanes::load(of_block + v * lanes::lanes);
        for (std::int64_t j = d; j < last; ++j) {
          const std::int64_t reached = a.jd_ptr[j + 1] - a.jd_ptr[j] - position;
          if (reached <= 0) break;
          const matrix_t<S>* val = a.val + a.jd_ptr[j] + position;
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
            sum[v] = lanes::multiply_add(lanes::load_first(val + at, n),
                                         lanes::gather_first(p.x, col + at, n), sum[v]);
          }
        }
        for (int v = 0; v < vectors; ++v) sum[v].store(of_block + v * lanes::lanes);
      }
    }
    const std::int64_t position = first * jds_block_rows;
    const std::int64_t left = a.meta.rows - position;
    const std::int64_t rows = left < blocks * jds_block_rows ? left : blocks * jds_block_rows;
    for (std::int64_t r = 0; r < rows; ++r) p.finish_row(a.row_perm[position + r], sums[r]);
  }
}

}  // namespace gossamer::inline v0::formats::jds_kernels::GOSSAMER_ISA
