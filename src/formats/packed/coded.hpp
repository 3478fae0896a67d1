// SPDX-License-Identifier: BSD-3-Clause
// All slices of a matrix with their headers: what measuring finds out and building writes down. On all cores, window by window, or slice by
// slice in a window of many entries.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "formats/packed/scheme.hpp"

namespace gossamer::inline v0::formats::packed_code {

struct coded_slice {
  packed_rows rows;
  packed_slice header;
  std::uint32_t bytes = 0;
};

struct coded_window {
  std::vector<coded_slice> slices;
  std::vector<std::int64_t> diagonals;  ///< of all slices that are on some; their rows refer to it

  [[nodiscard]] amounts sum() const {
    amounts of;
    for (const coded_slice& each : slices) {
      of.by_table += each.header.counts_in_table() ? 1 : 0;
      of.in_half += each.header.values() == packed_values::half ? 1 : 0;
      ++(each.rows.entries ? of.of_entries : of.in_lanes);
      if (each.header.on_diagonals()) {
        ++of.on_diagonals;
        of.steps_on_diagonals += each.header.steps;
      }
      of.pieces += each.bytes / packed_piece;
      of.parts += each.rows.part >= 0 ? 1 : 0;
      of.runs += each.rows.part == 0 ? 1 : 0;
    }
    return of;
  }
};

/// A window of more entries is no thread's alone: a matrix of few long rows has hardly any windows.
inline constexpr std::int64_t entries_of_a_thread = 1 << 17;

template <class V, offset O>
std::int64_t entries_of_window(const csr_view<V, O>& a, std::int64_t window) {
  const std::int64_t first = window * packed_window;
  const std::int64_t last = std::min(a.rows, first + packed_window);
  return static_cast<std::int64_t>(a.row_ptr.data()[last]) -
         static_cast<std::int64_t>(a.row_ptr.data()[first]);
}

/// body(window, threads) for each window: most of them on one thread (1), those of many entries on the calling thread (0: all).
template <class V, offset O, class Body>
void for_each_window(const csr_view<V, O>& a, Body&& body) {
  const std::int64_t windows = packed_windows<V, O>::windows(a.rows);
  const auto is_long = [&](std::int64_t w) { return entries_of_window(a, w) > entries_of_a_thread; };
  const std::int64_t grain = a.nnz() + a.rows < exec::default_grain ? windows : 1;
  exec::parallel_for(windows, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t w = begin; w < end; ++w)
      if (!is_long(w)) body(w, 1);
  });
  if (a.nnz() <= entries_of_a_thread) return;
  for (std::int64_t w = 0; w < windows; ++w)
    if (is_long(w)) body(w, 0);
}

/// body(slice) for each slice of a window, on one thread or all of them.
template <class Window, class Body>
void for_each_coded(Window& window, int threads, Body&& body) {
  const auto size = static_cast<std::int64_t>(window.slices.size());
  exec::parallel_for(size, threads == 1 ? size : 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) body(window.slices[static_cast<std::size_t>(i)]);
  });
}

template <value V, offset O>
std::vector<coded_window> coded_windows(const csr_view<V, O>& a, const scheme<V>& how) {
  std::vector<coded_window> all(static_cast<std::size_t>(packed_windows<V, O>::windows(a.rows)));
  for_each_window(a, [&](std::int64_t w, int threads) {
    coded_window& window = all[static_cast<std::size_t>(w)];
    packed_windows<V, O> cut(a, how.longest_walk, how.longest_part, how.entries_per_slice, how.slot_bytes,
                             how.short_rows, how.costs);
    cut.for_each_slice(w, [&](const packed_rows& rows) {
      window.slices.push_back({.rows = rows, .header = {}});
      window.diagonals.insert(window.diagonals.end(), rows.diagonals.begin(), rows.diagonals.end());
    });
    std::size_t before = 0;
    for (coded_slice& each : window.slices) {
      const std::size_t size = each.rows.diagonals.size();
      each.rows.diagonals = std::span(std::as_const(window.diagonals)).subspan(before, size);
      before += size;
    }
    for_each_coded(window, threads, [&](coded_slice& each) {
      each.header = packed_header(a, each.rows, how.coding, each.bytes);
    });
  });
  return all;
}

/// What stands before each window, and behind the last.
inline std::vector<amounts> amounts_before(const std::vector<coded_window>& windows) {
  std::vector<amounts> before;
  amounts sum;
  for (const coded_window& each : windows) {
    before.push_back(sum);
    sum.add(each.sum());
  }
  before.push_back(sum);
  return before;
}

/// A matrix that is cut and coded, but not written.
template <value V>
struct coded_matrix {
  scheme<V> how;
  std::vector<coded_window> windows;
  std::vector<amounts> before;

  /// Options: those of packed.
  template <offset O, class Options>
  coded_matrix(const csr_view<V, O>& a, value_table<V> frequent, const Options& o, bool on_device)
      : how(std::move(frequent), o, on_device, a.nnz()),
        windows(coded_windows(a, how)),
        before(amounts_before(windows)) {
    if (!on_device || !may_do_without_entries(how.short_rows, all().in_lanes, all().of_entries, how.costs))
      return;
    how.short_rows = packed_short_rows::padded;
    std::vector<coded_window> padded = coded_windows(a, how);
    std::vector<amounts> before_padded = amounts_before(padded);
    if (!does_without_entries(before_padded.back().in_lanes, all().in_lanes, all().of_entries)) return;
    windows = std::move(padded);
    before = std::move(before_padded);
  }

  [[nodiscard]] const amounts& all() const { return before.back(); }
};

}  // namespace gossamer::inline v0::formats::packed_code
