// SPDX-License-Identifier: BSD-3-Clause
// Writes the rows of a warp. With an epilogue, each block also stores its partial dot products in memory, and
// one more block, the last of the grid, adds them. That saves a second kernel. It waits actively for blocks
// that have begun before it, and none waits for it.
#pragma once

#include "exec/cuda/kernel/dependent_launch.cuh"
#include "exec/cuda/kernel/prefetch.cuh"
#include "exec/cuda/kernel/self_marking_slots.cuh"
#include "exec/epilogue.hpp"

namespace gossamer::inline v0::exec {

/// Blocks of a grid that add partial dot products, behind those that have rows.
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
  /// Rows of a lane that are best finished together, where the warp can choose.
  static constexpr int rows_at_once = 1;
  static constexpr bool adds_dots = false;
  /// Called by the lanes that have a row.
  __device__ __forceinline__ void finish(std::int64_t row, sum_t<S> sum) { p_.finish_row(row, sum); }
  /// The same for rows row, row + warp_size, ... before `end`.
  template <int N>
  __device__ __forceinline__ void finish_all(std::int64_t row, std::int64_t end, const sum_t<S> (&sum)[N]) {
#pragma unroll
    for (int r = 0; r < N; ++r)
      if (row + r * warp_size < end) p_.finish_row(row + r * warp_size, sum[r]);
  }
  /// Prefetches what rows [row, row + rows) will need. Called by the whole warp, also before the wait for the
  /// kernel before.
  __device__ __forceinline__ void expect(std::int64_t /*row*/, int /*rows*/) const {}
  __device__ __forceinline__ void leave_row(std::int64_t /*part*/) {}
  __device__ __forceinline__ void leave_block(std::int64_t /*part*/) {}
  __device__ __forceinline__ void add_parts(std::int64_t /*parts*/, bool /*backwards*/) {}

 private:
  const product<S>& p_;
};

template <class S>
class finished_rows<with_epilogue<S>> {
 public:
  __device__ __forceinline__ explicit finished_rows(const product<with_epilogue<S>>& p) : p_(p) {}
  static constexpr int rows_at_once = 2;
  static constexpr bool adds_dots = true;
  __device__ __forceinline__ void finish(std::int64_t row, sum_t<S> sum) {
    finish_all<1>(row, row + 1, {sum});
  }
  template <int N>
  __device__ __forceinline__ void finish_all(std::int64_t row, std::int64_t end, const sum_t<S> (&sum)[N]) {
    const row_epilogue<S>& e = p_.epilogue;
    vector_t<S> scaled[N];
#pragma unroll
    for (int r = 0; r < N; ++r) scaled[r] = e.scaled(p_, sum[r]);
    typename row_epilogue<S>::row finished[N];
    e.finish(p_, row, warp_size, end, scaled, finished);
#pragma unroll
    for (int k = 0; k < 2; ++k)
      if (e.result[k] != nullptr)
#pragma unroll
        for (int r = 0; r < N; ++r)
          if (N == 1 || row + r * warp_size < end)
            dot_[k] += e.dot_of(k, p_, row + r * warp_size, finished[r]);
  }
  __device__ __forceinline__ void expect(std::int64_t row, int rows) const {
    const row_epilogue<S>& e = p_.epilogue;
    constexpr int of_line = 128 / static_cast<int>(sizeof(vector_t<S>));
    const int from = static_cast<int>(threadIdx.x) % warp_size * of_line;
    const auto ask = [&](const vector_t<S>* vector) {
      if (vector != nullptr && from < rows) prefetch(vector + row + from);
    };
    ask(e.z);
    ask(e.with[0]);
    ask(e.with[1]);
    if (!e.more) return;
    ask(e.scale);
    ask(e.u);
    ask(e.lower);
    ask(e.upper);
    ask(e.add);
  }

  /// Stores the dot products of the row that lane 0 has just finished as a part of its own. For cut rows,
  /// since the block that finishes one varies from run to run.
  __device__ __forceinline__ void leave_row(std::int64_t part) {
    if (p_.epilogue.dot_parts != nullptr && threadIdx.x % warp_size == 0) fill_part(part);
    dot_[0] = dot_[1] = 0;
  }
  /// Stores the dot products of all other rows of a block. Called by all of its threads, once, at the end.
  __device__ __forceinline__ void leave_block(std::int64_t part) {
    if (p_.epilogue.dot_parts == nullptr) return;
    wait_for_previous();  // a warp without rows has not waited
    __shared__ double of_warp[2][most_warps];
    sum_over_warp();
    if (threadIdx.x % warp_size == 0)
      for (int k = 0; k < 2; ++k) of_warp[k][threadIdx.x / warp_size] = dot_[k];
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (unsigned w = 1; w < blockDim.x / warp_size; ++w)
      for (int k = 0; k < 2; ++k) dot_[k] += of_warp[k][w];
    fill_part(part);
  }
  /// Adds so many parts and stores the dot products. Called by all threads of one block. Parts are added in
  /// sections, in an order that depends on their number alone. `backwards`: the first come last.
  __device__ __forceinline__ void add_parts(std::int64_t parts, bool backwards) {
    wait_and_trigger();
    constexpr int at_once = 8;
    constexpr std::int64_t most_sections = 32;
    __shared__ double of_section[2][most_sections * most_warps];
    const unsigned warps = blockDim.x / warp_size;
    const std::int64_t round = at_once * static_cast<std::int64_t>(blockDim.x);
    const std::int64_t each = (parts + round * most_sections - 1) / (round * most_sections) * round;
    const auto sections = static_cast<unsigned>((parts + each - 1) / each);
    for (unsigned i = 0; i < sections; ++i) {
      const unsigned section = backwards ? sections - 1 - i : i;
      dot_[0] = dot_[1] = 0;
      const std::int64_t end = min(parts, (section + 1) * each);
      for (std::int64_t first = section * each + threadIdx.x; first < end; first += round) {
        double2 part[at_once];
        const auto count = static_cast<int>((end - first + blockDim.x - 1) / blockDim.x);
        take_pairs(p_.epilogue.dot_parts + 2 * first, 2 * static_cast<std::int64_t>(blockDim.x), count, part);
#pragma unroll
        for (const double2& each : part) {
          dot_[0] += each.x;
          dot_[1] += each.y;
        }
      }
      sum_over_warp();
      if (threadIdx.x % warp_size == 0)
        for (int k = 0; k < 2; ++k) of_section[k][section * warps + threadIdx.x / warp_size] = dot_[k];
    }
    __syncthreads();
    if (threadIdx.x >= warp_size) return;
    dot_[0] = dot_[1] = 0;
    for (unsigned i = threadIdx.x; i < sections * warps; i += warp_size)
      for (int k = 0; k < 2; ++k) dot_[k] += of_section[k][i];
    sum_over_warp();
    if (threadIdx.x == 0)
      for (int k = 0; k < 2; ++k)
        if (p_.epilogue.result[k] != nullptr) *p_.epilogue.result[k] = dot_[k];
  }

 private:
  static constexpr int most_warps = 8;

  /// The sums over all lanes, in the first one, by a fixed tree. The halves of the warp exchange numbers, so
  /// that one tree adds both.
  __device__ __forceinline__ void sum_over_warp() {
    constexpr unsigned everyone = 0xffffffffu;
    const bool is_second = threadIdx.x % warp_size >= warp_size / 2;
    const double given = is_second ? dot_[0] : dot_[1];
    double sum = (is_second ? dot_[1] : dot_[0]) + __shfl_xor_sync(everyone, given, warp_size / 2);
#pragma unroll
    for (int distance = warp_size / 4; distance > 0; distance /= 2)
      sum += __shfl_xor_sync(everyone, sum, distance);
    dot_[0] = sum;
    dot_[1] = __shfl_sync(everyone, sum, warp_size / 2);
  }
  __device__ __forceinline__ void fill_part(std::int64_t part) const {
    for (int k = 0; k < 2; ++k) fill_slot(p_.epilogue.dot_parts + 2 * part + k, dot_[k]);
  }

  const product<with_epilogue<S>>& p_;
  double dot_[2] = {};
};

}  // namespace gossamer::inline v0::exec
