// SPDX-License-Identifier: BSD-3-Clause
// Byte-coded tuples on one core, compiled once for each instruction set (exec/cpu/simd/foreach_isa.inl):
// paper 001, Listing 1.
namespace gossamer::inline v0::formats::bccoo_kernels::GOSSAMER_ISA {

/// What stands at any address.
template <class Number>
inline Number take(const std::uint8_t*& at) {
  Number number;
  std::memcpy(&number, at, sizeof(number));
  at += sizeof(number);
  return number;
}

/// The product of the entry whose code was read last; c becomes its column.
template <class S>
inline sum_t<S> entry(const bccoo_pointers<matrix_t<S>>& a, const vector_t<S>* x, std::uint8_t code,
                      const std::uint8_t*& at, std::uint32_t& c) {
  const std::uint8_t where = code & bccoo_code::column;
  if (where < bccoo_code::wide_step)
    c += where;
  else if (where == bccoo_code::wide_step)
    c += take<std::uint16_t>(at);
  else
    c = take<std::uint32_t>(at);
  const matrix_t<S> value =
      (code & bccoo_code::in_table) != 0 ? a.lut[take<std::uint8_t>(at)] : take<matrix_t<S>>(at);
  return value * x[c];
}

constexpr bool ends_row(std::uint8_t code) {
  return (code & bccoo_code::column) == bccoo_code::row_end;
}

template <class V>
struct row_sum {
  V sum;
  bool ended;  ///< else the row goes on in the next chunk
};

/// The rest of a row as far as it stands before `end`. Its first column is the next row's reference.
template <class S>
inline row_sum<sum_t<S>> next_row(const bccoo_pointers<matrix_t<S>>& a, const vector_t<S>* x,
                                  const std::uint8_t*& at, const std::uint8_t* end,
                                  std::uint32_t& reference) {
  sum_t<S> sum{0};
  std::uint8_t code = *at++;
  if (ends_row(code)) return {sum, true};
  sum += entry<S>(a, x, code, at, reference);
  std::uint32_t c = reference;
  while (at < end) {
    code = *at++;
    if (ends_row(code)) return {sum, true};
    sum += entry<S>(a, x, code, at, c);
  }
  return {sum, false};
}

/// A chunk writes the rows that end in it. What it has of a row that goes on in another chunk is left in its
/// two slots: of its first row, which then began earlier, and of its last.
template <class S>
inline void whole_chunk(const bccoo_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t h,
                        sum_t<S>* slots) {
  const std::uint8_t* at = a.data + a.offset[h];
  const std::uint8_t* const end = a.data + a.offset[h + 1];
  bool began_before = a.carries.run_at_cut[h] >= 0;
  std::uint32_t reference = 0;
  sum_t<S> head{0};
  sum_t<S> tail{0};
  for (std::int64_t row = a.row[h]; at < end; ++row) {
    const row_sum<sum_t<S>> next = next_row<S>(a, p.x, at, end, reference);
    if (began_before)
      head = next.sum;
    else if (next.ended)
      p.finish_row(row, next.sum);
    else
      tail = next.sum;
    began_before = false;
  }
  if (a.carries.slots > 0) {
    slots[exec::slots_per_unit * h] = head;
    slots[exec::slots_per_unit * h + 1] = tail;
  }
}

template <class S>
void whole_chunks(const bccoo_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first,
                  std::int64_t last, sum_t<S>* slots) {
  for (std::int64_t h = first; h < last; ++h) whole_chunk(a, p, h, slots);
}

}  // namespace gossamer::inline v0::formats::bccoo_kernels::GOSSAMER_ISA

#include "formats/papers/bccoo/uniform_kernel.inl"
