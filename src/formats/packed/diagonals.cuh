// SPDX-License-Identifier: BSD-3-Clause
// A slice on diagonals on a CUDA device: a lane has four rows, 32 apart, so that what a diagonal takes is shared by four and the addresses of
// x differ by constants.
#pragma once

#include "formats/packed/steps.cuh"

namespace gossamer::inline v0::formats {

/// The values of a lane's four rows on one diagonal.
template <packed_values W, class V>
__device__ __forceinline__ void load_diagonal(const packed_lane<V>& of, int step,
                                              V (&v)[packed_rows_of_lane]) {
  if constexpr (W == packed_values::of_step) {
    const V one = __ldg(reinterpret_cast<const V*>(of.values) + step);
#pragma unroll
    for (int r = 0; r < packed_rows_of_lane; ++r) v[r] = one;
  } else {
    packed_four<V> four;
    load_values<W>(of, step, packed_rows_of_lane, four);  // a group of four steps is here four rows
#pragma unroll
    for (int r = 0; r < packed_rows_of_lane; ++r) v[r] = four.value[r];
  }
}

/// Adds diagonals first, first + stride, ...; some rows lack one where not All.
template <packed_values W, bool All, class V>
__device__ __forceinline__ void add_diagonals(const packed_lane<V>& of, const uint4* masks, int first,
                                              int stride, V (&sum)[packed_rows_of_lane]) {
  constexpr int at_once = 2;
  const std::uint32_t bit = 1u << of.lane;
#pragma unroll 1
  for (int j = first; j < of.steps; j += at_once * stride) {
    V v[at_once][packed_rows_of_lane];
    V x[at_once][packed_rows_of_lane];
    bool has[at_once][packed_rows_of_lane];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const int step = j + k * stride;
      const bool here = k == 0 || step < of.steps;
      uint4 mask{~0u, ~0u, ~0u, ~0u};
      if (!All && here) mask = __ldg(masks + step);
      has[k][0] = here && (All || (mask.x & bit) != 0);
      has[k][1] = here && (All || (mask.y & bit) != 0);
      has[k][2] = here && (All || (mask.z & bit) != 0);
      has[k][3] = here && (All || (mask.w & bit) != 0);
      if (here) load_diagonal<W>(of, step, v[k]);
      const V* const from = of.from + (here ? __ldg(of.bases + step) : 0);
#pragma unroll
      for (int r = 0; r < packed_rows_of_lane; ++r)
        x[k][r] = exec::load_if(has[k][r], from + r * packed_lanes, V{0});
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k)
#pragma unroll
      for (int r = 0; r < packed_rows_of_lane; ++r)
        if (has[k][r]) sum[r] += v[k][r] * x[k][r];
  }
}

template <bool All, class V>
__device__ __forceinline__ void add_diagonals(packed_values values, const packed_lane<V>& of,
                                              const uint4* masks, int first, int stride,
                                              V (&sum)[packed_rows_of_lane]) {
  switch (values) {
    case packed_values::constant:
      return add_diagonals<packed_values::constant, All>(of, masks, first, stride, sum);
    case packed_values::of_step:
      return add_diagonals<packed_values::of_step, All>(of, masks, first, stride, sum);
    case packed_values::table4:
      return add_diagonals<packed_values::table4, All>(of, masks, first, stride, sum);
    case packed_values::table8:
      return add_diagonals<packed_values::table8, All>(of, masks, first, stride, sum);
    case packed_values::narrow:
      if constexpr (sizeof(V) > sizeof(float))
        return add_diagonals<packed_values::narrow, All>(of, masks, first, stride, sum);
      break;
    case packed_values::full:
      break;
  }
  add_diagonals<packed_values::full, All>(of, masks, first, stride, sum);
}

}  // namespace gossamer::inline v0::formats
