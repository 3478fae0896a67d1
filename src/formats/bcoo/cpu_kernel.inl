// SPDX-License-Identifier: BSD-3-Clause
// Chunks of sorted coordinates on one core, compiled once for each instruction set (simd/foreach_isa.inl).
namespace gossamer::inline v0::formats::bcoo_kernels::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::vec;

/// The sum over [begin, end), entries of one row. The order of additions depends on the length alone.
template <class V>
inline V dot(const bcoo_pointers<V>& a, std::int64_t begin, std::int64_t end, const V* x) {
  using lanes = vec<V>;
  lanes sum = lanes::zero();
  std::int64_t k = begin;
  for (; end - k >= lanes::lanes; k += lanes::lanes)
    sum = lanes::multiply_add(lanes::load(a.val + k), lanes::gather(x, a.col + k), sum);
  if (k < end) {
    const int rest = static_cast<int>(end - k);
    sum =
        lanes::multiply_add(lanes::load_first(a.val + k, rest), lanes::gather_first(x, a.col + k, rest), sum);
  }
  return sum.sum();
}

/// One past the last entry of the row of entry `begin`, as far as `end`. Rows ascend, so that one of eight tells of the seven before it.
template <class V>
inline std::int64_t row_end(const bcoo_pointers<V>& a, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t stride = 8;
  const std::int32_t row = a.row[begin];
  std::int64_t k = begin + 1;
  while (end - k >= stride && a.row[k + stride - 1] == row) k += stride;
  while (k < end && a.row[k] == row) ++k;
  return k;
}

/// A chunk writes the rows that end in it, and the empty rows before them. What it has of a row that goes on in another chunk is left
/// in its two slots: of its first row, which then began earlier or fills it, and of its last.
template <class V>
inline void whole_chunk(const bcoo_pointers<V>& a, const product<V>& p, std::int64_t h, V* slots) {
  const std::int64_t begin = h * a.meta.chunk;
  const bool is_last = h + 1 == a.meta.chunks;
  const std::int64_t end = is_last ? a.meta.nnz : begin + a.meta.chunk;
  const bool began_before = a.carries.run_at_cut[h] >= 0;
  const bool goes_on = a.carries.run_at_cut[h + 1] >= 0;
  std::int64_t open = h == 0 ? 0 : std::int64_t{a.row[begin - 1]} + 1;  // the first row not yet written
  V head{0};
  V tail{0};
  for (std::int64_t k = begin; k < end;) {
    const std::int64_t row = a.row[k];
    const std::int64_t stop = row_end(a, k, end);
    const V sum = dot(a, k, stop, p.x);
    for (; open < row; ++open) p.finish_row(open, V{0});
    open = row + 1;
    if (k == begin && began_before)
      head = sum;
    else if (stop == end && goes_on)
      tail = sum;
    else
      p.finish_row(row, sum);
    k = stop;
  }
  if (is_last)
    for (; open < a.meta.rows; ++open) p.finish_row(open, V{0});
  if (a.carries.slots > 0) {
    slots[exec::slots_per_unit * h] = head;
    slots[exec::slots_per_unit * h + 1] = tail;
  }
}

template <class V>
void whole_chunks(const bcoo_pointers<V>& a, const product<V>& p, std::int64_t first, std::int64_t last,
                  V* slots) {
  for (std::int64_t h = first; h < last; ++h) whole_chunk(a, p, h, slots);
}

}  // namespace gossamer::inline v0::formats::bcoo_kernels::GOSSAMER_ISA
