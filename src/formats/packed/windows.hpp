// SPDX-License-Identifier: BSD-3-Clause
// Which rows a slice has. Rows are taken window by window, so that neighbours stay near each other: a window as it is, or sorted by
// length where that saves more padding than it costs. Long rows are shared by 2 to 32 lanes, and the longest are cut into parts.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/packed/diagonals.hpp"
#include "formats/row_order.hpp"

namespace gossamer::inline v0::formats {

inline constexpr std::int64_t packed_window = 1024;
/// Longer rows are cut; a part is a slice of its own.
inline constexpr std::int64_t packed_longest_part = 8192;

/// The rows of one slice.
struct packed_rows {
  std::array<std::int32_t, packed_lanes> row{};
  int count = 0;
  int sharing = 0;         ///< log2 of the lanes of a row
  bool listed = false;     ///< they do not follow each other
  std::int64_t part = -1;  ///< of a row that is cut: which part of it
  /// On diagonals: those, ascending, as column minus row. The rows follow each other from row[0] on.
  std::span<const std::int64_t> diagonals{};

  /// Entries of lane `lane`, sharing() apart, from `first` on.
  struct lane_entries {
    std::int64_t first = 0;
    std::int64_t count = 0;
  };
  template <class V, offset O>
  [[nodiscard]] lane_entries of_lane(const csr_view<V, O>& a, int lane) const {
    const int which = lane >> sharing;
    if (which >= count) return {};
    const std::int32_t r = row[static_cast<std::size_t>(which)];
    std::int64_t first = static_cast<std::int64_t>(a.row_ptr.data()[r]);
    std::int64_t length = row_length(a, r);
    if (part >= 0) {
      first += part * packed_longest_part;
      length = std::min(length - part * packed_longest_part, packed_longest_part);
    }
    const std::int64_t of_row = lane & ((1 << sharing) - 1);
    if (of_row >= length) return {};
    return {.first = first + of_row,
            .count = (length - of_row + (std::int64_t{1} << sharing) - 1) >> sharing};
  }
};

/// log2 of the lanes that share a row, so that none of them has more than `longest_walk` entries.
constexpr int packed_sharing(std::int64_t length, std::int64_t longest_walk) noexcept {
  int log2 = 0;
  while (log2 < 5 && length > longest_walk << log2) ++log2;
  return log2;
}

/// The slices of one window after another; made once for a thread, whose memory they use again.
template <class V, offset O>
class packed_windows {
 public:
  packed_windows(const csr_view<V, O>& a, std::int64_t longest_walk, std::int64_t slot_bytes)
      : a_(a),
        longest_walk_(longest_walk),
        slot_bytes_(slot_bytes),
        order_(static_cast<std::size_t>(packed_window)) {}

  static std::int64_t windows(std::int64_t rows) { return (rows + packed_window - 1) / packed_window; }

  /// f(const packed_rows&) for each slice of the window, in order.
  template <class F>
  void for_each_slice(std::int64_t window, F&& f) {
    const std::int64_t first = window * packed_window;
    const std::int64_t last = std::min(a_.rows, first + packed_window);
    std::int64_t longest = 0;
    std::int64_t entries = 0;
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t length = row_length(a_, i);
      longest = std::max(longest, length);
      entries += length;
    }
    const int sharing = packed_sharing(longest, longest_walk_);
    if (longest <= packed_longest_part && !is_sorted_better(first, last, sharing, entries))
      in_order(first, last, sharing, f);
    else
      sorted(first, last, f);
  }

 private:
  static std::int64_t steps_of(std::int64_t length, int sharing) {
    return (length + (std::int64_t{1} << sharing) - 1) >> sharing;
  }

  bool is_sorted_better(std::int64_t first, std::int64_t last, int sharing, std::int64_t entries) {
    std::int64_t slots = 0;
    const std::int64_t together = packed_lanes >> sharing;
    for (std::int64_t i = first; i < last; i += together) {
      std::int64_t longest = 0;
      for (std::int64_t k = i; k < std::min(last, i + together); ++k)
        longest = std::max(longest, row_length(a_, k));
      slots += steps_of(longest, sharing) * packed_lanes;
    }
    // Beside two bytes a row, what sorting costs as of sliced_ell: the scattered writing of y, and some of what neighbours share of x.
    constexpr double bytes_of_a_row = 6;
    constexpr double slots_of_an_entry = 0.02;
    const double costs = bytes_of_a_row * static_cast<double>(last - first) +
                         slots_of_an_entry * static_cast<double>(entries * slot_bytes_);
    if (static_cast<double>((slots - entries) * slot_bytes_) <= costs) return false;
    std::int64_t slots_sorted = 0;
    sorted(first, last, [&](const packed_rows& s) {
      slots_sorted += steps_of(row_length(a_, s.row[0]), s.sharing) * packed_lanes;
    });
    return static_cast<double>((slots - slots_sorted) * slot_bytes_) > costs;
  }

  template <class F>
  void in_order(std::int64_t first, std::int64_t last, int sharing, F&& f) {
    const std::int64_t together = packed_lanes >> sharing;
    for (std::int64_t i = first; i < last; i += together) {
      if (sharing == 0 && (i - first) % packed_rows_on_diagonals == 0) {
        const std::int64_t end = std::min(last, i + packed_rows_on_diagonals);
        if (diagonals_.find(a_, i, end, slot_bytes_)) {
          packed_rows s;
          s.row[0] = static_cast<std::int32_t>(i);
          s.count = static_cast<int>(end - i);
          s.diagonals = diagonals_.all();
          f(s);
          i = end - together;
          continue;
        }
      }
      packed_rows s;
      s.sharing = sharing;
      s.count = static_cast<int>(std::min(together, last - i));
      for (int k = 0; k < s.count; ++k) s.row[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(i + k);
      f(s);
    }
  }

  template <class F>
  void sorted(std::int64_t first, std::int64_t last, F&& f) {
    order_by_length(a_, first, last, order_.data());
    for (std::int64_t i = 0; i < last - first;) {
      const std::int32_t row = order_[static_cast<std::size_t>(i)];
      const std::int64_t length = row_length(a_, row);
      if (length > packed_longest_part) {
        for (std::int64_t p = 0; p * packed_longest_part < length; ++p) {
          packed_rows s;
          s.row[0] = row;
          s.count = 1;
          s.sharing = 5;
          s.part = p;
          f(s);
        }
        ++i;
        continue;
      }
      packed_rows s;
      s.sharing = packed_sharing(length, longest_walk_);
      s.listed = true;
      const int together = packed_lanes >> s.sharing;
      for (; i < last - first && s.count < together; ++i, ++s.count) {
        const std::int32_t next = order_[static_cast<std::size_t>(i)];
        if (packed_sharing(row_length(a_, next), longest_walk_) != s.sharing) break;
        s.row[static_cast<std::size_t>(s.count)] = next;
      }
      f(s);
    }
  }

  csr_view<V, O> a_;
  std::int64_t longest_walk_;
  std::int64_t slot_bytes_;
  std::vector<std::int32_t> order_;
  packed_diagonals diagonals_;
};

}  // namespace gossamer::inline v0::formats
