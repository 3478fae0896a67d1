// SPDX-License-Identifier: BSD-3-Clause
// CSR-B on one core, compiled once for each instruction set (exec/cpu/simd/foreach_isa.inl). A unit is a
// fragment, or a gap between fragments.
namespace gossamer::inline v0::formats::csr_fragment_kernels::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::short_vec;
using simd::GOSSAMER_ISA::vec;

/// Lanes whose sum is that of val[k] x[col[k]], k < length. The order of additions depends on `length` alone.
template <class V>
inline short_vec<V> row_lanes(const V* val, const std::int32_t* col, std::int64_t length, const V* x) {
  using lanes = vec<V>;
  using few = short_vec<V>;
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

template <class V, class O>
inline V dot(const csr_fragment_pointers<V, O>& a, std::int64_t begin, std::int64_t end, const V* x) {
  return row_lanes(a.val + begin, a.col + begin, end - begin, x).sum();
}

/// Rows [first, last), each as a whole; as many at a time as there are lanes, so that their lanes are summed
/// together.
template <class V, class O>
inline void whole_rows(const csr_fragment_pointers<V, O>& a, const product<V>& p, std::int64_t first,
                       std::int64_t last) {
  using lanes = short_vec<V>;
  constexpr int width = lanes::lanes;
  std::int64_t i = first;
  for (; last - i >= width; i += width) {
    const O* const begin = a.row_ptr + i;
    lanes rows[width];
    for (int r = 0; r < width; ++r)
      rows[r] = row_lanes(a.val + begin[r], a.col + begin[r], begin[r + 1] - begin[r], p.x);
    V sums[width];
    lanes::sums(rows).store(sums);
    for (int r = 0; r < width; ++r) p.finish_row(i + r, sums[r]);
  }
  for (; i < last; ++i) p.finish_row(i, dot(a, a.row_ptr[i], a.row_ptr[i + 1], p.x));
}

/// The rows of a fragment that no other has are finished; the sums of its first and last row, where another
/// has them too, are left in its two slots.
template <class V, class O>
inline void fragment(const csr_fragment_pointers<V, O>& a, const product<V>& p, std::int64_t f, V* slots) {
  const std::int64_t begin = f * a.meta.fragment;
  const std::int64_t end = begin + a.meta.fragment < a.meta.nnz ? begin + a.meta.fragment : a.meta.nnz;
  std::int64_t row = a.bound[f].x;
  std::int64_t last = a.bound[f].y + std::int64_t{1};
  const bool has_head = a.row_ptr[row] < begin;
  const bool has_tail = a.row_ptr[last] > end;
  V head{0};
  V tail{0};
  if (row + 1 == last && (has_head || has_tail)) {
    (has_head ? head : tail) = dot(a, begin, end, p.x);
  } else {
    if (has_head) {
      head = dot(a, begin, a.row_ptr[row + 1], p.x);
      ++row;
    }
    if (has_tail) {
      --last;
      tail = dot(a, a.row_ptr[last], end, p.x);
    }
    whole_rows(a, p, row, last);
  }
  if (a.carries.slots > 0) {
    slots[exec::slots_per_unit * f] = head;
    slots[exec::slots_per_unit * f + 1] = tail;
  }
}

template <class V, class O>
void fragments(const csr_fragment_pointers<V, O>& a, const product<V>& p, std::int64_t first_unit,
               std::int64_t last_unit, V* slots) {
  for (std::int64_t u = first_unit; u < last_unit; ++u) {
    if (u < a.meta.fragments) {
      fragment(a, p, u, slots);
    } else {
      const fragment_gap gap = a.gap[u - a.meta.fragments];
      for (std::int64_t i = gap.first; i < gap.last; ++i) p.finish_row(i, V{0});
    }
  }
}

}  // namespace gossamer::inline v0::formats::csr_fragment_kernels::GOSSAMER_ISA
