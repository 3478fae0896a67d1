// SPDX-License-Identifier: BSD-3-Clause
// ARG-CSR on one core, compiled once for each instruction set (exec/cpu/simd/foreach_isa.inl): a lane a
// chunk, then the rows' sums.
namespace gossamer::inline v0::formats::arg_csr_kernels::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::vec;

/// Whether the chunks of neighbouring lanes have all ended before this slot.
inline bool all_ended(const std::int32_t* col) {
  std::int32_t all = -1;
  for (int t = 0; t < group_lanes; ++t) all &= col[t];
  return all < 0;
}

/// The sums of `group_lanes` chunks, whose first slots stand at `slot`.
template <class S>
void sum_chunks(const arg_csr_pointers<matrix_t<S>>& a, const vector_t<S>* x, std::int64_t slot,
                std::int64_t chunk_size, sum_t<S>* sums) {
  using lanes = vec<sum_t<S>>;
  constexpr int vectors = static_cast<int>(group_lanes) / lanes::lanes;
  constexpr std::int64_t between_looks = 16;
  const std::int64_t block = a.meta.block;
  lanes sum[vectors];
  for (int v = 0; v < vectors; ++v) sum[v] = lanes::zero();
  for (std::int64_t j = 0; j < chunk_size; ++j, slot += block) {
    if (j % between_looks == between_looks - 1 && all_ended(a.col + slot)) break;
    for (int v = 0; v < vectors; ++v) {
      const std::int64_t at = slot + v * lanes::lanes;
      sum[v] = lanes::multiply_add(lanes::load(a.val + at), lanes::gather_if_valid(x, a.col + at), sum[v]);
    }
  }
  for (int v = 0; v < vectors; ++v) sum[v].store(sums + v * lanes::lanes);
}

/// A unit is the groups that begin within its share of the slots and rows; a group with a huge row leaves
/// units empty.
template <class S>
void groups_by_lanes(const arg_csr_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first_unit,
                     std::int64_t last_unit, sum_t<S>* /*scratch*/) {
  const std::int64_t unit_weight = cpu_units(a.weight()).weight;
  const auto weight_before = [&](std::int64_t g) { return a.weight_before(g); };
  const std::int64_t first = first_at_or_after(a.meta.groups, first_unit * unit_weight, weight_before);
  const std::int64_t last = first_at_or_after(a.meta.groups, last_unit * unit_weight, weight_before);
  sum_t<S> partial[arg_csr::most_threads];
  for (std::int64_t g = first; g < last; ++g) {
    const arg_csr_group group = a.group[g];
    for (std::int64_t t = 0; t < group.chunks; t += group_lanes)
      sum_chunks<S>(a, p.x, group.offset + t, group.chunk_size, partial + t);
    if (group.chunks == group.rows) {
      for (std::int64_t r = 0; r < group.rows; ++r) p.finish_row(group.first_row + r, partial[r]);
      continue;
    }
    const std::int32_t* end = a.thread_mapping + group.first_row;
    std::int32_t t = 0;
    for (std::int64_t r = 0; r < group.rows; ++r) {
      sum_t<S> sum = partial[t];
      for (++t; t < end[r]; ++t) sum += partial[t];
      p.finish_row(group.first_row + r, sum);
    }
  }
}

}  // namespace gossamer::inline v0::formats::arg_csr_kernels::GOSSAMER_ISA
