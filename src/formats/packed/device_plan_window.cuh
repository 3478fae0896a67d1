// SPDX-License-Identifier: BSD-3-Clause
// How a window is cut, decided as the host does, and how many of everything that makes.
#pragma once

#include "formats/packed/device_window.cuh"

namespace gossamer::inline v0::formats {

template <value V, offset O>
__device__ void packed_block_of_window<V, O>::decide(packed_window_cut& cut, packed_window_sums& sums) {
  const int sharing = packed_sharing(longest_, a_.longest_walk);
  packed_fill fill = fill_in_order(sharing);
  bool keeps_order = longest_ <= a_.longest_part;
  const std::int64_t entries = s_.before[rows_];
  const std::int64_t costs = packed_sorting_costs(rows_, entries, slot_bytes_);
  const bool is_sorted = !keeps_order || (fill.slots - entries) * slot_bytes_ * packed_cost_of_a_byte > costs;
  if (is_sorted) sort_rows(0, rows_, 0);
  if (!keeps_order) {
    fill = fill_sorted(rows_);
  } else if (is_sorted) {
    const packed_fill better = fill_sorted(rows_);
    if ((fill.slots - better.slots) * slot_bytes_ * packed_cost_of_a_byte > costs) {
      fill = better;
      keeps_order = false;
    }
  }
  bool as_entries = a_.short_rows == packed_short_rows::entries;
  if (a_.short_rows == packed_short_rows::automatic) {
    const std::int64_t with_lanes = fill.cost(a_.costs, slot_bytes_) + (keeps_order ? 0 : costs);
    find_ends();
    const int slices = slices_of_entries(0, rows_);
    int rows_too_long = 0;
    const std::int64_t too_long = entries_of_long_rows(0, rows_, rows_too_long);
    packed_fill of_long_rows;
    if (rows_too_long > 0) {
      if (!is_sorted) sort_rows(0, rows_, 0);
      of_long_rows = fill_sorted(rows_too_long);
    }
    as_entries = packed_cost_of_entries(a_.costs, slot_bytes_, rows_, entries - too_long, slices) +
                     of_long_rows.cost(a_.costs, slot_bytes_) <
                 with_lanes;
  } else if (as_entries) {
    find_ends();
  }
  const packed_way way = as_entries    ? packed_way::entries
                         : keeps_order ? packed_way::in_order
                                       : packed_way::sorted;
  const bool looks_for_diagonals =
      as_entries || (keeps_order && (sharing == 0 || longest_ <= packed_most_on_diagonals));
  if (looks_for_diagonals)
    find_diagonals(nullptr, nullptr);
  else if (threadIdx.x < packed_groups_of_window)
    s_.diagonals[threadIdx.x] = 0;
  __syncthreads();
  packed_window_sums found;
  for (int g = 0; g < packed_groups_of_window; ++g) {
    if (s_.diagonals[g] == 0) continue;
    ++found.in_lanes;
    ++found.on_diagonals;
    found.diagonals += s_.diagonals[g];
  }
  if (way == packed_way::in_order) {
    const int together = packed_lanes >> sharing;
    for (int g = 0; g < packed_groups_of_window; ++g)
      if (s_.diagonals[g] == 0) found.in_lanes += (rows_of_group(g) + together - 1) / together;
  } else if (way == packed_way::sorted) {
    count_classes(0, rows_, 0);
    found.in_lanes += s_.counts.slices();
    found.parts = s_.counts.parts;
    found.runs = s_.counts.rows[packed_cut_into_parts];
  } else {
    for_each_run([&](int begin, int end) {
      found.of_entries += slices_of_entries(begin, end);
      count_classes(begin, end, a_.entries_per_slice);
      found.in_lanes += s_.counts.slices();
      found.parts += s_.counts.parts;
      found.runs += s_.counts.rows[packed_cut_into_parts];
    });
  }
  if (threadIdx.x != 0) return;
  sums = found;
  cut.way = way;
  cut.sharing = sharing;
  for (int g = 0; g < packed_groups_of_window; ++g) cut.diagonals[g] = s_.diagonals[g];
}

template <value V, offset O>
__global__ void __launch_bounds__(packed_cut_threads)
    packed_decide_window_per_block(const __grid_constant__ packed_to_cut<V, O> a, packed_window_cut* cut,
                                   packed_window_sums* sums) {
  __shared__ typename packed_block_of_window<V, O>::shared shared;
  packed_block_of_window<V, O>(a, blockIdx.x, shared).decide(cut[blockIdx.x], sums[blockIdx.x]);
  if (blockIdx.x == 0 && threadIdx.x == 0) sums[a.windows()] = {};
}

}  // namespace gossamer::inline v0::formats
