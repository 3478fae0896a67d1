// SPDX-License-Identifier: BSD-3-Clause
// CSR-B on one core, compiled once for each instruction set (exec/cpu/simd/foreach_isa.inl). A unit is a
// fragment, or a gap between fragments.
namespace gossamer::inline v0::formats::csr_fragment_kernels::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::short_vec;
using simd::GOSSAMER_ISA::vec;

/// Lanes whose sum is that of val[k] x[col[k]], k < length. The order of additions depends on `length` alone.
template <class S>
inline short_vec<sum_t<S>> row_lanes(const matrix_t<S>* val, const std::int32_t* col, std::int64_t length,
                                     const vector_t<S>* x) {
  using lanes = vec<sum_t<S>>;
  using few = short_vec<sum_t<S>>;
  constexpr std::int64_t width = lanes::lanes;
  if (length <= few::lanes) {
    const int n = static_cast<int>(length);
    return few::multiply_add(few::load_first(val, n), few::gather_first(x, col, n), few::zero());
  }
  lanes even = lanes::zero();
  lanes odd = lanes::zero();
  std::int64_t k = 0;
  for (; length - k >= 2 * width; k += 2 * width) {
    even = lanes::multiply_add(lanes::load(val + k), lanes::gather(x, col + k), even);
    odd = lanes::multiply_add(lanes::load(val + k + width), lanes::gather(x, col + k + width), odd);
  }
  if (length - k >= width) {
    even = lanes::multiply_add(lanes::load(val + k), lanes::gather(x, col + k), even);
    k += width;
  }
  if (k < length) {
    const int rest = static_cast<int>(length - k);
    odd = lanes::multiply_add(lanes::load_first(val + k, rest), lanes::gather_first(x, col + k, rest), odd);
  }
  return lanes::add(even, odd).folded();
}

template <class S, class O>
inline sum_t<S> dot(const csr_fragment_pointers<matrix_t<S>, O>& a, std::int64_t begin, std::int64_t end,
                    const vector_t<S>* x) {
  return row_lanes<S>(a.val + begin, a.col + begin, end - begin, x).sum();
}

/// Rows [first, last), each as a whole; as many at a time as there are lanes, so that their lanes are summed
/// together.
template <class S, class O>
inline void whole_rows(const csr_fragment_pointers<matrix_t<S>, O>& a, const product<S>& p,
                       std::int64_t first, std::int64_t last) {
  using lanes = short_vec<sum_t<S>>;
  constexpr int width = lanes::lanes;
  std::int64_t i = first;
  for (; last - i >= width; i += width) {
    const O* const begin = a.row_ptr + i;
    lanes rows[width];
    for (int r = 0; r < width; ++r)
      rows[r] = row_lanes<S>(a.val + begin[r], a.col + begin[r], begin[r + 1] - begin[r], p.x);
    sum_t<S> sums[width];
    lanes::sums(rows).store(sums);
    for (int r = 0; r < width; ++r) p.finish_row(i + r, sums[r]);
  }
  for (; i < last; ++i) p.finish_row(i, dot<S>(a, a.row_ptr[i], a.row_ptr[i + 1], p.x));
}

/// The rows of a fragment that no other has are finished; the sums of its first and last row, where another
/// has them too, are left in its two slots.
template <class S, class O>
inline void fragment(const csr_fragment_pointers<matrix_t<S>, O>& a, const product<S>& p, std::int64_t f,
                     sum_t<S>* slots) {
  const std::int64_t begin = f * a.meta.fragment;
  const std::int64_t end = begin + a.meta.fragment < a.meta.nnz ? begin + a.meta.fragment : a.meta.nnz;
  std::int64_t row = a.bound[f].x;
  std::int64_t last = a.bound[f].y + std::int64_t{1};
  const bool has_head = a.row_ptr[row] < begin;
  const bool has_tail = a.row_ptr[last] > end;
  sum_t<S> head{0};
  sum_t<S> tail{0};
  if (row + 1 == last && (has_head || has_tail)) {
    (has_head ? head : tail) = dot<S>(a, begin, end, p.x);
  } else {
    if (has_head) {
      head = dot<S>(a, begin, a.row_ptr[row + 1], p.x);
      ++row;
    }
    if (has_tail) {
      --last;
      tail = dot<S>(a, a.row_ptr[last], end, p.x);
    }
    whole_rows(a, p, row, last);
  }
  if (a.carries.slots > 0) {
    slots[exec::slots_per_unit * f] = head;
    slots[exec::slots_per_unit * f + 1] = tail;
  }
}

template <class S, class O>
void fragments(const csr_fragment_pointers<matrix_t<S>, O>& a, const product<S>& p, std::int64_t first_unit,
               std::int64_t last_unit, sum_t<S>* slots) {
  for (std::int64_t u = first_unit; u < last_unit; ++u) {
    if (u < a.meta.fragments) {
      fragment(a, p, u, slots);
    } else {
      const fragment_gap gap = a.gap[u - a.meta.fragments];
      for (std::int64_t i = gap.first; i < gap.last; ++i) p.finish_row(i, sum_t<S>{0});
    }
  }
}

}  // namespace gossamer::inline v0::formats::csr_fragment_kernels::GOSSAMER_ISA
