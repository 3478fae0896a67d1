// SPDX-License-Identifier: BSD-3-Clause
// Sorted coordinates on one core, compiled once for each instruction set (simd/foreach_isa.inl).
namespace gossamer::inline v0::formats::coo_kernels::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::vec;

/// The sum over [begin, end), entries of one row. The order of additions depends on the length alone.
template <class V>
inline V dot(const coo_pointers<V>& a, std::int64_t begin, std::int64_t end, const V* x) {
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

/// Entries of the row of entry `begin`, as far as `end`.
template <class V>
inline std::int64_t row_end(const coo_pointers<V>& a, std::int64_t begin, std::int64_t end) {
  const std::int32_t row = a.row[begin];
  std::int64_t k = begin + 1;
  while (k < end && a.row[k] == row) ++k;
  return k;
}

/// A unit finishes the rows that end in it, and the empty rows before them; the last unit finishes what is left. With beta = 1 empty
/// rows are as they should be.
template <class V>
inline void segmented_unit(const coo_pointers<V>& a, const product<V>& p, std::int64_t u, V* slots) {
  const std::int64_t begin = u * a.meta.unit_entries;
  const std::int64_t end = u + 1 == a.meta.units ? a.meta.nnz : begin + a.meta.unit_entries;
  const bool finish_empty = p.beta != V{1};
  V head{0};
  V tail{0};
  std::int64_t next_row = begin == 0 ? 0 : std::int64_t{a.row[begin - 1]} + 1;  // the first not yet written
  for (std::int64_t k = begin; k < end;) {
    const std::int64_t row = a.row[k];
    const std::int64_t stop = row_end(a, k, end);
    const V sum = dot(a, k, stop, p.x);
    if (finish_empty)
      for (; next_row < row; ++next_row) p.finish_row(next_row, V{0});
    next_row = row + 1;
    if (k == begin && begin > 0 && a.row[begin - 1] == row)
      head = sum;
    else if (stop == end && end < a.meta.nnz && a.row[end] == row)
      tail = sum;
    else
      p.finish_row(row, sum);
    k = stop;
  }
  if (end == a.meta.nnz && finish_empty) {
    for (; next_row < a.meta.rows; ++next_row) p.finish_row(next_row, V{0});
  }
  if (a.carries.slots > 0) {
    slots[exec::slots_per_unit * u] = head;
    slots[exec::slots_per_unit * u + 1] = tail;
  }
}

template <class V>
void segmented(const coo_pointers<V>& a, const product<V>& p, std::int64_t first_unit, std::int64_t last_unit,
               V* slots) {
  for (std::int64_t u = first_unit; u < last_unit; ++u) segmented_unit(a, p, u, slots);
}

}  // namespace gossamer::inline v0::formats::coo_kernels::GOSSAMER_ISA
