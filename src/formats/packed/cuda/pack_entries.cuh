// SPDX-License-Identifier: BSD-3-Clause
// Products by several vectors on a CUDA device: where a warp decodes entries to, and how its threads divide
// the columns of X. In lane and COO slices an entry is decoded once for all columns.
#pragma once

#include <cstdint>

#include "exec/cuda/kernel/vector_pack.cuh"
#include "formats/packed/cuda/kernel.cuh"

namespace gossamer::inline v0::formats {

/// The most packs of a column group: 128 bytes of each row of X, a line of the cache.
inline constexpr int packed_most_packs = 8;

template <int Count>
__device__ __forceinline__ void load_pieces(const std::int32_t* from, std::int32_t (&v)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; i += 4) {
    const int4 four = reinterpret_cast<const int4*>(from)[i / 4];
    v[i] = four.x;
    v[i + 1] = four.y;
    v[i + 2] = four.z;
    v[i + 3] = four.w;
  }
}

/// How the threads of a warp divide the lanes of a slice and the packs: `packs` neighbouring threads have the
/// packs of one lane, so a warp has all lanes after `packs` passes. Most: an upper bound of packs().
template <int Most = packed_most_packs>
struct packed_passes {
  static constexpr int most = Most;
  int log2_packs;
  int thread;  ///< of the warp

  [[nodiscard]] __device__ __forceinline__ int packs() const { return Most == 1 ? 1 : 1 << log2_packs; }
  [[nodiscard]] __device__ __forceinline__ int pack() const { return thread & (packs() - 1); }
  /// Lanes of a pass.
  [[nodiscard]] __device__ __forceinline__ int lanes() const { return packed_lanes >> log2_packs; }
  /// The thread's lane in a pass.
  [[nodiscard]] __device__ __forceinline__ int lane(int pass) const {
    return Most == 1 ? thread : pass * lanes() + (thread >> log2_packs);
  }
};

/// Two groups of four steps of a thread's own lane, for kernels of one pack.
template <class S>
struct packed_decoded_lane {
  static constexpr std::int32_t none = -1;  ///< instead of a column: there is no entry
  packed_four<matrix_t<S>> four[2];

  __device__ __forceinline__ void store(int group, int /*lane*/, const std::int32_t (&c)[4],
                                        const matrix_t<S> (&v)[4]) {
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      four[group].column[t] = c[t];
      four[group].value[t] = v[t];
    }
  }
  __device__ __forceinline__ void load(int group, int /*lane*/, std::int32_t (&c)[4],
                                       matrix_t<S> (&v)[4]) const {
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      c[t] = four[group].column[t];
      v[t] = four[group].value[t];
    }
  }
};

/// The entries that a warp has decoded, in shared memory: two groups of four steps of a lane slice, or a COO
/// slice. Afterwards it holds sums.
template <class S>
struct alignas(packed_piece) packed_decoded {
  using number = matrix_t<S>;
  static constexpr int together = packed_piece / sizeof(number);
  static constexpr std::int32_t none = -1;  ///< instead of a column: there is no entry

  number value[packed_max_coo_entries];
  std::int32_t column[packed_max_coo_entries];
  /// For the last entry of each row of a COO slice, ends_row plus the row. Otherwise 0.
  std::uint16_t end[packed_max_coo_entries];
  static constexpr unsigned ends_row = 0x100;

  /// Group 0 or 1 of four steps, for one lane of the slice.
  __device__ __forceinline__ void store(int group, int lane, const std::int32_t (&c)[4],
                                        const number (&v)[4]) {
    *reinterpret_cast<int4*>(column + 4 * (group * packed_lanes + lane)) = make_int4(c[0], c[1], c[2], c[3]);
#pragma unroll
    for (int h = 0; h < 4 / together; ++h) {
      number some[together];
#pragma unroll
      for (int i = 0; i < together; ++i) some[i] = v[h * together + i];
      store_pieces(value + ((group * 4 / together + h) * packed_lanes + lane) * together, some);
    }
  }
  __device__ __forceinline__ void load(int group, int lane, std::int32_t (&c)[4], number (&v)[4]) const {
    load_pieces(column + 4 * (group * packed_lanes + lane), c);
#pragma unroll
    for (int h = 0; h < 4 / together; ++h) {
      number some[together];
      load_pieces(value + ((group * 4 / together + h) * packed_lanes + lane) * together, some);
#pragma unroll
      for (int i = 0; i < together; ++i) v[h * together + i] = some[i];
    }
  }
};

/// Adds the sums of the warps of a slice in order. The first warp gets the result. All threads of these warps
/// call it; `number` is the slice's number in the block, `first` the entries of its first warp.
template <int Count, int Width, class S>
__device__ __forceinline__ void add_warps_of_slice(int warps, int warp, int number, packed_decoded<S>* first,
                                                   sum_t<S> (&sum)[Count][Width]) {
  static_assert(Count * Width * packed_lanes * sizeof(sum_t<S>) <= sizeof(packed_decoded<S>));
  const int thread = static_cast<int>(threadIdx.x) % exec::warp_size;
  const auto place = [&](int w, int i, int j) {
    return reinterpret_cast<sum_t<S>*>(first + w) + (i * Width + j) * packed_lanes + thread;
  };
  // Each slice has its own barrier. With constant numbers the compiler reserves these only, not all.
  static_assert(packed_usual_threads / exec::warp_size == 4, "at most two slices of several warps");
  const auto wait_for_warps = [&] {
    if (number == 0)
      asm volatile("bar.sync 1, %0;" ::"r"(warps * exec::warp_size) : "memory");
    else
      asm volatile("bar.sync 2, %0;" ::"r"(warps * exec::warp_size) : "memory");
  };
  wait_for_warps();  // entries, or sums of the call before, have been read
#pragma unroll
  for (int i = 0; i < Count; ++i)
#pragma unroll
    for (int j = 0; j < Width; ++j) *place(warp, i, j) = sum[i][j];
  wait_for_warps();
  if (warp != 0) return;
  for (int w = 1; w < warps; ++w)
#pragma unroll
    for (int i = 0; i < Count; ++i)
#pragma unroll
      for (int j = 0; j < Width; ++j) sum[i][j] += *place(w, i, j);
}

}  // namespace gossamer::inline v0::formats
