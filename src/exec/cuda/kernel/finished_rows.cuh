// SPDX-License-Identifier: BSD-3-Clause
// What a warp does with the rows whose sums it has: it writes them. With an epilogue, it also adds up their
// part of the dot products. Each block leaves its part in memory, and one more block of the same grid, which
// has no rows, adds the parts of all others while they are running.
#pragma once

#include "exec/cuda/kernel/dependent_launch.cuh"
#include "exec/cuda/kernel/self_marking_slots.cuh"
#include "exec/epilogue.hpp"

namespace gossamer::inline v0::exec {

/// Blocks of a grid that add parts of dot products, behind those that have rows.
template <class S>
GOSSAMER_HOST_DEVICE constexpr unsigned blocks_that_add(const product<S>&) {
  return 0;
}
template <class S>
GOSSAMER_HOST_DEVICE inline unsigned blocks_that_add(const product<with_epilogue<S>>& p) {
  return p.epilogue.dot_parts == nullptr ? 0 : 1;
}

template <class S>
class finished_rows {
 public:
  __device__ __forceinline__ explicit finished_rows(const product<S>& p) : p_(p) {}

  /// What rows need besides their sums: nothing.
  template <int N>
  struct elements {};
  static constexpr bool loads = false;
  /// Called by the lanes that have a row.
  __device__ __forceinline__ void finish(std::int64_t row, sum_t<S> sum) { p_.finish_row(row, sum); }
  /// The same for rows row, row + warp_size, ... before `end`.
  template <int N>
  __device__ __forceinline__ void finish_all(std::int64_t row, std::int64_t end, const sum_t<S> (&sum)[N],
                                             const elements<N>& /*loaded*/ = {}) {
#pragma unroll
    for (int r = 0; r < N; ++r)
      if (row + r * warp_size < end) p_.finish_row(row + r * warp_size, sum[r]);
  }
  __device__ __forceinline__ void leave_row(std::int64_t /*part*/) {}
  __device__ __forceinline__ void leave_block(std::int64_t /*part*/) {}
  __device__ __forceinline__ void add_parts(std::int64_t /*parts*/) {}

 private:
  const product<S>& p_;
};

template <class S>
class finished_rows<with_epilogue<S>> {
 public:
  __device__ __forceinline__ explicit finished_rows(const product<with_epilogue<S>>& p) : p_(p) {}

  template <int N>
  using elements = typename row_epilogue<S>::template elements<N>;
  static constexpr bool loads = true;
  /// Loads what rows row, row + warp_size, ... before `end` need besides their sums.
  template <int N>
  __device__ __forceinline__ void load(std::int64_t row, std::int64_t end, elements<N>& loaded) const {
    p_.epilogue.template load<N>(p_, row, warp_size, end, loaded);
  }
  template <int N>
  __device__ __forceinline__ void finish_all(std::int64_t row, std::int64_t end, const sum_t<S> (&sum)[N],
                                             const elements<N>& loaded) {
    const row_epilogue<S>& e = p_.epilogue;
    typename row_epilogue<S>::row finished[N];
    e.finish(p_, row, warp_size, end, sum, loaded, finished);
#pragma unroll
    for (int k = 0; k < 2; ++k)
      if (e.result[k] != nullptr)
#pragma unroll
        for (int r = 0; r < N; ++r)
          if (N == 1 || row + r * warp_size < end) dot_[k] += e.dot_of(k, p_, loaded, r, finished[r]);
  }
  template <int N>
  __device__ __forceinline__ void finish_all(std::int64_t row, std::int64_t end, const sum_t<S> (&sum)[N]) {
    elements<N> loaded;
    load<N>(row, end, loaded);
    finish_all(row, end, sum, loaded);
  }
  __device__ __forceinline__ void finish(std::int64_t row, sum_t<S> sum) {
    finish_all<1>(row, row + 1, {sum});
  }

  /// Leaves the dot products of the row that the warp's first lane has just finished as a part of its own.
  /// For rows of which it is not known in which block they will be finished.
  __device__ __forceinline__ void leave_row(std::int64_t part) {
    if (p_.epilogue.dot_parts != nullptr && threadIdx.x % warp_size == 0) fill_part(part, dot_);
    dot_[0] = dot_[1] = 0;
  }
  /// Leaves the dot products of all other rows of a block. Called by all of its threads, once, at the end.
  __device__ __forceinline__ void leave_block(std::int64_t part) {
    if (p_.epilogue.dot_parts == nullptr) return;
    wait_for_previous();  // a warp without rows has not waited
    sum_over_block();
    if (threadIdx.x == 0) fill_part(part, dot_);
  }
  /// Adds so many parts, in a fixed order, and stores the dot products. Called by all threads of one block,
  /// which may run before, with or after the blocks that leave the parts.
  __device__ __forceinline__ void add_parts(std::int64_t parts) {
    wait_and_trigger();
    const row_epilogue<S>& e = p_.epilogue;
    constexpr int at_once = 4;
#pragma unroll 1
    for (std::int64_t first = threadIdx.x; first < parts; first += at_once * blockDim.x) {
      double seen[at_once][2];
      const auto for_each = [&](auto&& f) {
#pragma unroll
        for (int j = 0; j < at_once; ++j)
#pragma unroll
          for (int k = 0; k < 2; ++k)
            if (const std::int64_t part = first + j * blockDim.x; part < parts && e.result[k] != nullptr)
              f(seen[j][k], dot_[k], e.dot_parts + 2 * part + k);
      };
      for_each([](double& of, double&, const double* slot) { of = load_relaxed(slot); });
      for_each([](double& of, double& sum, double* slot) { sum += take_slot(slot, of); });
    }
    sum_over_block();
    if (threadIdx.x == 0)
      for (int k = 0; k < 2; ++k)
        if (e.result[k] != nullptr) *e.result[k] = dot_[k];
  }

 private:
  /// The sums over all threads, in the first one. A fixed tree.
  __device__ __forceinline__ void sum_over_block() {
    constexpr int most_warps = 32;
    __shared__ double of_warp[2][most_warps];
    const unsigned warp = threadIdx.x / warp_size;
    const unsigned lane = threadIdx.x % warp_size;
    // The halves of the warp exchange numbers, so that one tree adds both.
    const bool is_second = lane >= warp_size / 2;
    const double given = is_second ? dot_[0] : dot_[1];
    double sum = (is_second ? dot_[1] : dot_[0]) + __shfl_xor_sync(0xffffffffu, given, warp_size / 2);
#pragma unroll
    for (int distance = warp_size / 4; distance > 0; distance /= 2)
      sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (lane % (warp_size / 2) == 0) of_warp[is_second ? 1 : 0][warp] = sum;
    __syncthreads();
    if (threadIdx.x != 0) return;
    dot_[0] = dot_[1] = 0;
    for (unsigned w = 0; w < blockDim.x / warp_size; ++w)
      for (int k = 0; k < 2; ++k) dot_[k] += of_warp[k][w];
  }
  __device__ __forceinline__ void fill_part(std::int64_t part, const double (&sum)[2]) const {
    for (int k = 0; k < 2; ++k)
      if (p_.epilogue.result[k] != nullptr) fill_slot(p_.epilogue.dot_parts + 2 * part + k, sum[k]);
  }

  const product<with_epilogue<S>>& p_;
  double dot_[2] = {};
};

}  // namespace gossamer::inline v0::exec
