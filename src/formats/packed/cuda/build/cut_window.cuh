// SPDX-License-Identifier: BSD-3-Clause
// Cuts a window in two passes. The first decides the layout, as the host does, and counts the slices. After a
// scan of these counts over all windows the second pass writes the slices.
#pragma once

#include "formats/packed/cuda/build/window.cuh"

namespace gossamer::inline v0::formats {

template <value V, offset O>
__device__ void packed_block_of_window<V, O>::decide(packed_window_cut& cut, packed_code::cut_amounts& sums) {
  const int sharing = packed_sharing(longest_, a_.rules.longest_walk);
  packed_fill fill = fill_in_order(sharing);
  bool keeps_order = longest_ <= a_.rules.longest_part;
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
  bool takes_coo_slices = a_.rules.short_rows == packed_short_rows::entries;
  packed_code::cut_amounts found;
  if (a_.rules.short_rows == packed_short_rows::automatic) {
    found.lane_cost = fill.cost(a_.rules.costs, slot_bytes_) + (keeps_order ? 0 : costs);
    find_ends();
    const int slices = coo_slices_of(0, rows_);
    int rows_too_long = 0;
    const std::int64_t too_long = entries_of_long_rows(0, rows_, rows_too_long);
    packed_fill of_long_rows;
    if (rows_too_long > 0) {
      if (!is_sorted) sort_rows(0, rows_, 0);
      of_long_rows = fill_sorted(rows_too_long);
    }
    found.coo_cost =
        packed_cost_of_coo_slices(a_.rules.costs, slot_bytes_, rows_, entries - too_long, slices) +
        of_long_rows.cost(a_.rules.costs, slot_bytes_);
    takes_coo_slices = found.coo_cost < found.lane_cost;
    found.cost = takes_coo_slices ? found.coo_cost : found.lane_cost;
  } else if (takes_coo_slices) {
    find_ends();
  }
  const packed_way way = takes_coo_slices ? packed_way::coo_slices
                         : keeps_order    ? packed_way::in_order
                                          : packed_way::sorted;
  const bool looks_for_diagonals =
      takes_coo_slices || (keeps_order && (sharing == 0 || longest_ <= packed_most_on_diagonals));
  if (looks_for_diagonals)
    find_diagonals(nullptr, nullptr);
  else if (threadIdx.x < packed_groups_of_window)
    s_.diagonals[threadIdx.x] = 0;
  __syncthreads();
  for (int g = 0; g < packed_groups_of_window; ++g) {
    if (s_.diagonals[g] == 0) continue;
    ++found.lane_slices;
    ++found.diagonal_slices;
    found.diagonal_steps += s_.diagonals[g];
  }
  if (way == packed_way::in_order) {
    const int together = packed_lanes >> sharing;
    for (int g = 0; g < packed_groups_of_window; ++g)
      if (s_.diagonals[g] == 0) found.lane_slices += (rows_of_group(g) + together - 1) / together;
  } else if (way == packed_way::sorted) {
    count_classes(0, rows_, 0);
    found.lane_slices += s_.counts.slices();
    found.row_parts = s_.counts.row_parts;
    found.cut_rows = s_.counts.rows[packed_cut_into_parts];
  } else {
    for_each_row_range([&](int begin, int end) {
      found.coo_slices += coo_slices_of(begin, end);
      count_classes(begin, end, a_.rules.entries_per_slice);
      found.lane_slices += s_.counts.slices();
      found.row_parts += s_.counts.row_parts;
      found.cut_rows += s_.counts.rows[packed_cut_into_parts];
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
                                   packed_code::cut_amounts* sums) {
  __shared__ typename packed_block_of_window<V, O>::shared shared;
  packed_block_of_window<V, O>(a, blockIdx.x, shared).decide(cut[blockIdx.x], sums[blockIdx.x]);
  if (blockIdx.x == 0 && threadIdx.x == 0) sums[packed_windows_of(a.rows)] = {};
}

template <value V, offset O>
__device__ void packed_block_of_window<V, O>::write(const packed_window_cut& cut,
                                                    const packed_code::cut_amounts& before,
                                                    const packed_code::cut_amounts& all,
                                                    const packed_cut_arrays& to) {
  packed_code::cut_amounts at = before;
  if (threadIdx.x < packed_groups_of_window) s_.diagonals[threadIdx.x] = cut.diagonals[threadIdx.x];
  __syncthreads();
  if (before.diagonal_slices != (&before)[1].diagonal_slices)
    find_diagonals(&cut, to.diagonal + at.diagonal_steps);
  if (cut.way == packed_way::in_order) {
    const int together = packed_lanes >> cut.sharing;
    for (int g = 0; g < packed_groups_of_window && g * packed_diagonal_slice_rows < rows_; ++g) {
      if (s_.diagonals[g] > 0) {
        write_diagonals(g, at, to);
        continue;
      }
      const int slices = (rows_of_group(g) + together - 1) / together;
      for (int i = static_cast<int>(threadIdx.x); i < slices; i += packed_cut_threads) {
        const int row = g * packed_diagonal_slice_rows + i * together;
        to.slice[at.slices() + i] = {.kind = packed_kind::consecutive,
                                     .first = static_cast<std::int32_t>(first_ + row),
                                     .count = min(together, rows_ - row),
                                     .place = static_cast<std::uint32_t>(at.lane_slices + i),
                                     .sharing = cut.sharing};
      }
      at.lane_slices += slices;
    }
  } else if (cut.way == packed_way::sorted) {
    sort_rows(0, rows_, 0);
    write_listed(0, rows_, 0, 0, at, to);
  } else {
    find_ends();
    int listed = 0;
    int group = 0;
    const auto diagonals_up_to = [&](int row) {
      for (; group * packed_diagonal_slice_rows < row; ++group)
        if (s_.diagonals[group] > 0) write_diagonals(group, at, to);
    };
    for_each_row_range([&](int begin, int end) {
      diagonals_up_to(begin);
      const int slices = coo_slices_of(begin, end);
      for (int i = static_cast<int>(threadIdx.x); i < slices; i += packed_cut_threads) {
        const int row = s_.start[i];
        to.slice[at.slices() + i] = {
            .kind = packed_kind::coo_slice,
            .first = static_cast<std::int32_t>(first_ + row),
            .count = min(static_cast<int>(s_.next[row]), end) - row,
            .place = static_cast<std::uint32_t>(all.lane_slices + at.coo_slices + i)};
      }
      at.coo_slices += slices;
      int rows_too_long = 0;
      static_cast<void>(entries_of_long_rows(begin, end, rows_too_long));
      if (rows_too_long == 0) return;
      sort_rows(begin, end, a_.rules.entries_per_slice);
      write_listed(begin, end, a_.rules.entries_per_slice, listed, at, to);
      listed += rows_too_long;
    });
    diagonals_up_to(rows_);
  }
}

template <value V, offset O>
__device__ void packed_block_of_window<V, O>::write_diagonals(int g, packed_code::cut_amounts& at,
                                                              const packed_cut_arrays& to) const {
  if (threadIdx.x == 0)
    to.slice[at.slices()] = {.kind = packed_kind::diagonal_slice,
                             .first = static_cast<std::int32_t>(first_) + g * packed_diagonal_slice_rows,
                             .count = rows_of_group(g),
                             .place = static_cast<std::uint32_t>(at.lane_slices),
                             .steps = s_.diagonals[g],
                             .detail = at.diagonal_steps};
  ++at.lane_slices;
  ++at.diagonal_slices;
  at.diagonal_steps += s_.diagonals[g];
}

template <value V, offset O>
__device__ void packed_block_of_window<V, O>::write_listed(int begin, int end, std::int64_t more_than,
                                                           int listed, packed_code::cut_amounts& at,
                                                           const packed_cut_arrays& to) {
  count_classes(begin, end, more_than);
  const packed_class_counts counts = s_.counts;
  int rows = 0;
  for (const std::int32_t n : counts.rows) rows += n;
  const int cut = counts.rows[packed_cut_into_parts];
  const auto slice = [&](packed_kind kind, std::int32_t first, int count, std::int64_t part,
                         std::int64_t slot, int sharing, int place, std::int64_t cut_row = 0) {
    to.slice[at.slices() + place] = {.kind = kind,
                                     .first = first,
                                     .count = count,
                                     .place = static_cast<std::uint32_t>(at.lane_slices + place),
                                     .sharing = sharing,
                                     .detail = part,
                                     .slot = static_cast<std::int32_t>(slot),
                                     .cut_row = static_cast<std::int32_t>(cut_row)};
  };
  for (int p = cut + static_cast<int>(threadIdx.x); p < rows; p += packed_cut_threads) {
    to.order[first_ + listed + p] = static_cast<std::int32_t>(first_) + s_.order[p];
    const int c = class_of(length(s_.order[p]));
    const int of_class = p - counts.rows_before(c);
    const int together = packed_lanes >> c;
    if (of_class % together == 0)
      slice(packed_kind::listed, static_cast<std::int32_t>(first_) + listed + p,
            min(together, counts.rows[c] - of_class), -1, 0, c,
            counts.slices_before(c) + of_class / together);
  }
  // Cut rows are few.
  int parts = 0;
  for (int p = 0; p < cut; ++p) {
    const auto row = static_cast<std::int32_t>(first_) + s_.order[p];
    const int of_row = parts_of(length(s_.order[p]));
    for (int part = static_cast<int>(threadIdx.x); part < of_row; part += packed_cut_threads)
      slice(packed_kind::consecutive, row, 1, part, at.row_parts + parts + part, 5, parts + part,
            at.cut_rows + p);
    if (threadIdx.x == 0) {
      to.carry_row[at.cut_rows + p] = row;
      to.carry_first[at.cut_rows + p] = at.row_parts + parts;
      to.carry_last[at.cut_rows + p] = at.row_parts + parts + of_row;
    }
    parts += of_row;
  }
  at.lane_slices += counts.slices();
  at.row_parts += parts;
  at.cut_rows += cut;
}

template <value V, offset O>
__global__ void __launch_bounds__(packed_cut_threads)
    packed_cut_window_per_block(const __grid_constant__ packed_to_cut<V, O> a, packed_cut_arrays to) {
  __shared__ typename packed_block_of_window<V, O>::shared shared;
  packed_block_of_window<V, O>(a, blockIdx.x, shared)
      .write(to.window[blockIdx.x], to.before[blockIdx.x], to.before[packed_windows_of(a.rows)], to);
}

}  // namespace gossamer::inline v0::formats
