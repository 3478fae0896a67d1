// SPDX-License-Identifier: BSD-3-Clause
// Which segment of which row stands where: Algorithm 1's queue, round by round.
//
// The queue is first in, first out, so a row that is not finished comes again when all rows before it have
// had their turn: the rows of vertical block v are those of block v - 1 that have entries left, in the same
// order. Each round is made from the one before by a stable compaction, which is linear in the segments and
// runs on all cores.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/parallel.hpp"
#include "formats/brc/position_widths.hpp"
#include "formats/brc/segments.hpp"
#include "formats/common/row_order.hpp"

namespace gossamer::inline v0::formats {

/// The number of the run that an item below 0 stands for.
constexpr std::size_t brc_run_of(std::int32_t item) noexcept {
  return static_cast<std::size_t>(~std::int64_t{item});
}

/// An item is a segment, or an empty row; items are numbered as the queue gives them, and item q is in block
/// q / block_rows. Empty rows, which have nothing to queue for, are the last items: a product that leaves y
/// of such rows as it is can do without them.
struct brc_layout {
  std::vector<std::int32_t> item;       ///< its row; or, where the row is cut, ~run
  std::vector<std::int64_t> round;      ///< the first item of each round, then that of the empty rows
  std::vector<std::int32_t> run_row;    ///< cut rows, in the order of the queue
  std::vector<std::int64_t> run_slot;   ///< the slot of each one's first segment, then the number of slots
  std::vector<std::int64_t> run_width;  ///< by_position: of each one's segments
  std::int64_t longest_run = 0;         ///< segments

  [[nodiscard]] std::int64_t items() const noexcept { return static_cast<std::int64_t>(item.size()); }
  [[nodiscard]] std::int64_t filled() const noexcept { return round.back(); }
  [[nodiscard]] std::int64_t slots() const noexcept { return run_slot.back(); }
  [[nodiscard]] std::int64_t segments_of_run(std::int64_t run) const noexcept {
    const auto r = static_cast<std::size_t>(run);
    return run_slot[r + 1] - run_slot[r];
  }
  /// Segment v of an item's row, which has that length.
  [[nodiscard]] brc_segment segment(const brc_cut& cut, std::int32_t of_item, std::int64_t length,
                                    std::int64_t v) const noexcept {
    if (of_item >= 0) return {0, length};
    if (run_width.empty()) return cut.segment(length, v);
    return cut.with(run_width[brc_run_of(of_item)]).segment(length, v);
  }
};

namespace detail {

/// body(part, begin, end) over [0, size), in one part where that is too short for threads.
template <class Body>
void in_parts(std::int64_t size, std::int64_t parts, Body&& body) {
  core::parallel_for(parts, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t part = first; part < last; ++part) {
      const core::range r = core::share(size, static_cast<int>(part), static_cast<int>(parts));
      body(static_cast<std::size_t>(part), r.begin, r.end);
    }
  });
}
inline std::int64_t parts_of(std::int64_t size) {
  return size <= core::default_grain ? 1 : core::default_threads();
}

/// from[k] where keep(from[k]), in their order, to `to`; their number.
template <class Keep>
std::int64_t compact(const std::int32_t* from, std::int64_t size, std::int32_t* to, Keep&& keep) {
  const std::int64_t parts = parts_of(size);
  if (parts == 1) return std::copy_if(from, from + size, to, keep) - to;
  std::vector<std::int64_t> before(static_cast<std::size_t>(parts) + 1);
  in_parts(size, parts, [&](std::size_t part, std::int64_t begin, std::int64_t end) {
    before[part + 1] = std::count_if(from + begin, from + end, keep);
  });
  for (std::size_t part = 0; part < static_cast<std::size_t>(parts); ++part) before[part + 1] += before[part];
  in_parts(size, parts, [&](std::size_t part, std::int64_t begin, std::int64_t end) {
    std::copy_if(from + begin, from + end, to + before[part], keep);
  });
  return before.back();
}

}  // namespace detail

/// Rows are sorted by length within windows of `window` rows (1: not at all), the longest first and rows of
/// one length in their own order. `block_rows` matters by_position only.
template <class V, offset O>
brc_layout brc_lay_out(const csr_view<V, O>& a, const brc_cut& cut, std::int64_t window,
                       std::int64_t block_rows) {
  struct tally {
    std::int64_t filled = 0, empty = 0, runs = 0, slots = 0;
  };
  std::vector<std::int32_t> order(static_cast<std::size_t>(window > 1 ? a.rows : 0));
  if (window > 1) order_rows(a, window, order.data());
  const auto row_at = [&](std::int64_t position) {
    return window > 1 ? order[static_cast<std::size_t>(position)] : static_cast<std::int32_t>(position);
  };
  const bool by_position = cut.widths == brc_widths::by_position;
  const brc_places places{.window = window, .block_rows = block_rows};
  std::vector<std::int64_t> group_width;
  if (by_position) group_width = brc_widths_by_position(a, row_at, places, cut.width);
  const auto cut_at = [&](std::int64_t position) {
    return by_position ? cut.with(group_width[places.group(position)]) : cut;
  };
  const std::int64_t parts = detail::parts_of(a.rows);
  std::vector<tally> before(static_cast<std::size_t>(parts) + 1);
  detail::in_parts(a.rows, parts, [&](std::size_t part, std::int64_t begin, std::int64_t end) {
    tally t;
    for (std::int64_t position = begin; position < end; ++position) {
      const std::int64_t segments = cut_at(position).segments(row_length(a, row_at(position)));
      t.filled += segments > 0 ? 1 : 0;
      t.empty += segments > 0 ? 0 : 1;
      t.runs += segments > 1 ? 1 : 0;
      t.slots += segments > 1 ? segments : 0;
    }
    before[part + 1] = t;
  });
  for (std::size_t part = 0; part < static_cast<std::size_t>(parts); ++part) {
    before[part + 1].filled += before[part].filled;
    before[part + 1].empty += before[part].empty;
    before[part + 1].runs += before[part].runs;
    before[part + 1].slots += before[part].slots;
  }
  const tally& all = before.back();
  const std::int64_t filled = all.filled + all.slots - all.runs;
  brc_layout l;
  l.item.resize(static_cast<std::size_t>(filled + all.empty));
  l.run_row.resize(static_cast<std::size_t>(all.runs));
  l.run_slot.resize(static_cast<std::size_t>(all.runs) + 1);
  if (by_position) l.run_width.resize(static_cast<std::size_t>(all.runs));
  l.run_slot.back() = all.slots;
  std::vector<std::int64_t> longest(static_cast<std::size_t>(parts));
  detail::in_parts(a.rows, parts, [&](std::size_t part, std::int64_t begin, std::int64_t end) {
    tally t = before[part];
    for (std::int64_t position = begin; position < end; ++position) {
      const std::int32_t row = row_at(position);
      const brc_cut here = cut_at(position);
      const std::int64_t segments = here.segments(row_length(a, row));
      if (segments == 0) {
        l.item[static_cast<std::size_t>(filled + t.empty++)] = row;
      } else if (segments == 1) {
        l.item[static_cast<std::size_t>(t.filled++)] = row;
      } else {
        l.item[static_cast<std::size_t>(t.filled++)] = ~static_cast<std::int32_t>(t.runs);
        l.run_row[static_cast<std::size_t>(t.runs)] = row;
        if (by_position) l.run_width[static_cast<std::size_t>(t.runs)] = here.width;
        l.run_slot[static_cast<std::size_t>(t.runs++)] = t.slots;
        t.slots += segments;
        longest[part] = std::max(longest[part], segments);
      }
    }
  });
  l.longest_run = *std::max_element(longest.begin(), longest.end());
  l.round.push_back(0);
  std::int64_t size = all.filled;
  for (std::int64_t v = 0; size > 0; ++v) {
    const std::int64_t first = l.round.back();
    l.round.push_back(first + size);
    if (first + size == filled) break;
    size = detail::compact(l.item.data() + first, size, l.item.data() + first + size,
                           [&](std::int32_t item) { return item < 0 && l.segments_of_run(~item) > v + 1; });
  }
  return l;
}

/// f(item, its row, its round, its segment) for items first ... last - 1.
template <class V, offset O, class F>
void brc_for_each_item(const csr_view<V, O>& a, const brc_layout& l, const brc_cut& cut, std::int64_t first,
                       std::int64_t last, F&& f) {
  auto next = std::upper_bound(l.round.begin(), l.round.end(), first);
  for (std::int64_t q = first; q < last; ++q) {
    while (next != l.round.end() && q >= *next) ++next;
    const std::int32_t item = l.item[static_cast<std::size_t>(q)];
    const std::int32_t row = item < 0 ? l.run_row[brc_run_of(item)] : item;
    const std::int64_t v = next - l.round.begin() - 1;
    f(q, row, v, l.segment(cut, item, row_length(a, row), v));
  }
}

/// The widths of the blocks, Equation (2): each one's longest segment.
template <class V, offset O>
std::vector<std::int64_t> brc_block_widths(const csr_view<V, O>& a, const brc_layout& l, const brc_cut& cut,
                                           std::int64_t block_rows) {
  const std::int64_t blocks = (l.items() + block_rows - 1) / block_rows;
  std::vector<std::int64_t> width(static_cast<std::size_t>(blocks));
  core::parallel_for(blocks, 256, [&](std::int64_t begin, std::int64_t end) {
    brc_for_each_item(a, l, cut, begin * block_rows, std::min(l.items(), end * block_rows),
                      [&](std::int64_t q, std::int32_t, std::int64_t, const brc_segment& s) {
                        std::int64_t& longest = width[static_cast<std::size_t>(q / block_rows)];
                        longest = std::max(longest, s.length);
                      });
  });
  return width;
}

}  // namespace gossamer::inline v0::formats
