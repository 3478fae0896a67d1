// SPDX-License-Identifier: BSD-3-Clause
// A diagonal slice on a CUDA device. A lane has four rows, 32 apart, so one base serves four entries, and the
// addresses of x differ by constants.
#pragma once

#include "formats/packed/cuda/lane_slice.cuh"

namespace gossamer::inline v0::formats {

/// The data of two diagonals that is prefetched, except for x.
struct packed_two_diagonals {
  int2 base{};
  std::uint32_t rows = 0xffu;  ///< mask: the lane's rows with an entry on the first, then on the second
  exec::packed<1> codes[2];    ///< table indices of the lane's four rows
};

template <packed_values W, bool All, class S>
__device__ __forceinline__ packed_two_diagonals load_two_diagonals(const packed_lane<S>& of,
                                                                   const std::uint8_t* masks, int pair) {
  constexpr int width = W == packed_values::table4 ? 1 : 2;
  packed_two_diagonals to;
  const bool here = 2 * pair < of.steps;
  if (here) to.base = __ldg(reinterpret_cast<const int2*>(of.bases) + pair);  // padded to whole pieces
  if (!All) to.rows = exec::load_number_if<0>(here, masks + pair * packed_lanes + of.lane);
  if constexpr (W == packed_values::table4 || W == packed_values::table8) {
    const std::uint8_t* const codes = of.values + (2 * pair * packed_lanes + of.lane << width);
#pragma unroll
    for (int k = 0; k < 2; ++k)
      to.codes[k] = exec::load_packed_if<width, 1>(2 * pair + k < of.steps,
                                                   codes + (k * packed_lanes << width), of.policy);
  }
  return to;
}

/// The values of a lane's four rows on one diagonal; any finite values if not `there`. Uncompressed values
/// are stored like those of a group of four steps.
template <packed_values W, class S>
__device__ __forceinline__ void load_diagonal(const packed_lane<S>& of, int step, bool there,
                                              std::uint32_t codes, matrix_t<S> (&v)[packed_rows_of_lane]) {
  if constexpr (W == packed_values::constant || W == packed_values::of_step) {
    const matrix_t<S>* const constants = reinterpret_cast<const matrix_t<S>*>(of.values);
    const matrix_t<S> one = W == packed_values::constant
                                ? __ldg(constants)
                                : exec::load_if(there, constants + step, matrix_t<S>{0});
#pragma unroll
    for (int r = 0; r < packed_rows_of_lane; ++r) v[r] = one;
  } else if constexpr (W == packed_values::table4) {
#pragma unroll
    for (int r = 0; r < packed_rows_of_lane; ++r) v[r] = of.table[codes >> 4 * r & 0xfu];
  } else if constexpr (W == packed_values::table8) {
#pragma unroll
    for (int r = 0; r < packed_rows_of_lane; ++r) v[r] = of.table[__byte_perm(codes, 0, 0x4440u + r)];
  } else if constexpr (W == packed_values::half) {
    load_four_halves(of, step, there, v);
  } else if constexpr (W == packed_values::narrow) {
    float narrow[packed_rows_of_lane];
    load_four_in_full(of, step, there, narrow);
#pragma unroll
    for (int r = 0; r < packed_rows_of_lane; ++r) v[r] = static_cast<matrix_t<S>>(narrow[r]);
  } else {
    load_four_in_full(of, step, there, v);
  }
}

/// Adds the products of pairs of diagonals first, first + stride, ... All: there are no holes. The data of
/// the next pair, except x, is loaded together with this pair's x. It calls wait_and_trigger() before the
/// first x.
template <packed_values W, bool All, class S>
__device__ __forceinline__ void add_diagonals(const packed_lane<S>& of, const std::uint8_t* masks, int first,
                                              int stride, sum_t<S> (&sum)[packed_rows_of_lane]) {
  constexpr int at_once = 2;
  const vector_t<S>* from = of.from;
  asm volatile("" : "+l"(from));  // else the lane is added to each base again
  packed_two_diagonals next = load_two_diagonals<W, All>(of, masks, first);
  exec::wait_and_trigger();
#pragma unroll 1
  for (int pair = first; 2 * pair < of.steps; pair += stride) {
    const packed_two_diagonals now = next;
    const bool has_second = 2 * pair + 1 < of.steps;
    const auto has = [&](int k, int r) {
      if (All) return k == 0 || has_second;
      std::uint32_t bit = now.rows & 1u << (k * packed_rows_of_lane + r);
      asm("" : "+r"(bit));  // else it is shifted down before it is compared with zero
      return bit != 0;
    };
    matrix_t<S> v[at_once][packed_rows_of_lane];
    vector_t<S> x[at_once][packed_rows_of_lane];
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      load_diagonal<W>(of, 2 * pair + k, k == 0 || has_second, now.codes[k].word[0], v[k]);
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const vector_t<S>* const row = from + (k == 0 ? now.base.x : now.base.y);
#pragma unroll
      for (int r = 0; r < packed_rows_of_lane; ++r)
        x[k][r] = exec::load_vector_if(has(k, r), row + r * packed_lanes, vector_t<S>{0});
    }
    next = load_two_diagonals<W, All>(of, masks, pair + stride);
#pragma unroll
    for (int k = 0; k < at_once; ++k)
#pragma unroll
      for (int r = 0; r < packed_rows_of_lane; ++r)
        sum[r] += v[k][r] * x[k][r];  // a hole adds a finite value times zero
  }
}

/// It does not use with_values(), which changes the register allocation of two kernels.
template <class Kinds, bool All, class S>
__device__ __forceinline__ void add_diagonals(packed_values values, const packed_lane<S>& of,
                                              const std::uint8_t* masks, int first, int stride,
                                              sum_t<S> (&sum)[packed_rows_of_lane]) {
  switch (values) {
    case packed_values::constant:
      return add_diagonals<packed_values::constant, All>(of, masks, first, stride, sum);
    case packed_values::of_step:
      return add_diagonals<packed_values::of_step, All>(of, masks, first, stride, sum);
    case packed_values::table4:
      if constexpr (Kinds::table)
        return add_diagonals<packed_values::table4, All>(of, masks, first, stride, sum);
      break;
    case packed_values::table8:
      if constexpr (Kinds::table)
        return add_diagonals<packed_values::table8, All>(of, masks, first, stride, sum);
      break;
    case packed_values::half:
      if constexpr (Kinds::halves)
        return add_diagonals<packed_values::half, All>(of, masks, first, stride, sum);
      break;
    case packed_values::narrow:
      if constexpr (sizeof(matrix_t<S>) > sizeof(float))
        return add_diagonals<packed_values::narrow, All>(of, masks, first, stride, sum);
      break;
    case packed_values::full:
      break;
  }
  add_diagonals<packed_values::full, All>(of, masks, first, stride, sum);
}

/// The work of one of two warps that share the rows of a diagonal slice with uncompressed values of 8 bytes.
/// In each lane row_share 0 has the first two rows and 1 the last two, whose values on a diagonal are one
/// piece. Eight diagonals are in flight at once. It calls wait_and_trigger() before the first x.
template <bool All, class S>
__device__ __forceinline__ void add_diagonals_of_row_share(const packed_lane<S>& of,
                                                           const std::uint8_t* masks, int row_share,
                                                           sum_t<S> (&sum)[packed_rows_of_lane / 2]) {
  constexpr int at_once = 8;
  constexpr int rows = packed_rows_of_lane / 2;
  static_assert(rows * sizeof(matrix_t<S>) == packed_piece);
  const vector_t<S>* from = of.from + row_share * rows * packed_lanes;
  asm volatile("" : "+l"(from));  // else the lane is added to each base again
  const matrix_t<S>* values =
      reinterpret_cast<const matrix_t<S>*>(of.values) + (row_share * packed_lanes + of.lane) * rows;
  std::int32_t base[at_once];
  std::uint32_t present[at_once / 2];  // bits, as in packed_two_diagonals
  const auto load_ahead = [&](int first) {
#pragma unroll
    for (int k = 0; k < at_once; ++k) base[k] = exec::load_if(first + k < of.steps, of.bases + first + k, 0);
    if constexpr (!All) {
#pragma unroll
      for (int k = 0; k < at_once / 2; ++k)
        present[k] = exec::load_number_if<0>(first + 2 * k < of.steps,
                                             masks + (first / 2 + k) * packed_lanes + of.lane);
    }
  };
  load_ahead(0);
  exec::wait_and_trigger();
#pragma unroll 1
  for (int first = 0; first < of.steps; first += at_once) {
    matrix_t<S> v[at_once][rows] = {};
    vector_t<S> x[at_once][rows];
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      exec::load_piece(first + k < of.steps, values + k * packed_diagonal_slice_rows, v[k], of.policy);
    values += at_once * packed_diagonal_slice_rows;
#pragma unroll
    for (int k = 0; k < at_once; ++k)
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        const int bit = k % 2 * packed_rows_of_lane + row_share * rows + r;
        const bool has = first + k < of.steps && (All || (present[k / 2] >> bit & 1u) != 0);
        x[k][r] = exec::load_vector_if(has, from + base[k] + r * packed_lanes, vector_t<S>{0});
      }
    load_ahead(first + at_once);
#pragma unroll
    for (int k = 0; k < at_once; ++k)
#pragma unroll
      for (int r = 0; r < rows; ++r) sum[r] += v[k][r] * x[k][r];  // a hole adds a finite value times zero
  }
}

/// Multiplies the rows of one of two warps that share a diagonal slice, and writes their y.
template <class S>
__device__ __forceinline__ void multiply_row_share(const packed_slice& s, const packed_lane<S>& of,
                                                   const std::uint8_t* masks, int row_share,
                                                   exec::finished_rows<S>& finished) {
  constexpr int rows = packed_rows_of_lane / 2;
  sum_t<S> sum[rows] = {};
  if (s.is_full())
    add_diagonals_of_row_share<true>(of, masks, row_share, sum);
  else
    add_diagonals_of_row_share<false>(of, masks, row_share, sum);
  finished.finish_all(s.row + row_share * rows * packed_lanes + of.lane, s.row + s.rows(), sum);
}

}  // namespace gossamer::inline v0::formats
