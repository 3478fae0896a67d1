// SPDX-License-Identifier: BSD-3-Clause
// Row-grouped CSR on one core, compiled once for each instruction set (exec/cpu/simd/foreach_isa.inl): a lane
// a row.
namespace gossamer::inline v0::formats::row_grouped_csr_kernels::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::vec;

/// Whether neighbouring rows have all ended before this slot.
inline bool all_ended(const std::int32_t* col) {
  std::int32_t all = -1;
  for (int r = 0; r < group_lanes; ++r) all &= col[r];
  return all < 0;
}

/// A unit is the groups that begin within its share of the slots and rows; a group with a huge row leaves
/// units empty. Of a group, so many rows at once as `group_lanes` have their sums in registers.
template <class S>
void groups_by_lanes(const row_grouped_csr_pointers<matrix_t<S>>& a, const product<S>& p,
                     std::int64_t first_unit, std::int64_t last_unit, sum_t<S>* /*scratch*/) {
  using lanes = vec<sum_t<S>>;
  constexpr int vectors = static_cast<int>(group_lanes) / lanes::lanes;
  constexpr std::int64_t between_looks = 16;
  const std::int64_t group_rows = a.meta.group_rows;
  const std::int64_t unit_weight = cpu_units(a.weight()).weight;
  const auto weight_before = [&](std::int64_t g) { return a.weight_before(g); };
  const std::int64_t first = first_at_or_after(a.meta.groups, first_unit * unit_weight, weight_before);
  const std::int64_t last = first_at_or_after(a.meta.groups, last_unit * unit_weight, weight_before);
  for (std::int64_t g = first; g < last; ++g) {
    const std::int64_t begin = g * group_rows;
    const std::int64_t left = a.meta.rows - begin;
    const std::int64_t after = left < group_rows ? a.meta.rows : begin + group_rows;
    const std::int64_t stride = row_grouped_csr_stride(left, group_rows);
    const std::int64_t offset = a.group_offset[g];
    const std::int64_t width = (a.group_offset[g + 1] - offset) / stride;
    for (std::int64_t row = begin; row < after; row += group_lanes) {
      std::int64_t slot = offset + row - begin;
      lanes sum[vectors];
      for (int v = 0; v < vectors; ++v) sum[v] = lanes::zero();
      for (std::int64_t j = 0; j < width; ++j, slot += stride) {
        if (j % between_looks == between_looks - 1 && all_ended(a.col + slot)) break;
        for (int v = 0; v < vectors; ++v) {
          const std::int64_t at = slot + v * lanes::lanes;
          sum[v] =
              lanes::multiply_add(lanes::load(a.val + at), lanes::gather_if_valid(p.x, a.col + at), sum[v]);
        }
      }
      sum_t<S> sums[group_lanes];
      for (int v = 0; v < vectors; ++v) sum[v].store(sums + v * lanes::lanes);
      const std::int64_t rows = after - row < group_lanes ? after - row : group_lanes;
      for (std::int64_t r = 0; r < rows; ++r) p.finish_row(row + r, sums[r]);
    }
  }
}

}  // namespace gossamer::inline v0::formats::row_grouped_csr_kernels::GOSSAMER_ISA
