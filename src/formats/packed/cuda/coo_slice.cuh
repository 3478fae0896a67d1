// SPDX-License-Identifier: BSD-3-Clause
// A COO slice on a CUDA device, processed by one warp. It loads all columns and values at once, then all x.
// The products go through shared memory to the lanes that add them, by a segmented scan.
#pragma once

#include "formats/packed/cuda/lane_slice.cuh"

namespace gossamer::inline v0::formats {

/// How the entries of a COO slice are distributed over the lanes of a warp: in groups of contiguous entries
/// whose values fill a piece, so that each load and store is a whole piece.
template <class V>
struct packed_coo_lanes {
  static constexpr int together = packed_piece / sizeof(V);
  static constexpr int stride = packed_lanes * together;
  static constexpr int groups = packed_max_coo_entries / stride;
  static constexpr int of_128_bytes = 128 / sizeof(V);
  /// The position of product k in shared memory. A group stays empty after each 128 bytes, so lanes that read
  /// eight contiguous products each have no bank conflicts.
  static __device__ __forceinline__ int place(int k) { return k + k / of_128_bytes * together; }
  static constexpr int places = packed_max_coo_entries / of_128_bytes * (of_128_bytes + together);
};

/// The shared memory of a warp for a COO slice.
template <class V>
struct alignas(packed_piece) packed_coo_buffer {
  V product[packed_coo_lanes<V>::places];
  std::uint8_t start[packed_max_coo_entries];
  std::uint8_t begins[packed_max_coo_entries];  ///< for each entry, whether it is the first of its row
};

template <int Count>
__device__ __forceinline__ void store_pieces(double* to, const double (&v)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; i += 2) reinterpret_cast<double2*>(to)[i / 2] = make_double2(v[i], v[i + 1]);
}
template <int Count>
__device__ __forceinline__ void store_pieces(float* to, const float (&v)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; i += 4)
    reinterpret_cast<float4*>(to)[i / 4] = make_float4(v[i], v[i + 1], v[i + 2], v[i + 3]);
}
template <int Count>
__device__ __forceinline__ void load_pieces(const double* from, double (&v)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; i += 2) {
    const double2 two = reinterpret_cast<const double2*>(from)[i / 2];
    v[i] = two.x;
    v[i + 1] = two.y;
  }
}
template <int Count>
__device__ __forceinline__ void load_pieces(const float* from, float (&v)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; i += 4) {
    const float4 four = reinterpret_cast<const float4*>(from)[i / 4];
    v[i] = four.x;
    v[i + 1] = four.y;
    v[i + 2] = four.z;
    v[i + 3] = four.w;
  }
}

template <class S>
struct packed_coo_entries {
  const std::uint8_t* starts;
  const std::uint8_t* columns;
  const std::uint8_t* values;
  const vector_t<S>* x;  ///< at the smallest column
  const matrix_t<S>* table;
  int rows;
  int count;
  int lane;
  exec::l2_policy policy;
  packed_half<matrix_t<S>> half;
  exec::dependent_launch dependent;
};

/// The values of a lane's contiguous entries from `first` on. After the last entry they are any finite
/// values.
template <packed_values W, class S, int Together>
struct packed_coo_values {
  exec::packed<Together> codes;
  float narrow[Together];
  matrix_t<S> full[Together];

  __device__ __forceinline__ void load(const packed_coo_entries<S>& of, int first) {
    const bool there = first < of.count;
    if constexpr (W == packed_values::table4) {
      constexpr int width = Together == 2 ? 0 : 1;
      codes.word[0] = exec::load_number_if<width>(there, of.values + first / 2);
    } else if constexpr (W == packed_values::table8) {
      codes = exec::load_packed_if<0, Together>(there, of.values + first, of.policy);
    } else if constexpr (W == packed_values::half) {
      codes = exec::load_packed_if<1, Together>(there, of.values + first * 2, of.policy);
    } else if constexpr (W == packed_values::narrow) {
      exec::load_piece(there, reinterpret_cast<const float*>(of.values) + first, narrow, of.policy);
    } else if constexpr (W == packed_values::full) {
      exec::load_piece(there, reinterpret_cast<const matrix_t<S>*>(of.values) + first, full, of.policy);
    }
  }
  /// constant: the value of all entries, for W = constant.
  __device__ __forceinline__ matrix_t<S> value(const packed_coo_entries<S>& of, int i,
                                               matrix_t<S> constant) const {
    if constexpr (W == packed_values::table4) return of.table[codes.word[0] >> 4 * i & 0xfu];
    if constexpr (W == packed_values::table8) return of.table[__byte_perm(codes.word[0], 0, 0x4440u + i)];
    if constexpr (W == packed_values::half) return half_value(of.half, codes, i);
    if constexpr (W == packed_values::narrow) return static_cast<matrix_t<S>>(narrow[i]);
    if constexpr (W == packed_values::full) return full[i];
    return constant;
  }
};

/// Writes the products, the starts of rows, and the marks of first entries to the warp's buffer. It calls
/// dependent_launch::wait() before it reads x. Nothing else stands between the loads and their first uses.
template <packed_columns C, packed_values W, class S>
__device__ __forceinline__ void multiply_entries(const packed_coo_entries<S>& of,
                                                 packed_coo_buffer<sum_t<S>>& buffer) {
  using lanes = packed_coo_lanes<sum_t<S>>;
  constexpr int width = C == packed_columns::one ? 0 : C == packed_columns::two ? 1 : 2;
  reinterpret_cast<uint2*>(buffer.begins)[of.lane] = uint2{};
  __syncwarp();  // before any lane marks an entry
  exec::packed<lanes::together> raw[lanes::groups];
  packed_coo_values<W, S, lanes::together> values[lanes::groups];
  matrix_t<S> constant{0};
#pragma unroll
  for (int g = 0; g < lanes::groups; ++g) {
    const int first = g * lanes::stride + of.lane * lanes::together;
    raw[g] = exec::load_packed_if<width, lanes::together>(first < of.count, of.columns + (first << width),
                                                          of.policy);
    values[g].load(of, first);
  }
  if constexpr (W == packed_values::constant)
    constant = exec::load_if(true, reinterpret_cast<const matrix_t<S>*>(of.values), matrix_t<S>{0});
  // Always true. Without a branch ptxas moves the loads behind the wait.
  if (of.rows > 0) of.dependent.wait();
  const vector_t<S>* from = of.x;
  asm volatile("" : "+l"(from));  // prevents adding the smallest column to each column again
  vector_t<S> x[lanes::groups][lanes::together];
#pragma unroll
  for (int g = 0; g < lanes::groups; ++g) {
    const int first = g * lanes::stride + of.lane * lanes::together;
    std::uint32_t column[lanes::together];
    exec::unpack(raw[g], width, column);
#pragma unroll
    for (int i = 0; i < lanes::together; ++i)
      x[g][i] = exec::load_vector_if(first + i < of.count, from + column[i], vector_t<S>{0});
  }
  // Loaded together with x, when the registers of the columns are free.
  constexpr int starts = 8;
  const int first_start = of.lane * starts;
  const exec::packed<starts> start =
      exec::load_packed_if<0, starts>(first_start < of.rows, of.starts + first_start, of.policy);
#pragma unroll
  for (int g = 0; g < lanes::groups; ++g) {
    sum_t<S> product[lanes::together];
#pragma unroll
    for (int i = 0; i < lanes::together; ++i) product[i] = values[g].value(of, i, constant) * x[g][i];
    store_pieces(buffer.product + lanes::place(g * lanes::stride + of.lane * lanes::together), product);
  }
  *reinterpret_cast<uint2*>(buffer.start + first_start) = make_uint2(start.word[0], start.word[1]);
  // An empty row marks the first entry of the next nonempty row, or the position after the last entry.
#pragma unroll
  for (int i = 0; i < starts; ++i)
    if (first_start + i < of.rows) buffer.begins[start.word[i / 4] >> i % 4 * 8 & 0xffu] = 1;
}

template <class Kinds, packed_columns C, class S>
__device__ __forceinline__ void multiply_entries(packed_values values, const packed_coo_entries<S>& of,
                                                 packed_coo_buffer<sum_t<S>>& buffer) {
  with_values<Kinds, matrix_t<S>, false>(
      values, [&](auto w) __attribute__((always_inline)) { multiply_entries<C, w()>(of, buffer); });
}

/// Calls finish(r, sums) for rows r, r + 32, ..., as many as `Rows`, each row once. Each lane scans eight
/// contiguous products within their rows, and a segmented scan over lanes adds the sums of rows that several
/// lanes share. Its time does not depend on the row lengths, and the order of additions depends on the starts
/// only.
template <int Rows, class V, class Finish>
__device__ __forceinline__ void sum_coo_rows(packed_coo_buffer<V>& buffer, int rows, int entries, int lane,
                                             Finish&& finish) {
  using lanes = packed_coo_lanes<V>;
  constexpr unsigned everyone = 0xffffffffu;
  constexpr int mine = packed_max_coo_entries / packed_lanes;
  V* const product = buffer.product + lanes::place(lane * mine);
  V sum[mine];
  load_pieces(product, sum);
  static_assert(mine == 8);
  const uint2 begins = reinterpret_cast<const uint2*>(buffer.begins)[lane];
  const auto begins_row = [&](int i) { return ((i < 4 ? begins.x : begins.y) >> i % 4 * 8 & 1u) != 0; };
#pragma unroll
  for (int i = 1; i < mine; ++i)
    if (!begins_row(i)) sum[i] += sum[i - 1];
  const unsigned beginners = __ballot_sync(everyone, (begins.x | begins.y) != 0);
  // The last lane up to this one in which a row begins. The first entry begins a row.
  const int from = lane - __clz(static_cast<int>(beginners << (packed_lanes - 1 - lane)));
  V last = sum[mine - 1];
#pragma unroll
  for (int distance = 1; distance < packed_lanes; distance *= 2) {
    const V before = __shfl_up_sync(everyone, last, distance);
    if (lane - distance >= from) last += before;
  }
  const V before = __shfl_up_sync(everyone, last, 1);
  bool goes_on = lane > 0;
#pragma unroll
  for (int i = 0; i < mine; ++i) {
    goes_on = goes_on && !begins_row(i);
    if (goes_on) sum[i] += before;
  }
  store_pieces(product, sum);
  __syncwarp();
#pragma unroll 1
  for (int first = lane; first < rows; first += Rows * packed_lanes) {
    V of_row[Rows] = {};
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      const int r = first + k * packed_lanes;
      if (Rows > 1 && r >= rows) continue;
      const int begin = buffer.start[r];
      const int end = r + 1 < rows ? buffer.start[r + 1] : entries;
      if (end > begin) of_row[k] = buffer.product[lanes::place(end - 1)];
    }
    finish(first, of_row);
  }
}

/// A whole warp calls it. `row`: the slice's first row, in shared memory, which is read at the end only.
template <class Kinds, class S>
__device__ __forceinline__ void multiply_coo_slice(const packed_slice& s, const packed_coo_entries<S>& of,
                                                   packed_coo_buffer<sum_t<S>>& buffer,
                                                   const std::int32_t& row,
                                                   exec::finished_rows<S>& finished) {
  if (s.columns() == packed_columns::one)
    multiply_entries<Kinds, packed_columns::one>(s.values(), of, buffer);
  else if (s.columns() == packed_columns::two)
    multiply_entries<Kinds, packed_columns::two>(s.values(), of, buffer);
  else
    multiply_entries<Kinds, packed_columns::four>(s.values(), of, buffer);
  __syncwarp();
  of.dependent.trigger();
  constexpr int rows_at_once = exec::finished_rows<S>::rows_at_once;
  sum_coo_rows<rows_at_once>(
      buffer, s.rows(), of.count, of.lane,
      [&](int r, const sum_t<S>(&sum)[rows_at_once]) { finished.finish_all(row + r, row + s.rows(), sum); });
}

}  // namespace gossamer::inline v0::formats
