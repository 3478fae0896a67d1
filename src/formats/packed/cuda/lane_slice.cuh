// SPDX-License-Identifier: BSD-3-Clause
// A lane slice on a CUDA device. A lane processes its steps in groups of four, two groups at once. There is
// straight-line code for each encoding, so all columns and values of two groups are loaded before any x, and
// all x before any sum.
#pragma once

#include <type_traits>

#include "exec/cuda/kernel/dependent_launch.cuh"
#include "exec/cuda/kernel/packed_loads.cuh"
#include "formats/packed/layout.hpp"

namespace gossamer::inline v0::formats {

/// The kinds of slices that a matrix has. Its kernel has code for these only, since code for more kinds takes
/// more registers. It is a type because nvcc 13.0 cannot compile kernel templates over such a value.
template <bool LaneSlices, bool CooSlices, bool CutRows, bool Halves, bool Table, bool RowsShared = false,
          bool ElidedDeltas = false>
struct packed_kinds {
  static constexpr bool lane_slices = LaneSlices;      ///< some slice is a lane slice
  static constexpr bool coo_slices = CooSlices;        ///< some slice is a COO slice
  static constexpr bool cut_rows = CutRows;            ///< some row is cut into row parts
  static constexpr bool halves = Halves;               ///< some slice has values of 2 bytes
  static constexpr bool table = Table;                 ///< some slice uses the table
  static constexpr bool rows_shared = RowsShared;      ///< two warps share the rows of a diagonal slice
  static constexpr bool elided_deltas = ElidedDeltas;  ///< some slice elides deltas
};

/// f(std::integral_constant<packed_values, W>()) for the encoding W = values, if the kernel has code for it.
/// HasSteps is false for COO slices, which never have one value for each step.
template <class Kinds, class V, bool HasSteps = true, class F>
__device__ __forceinline__ auto with_values(packed_values values, F&& f) {
  switch (values) {
    case packed_values::of_step:
      if constexpr (HasSteps) return f(std::integral_constant<packed_values, packed_values::of_step>());
      [[fallthrough]];
    case packed_values::constant:
      return f(std::integral_constant<packed_values, packed_values::constant>());
    case packed_values::table4:
      if constexpr (Kinds::table) return f(std::integral_constant<packed_values, packed_values::table4>());
      break;
    case packed_values::table8:
      if constexpr (Kinds::table) return f(std::integral_constant<packed_values, packed_values::table8>());
      break;
    case packed_values::half:
      if constexpr (Kinds::halves) return f(std::integral_constant<packed_values, packed_values::half>());
      break;
    case packed_values::narrow:
      if constexpr (sizeof(V) > sizeof(float))
        return f(std::integral_constant<packed_values, packed_values::narrow>());
      break;
    case packed_values::full:
      break;
  }
  return f(std::integral_constant<packed_values, packed_values::full>());
}

/// The arrays of a lane slice, as one lane reads them.
template <class S>
struct packed_lane {
  const std::int32_t* bases;
  const std::uint8_t* columns;
  const std::uint8_t* values;
  int steps;
  int shortest;  ///< steps that all lanes have
  int lane;
  int count;                 ///< steps that the lane has
  const vector_t<S>* from;   ///< x plus the lane's start
  const matrix_t<S>* table;  ///< in shared memory
  exec::l2_policy policy;
  packed_half<matrix_t<S>> half;
  exec::dependent_launch dependent;
  std::uint32_t stored_steps = 0;  ///< packed_stored_steps() of the group with the lane's index
};

/// Where the deltas of a group of four steps are stored, in a slice with elided deltas: in one or two whole
/// groups of stored deltas. The upper half of the result is the index of the first. Below, four bits for each
/// step select one of the eight deltas.
__device__ __forceinline__ std::uint32_t packed_stored_steps(const packed_delta_mask& mask, int group) {
  std::uint32_t before = 0;  // steps before the group that store their deltas
  std::uint32_t here = 0;    // bits of the group's steps
#pragma unroll
  for (int w = 0; w < packed_max_masked_steps / 32; ++w) {
    const int shift = 4 * group - 32 * w;
    if (shift >= 32)
      before += static_cast<std::uint32_t>(__popc(mask.word[w]));
    else if (shift >= 0) {
      before += static_cast<std::uint32_t>(__popc(mask.word[w] & ((1u << shift) - 1)));
      here = mask.word[w] >> shift & 0xfu;
    }
  }
  const std::uint32_t first = before + (here & 1u) - 1;
  const std::uint32_t second = (first & 3u) + (here >> 1 & 1u);
  const std::uint32_t third = second + (here >> 2 & 1u);
  return first >> 2 << 16 | (first & 3u) | second << 4 | third << 8 | (third + (here >> 3)) << 12;
}

/// Decodes the value of 2 bytes in the upper half of `word`. The lower half is ignored.
__device__ __forceinline__ double half_value(const packed_half<double>& how, std::uint32_t word) {
  const int upper = static_cast<int>(word) >> how.right & static_cast<int>(how.mask);
  return __hiloint2double(upper, 0) * how.scale;
}
__device__ __forceinline__ float half_value(const packed_half<float>& how, std::uint32_t word) {
  return __int_as_float(static_cast<int>(word) >> how.right & static_cast<int>(how.mask)) * how.scale;
}
/// The same for value i of some that were loaded together.
template <int Count, class V>
__device__ __forceinline__ V half_value(const packed_half<V>& how, const exec::packed<Count>& stored, int i) {
  const std::uint32_t word = stored.word[i / 2];
  return half_value(how, i % 2 == 0 ? word << 16 : word);
}

template <class V>
struct packed_four {
  std::int32_t column[4];
  V value[4];
};

/// Loads the four encoded numbers of a lane in a group, each of 1 << Width bytes; zeros if not `there`.
template <int Width, class S>
__device__ __forceinline__ void load_four_numbers(const packed_lane<S>& of, const std::uint8_t* numbers,
                                                  int group, bool there, std::uint32_t (&number)[4]) {
  const exec::packed<4> four = exec::load_packed_if<Width, 4>(
      there, numbers + (static_cast<std::uint32_t>(group * packed_lanes + of.lane) * 4u << Width), of.policy);
  exec::unpack(four, Width, number);
}

/// The same for a group of `here` steps. It loads one by one if there are less than four.
template <int Width, class S>
__device__ __forceinline__ void load_numbers(const packed_lane<S>& of, const std::uint8_t* numbers, int group,
                                             int here, std::uint32_t (&number)[4]) {
  if (here == 4) return load_four_numbers<Width>(of, numbers, group, true, number);
  const std::uint8_t* const one =
      numbers + (static_cast<std::uint32_t>(group * 4 * packed_lanes + of.lane) << Width);
#pragma unroll
  for (int t = 0; t < 4; ++t)
    number[t] = exec::load_number_if<Width>(t < here, one + (t * packed_lanes << Width));
}

/// Loads the deltas of a group of steps, some of which may be elided. All lanes call it.
template <int Width, class S>
__device__ __forceinline__ void load_elided_deltas(const packed_lane<S>& of, int group,
                                                   std::uint32_t (&delta)[4]) {
  const std::uint32_t which = __shfl_sync(0xffffffffu, of.stored_steps, group);
  const std::uint8_t* const from =
      of.columns + (((which >> 16) * packed_lanes + static_cast<std::uint32_t>(of.lane)) * 4u << Width);
  const exec::packed<4> one = exec::load_packed_if<Width, 4>(true, from, of.policy);
  const exec::packed<4> other =
      exec::load_packed_if<Width, 4>((which & 0x4000u) != 0, from + (packed_lanes * 4u << Width), of.policy);
  if constexpr (Width == 0) {
    exec::packed<4> four;
    four.word[0] = __byte_perm(one.word[0], other.word[0], which & 0xffffu);
    exec::unpack(four, Width, delta);
  } else {
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      const std::uint32_t i = which >> 4 * t & 7u;
      const std::uint32_t low = i < 4 ? one.word[0] : other.word[0];
      const std::uint32_t high = i < 4 ? one.word[1] : other.word[1];
      delta[t] = __byte_perm(low, high, (i & 3u) * 0x22u + 0x10u) & 0xffffu;
    }
  }
}

template <packed_columns C, bool Elides, class S>
__device__ __forceinline__ void load_columns(const packed_lane<S>& of, int group, int here,
                                             packed_four<matrix_t<S>>& to) {
  int4 base{};
  if constexpr (C != packed_columns::four)
    base = __ldg(reinterpret_cast<const int4*>(of.bases) + group);  // padded to whole pieces
  std::uint32_t delta[4] = {};
  if constexpr (Elides) {
    load_elided_deltas<C == packed_columns::one ? 0 : 1>(of, group, delta);
  } else if constexpr (C != packed_columns::none) {
    constexpr int width = C == packed_columns::one ? 0 : C == packed_columns::two ? 1 : 2;
    load_numbers<width>(of, of.columns, group, here, delta);
  }
  to.column[0] = base.x + static_cast<std::int32_t>(delta[0]);
  to.column[1] = base.y + static_cast<std::int32_t>(delta[1]);
  to.column[2] = base.z + static_cast<std::int32_t>(delta[2]);
  to.column[3] = base.w + static_cast<std::int32_t>(delta[3]);
}

/// Loads the four values of a whole group, each of 4 or 8 bytes; zeros if not `there`.
template <class W, class S>
__device__ __forceinline__ void load_four_in_full(const packed_lane<S>& of, int group, bool there,
                                                  W (&v)[4]) {
  constexpr int together = packed_piece / sizeof(W);
  const W* const from =
      reinterpret_cast<const W*>(of.values) + (group * (4 / together) * packed_lanes + of.lane) * together;
#pragma unroll
  for (int h = 0; h < 4 / together; ++h) {
    W some[together] = {};
    exec::load_piece(there, from + h * packed_lanes * together, some, of.policy);
#pragma unroll
    for (int i = 0; i < together; ++i) v[h * together + i] = some[i];
  }
}

/// The same for a group of `here` steps.
template <class W, class S>
__device__ __forceinline__ void load_in_full(const packed_lane<S>& of, int group, int here, W (&v)[4]) {
  if (here == 4) return load_four_in_full(of, group, true, v);
#pragma unroll
  for (int t = 0; t < 4; ++t)
    v[t] = exec::load_if(
        t < here,
        reinterpret_cast<const W*>(of.values) + packed_place(static_cast<std::uint32_t>(group * 4 + t),
                                                             of.lane, of.steps, packed_piece / sizeof(W)),
        W{0});
}

/// Loads the four values of a whole group, each of 2 bytes; zeros if not `there`.
template <class S>
__device__ __forceinline__ void load_four_halves(const packed_lane<S>& of, int group, bool there,
                                                 matrix_t<S> (&v)[4]) {
  const exec::packed<4> four = exec::load_packed_if<1, 4>(
      there, of.values + static_cast<std::uint32_t>(group * packed_lanes + of.lane) * 8u, of.policy);
#pragma unroll
  for (int t = 0; t < 4; ++t) v[t] = half_value(of.half, four, t);
}

template <packed_values W, class S>
__device__ __forceinline__ void load_values(const packed_lane<S>& of, int group, int here,
                                            packed_four<matrix_t<S>>& to) {
  const matrix_t<S>* const constants = reinterpret_cast<const matrix_t<S>*>(of.values);
  if constexpr (W == packed_values::constant) {
    const matrix_t<S> v = __ldg(constants);
#pragma unroll
    for (int t = 0; t < 4; ++t) to.value[t] = v;
  } else if constexpr (W == packed_values::of_step) {
#pragma unroll
    for (int t = 0; t < 4; ++t)
      to.value[t] = exec::load_if(t < here, constants + group * 4 + t, matrix_t<S>{0});
  } else if constexpr (W == packed_values::table4) {
    const auto* const words = reinterpret_cast<const std::uint16_t*>(of.values);
    const std::uint32_t word = exec::load_number_if<1>(here > 0, words + group * packed_lanes + of.lane);
#pragma unroll
    for (int t = 0; t < 4; ++t) to.value[t] = of.table[word >> 4 * t & 0xfu];
  } else if constexpr (W == packed_values::table8) {
    std::uint32_t code[4];
    load_numbers<0>(of, of.values, group, here, code);
#pragma unroll
    for (int t = 0; t < 4; ++t) to.value[t] = of.table[code[t]];
  } else if constexpr (W == packed_values::half) {
    if (here == 4) return load_four_halves(of, group, true, to.value);
    std::uint32_t number[4];
    load_numbers<1>(of, of.values, group, here, number);
#pragma unroll
    for (int t = 0; t < 4; ++t) to.value[t] = half_value(of.half, number[t] << 16);
  } else if constexpr (W == packed_values::narrow) {
    float v[4];
    load_in_full(of, group, here, v);
#pragma unroll
    for (int t = 0; t < 4; ++t) to.value[t] = static_cast<matrix_t<S>>(v[t]);
  } else {
    load_in_full(of, group, here, to.value);
  }
}

/// Whether a lane slice calls dependent_launch::wait() after its first columns and values are loaded. For f32
/// the registers do not suffice.
template <class V>
inline constexpr bool packed_waits_late = sizeof(V) > sizeof(float);

/// Adds the products of two groups of four steps, `stride` apart, to `sum`. All: all lanes have all of these
/// steps. is_first: it calls dependent_launch::wait() before it reads x.
template <packed_columns C, bool Elides, packed_values W, bool All, class S>
__device__ __forceinline__ sum_t<S> add_two_groups(const packed_lane<S>& of, int group, int stride,
                                                   bool is_first, sum_t<S> sum) {
  constexpr int at_once = 2;
  packed_four<matrix_t<S>> four[at_once] = {};
#pragma unroll
  for (int k = 0; k < at_once; ++k) {
    const int g = group + k * stride;
    // A negative number means no step. It is not clamped to zero: ptxas 13.0 compiles max(min(a, 4), 0) == 4
    // to a <= 4 (VIMNMX.RELU with a predicate).
    const int here = All ? 4 : min(of.steps - 4 * g, 4);
    if (All || k == 0 || here > 0) {
      load_columns<C, Elides>(of, g, here, four[k]);
      load_values<W>(of, g, here, four[k]);
    }
  }
  const auto has = [&](int k, int t) { return All || 4 * (group + k * stride) + t < of.count; };
  if (packed_waits_late<sum_t<S>> && is_first) of.dependent.wait();
  const vector_t<S>* from = of.from;
  asm volatile("" : "+l"(from));  // prevents adding the lane's start to each column again
  vector_t<S> x[at_once][4];
#pragma unroll
  for (int k = 0; k < at_once; ++k)
#pragma unroll
    for (int t = 0; t < 4; ++t)
      x[k][t] = exec::load_vector_if(has(k, t), from + four[k].column[t], vector_t<S>{0});
#pragma unroll
  for (int k = 0; k < at_once; ++k)
#pragma unroll
    for (int t = 0; t < 4; ++t)
      sum += four[k].value[t] * x[k][t];  // a missing step adds a finite value times zero
  return sum;
}

/// The sum of the products of groups first, first + stride, ... of four steps. It calls
/// dependent_launch::wait() exactly once, also if there are no groups.
template <packed_columns C, bool Elides, packed_values W, class S>
__device__ __forceinline__ sum_t<S> sum_groups(const packed_lane<S>& of, int first, int stride) {
  sum_t<S> sum{0};
  int group = first;
  if (!packed_waits_late<sum_t<S>> || 4 * group >= of.steps) of.dependent.wait();
#pragma unroll 1
  for (; 4 * (group + stride) + 4 <= of.shortest; group += 2 * stride)
    sum = add_two_groups<C, Elides, W, true>(of, group, stride, group == first, sum);
#pragma unroll 1
  for (; 4 * group < of.steps; group += 2 * stride)
    sum = add_two_groups<C, Elides, W, false>(of, group, stride, group == first, sum);
  return sum;
}

template <class Kinds, packed_columns C, bool Elides, class S>
__device__ __forceinline__ sum_t<S> sum_groups(packed_values values, const packed_lane<S>& of, int first,
                                               int stride) {
  return with_values<Kinds, matrix_t<S>>(
      values, [&](auto w)
                  __attribute__((always_inline)) { return sum_groups<C, Elides, w()>(of, first, stride); });
}

template <class Kinds, class S>
__device__ __forceinline__ sum_t<S> sum_groups(const packed_slice& s, const packed_lane<S>& of, int first,
                                               int stride) {
  const packed_values values = s.values();
  if constexpr (Kinds::elided_deltas) {
    if (s.elides_deltas()) {
      if (s.columns() == packed_columns::one)
        return sum_groups<Kinds, packed_columns::one, true>(values, of, first, stride);
      return sum_groups<Kinds, packed_columns::two, true>(values, of, first, stride);
    }
  }
  switch (s.columns()) {
    case packed_columns::none:
      return sum_groups<Kinds, packed_columns::none, false>(values, of, first, stride);
    case packed_columns::one:
      return sum_groups<Kinds, packed_columns::one, false>(values, of, first, stride);
    case packed_columns::two:
      return sum_groups<Kinds, packed_columns::two, false>(values, of, first, stride);
    case packed_columns::four:
      break;
  }
  return sum_groups<Kinds, packed_columns::four, false>(values, of, first, stride);
}

}  // namespace gossamer::inline v0::formats
