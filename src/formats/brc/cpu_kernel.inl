// SPDX-License-Identifier: BSD-3-Clause
// Blocked row-column on one core, compiled once for each instruction set (exec/cpu/simd/foreach_isa.inl): a
// lane a segment.
namespace gossamer::inline v0::formats::brc_kernels::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::vec;

/// Blocks are multiplied this many lanes at a time, where they have them: sums stay in registers, and several
/// gathers are under way.
inline constexpr int usual = 32;

template <class S>
void finish(const product<S>& p, std::int32_t target, sum_t<S> sum, sum_t<S>* slots) {
  if (target >= 0)
    p.finish_row(target, sum);
  else if (target != brc_dummy)
    slots[brc_slot_of(target)] = sum;
}

/// Vectors * lanes neighbouring lanes of a block, whose first column's slots begin at `first`; `target` is
/// what row_perm says of them. The first `done` of them are finished elsewhere.
template <int Vectors, class S>
void lanes_together(const brc_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first,
                    std::int64_t end, const std::int32_t* target, int done, sum_t<S>* slots) {
  using lanes = vec<sum_t<S>>;
  lanes sum[Vectors];
  for (int v = 0; v < Vectors; ++v) sum[v] = lanes::zero();
  for (std::int64_t slot = first; slot < end; slot += a.meta.block_rows) {
    for (int v = 0; v < Vectors; ++v) {
      const std::int64_t at = slot + v * lanes::lanes;
      sum[v] = lanes::multiply_add(lanes::load(a.val + at), lanes::gather_if_valid(p.x, a.col + at), sum[v]);
    }
  }
  sum_t<S> sums[Vectors * lanes::lanes];
  for (int v = 0; v < Vectors; ++v) sum[v].store(sums + v * lanes::lanes);
  for (int r = done; r < Vectors * lanes::lanes; ++r) finish(p, target[r], sums[r], slots);
}

/// Blocks of fewer rows than there are lanes: segment by segment.
template <class S>
void lane_alone(const brc_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first, std::int64_t end,
                std::int32_t target, sum_t<S>* slots) {
  sum_t<S> sum{0};
  for (std::int64_t slot = first; slot < end && a.col[slot] >= 0; slot += a.meta.block_rows)
    sum += a.val[slot] * p.x[a.col[slot]];
  finish(p, target, sum, slots);
}

template <class S>
void blocks_by_lanes(const brc_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first_unit,
                     std::int64_t last_unit, sum_t<S>* slots) {
  constexpr int lanes = vec<sum_t<S>>::lanes;
  const int rows = a.meta.block_rows;
  std::int64_t last = a.unit_block[last_unit];
  // With beta = 1 y of empty rows stays.
  if (p.beta == sum_t<S>{1} && last > a.meta.filled_blocks) last = a.meta.filled_blocks;
  for (std::int64_t b = a.unit_block[first_unit]; b < last; ++b) {
    const std::int64_t first = a.block_offset[b];
    const std::int64_t end = a.block_offset[b + 1];
    const std::int32_t* const target = a.row_perm + b * rows;
    if (rows < lanes) {
      for (int r = 0; r < rows; ++r) lane_alone(a, p, first + r, end, target[r], slots);
      continue;
    }
    int r = 0;
    for (; r + usual <= rows; r += usual)
      lanes_together<usual / lanes>(a, p, first + r, end, target + r, 0, slots);
    for (; r + lanes <= rows; r += lanes) lanes_together<1>(a, p, first + r, end, target + r, 0, slots);
    // The lanes that are left over, together with as many before them as make them a vector.
    if (r < rows)
      lanes_together<1>(a, p, first + rows - lanes, end, target + rows - lanes, lanes - (rows - r), slots);
  }
}

}  // namespace gossamer::inline v0::formats::brc_kernels::GOSSAMER_ISA
