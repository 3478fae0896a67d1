// SPDX-License-Identifier: BSD-3-Clause
// ELLPACK-R on one core, compiled once for each instruction set (simd/foreach_isa.inl): a lane a row, as far as the lane's row goes.
namespace gossamer::inline v0::formats::ellpack_r_kernels::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::vec;

/// The shortest and the longest of the rows of one vector, of which `rows` exist; the others have no entries.
struct lengths_of_lanes {
  std::int64_t least;
  std::int64_t most;
};

inline lengths_of_lanes find_lengths(const std::int32_t* length, std::int64_t rows, int lanes) {
  if (rows <= 0) return {0, 0};
  std::int32_t least = rows < lanes ? 0 : length[0];
  std::int32_t most = length[0];
  const std::int64_t here = rows < lanes ? rows : lanes;
  for (std::int64_t r = 1; r < here; ++r) {
    least = length[r] < least ? length[r] : least;
    most = length[r] > most ? length[r] : most;
  }
  return {least, most};
}

/// A unit is 16 rows: a few vectors, each of which stops at the longest of its own rows, and needs no mask up to the shortest.
template <class V>
void rows_by_lanes(const ellpack_r_pointers<V>& a, const product<V>& p, std::int64_t first_unit,
                   std::int64_t last_unit, V* /*scratch*/) {
  using lanes = vec<V>;
  constexpr int vectors = static_cast<int>(ellpack_r_stride_multiple) / lanes::lanes;
  const std::int64_t stride = a.meta.stride;
  for (std::int64_t u = first_unit; u < last_unit; ++u) {
    const std::int64_t row = u * ellpack_r_stride_multiple;
    const std::int64_t rows =
        a.meta.rows - row < ellpack_r_stride_multiple ? a.meta.rows - row : ellpack_r_stride_multiple;
    lanes sum[vectors];
    lengths_of_lanes lengths[vectors];
    std::int64_t shared = a.meta.columns;
    for (int v = 0; v < vectors; ++v) {
      sum[v] = lanes::zero();
      lengths[v] =
          find_lengths(a.length + row + v * lanes::lanes, rows - v * lanes::lanes, lanes::lanes);
      shared = lengths[v].least < shared ? lengths[v].least : shared;
    }
    // All vectors together as far as no row has ended, so that their additions overlap.
    for (std::int64_t j = 0; j < shared; ++j) {
      const std::int64_t slot = j * stride + row;
      for (int v = 0; v < vectors; ++v) {
        const std::int64_t at = slot + v * lanes::lanes;
        sum[v] = lanes::multiply_add(lanes::load(a.val + at), lanes::gather(p.x, a.col + at), sum[v]);
      }
    }
    for (int v = 0; v < vectors; ++v) {
      const std::int64_t first = row + v * lanes::lanes;
      std::int64_t j = shared;
      for (; j < lengths[v].least; ++j) {
        const std::int64_t at = j * stride + first;
        sum[v] = lanes::multiply_add(lanes::load(a.val + at), lanes::gather(p.x, a.col + at), sum[v]);
      }
      for (; j < lengths[v].most; ++j) {
        const std::int64_t at = j * stride + first;
        sum[v] =
            lanes::multiply_add(lanes::load(a.val + at), lanes::gather_if_valid(p.x, a.col + at), sum[v]);
      }
    }
    V sums[ellpack_r_stride_multiple];
    for (int v = 0; v < vectors; ++v) sum[v].store(sums + v * lanes::lanes);
    for (std::int64_t r = 0; r < rows; ++r) p.finish_row(row + r, sums[r]);
  }
}

}  // namespace gossamer::inline v0::formats::ellpack_r_kernels::GOSSAMER_ISA
