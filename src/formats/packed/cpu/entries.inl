// SPDX-License-Identifier: BSD-3-Clause
// Slices of entries on one core (included by cpu_kernel.inl, for each instruction set): the products of all
// entries by whole vectors, whatever their rows, then the rows.
#include "formats/common/product_sums.inl"

namespace gossamer::inline v0::formats::packed_kernels::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::short_vec;
using simd::GOSSAMER_ISA::vec;

/// Room for the products of a slice and where its rows end. Two vectors behind the last product may be read,
/// and a vector of ends is made up.
template <class V>
struct entry_rows {
  V product[packed_most_entries + 32];
  std::int32_t end[1 + packed_most_entries + 32];
};

template <class S, class Column>
inline void multiply_entries(const packed_pointers<matrix_t<S>>& a, const packed_slice& s,
                             const std::uint8_t* data, const vector_t<S>* x, sum_t<S>* to) {
  using lanes = vec<sum_t<S>>;
  constexpr int width = lanes::lanes;
  const int entries = s.steps;
  const Column* const column = reinterpret_cast<const Column*>(data + s.columns_at);
  const std::uint8_t* const values = data + s.values_at;
  const int whole = entries / width * width;
  const auto by_vectors = [&](auto&& vector_at) {
    for (int k = 0; k < whole; k += width)
      lanes::multiply(vector_at(k), lanes::gather(x, column + k)).store(to + k);
  };
  switch (s.values()) {
    case packed_values::constant:
    case packed_values::of_step: {
      const lanes one = lanes::all(reinterpret_cast<const matrix_t<S>*>(values)[0]);
      by_vectors([&](int) { return one; });
      break;
    }
    case packed_values::table4:
    case packed_values::table8:
      by_vectors([&](int k) { return lanes::gather(a.table, values + k); });
      break;
    case packed_values::half:
      by_vectors([&](int k) { return load_widened<lanes>(halves<matrix_t<S>>{a.half, values}, k); });
      break;
    case packed_values::narrow:
      by_vectors([&](int k) { return load_widened<lanes>(narrow_values<matrix_t<S>>{values}, k); });
      break;
    case packed_values::full:
      by_vectors([&](int k) { return lanes::load(reinterpret_cast<const matrix_t<S>*>(values) + k); });
  }
  for (int k = whole; k < entries; ++k) to[k] = value_at(a, s.values(), values, k, 0) * x[column[k]];
}

template <class S>
inline void one_slice_of_entries(const packed_pointers<matrix_t<S>>& a, const product<S>& p,
                                 const packed_slice& s, entry_rows<sum_t<S>>& room) {
  using few = short_vec<sum_t<S>>;
  constexpr int width = few::lanes;
  const std::uint8_t* const data = a.data + std::int64_t{s.at} * packed_piece;
  const vector_t<S>* const x = p.x + s.bases;
  if (s.columns() == packed_columns::one)
    multiply_entries<S, std::uint8_t>(a, s, data, x, room.product);
  else if (s.columns() == packed_columns::two)
    multiply_entries<S, std::uint16_t>(a, s, data, x, room.product);
  else
    multiply_entries<S, std::int32_t>(a, s, data, x, room.product);
  const int rows = s.rows();
  std::int32_t* const end = room.end + 1;
  for (int r = 0; r < rows; ++r) end[r - 1] = data[r];
  for (int r = rows - 1; r < rows + width; ++r) end[r] = s.steps;
  for (int r = 0; r < rows; r += width) {
    sum_t<S> sums[width];
    product_sums::GOSSAMER_ISA::sums_of_rows<false>(room.product + room.end[r], room.end + r).store(sums);
    const int count = rows - r < width ? rows - r : width;
    for (int i = 0; i < count; ++i) p.finish_row(s.row + r + i, sums[i]);
  }
}

}  // namespace gossamer::inline v0::formats::packed_kernels::GOSSAMER_ISA
