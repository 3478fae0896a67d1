// SPDX-License-Identifier: BSD-3-Clause
// A lane slice times several vectors on a CUDA device. A warp decodes two groups of four steps, a thread for
// each lane, and then multiplies them by all columns. In diagonal slices each pack decodes values. Each
// column is added in the order of a single product (lane_slice.cuh, diagonal_slice.cuh), so it has the same
// bits.
#pragma once

#include "exec/reduction/warp_reduction.cuh"
#include "formats/packed/cuda/diagonal_slice.cuh"
#include "formats/packed/cuda/pack_entries.cuh"

namespace gossamer::inline v0::formats {

/// Decodes groups `group` and `group` + `stride`. All: all lanes have all of their steps.
template <packed_columns C, bool Elides, packed_values W, bool All, class S, class Entries>
__device__ __forceinline__ void decode_two_groups(const packed_lane<S>& of, std::int32_t start, int group,
                                                  int stride, Entries& to) {
  constexpr int at_once = 2;
  packed_four<matrix_t<S>> four[at_once] = {};
#pragma unroll
  for (int k = 0; k < at_once; ++k) {
    const int g = group + k * stride;
    const int here = All ? 4 : min(of.steps - 4 * g, 4);
    if (All || k == 0 || here > 0) {
      load_columns<C, Elides>(of, g, here, four[k]);
      load_values<W>(of, g, here, four[k]);
    }
  }
#pragma unroll
  for (int k = 0; k < at_once; ++k) {
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      const bool has = All || 4 * (group + k * stride) + t < of.count;
      four[k].column[t] = has ? start + four[k].column[t] : Entries::none;
    }
    to.store(k, of.lane, four[k].column, four[k].value);
  }
}

template <class Kinds, class S, class Entries>
__device__ __forceinline__ void decode_two_groups(const packed_slice& s, const packed_lane<S>& of,
                                                  std::int32_t start, int group, int stride, Entries& to) {
  const auto decode = [&]<packed_columns C, bool Elides>() __attribute__((always_inline)) {
    with_values<Kinds, matrix_t<S>>(
        s.values(), [&](auto w) __attribute__((always_inline)) {
          // Only uncompressed values have code without bounds checks: for all it doubles the time to compile.
          if constexpr (w() == packed_values::full)
            if (4 * (group + stride) + 4 <= of.shortest)
              return decode_two_groups<C, Elides, w(), true>(of, start, group, stride, to);
          decode_two_groups<C, Elides, w(), false>(of, start, group, stride, to);
        });
  };
  if constexpr (Kinds::elided_deltas) {
    if (s.elides_deltas()) {
      if (s.columns() == packed_columns::one) return decode.template operator()<packed_columns::one, true>();
      return decode.template operator()<packed_columns::two, true>();
    }
  }
  switch (s.columns()) {
    case packed_columns::none:
      return decode.template operator()<packed_columns::none, false>();
    case packed_columns::one:
      return decode.template operator()<packed_columns::one, false>();
    case packed_columns::two:
      return decode.template operator()<packed_columns::two, false>();
    case packed_columns::four:
      break;
  }
  decode.template operator()<packed_columns::four, false>();
}

/// The sums of a thread: its pack in its lane of each pass.
template <class S, int Width, class Passes>
using packed_sums = sum_t<S>[Passes::most][Width];

/// Multiplies what decode_two_groups() has left.
template <bool Adjacent, class Entries, class Passes, class S, int Width>
__device__ __forceinline__ void multiply_two_groups(const Entries& entries, const Passes& passes,
                                                    const exec::vector_pack<S, Width>& pack,
                                                    packed_sums<S, Width, Passes>& sum) {
  constexpr int at_once = 2;
#pragma unroll
  for (int pass = 0; pass < Passes::most; ++pass) {
    if (pass >= passes.packs()) break;
    std::int32_t column[at_once][4];
    matrix_t<S> value[at_once][4];
    vector_t<S> x[at_once][4][Width];
#pragma unroll
    for (int k = 0; k < at_once; ++k) entries.load(k, passes.lane(pass), column[k], value[k]);
#pragma unroll
    for (int k = 0; k < at_once; ++k)
#pragma unroll
      for (int t = 0; t < 4; ++t)
        pack.template load<Adjacent>(column[k][t] >= 0,
                                     exec::element_after(pack.x, column[k][t], pack.x_step_bytes), x[k][t]);
#pragma unroll
    for (int k = 0; k < at_once; ++k)
#pragma unroll
      for (int t = 0; t < 4; ++t)
#pragma unroll
        for (int j = 0; j < Width; ++j)
          sum[pass][j] += value[k][t] * x[k][t][j];  // a missing step adds a finite value times zero
  }
}

/// Adds to the sums of each lane those of the lane `distance` away, which shares its row.
template <class Passes, class V, int Width>
__device__ __forceinline__ void add_lanes_of_row(const Passes& passes, int distance,
                                                 V (&sum)[Passes::most][Width]) {
  if (distance < passes.lanes()) {
#pragma unroll
    for (int pass = 0; pass < Passes::most; ++pass) {
      if (pass >= passes.packs()) break;
#pragma unroll
      for (int j = 0; j < Width; ++j)
        sum[pass][j] += __shfl_xor_sync(0xffffffffu, sum[pass][j], distance << passes.log2_packs);
    }
    return;
  }
  const int passes_apart = distance / passes.lanes();
#pragma unroll
  for (int apart = 1; apart < Passes::most; apart *= 2) {
    if (apart != passes_apart) continue;
#pragma unroll
    for (int pass = 0; pass < Passes::most; ++pass) {
      if ((pass & apart) != 0) continue;
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        sum[pass][j] += sum[pass + apart][j];
        sum[pass + apart][j] = sum[pass][j];
      }
    }
  }
}

/// exec::finish_part() for several columns. Thread c of the warp has the sum of column c, whose scratch
/// begins at scratch + c * apart. The counter of arrived parts of column 0 serves all columns.
template <class S, int Width>
__device__ __forceinline__ void finish_part_of_columns(const exec::carry_view& carries, std::uint32_t run,
                                                       std::int32_t slot, sum_t<S> sum, sum_t<S>* scratch,
                                                       std::int64_t apart,
                                                       const exec::vector_pack<S, Width>& all) {
  using exec::is_empty_slot;
  const int thread = static_cast<int>(threadIdx.x) % exec::warp_size;
  const std::int64_t first = carries.first[run];
  const std::int64_t last = carries.last[run];
  if (thread < all.count)
    exec::store_relaxed(scratch + thread * apart + slot, is_empty_slot(sum) ? -sum_t<S>{0} : sum);
  int is_last = 0;
  if (thread == 0) {
    const auto others = static_cast<unsigned>(last - first) - 1;
    is_last = atomicInc(exec::arrived_parts(carries, scratch, run), others) == others ? 1 : 0;
  }
  if (__shfl_sync(0xffffffffu, is_last, 0) == 0) return;
  for (int c = 0; c < all.count; ++c) {
    sum_t<S>* const slots = scratch + c * apart;
    sum_t<S> total{0};
    for (std::int64_t i = first + thread; i < last; i += exec::warp_size) {
      sum_t<S> of_part = exec::load_relaxed(slots + i);
      while (is_empty_slot(of_part)) of_part = exec::load_relaxed(slots + i);
      exec::store_relaxed(slots + i, sum_t<S>{0});
      total += of_part;
    }
    total = exec::sum_lanes<exec::warp_size>(total);
    if (thread == 0) all.finish_element(carries.row[run], c, total);
  }
}

/// Adds the products of pairs of diagonals first, first + stride, ..., each for the lane's four rows. The
/// data of the next pair, except X, is loaded together with this pair's X.
template <packed_values W, bool All, bool Adjacent, class S, int Width>
__device__ __forceinline__ void add_diagonals_of_pack(const packed_lane<S>& of,
                                                      const exec::vector_pack<S, Width>& pack,
                                                      const std::uint8_t* masks, int first, int stride,
                                                      sum_t<S> (&sum)[packed_rows_of_lane][Width]) {
  packed_two_diagonals next = load_two_diagonals<W, All>(of, masks, first);
#pragma unroll 1
  for (int pair = first; 2 * pair < of.steps; pair += stride) {
    const packed_two_diagonals now = next;
    const bool has_second = 2 * pair + 1 < of.steps;
    matrix_t<S> v[2][packed_rows_of_lane];
    vector_t<S> x[2][packed_rows_of_lane][Width];
#pragma unroll
    for (int k = 0; k < 2; ++k)
      load_diagonal<W>(of, 2 * pair + k, k == 0 || has_second, now.codes[k].word[0], v[k]);
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const vector_t<S>* const from =
          exec::element_after(pack.x, (k == 0 ? now.base.x : now.base.y) + of.lane, pack.x_step_bytes);
#pragma unroll
      for (int r = 0; r < packed_rows_of_lane; ++r) {
        const bool has = All ? k == 0 || has_second : (now.rows >> (k * packed_rows_of_lane + r) & 1u) != 0;
        pack.template load<Adjacent>(has, exec::element_after(from, r * packed_lanes, pack.x_step_bytes),
                                     x[k][r]);
      }
    }
    next = load_two_diagonals<W, All>(of, masks, pair + stride);
#pragma unroll
    for (int k = 0; k < 2; ++k)
#pragma unroll
      for (int r = 0; r < packed_rows_of_lane; ++r)
#pragma unroll
        for (int j = 0; j < Width; ++j) sum[r][j] += v[k][r] * x[k][r][j];
  }
}

template <class Kinds, bool Adjacent, class S, int Width>
__device__ __forceinline__ void add_diagonals_of_pack(const packed_slice& s, const packed_lane<S>& of,
                                                      const exec::vector_pack<S, Width>& pack,
                                                      const std::uint8_t* masks, int first, int stride,
                                                      sum_t<S> (&sum)[packed_rows_of_lane][Width]) {
  with_values<Kinds, matrix_t<S>>(
      s.values(), [&](auto w) __attribute__((always_inline)) {
        if (s.is_full())
          add_diagonals_of_pack<w(), true, Adjacent>(of, pack, masks, first, stride, sum);
        else
          add_diagonals_of_pack<w(), false, Adjacent>(of, pack, masks, first, stride, sum);
      });
}

}  // namespace gossamer::inline v0::formats
