// SPDX-License-Identifier: BSD-3-Clause
// CSR-M on one core, compiled once for each instruction set (exec/cpu/simd/foreach_isa.inl): the gather step,
// and rows that only read in order.
namespace gossamer::inline v0::formats::csr_gathered_kernels::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::vec;

template <class S, class O>
void gather_entries(const csr_gathered_pointers<matrix_t<S>, O>& a, const product<S>& p,
                    std::int64_t first_unit, std::int64_t last_unit, sum_t<S>* scratch) {
  using lanes = vec<sum_t<S>>;
  sum_t<S>* const to = gathered_in(a, scratch);
  const std::int64_t after = last_unit * a.meta.gather.weight;
  const std::int64_t end = after < a.meta.nnz ? after : a.meta.nnz;
  std::int64_t k = first_unit * a.meta.gather.weight;
  for (; end - k >= lanes::lanes; k += lanes::lanes) lanes::gather(p.x, a.col + k).store(to + k);
  for (; k < end; ++k) to[k] = p.x[a.col[k]];
}

/// The sum of val[k] x[k] over [begin, end). The order of additions depends on the length alone.
template <class S>
inline sum_t<S> dot(const matrix_t<S>* val, const sum_t<S>* x, std::int64_t begin, std::int64_t end) {
  using lanes = vec<sum_t<S>>;
  constexpr std::int64_t width = lanes::lanes;
  lanes even = lanes::zero();
  lanes odd = lanes::zero();
  std::int64_t k = begin;
  for (; end - k >= 2 * width; k += 2 * width) {
    even = lanes::multiply_add(lanes::load(val + k), lanes::load(x + k), even);
    odd = lanes::multiply_add(lanes::load(val + k + width), lanes::load(x + k + width), odd);
  }
  if (end - k >= width) {
    even = lanes::multiply_add(lanes::load(val + k), lanes::load(x + k), even);
    k += width;
  }
  if (k < end) {
    const int rest = static_cast<int>(end - k);
    odd = lanes::multiply_add(lanes::load_first(val + k, rest), lanes::load_first(x + k, rest), odd);
  }
  return lanes::add(even, odd).sum();
}

/// A row that began in an earlier unit, or goes on in a later one, is left in a slot.
template <class S, class O>
inline void equal_unit(const csr_gathered_pointers<matrix_t<S>, O>& a, const product<S>& p, std::int64_t u,
                       const sum_t<S>* x, sum_t<S>* slots) {
  std::int64_t row = a.cut_row[u];
  const std::int64_t last_row = a.cut_row[u + 1];
  const std::int64_t first_entry = a.cut_entry[u];
  const std::int64_t last_entry = a.cut_entry[u + 1];
  sum_t<S> head{0};
  sum_t<S> tail{0};
  bool inside_one_row = false;
  if (row < a.meta.rows && first_entry > a.row_ptr[row]) {
    inside_one_row = row == last_row;
    head = dot<S>(a.val, x, first_entry, inside_one_row ? last_entry : std::int64_t{a.row_ptr[row + 1]});
    ++row;
  }
  if (!inside_one_row) {
    for (; row < last_row; ++row) p.finish_row(row, dot<S>(a.val, x, a.row_ptr[row], a.row_ptr[row + 1]));
    if (last_row < a.meta.rows && last_entry > a.row_ptr[last_row])
      tail = dot<S>(a.val, x, a.row_ptr[last_row], last_entry);
  }
  if (a.carries.slots > 0) {
    slots[exec::slots_per_unit * u] = head;
    slots[exec::slots_per_unit * u + 1] = tail;
  }
}

template <class S, class O>
void rows_in_equal_units(const csr_gathered_pointers<matrix_t<S>, O>& a, const product<S>& p,
                         std::int64_t first_unit, std::int64_t last_unit, sum_t<S>* scratch) {
  const sum_t<S>* const x = gathered_in(a, scratch);
  for (std::int64_t u = first_unit; u < last_unit; ++u) equal_unit(a, p, u, x, scratch);
}

}  // namespace gossamer::inline v0::formats::csr_gathered_kernels::GOSSAMER_ISA
