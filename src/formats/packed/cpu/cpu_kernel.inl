// SPDX-License-Identifier: BSD-3-Clause
// The kernel for CPUs, compiled once for each instruction set (exec/cpu/simd/foreach_isa.inl). The 32 lanes
// of a slice are a few vectors.
#include "formats/common/product_sums.inl"
#include "formats/packed/cpu/values.inl"

#include "formats/packed/cpu/diagonal_slice.inl"

namespace gossamer::inline v0::formats::packed_kernels::GOSSAMER_ISA {

using simd::GOSSAMER_ISA::short_vec;
using simd::GOSSAMER_ISA::vec;

/// How the x of a step are addressed: by consecutive columns, one column, starts alone, deltas of one or two
/// bytes with or without starts, or columns.
enum class x_access {
  neighbours,
  one,
  from_starts,
  bytes,
  bytes_from_starts,
  pairs,
  pairs_from_starts,
  columns
};

inline x_access x_access_of(const packed_slice& s) {
  const bool from_zero = s.starts() == packed_starts::zero;
  switch (s.columns()) {
    case packed_columns::none:
      if (from_zero) return x_access::one;
      return s.starts() == packed_starts::row && !s.lists_rows() && s.sharing() == 0 ? x_access::neighbours
                                                                                     : x_access::from_starts;
    case packed_columns::one:
      return from_zero ? x_access::bytes : x_access::bytes_from_starts;
    case packed_columns::two:
      return from_zero ? x_access::pairs : x_access::pairs_from_starts;
    case packed_columns::four:
      break;
  }
  return x_access::columns;
}

template <class Delta>
inline void add_starts(const std::int32_t* start, const Delta* delta, std::int32_t* column) {
  for (int l = 0; l < packed_lanes; ++l) column[l] = start[l] + delta[l];
}

/// Adds the steps that all lanes have.
template <class S, int Vectors>
inline void add_full_steps(const packed_pointers<matrix_t<S>>& a, const packed_slice& s,
                           const arrays<matrix_t<S>>& of, const std::int32_t* start, const vector_t<S>* x,
                           vec<sum_t<S>> (&sum)[Vectors]) {
  using lanes = vec<sum_t<S>>;
  const x_access how = x_access_of(s);
  const std::uint8_t* delta = of.columns;
  for (int j = 0; j < s.shortest; ++j) {
    lanes v[Vectors];
    load_values(a, s.values(), of, j, j, v);
    std::int32_t column[packed_lanes];
    const auto gather = [&](const vector_t<S>* from, const auto* index) {
      for (int i = 0; i < Vectors; ++i)
        sum[i] = lanes::multiply_add(v[i], lanes::gather(from, index + i * lanes::lanes), sum[i]);
    };
    switch (how) {
      case x_access::neighbours:
        for (int i = 0; i < Vectors; ++i)
          sum[i] = lanes::multiply_add(v[i], lanes::load(x + of.bases[j] + i * lanes::lanes), sum[i]);
        break;
      case x_access::one:
        for (int i = 0; i < Vectors; ++i)
          sum[i] = lanes::multiply_add(v[i], lanes::all(x[of.bases[j]]), sum[i]);
        break;
      case x_access::from_starts:
        gather(x + of.bases[j], start);
        break;
      case x_access::bytes:
        gather(x + of.bases[j], delta);
        delta += packed_lanes;
        break;
      case x_access::bytes_from_starts:
        add_starts(start, delta, column);
        gather(x + of.bases[j], static_cast<const std::int32_t*>(column));
        delta += packed_lanes;
        break;
      case x_access::pairs:
        gather(x + of.bases[j], reinterpret_cast<const std::uint16_t*>(delta));
        delta += packed_lanes * sizeof(std::uint16_t);
        break;
      case x_access::pairs_from_starts:
        add_starts(start, reinterpret_cast<const std::uint16_t*>(delta), column);
        gather(x + of.bases[j], static_cast<const std::int32_t*>(column));
        delta += packed_lanes * sizeof(std::uint16_t);
        break;
      case x_access::columns:
        gather(x, reinterpret_cast<const std::int32_t*>(delta));
        delta += packed_lanes * sizeof(std::int32_t);
    }
  }
}

/// The column of a lane in a step. The lane must have that step.
template <class V>
inline std::int32_t column_at(packed_columns how, const arrays<V>& of, const std::int32_t* start, int step,
                              int lane) {
  const int place = step * packed_lanes + lane;
  switch (how) {
    case packed_columns::none:
      return of.bases[step] + start[lane];
    case packed_columns::one:
      return of.bases[step] + start[lane] + of.columns[place];
    case packed_columns::two:
      return of.bases[step] + start[lane] + reinterpret_cast<const std::uint16_t*>(of.columns)[place];
    case packed_columns::four:
      break;
  }
  return reinterpret_cast<const std::int32_t*>(of.columns)[place];
}

/// Adds the steps that some lanes lack, lane by lane.
template <class S>
inline void add_rest(const packed_pointers<matrix_t<S>>& a, const packed_slice& s,
                     const arrays<matrix_t<S>>& of, const std::int32_t* start, const vector_t<S>* x,
                     sum_t<S>* sums) {
  for (int l = 0; l < packed_lanes; ++l) {
    const int missing =
        s.misses_many() ? reinterpret_cast<const std::uint16_t*>(of.missing)[l] : of.missing[l];
    for (int j = s.shortest; j < s.steps - missing; ++j)
      sums[l] += value_at(a, s.values(), of.values, j * packed_lanes + l, j) *
                 x[column_at(s.columns(), of, start, j, l)];
  }
}

/// The start of each lane, to which its deltas are added.
template <class V>
inline void starts_of_lanes(const packed_slice& s, const arrays<V>& of, std::int32_t* start) {
  for (int l = 0; l < packed_lanes; ++l) {
    start[l] = 0;
    if (s.starts() == packed_starts::row)
      start[l] = s.lists_rows() ? of.rows[l >> s.sharing()] : l >> s.sharing();
    if (s.starts() == packed_starts::given) start[l] = of.starts[l];
  }
}

template <class S>
inline void multiply_lane_slice(const packed_pointers<matrix_t<S>>& a, const product<S>& p,
                                const packed_slice& s, sum_t<S>* slots) {
  using lanes = vec<sum_t<S>>;
  constexpr int vectors = packed_lanes / lanes::lanes;
  const arrays<matrix_t<S>> of(a.data + std::int64_t{s.at} * packed_piece, s);
  if (s.is_diagonal_slice()) return multiply_diagonal_slice(a, p, s, of);
  const int sharing = s.sharing();
  std::int32_t start[packed_lanes];
  starts_of_lanes(s, of, start);
  lanes sum[vectors];
  for (int i = 0; i < vectors; ++i) sum[i] = lanes::zero();
  add_full_steps<S>(a, s, of, start, p.x, sum);
  sum_t<S> sums[packed_lanes];
  for (int i = 0; i < vectors; ++i) sum[i].store(sums + i * lanes::lanes);
  if (!s.is_full()) add_rest<S>(a, s, of, start, p.x, sums);
  for (int width = 1 << sharing >> 1; width > 0; width /= 2)
    for (int l = 0; l + width < packed_lanes; ++l) sums[l] += sums[l + width];
  if (s.is_row_part()) {
    slots[s.row] = sums[0];
    return;
  }
  const int rows = s.rows();
  if (s.lists_rows()) {
    for (int r = 0; r < rows; ++r) p.finish_row(s.row + of.rows[r], sums[r << sharing]);
  } else {
    for (int r = 0; r < rows; ++r) p.finish_row(s.row + r, sums[r << sharing]);
  }
}

// COO slices: first the products of all entries, by whole vectors across rows, then the sums of rows.

/// The products of a slice, and where its rows end. Two vectors after the last product may be read, and one
/// vector after the last end.
template <class V>
struct coo_buffer {
  V product[packed_max_coo_entries + 32];
  std::int32_t end[1 + packed_max_coo_entries + 32];
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
inline void multiply_coo_slice(const packed_pointers<matrix_t<S>>& a, const product<S>& p,
                               const packed_slice& s, coo_buffer<sum_t<S>>& buffer) {
  using few = short_vec<sum_t<S>>;
  constexpr int width = few::lanes;
  const std::uint8_t* const data = a.data + std::int64_t{s.at} * packed_piece;
  const vector_t<S>* const x = p.x + s.bases;
  if (s.columns() == packed_columns::one)
    multiply_entries<S, std::uint8_t>(a, s, data, x, buffer.product);
  else if (s.columns() == packed_columns::two)
    multiply_entries<S, std::uint16_t>(a, s, data, x, buffer.product);
  else
    multiply_entries<S, std::int32_t>(a, s, data, x, buffer.product);
  const int rows = s.rows();
  std::int32_t* const end = buffer.end + 1;
  for (int r = 0; r < rows; ++r) end[r - 1] = data[r];
  for (int r = rows - 1; r < rows + width; ++r) end[r] = s.steps;
  for (int r = 0; r < rows; r += width) {
    sum_t<S> sums[width];
    product_sums::GOSSAMER_ISA::sums_of_rows<false>(buffer.product + buffer.end[r], buffer.end + r)
        .store(sums);
    const int count = rows - r < width ? rows - r : width;
    for (int i = 0; i < count; ++i) p.finish_row(s.row + r + i, sums[i]);
  }
}

template <class S>
void whole_slices(const packed_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first_unit,
                  std::int64_t last_unit, sum_t<S>* slots) {
  const std::int64_t last = a.unit_slice[last_unit];
  coo_buffer<sum_t<S>> buffer;
  for (std::int64_t i = a.unit_slice[first_unit]; i < last; ++i) {
    if (a.slice[i].is_coo_slice())
      multiply_coo_slice(a, p, a.slice[i], buffer);
    else
      multiply_lane_slice(a, p, a.slice[i], slots);
  }
}

}  // namespace gossamer::inline v0::formats::packed_kernels::GOSSAMER_ISA

// Last, since it uses the functions above.
#include "formats/packed/cpu/packs.inl"
