// SPDX-License-Identifier: BSD-3-Clause
// A whole product of as few waits as a product can have that cuts rows: no headers, no codes, no table. Each thread has as many entries as every other, neighbours; it asks for
// their columns (4 bytes each), values (4 bytes each, rounded to f32), for which of them end a row (a bit each) and for the row of the first of them at once, then for x. Rows are added up
// by a segmented scan over the lanes, then over the warps of the block; what a row has in several blocks is added as packed adds its parts. Its result is compared with the host's.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "gossamer/gossamer.hpp"
#include "launch.cuh"

/// A block's part of a row that other blocks have parts of: its slot, the row's first one, how many the row has (0: there is no such row), and the row.
struct cut_part {
  int slot, first, parts, row;
};

/// The row that began in an earlier block, and the one that goes on in the next (or both: then it is `out`).
struct cut_parts {
  cut_part in, out;
};

/// One lane's sum goes to its slot (empty while it is zero); who is the last to count itself waits for all and adds them. All lanes call it, one with `mine`.
template <class V>
__device__ void hand_on(bool mine, V sum, const cut_part& part, V* slots, unsigned* counts, V* y) {
  bool last = false;
  if (mine) {
    *static_cast<volatile V*>(slots + part.slot) = sum == V{0} ? -V{0} : sum;
    last = atomicAdd(counts + part.first, 1) == static_cast<unsigned>(part.parts) - 1;
  }
  if (!__any_sync(~0u, last)) return;
  V of_lane{0};
  for (int i = static_cast<int>(threadIdx.x % 32); i < part.parts; i += 32) {
    volatile V* const slot = slots + part.first + i;
    V one;
    while ((one = *slot) == V{0} && !signbit(one)) {
    }
    of_lane += one;
    *slot = V{0};
  }
  for (int apart = 16; apart > 0; apart /= 2) of_lane += __shfl_xor_sync(~0u, of_lane, apart);
  if (last) {
    y[part.row] = of_lane;
    counts[part.first] = 0;
  }
}

template <int Entries, class V>
__global__ void __launch_bounds__(threads)
    even_product(const std::int32_t* column, const float* value, const std::uint8_t* ends,
                 const std::int32_t* row_of, const cut_parts* cut, const V* x, V* y, V* slots,
                 unsigned* counts) {
  __shared__ V tail_of[threads / 32];
  __shared__ bool ends_in[threads / 32];
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32);
  std::int32_t c[Entries];
  float a[Entries];
#pragma unroll
  for (int i = 0; i < Entries; i += 4) {
    const int4 four = __ldcs(reinterpret_cast<const int4*>(column + thread * Entries + i));
    c[i] = four.x;
    c[i + 1] = four.y;
    c[i + 2] = four.z;
    c[i + 3] = four.w;
  }
#pragma unroll
  for (int i = 0; i < Entries; i += 4) {
    const float4 four = __ldcs(reinterpret_cast<const float4*>(value + thread * Entries + i));
    a[i] = four.x;
    a[i + 1] = four.y;
    a[i + 2] = four.z;
    a[i + 3] = four.w;
  }
  const unsigned mask = ends[thread];
  std::int32_t row = row_of[thread];
  const cut_parts parts = cut[blockIdx.x];
  take_turn();
  V product[Entries];
#pragma unroll
  for (int i = 0; i < Entries; ++i) product[i] = load(x + c[i]);
  V sum{0};
  V head{0};
  const std::int32_t first_row = row;
#pragma unroll
  for (int i = 0; i < Entries; ++i) {
    sum += static_cast<V>(a[i]) * product[i];
    if (mask >> i & 1) {
      if (row == first_row)
        head = sum;
      else
        y[row] = sum;
      ++row;
      sum = V{0};
    }
  }
  const bool has_end = mask != 0;
  const unsigned with_ends = __ballot_sync(~0u, has_end);
  V carry = sum;
  bool closed = has_end;
#pragma unroll
  for (int apart = 1; apart < 32; apart *= 2) {
    const V before = __shfl_up_sync(~0u, carry, apart);
    const bool closed_before = __shfl_up_sync(~0u, closed, apart);
    if (lane >= apart && !closed) {
      carry += before;
      closed = closed_before;
    }
  }
  V incoming = __shfl_up_sync(~0u, carry, 1);
  if (lane == 0) incoming = V{0};
  if (lane == 31) {
    tail_of[warp] = carry;
    ends_in[warp] = with_ends != 0;
  }
  __syncthreads();
  V of_warps{0};
  bool ended_before = false;
  for (int w = 0; w < warp; ++w) {
    of_warps = ends_in[w] ? tail_of[w] : of_warps + tail_of[w];
    ended_before |= ends_in[w];
  }
  const bool first_of_warp = has_end && (with_ends & ((1u << lane) - 1)) == 0;
  if (first_of_warp) incoming += of_warps;
  const bool first_of_block = first_of_warp && !ended_before;
  if (has_end && !(first_of_block && parts.in.parts != 0)) y[first_row] = head + incoming;
  if (!ended_before && with_ends != 0 && parts.in.parts != 0)
    hand_on(first_of_block, head + incoming, parts.in, slots, counts, y);
  if (warp == threads / 32 - 1 && parts.out.parts != 0)
    hand_on(lane == 31, with_ends != 0 ? carry : carry + of_warps, parts.out, slots, counts, y);
}

/// The arrays of such a product with a matrix, of which rows without entries are left out; `Entries` a thread.
template <int Entries, class V>
class even_matrix {
 public:
  explicit even_matrix(const gossamer::csr_matrix<V>& a) : even_matrix(a, arrays(a)) {}

  /// Asynchronous on the stream. `y` has place for all rows that have entries.
  void multiply(const V* x, V* y, gossamer::cuda_stream stream) const {
    launch(even_product<Entries, V>, blocks_, stream, static_cast<const std::int32_t*>(column_.data()),
           static_cast<const float*>(value_.data()), static_cast<const std::uint8_t*>(ends_.data()),
           static_cast<const std::int32_t*>(row_of_.data()), static_cast<const cut_parts*>(cut_.data()), x, y,
           slots_.data(), counts_.data());
  }

  /// The greatest distance of `y` from the host's product, in units of what its terms add up to.
  double error(const gossamer::csr_matrix<V>& a, const std::vector<V>& x, const std::vector<V>& y) const {
    double worst = 0;
    std::size_t kept = 0;
    for (std::size_t r = 0; r < static_cast<std::size_t>(a.rows); ++r) {
      if (a.row_ptr[r] == a.row_ptr[r + 1]) continue;
      double sum = 0;
      double size = 0;
      for (auto k = static_cast<std::size_t>(a.row_ptr[r]); k < static_cast<std::size_t>(a.row_ptr[r + 1]);
           ++k) {
        const double one = static_cast<double>(static_cast<float>(a.val[k])) *
                           static_cast<double>(x[static_cast<std::size_t>(a.col[k])]);
        sum += one;
        size += std::abs(one);
      }
      worst = std::max(worst, std::abs(static_cast<double>(y[kept++]) - sum) / std::max(size, 1e-300));
    }
    return worst;
  }

 private:
  struct host_arrays {
    std::vector<std::int32_t> column;
    std::vector<float> value;
    std::vector<std::uint8_t> ends;
    std::vector<std::int32_t> row_of;
    std::vector<cut_parts> cut;
    std::size_t slots = 0;
  };

  static host_arrays arrays(const gossamer::csr_matrix<V>& a) {
    constexpr std::size_t of_a_block = threads * Entries;
    const auto nnz = static_cast<std::size_t>(a.nnz());
    const std::size_t blocks = std::max<std::size_t>(1, (nnz + of_a_block - 1) / of_a_block);
    host_arrays to{std::vector<std::int32_t>(blocks * of_a_block), std::vector<float>(blocks * of_a_block),
                   std::vector<std::uint8_t>(blocks * threads), std::vector<std::int32_t>(blocks * threads),
                   std::vector<cut_parts>(blocks)};
    const auto columns = a.col.span();
    const auto values = a.val.span();
    std::transform(columns.begin(), columns.end(), to.column.begin(),
                   [](auto c) { return static_cast<std::int32_t>(c); });
    std::transform(values.begin(), values.end(), to.value.begin(), [](V v) { return static_cast<float>(v); });
    std::int32_t row = 0;
    std::size_t thread = 0;
    for (std::size_t r = 0; r < static_cast<std::size_t>(a.rows); ++r) {
      const auto first = static_cast<std::size_t>(a.row_ptr[r]);
      const auto last = static_cast<std::size_t>(a.row_ptr[r + 1]);
      if (first == last) continue;
      for (; thread * Entries < last; ++thread) to.row_of[thread] = row;
      to.ends[(last - 1) / Entries] =
          static_cast<std::uint8_t>(to.ends[(last - 1) / Entries] | 1u << ((last - 1) % Entries));
      const std::size_t from = first / of_a_block;
      const std::size_t until = (last - 1) / of_a_block;
      for (std::size_t b = from; b <= until && from != until; ++b)
        (b == until ? to.cut[b].in : to.cut[b].out) = {static_cast<int>(to.slots + b - from),
                                                       static_cast<int>(to.slots),
                                                       static_cast<int>(until - from + 1), row};
      if (from != until) to.slots += until - from + 1;
      ++row;
    }
    return to;
  }

  even_matrix(const gossamer::csr_matrix<V>&, const host_arrays& from)
      : blocks_(static_cast<unsigned>(from.cut.size())),
        column_(from.column),
        value_(from.value),
        ends_(from.ends),
        row_of_(from.row_of),
        cut_(from.cut),
        slots_(from.slots, 0),
        counts_(from.slots, 0) {}

  unsigned blocks_;
  device_array<std::int32_t> column_;
  device_array<float> value_;
  device_array<std::uint8_t> ends_;
  device_array<std::int32_t> row_of_;
  device_array<cut_parts> cut_;
  device_array<V> slots_;
  device_array<unsigned> counts_;
};
