// SPDX-License-Identifier: BSD-3-Clause
// From slices with their headers to the arrays of a matrix: where each slice stands and its bytes, on all
// cores.
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

/// What a matrix has once. Options: those of packed.
template <value V, offset O, class Space, class Options>
packed_meta meta_of(const csr_view<V, O, Space>& a, const Options& o, bool on_device, const amounts& all) {
  const std::int64_t warps = on_device ? warps_of_a_slice(o.warps_per_slice, o.shares_diagonals(), all) : 1;
  const bool all_in_full = all.by_table == 0 && all.in_half == 0;
  return {.rows = a.rows,
          .cols = a.cols,
          .nnz = a.nnz(),
          .slices = all.slices(),
          .log2_warps = std::countr_zero(static_cast<std::uint32_t>(warps)),
          .rows_shared = on_device ? rows_shared(o.warps_on_diagonals, sizeof(V), warps, all_in_full, all)
                                   : packed_rows_shared::never,
          .longest_part = o.longest_part,
          .of_entries = all.of_entries,
          .together = on_device ? packed_together_on_device : 1,
          .bf16 = o.precision == packed_precision::bf16,
          .has_halves = all.in_half > 0,
          .has_elided_deltas = all.saved > 0};
}

/// All arrays of such a matrix; those of slices and their bytes are yet to be filled.
template <value V>
packed_storage<V, host_buffer> with_room(const packed_meta& meta, const matrix_plan<V>& planned) {
  const amounts& all = planned.all();
  packed_storage<V, host_buffer> s;
  s.meta = meta;
  s.table = host_buffer<V>(all.by_table > 0 ? planned.how.table.size() : 0);
  std::copy_n(planned.how.table.begin(), s.table.size(), s.table.data());
  s.slice = host_buffer<packed_slice>(static_cast<std::size_t>(all.slices()));
  s.data = host_buffer<std::uint8_t>(static_cast<std::size_t>(all.pieces * packed_piece + behind_the_last));
  std::fill_n(s.data.data() + all.pieces * packed_piece, behind_the_last, std::uint8_t{0});
  s.carries = {.row = host_buffer<std::int32_t>(static_cast<std::size_t>(all.runs)),
               .first = host_buffer<std::int64_t>(static_cast<std::size_t>(all.runs)),
               .last = host_buffer<std::int64_t>(static_cast<std::size_t>(all.runs)),
               .run_at_cut = host_buffer<std::int32_t>(0)};
  return s;
}

/// Window w's slices and rows in parts among all; then write(slice, to) for the bytes of each. On a device
/// slices of entries stand behind those in lanes.
template <value V, class Write>
void place_window(packed_storage<V, host_buffer>& s, const matrix_plan<V>& planned, bool on_device,
                  std::int64_t w, Write&& write) {
  amounts at = planned.before[static_cast<std::size_t>(w)];
  for (const slice_plan& each : planned.windows[static_cast<std::size_t>(w)].slices) {
    const packed_rows& rows = each.rows;
    packed_slice slice = each.header;
    slice.at = static_cast<std::uint32_t>(at.pieces);
    if (rows.part == 0) {
      s.carries.row.data()[at.runs] = rows.row[0];
      s.carries.first.data()[at.runs] = at.parts;
      ++at.runs;
    }
    if (rows.part >= 0) {
      slice.row = static_cast<std::int32_t>(at.parts++);
      slice.masks = static_cast<std::uint32_t>(at.runs - 1);
      s.carries.last.data()[at.runs - 1] = at.parts;
    }
    const std::int64_t number = !on_device     ? at.slices()
                                : rows.entries ? planned.all().in_lanes + at.of_entries
                                               : at.in_lanes;
    s.slice.data()[number] = slice;
    ++(rows.entries ? at.of_entries : at.in_lanes);
    write(each, s.data.data() + at.pieces * packed_piece);
    at.pieces += each.bytes / packed_piece;
  }
}

/// Where each slice goes, window by window, and its bytes.
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

/// Where the shares of a CPU's threads begin: of as many pieces and slices each.
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

/// The storage of a matrix that is coded. Options: those of packed.
template <value V, offset O, class Options>
packed_storage<V, host_buffer> encode(const csr_view<V, O>& a, const Options& o, bool on_device,
                                      const matrix_plan<V>& planned) {
  const amounts& all = planned.all();
  packed_storage<V, host_buffer> s = with_room(meta_of(a, o, on_device, all), planned);
  fill_slices(s, a, planned, on_device);
  s.meta.carries = {.longest = 0, .slots = all.parts};
  for (std::int64_t r = 0; r < all.runs; ++r)
    s.meta.carries.longest =
        std::max(s.meta.carries.longest, s.carries.last.data()[r] - s.carries.first.data()[r]);
  if (!on_device)
    cut_into_units(s, all);
  else if (packed_longest_first(all.in_lanes, all.of_entries, s.meta.log2_warps, sizeof(V)))
    packed_sort_longest_first(s.slice.span().first(static_cast<std::size_t>(all.in_lanes)));
  return s;
}

}  // namespace gossamer::inline v0::formats::packed_code
