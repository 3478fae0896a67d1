// SPDX-License-Identifier: BSD-3-Clause
// CSR on one core, compiled once for each instruction set (simd/foreach_isa.inl).
namespace gossamer::inline v0::formats::csr_kernels::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::vec;

/// The sum of val[k] x[col[k]] over [begin, end). The order of additions depends on end - begin alone.
template <class V>
inline V dot(const V* val, const std::int32_t* col, std::int64_t begin, std::int64_t end, const V* x) {
  using lanes = vec<V>;
  // Two sums: a fused multiply-add takes four cycles and two can start in each.
  lanes even = lanes::zero();
  lanes odd = lanes::zero();
  std::int64_t k = begin;
  for (; end - k >= 2 * lanes::lanes; k += 2 * lanes::lanes) {
    even = lanes::multiply_add(lanes::load(val + k), lanes::gather(x, col + k), even);
    odd = lanes::multiply_add(lanes::load(val + k + lanes::lanes), lanes::gather(x, col + k + lanes::lanes), odd);
  }
  if (end - k >= lanes::lanes) {
    even = lanes::multiply_add(lanes::load(val + k), lanes::gather(x, col + k), even);
    k += lanes::lanes;
  }
  if (k < end) {
    const int rest = static_cast<int>(end - k);
    odd = lanes::multiply_add(lanes::load_first(val + k, rest), lanes::gather_first(x, col + k, rest), odd);
  }
  return lanes::add(even, odd).sum();
}

template <class V, class O>
void whole_rows(const csr_pointers<V, O>& a, const product<V>& p, std::int64_t first_unit, std::int64_t last_unit,
                V* /*scratch*/) {
  const std::int64_t last = a.cut_row[last_unit];
  for (std::int64_t i = a.cut_row[first_unit]; i < last; ++i)
    p.finish_row(i, dot(a.val, a.col, a.row_ptr[i], a.row_ptr[i + 1], p.x));
}

/// One unit of the balanced cut. A row that began in an earlier unit, or goes on in a later one, is left in a slot.
template <class V, class O>
inline void balanced_unit(const csr_pointers<V, O>& a, const product<V>& p, std::int64_t u, V* slots) {
  std::int64_t row = a.cut_row[u];
  const std::int64_t last_row = a.cut_row[u + 1];
  const std::int64_t first_entry = a.cut_entry[u];
  const std::int64_t last_entry = a.cut_entry[u + 1];
  V head{0};
  V tail{0};
  bool inside_one_row = false;
  if (row < a.meta.rows && first_entry > a.row_ptr[row]) {
    inside_one_row = row == last_row;
    head = dot(a.val, a.col, first_entry, inside_one_row ? last_entry : std::int64_t{a.row_ptr[row + 1]}, p.x);
    ++row;
  }
  if (!inside_one_row) {
    for (; row < last_row; ++row) p.finish_row(row, dot(a.val, a.col, a.row_ptr[row], a.row_ptr[row + 1], p.x));
    if (last_row < a.meta.rows && last_entry > a.row_ptr[last_row])
      tail = dot(a.val, a.col, a.row_ptr[last_row], last_entry, p.x);
  }
  if (a.carries.slots > 0) {
    slots[exec::slots_per_unit * u] = head;
    slots[exec::slots_per_unit * u + 1] = tail;
  }
}

template <class V, class O>
void balanced(const csr_pointers<V, O>& a, const product<V>& p, std::int64_t first_unit, std::int64_t last_unit,
              V* slots) {
  for (std::int64_t u = first_unit; u < last_unit; ++u) balanced_unit(a, p, u, slots);
}

}  // namespace gossamer::inline v0::formats::csr_kernels::GOSSAMER_ISA
