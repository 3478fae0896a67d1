// SPDX-License-Identifier: BSD-3-Clause
// Writes the arrays of a matrix from its planned slices: the offsets of all slices, and their bytes. It uses
// all threads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/first_touch.hpp"
#include "core/parallel.hpp"
#include "formats/common/equal_cuts.hpp"
#include "formats/packed/choose/plan.hpp"
#include "formats/packed/cuda/launch_policy.hpp"
#include "formats/packed/encode/write_slice.hpp"
#include "formats/packed/layout.hpp"

namespace gossamer::inline v0::formats::packed_code {

/// The meta of a matrix. Options: those of packed.
template <value V, offset O, class Space, class Options>
packed_meta meta_of(const csr_view<V, O, Space>& a, const Options& o, bool on_device, const amounts& all) {
  const std::int64_t warps = on_device ? warps_of_a_slice(o.warps_per_slice, o.shares_diagonals(), all) : 1;
  const bool is_plain = all.table_slices == 0 && all.half_slices == 0;
  return {.rows = a.rows,
          .cols = a.cols,
          .nnz = a.nnz(),
          .slices = all.slices(),
          .log2_warps = std::countr_zero(static_cast<std::uint32_t>(warps)),
          .rows_shared = on_device ? rows_shared(o.warps_on_diagonals, sizeof(V), warps, is_plain, all)
                                   : packed_rows_shared::never,
          .longest_part = o.longest_part,
          .coo_slices = all.coo_slices,
          .together = on_device ? packed_together_on_device : 1,
          .bf16 = o.precision == packed_precision::bf16,
          .has_halves = all.half_slices > 0,
          .has_elided_deltas = all.saved_pieces > 0};
}

/// All arrays of such a matrix. `slice` and `data` are not filled yet.
template <value V>
packed_storage<V, host_buffer> with_room(const packed_meta& meta, const matrix_plan<V>& planned) {
  const amounts& all = planned.all();
  packed_storage<V, host_buffer> s;
  s.meta = meta;
  s.table = host_buffer<V>(all.table_slices > 0 ? planned.how.table.size() : 0);
  std::copy_n(planned.how.table.begin(), s.table.size(), s.table.data());
  s.slice = host_buffer<packed_slice>(static_cast<std::size_t>(all.slices()));
  s.data = host_buffer<std::uint8_t>(static_cast<std::size_t>(all.pieces * packed_piece + behind_the_last));
  std::fill_n(s.data.data() + all.pieces * packed_piece, behind_the_last, std::uint8_t{0});
  s.carries = {.row = host_buffer<std::int32_t>(static_cast<std::size_t>(all.cut_rows)),
               .first = host_buffer<std::int64_t>(static_cast<std::size_t>(all.cut_rows)),
               .last = host_buffer<std::int64_t>(static_cast<std::size_t>(all.cut_rows)),
               .run_at_cut = host_buffer<std::int32_t>(0)};
  return s;
}

/// Writes the headers and cut rows of window w, and calls write(slice, to) for the bytes of each slice. On a
/// device COO slices come after all lane slices.
template <value V, class Write>
void place_window(packed_storage<V, host_buffer>& s, const matrix_plan<V>& planned, bool on_device,
                  std::int64_t w, Write&& write) {
  amounts at = planned.before[static_cast<std::size_t>(w)];
  for (const slice_plan& each : planned.windows[static_cast<std::size_t>(w)].slices) {
    const packed_rows& rows = each.rows;
    packed_slice slice = each.header;
    slice.at = static_cast<std::uint32_t>(at.pieces);
    if (rows.row_part == 0) {
      s.carries.row.data()[at.cut_rows] = rows.row[0];
      s.carries.first.data()[at.cut_rows] = at.row_parts;
      ++at.cut_rows;
    }
    if (rows.row_part >= 0) {
      slice.row = static_cast<std::int32_t>(at.row_parts++);
      slice.masks = static_cast<std::uint32_t>(at.cut_rows - 1);
      s.carries.last.data()[at.cut_rows - 1] = at.row_parts;
    }
    const std::int64_t number = !on_device          ? at.slices()
                                : rows.is_coo_slice ? planned.all().lane_slices + at.coo_slices
                                                    : at.lane_slices;
    s.slice.data()[number] = slice;
    ++(rows.is_coo_slice ? at.coo_slices : at.lane_slices);
    write(each, s.data.data() + at.pieces * packed_piece);
    at.pieces += each.bytes / packed_piece;
  }
}

/// Writes the headers and bytes of all slices, window by window.
template <value V, offset O>
void fill_slices(packed_storage<V, host_buffer>& s, const csr_view<V, O>& a, const matrix_plan<V>& planned,
                 bool on_device) {
  core::first_touch(std::as_writable_bytes(s.data.span()));
  const auto write = [&](const slice_plan& slice, std::uint8_t* to) {
    write_packed(a, slice.rows, planned.how.encoding, slice.header, slice.bytes, to);
  };
  const window_weights<V, O> weights(a);
  weights.for_each([&](std::int64_t w) { place_window(s, planned, on_device, w, write); });
  std::vector<std::pair<const slice_plan*, std::uint8_t*>> placed;
  for (const std::int64_t w : weights.long_ones())
    place_window(s, planned, on_device, w,
                 [&](const slice_plan& slice, std::uint8_t* to) { placed.emplace_back(&slice, to); });
  core::parallel_for_dynamic(static_cast<std::int64_t>(placed.size()), [&](std::int64_t i) {
    const auto& [slice, to] = placed[static_cast<std::size_t>(i)];
    write(*slice, to);
  });
}

/// Cuts the slices into work units of about equal weight.
template <value V>
void cut_into_units(packed_storage<V, host_buffer>& s, const amounts& all) {
  const unit_size cuts = units_of(all.pieces, all.slices());
  s.meta.units = cuts.units;
  s.unit_slice = host_buffer<std::int32_t>(static_cast<std::size_t>(cuts.units) + 1);
  const packed_slice* const slice = s.slice.data();
  const auto weight_before = [&](std::int64_t i) {
    return std::int64_t{slice[i].at} + i * pieces_of_a_slice;
  };
  for (std::int64_t u = 0; u < cuts.units; ++u)
    s.unit_slice.data()[u] =
        static_cast<std::int32_t>(first_at_or_after(all.slices(), u * cuts.weight, weight_before));
  s.unit_slice.data()[cuts.units] = static_cast<std::int32_t>(all.slices());
}

/// Writes the first row of each unit, if each unit has all of its rows and they are contiguous. Then an
/// epilogue can finish the rows of a unit while they are in a cache.
template <value V>
void find_rows_of_units(packed_storage<V, host_buffer>& s) {
  s.unit_row = host_buffer<std::int32_t>(s.unit_slice.size());
  std::int32_t* const first = s.unit_row.data();
  std::fill_n(first, s.unit_row.size(), 0);
  if (s.carries.row.size() > 0) return;
  std::int64_t rows = 0;  // of the slices so far
  std::int64_t end = 0;   // behind the last of them, at most
  std::int64_t i = 0;
  for (std::int64_t u = 0; u <= s.meta.units; ++u) {
    for (; i < s.unit_slice.data()[u]; ++i) {
      const packed_slice& slice = s.slice.data()[i];
      const std::int64_t among = slice.lists_rows() ? packed_window : slice.rows();
      rows += slice.rows();
      end = std::max(end, std::min(s.meta.rows, slice.row + among));
    }
    if (rows != end || (u == s.meta.units && rows != s.meta.rows))
      return static_cast<void>(std::fill_n(first, s.unit_row.size(), 0));
    first[u] = static_cast<std::int32_t>(rows);
  }
  s.meta.units_have_rows = true;
}

/// The storage of a planned matrix. Options: those of packed.
template <value V, offset O, class Options>
packed_storage<V, host_buffer> encode(const csr_view<V, O>& a, const Options& o, bool on_device,
                                      const matrix_plan<V>& planned) {
  const amounts& all = planned.all();
  packed_storage<V, host_buffer> s = with_room(meta_of(a, o, on_device, all), planned);
  fill_slices(s, a, planned, on_device);
  s.meta.carries = {.longest = 0, .slots = all.row_parts};
  for (std::int64_t r = 0; r < all.cut_rows; ++r)
    s.meta.carries.longest =
        std::max(s.meta.carries.longest, s.carries.last.data()[r] - s.carries.first.data()[r]);
  if (!on_device) {
    cut_into_units(s, all);
    find_rows_of_units(s);
  } else if (packed_longest_first(all.lane_slices, all.coo_slices, s.meta.log2_warps, sizeof(V))) {
    packed_sort_longest_first(s.slice.span().first(static_cast<std::size_t>(all.lane_slices)));
  }
  return s;
}

}  // namespace gossamer::inline v0::formats::packed_code
