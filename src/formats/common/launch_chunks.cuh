// SPDX-License-Identifier: BSD-3-Clause
// What a format of chunks (entry_chunks.hpp) does on a CUDA device beside reading entries: where a block's
// chunk stands, and what goes before and behind the kernel.
#pragma once

#include <type_traits>

#include "exec/cuda/kernel/dependent_launch.cuh"
#include "exec/cuda/kernel/predicated_loads.cuh"
#include "exec/elementwise.hpp"
#include "exec/reduction/segmented_sum.cuh"
#include "formats/common/entry_chunks.hpp"

namespace gossamer::inline v0::formats {

/// Of chunk h, whose first entry has the row *first, and the next chunk's *first_of_next. What is read is not
/// waited for here.
template <class Pointers>
__device__ __forceinline__ exec::chunk_place place_of_chunk(const Pointers& a, unsigned h,
                                                            const std::int32_t* first,
                                                            const std::int32_t* first_of_next) {
  const bool ordered = a.meta.device.accumulate == chunk_accumulate::ordered;
  const bool is_last = h + 1 == static_cast<unsigned>(a.meta.chunks);
  const bool is_first_warp = threadIdx.x < exec::warp_size;
  const std::int32_t* const runs = a.carries.run_at_cut + h;
  constexpr std::int32_t may_be = 0;  // any run: every row is added to
  const std::int32_t first_row = exec::load_if(true, first, 0);
  const std::int32_t before = exec::load_if(ordered, runs, may_be);
  const std::int32_t behind = exec::load_if(ordered && is_first_warp, runs + 1, may_be);
  const std::int32_t next_row =
      exec::load_if(is_first_warp && !is_last, first_of_next, static_cast<std::int32_t>(a.meta.rows));
  return {.first_row = first_row,
          .next_row = next_row,
          .entries = static_cast<int>(is_last ? a.meta.nnz - h * a.meta.chunk : a.meta.chunk),
          .is_first = h == 0,
          .began_before = before >= 0,
          .goes_on = behind >= 0};
}

/// Where chunk h leaves its sums of shared rows; null where it adds them to y.
template <class Pointers, class V>
__device__ __forceinline__ V* slots_of_chunk(const Pointers& a, unsigned h, V* slots) {
  const bool ordered = a.meta.device.accumulate == chunk_accumulate::ordered;
  return ordered ? slots + exec::slots_per_unit * h : nullptr;
}

/// y = alpha A x + beta y, where kernel(count, p) launches a block a chunk on the stream with count() entries
/// a thread, whose sums of shared rows lie in `scratch`. Returns before the device is done.
template <class Pointers, class S, class Kernel>
void launch_chunks(const Pointers& a, const product<S>& given, sum_t<S>* scratch, cuda_stream stream,
                   const char* name, Kernel&& kernel) {
  product<S> p = given;
  if (a.meta.device.adds) {
    exec::scale_on_device<S>(p.y, a.meta.rows, p.beta, stream);
    p.beta = sum_t<S>{1};
  }
  if (a.meta.nnz == 0) return;
  const int entries = a.meta.device.entries_per_thread;
  if (entries == 2)
    kernel(std::integral_constant<int, 2>(), p);
  else if (entries == 4)
    kernel(std::integral_constant<int, 4>(), p);
  else
    kernel(std::integral_constant<int, 8>(), p);
  exec::check_launch(name);
  exec::combine_on_device(a.carries, scratch, p, stream);
}

}  // namespace gossamer::inline v0::formats
