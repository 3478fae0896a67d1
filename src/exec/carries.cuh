// SPDX-License-Identifier: BSD-3-Clause
// Combining shared rows on a device, inside the kernel that made the slots: the block that arrives last at a row adds all of
// the row's slots, in their order, so that the bits do not depend on who was last. No second launch.
#pragma once

#include "exec/carries.hpp"
#include "exec/launch.cuh"

namespace gossamer::inline v0::exec {

/// The scratch of one product: slots, then one count of arrivals a run, all zero before and after a product.
template <class V>
__device__ __forceinline__ unsigned* arrivals_of(const carry_view& carries, V* scratch) {
  return reinterpret_cast<unsigned*>(scratch + carries.slots);
}

/// Where unit u leaves the sum of its first row, if that began before the unit, and of its last, if that goes on after it.
/// Called by one thread; a unit inside one row leaves it as the first.
template <class V>
__device__ __forceinline__ void leave_head(V* slots, std::int64_t u, V sum, bool inside_one_row) {
  slots[slots_per_unit * u] = sum;
  if (inside_one_row) slots[slots_per_unit * u + 1] = V{0};
}
template <class V>
__device__ __forceinline__ void leave_tail(V* slots, std::int64_t u, V sum) {
  slots[slots_per_unit * u + 1] = sum;
}

/// Called by the whole block once its slot of `run` is written by any of its threads; a negative run does nothing.
/// The last of the run's units finishes the row.
template <int Threads, class V>
__device__ void arrive_at_run(const carry_view& carries, std::int32_t run, V* scratch, const product<V>& p) {
  if (run < 0) return;
  constexpr int warps = Threads / warp_size;
  __shared__ V partial[warps];
  __shared__ bool last_to_arrive;
  const int tid = static_cast<int>(threadIdx.x);
  const std::int64_t first = carries.first[run];
  const std::int64_t last = carries.last[run];
  __syncthreads();
  if (tid == 0) {
    unsigned* arrived = arrivals_of(carries, scratch) + run;
    const auto units = static_cast<unsigned>((last - first) / slots_per_unit + 1);
    __threadfence();  // the slot is visible before the arrival is
    last_to_arrive = atomicAdd(arrived, 1u) + 1 == units;
    if (last_to_arrive) *arrived = 0;
  }
  __syncthreads();
  if (!last_to_arrive) return;
  __threadfence();
  V sum{0};
  for (std::int64_t s = first + tid; s < last; s += Threads) sum += __ldcg(scratch + s);
  sum = sum_lanes<warp_size>(sum);
  if (tid % warp_size == 0) partial[tid / warp_size] = sum;
  __syncthreads();
  if (tid == 0) {
    V total{0};
#pragma unroll
    for (int w = 0; w < warps; ++w) total += partial[w];
    p.finish_row(carries.row[run], total);
  }
}

}  // namespace gossamer::inline v0::exec
