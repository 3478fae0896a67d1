// SPDX-License-Identifier: BSD-3-Clause
// Which rows a slice has. Rows are cut in windows of 1024, so that neighbours stay near each other. A window
// keeps its order, or is sorted by length if that saves more padding than it costs. Long rows are shared by 2
// to 32 lanes, and the longest are cut into row parts. If lane slices would have much padding or few steps,
// the window is cut into COO slices. Neighbouring rows on few diagonals become diagonal slices.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/common/frequent_values.hpp"
#include "formats/common/row_order.hpp"
#include "formats/packed/choose/scheme.hpp"

namespace gossamer::inline v0::formats {

inline constexpr std::int64_t packed_window = 1024;
/// The longest row part, and so the longest row that is never cut. A row part is a slice.
inline constexpr std::int64_t packed_longest_part = 8192;
/// Windows with rows of at most this length are searched for diagonals even if lanes share rows.
inline constexpr std::int64_t packed_most_on_diagonals = 32;

/// The most diagonals of a slice. More are no stencil.
inline constexpr std::size_t packed_most_diagonals_at_all = 1024;

/// The most diagonals with which a diagonal slice is smaller than a lane slice with a byte of delta for each
/// entry. A slot takes a value, a diagonal its base and its mask.
constexpr int packed_most_diagonals(std::int64_t entries, std::int64_t slot_bytes) noexcept {
  constexpr auto most = static_cast<std::int64_t>(packed_most_diagonals_at_all);
  constexpr std::int64_t extra_bytes = 4 + packed_diagonal_slice_rows / 8;
  const std::int64_t value_bytes = slot_bytes - 2;
  const std::int64_t worth_it =
      entries * (value_bytes + 1) / (packed_diagonal_slice_rows * value_bytes + extra_bytes);
  return static_cast<int>(worth_it < most ? worth_it : most);
}

/// Finds the diagonals of consecutive rows, and whether a diagonal slice suits them.
class packed_diagonals {
 public:
  /// Whether rows [first, last) become a diagonal slice. Their columns must ascend.
  template <class V, offset O>
  bool find(const csr_view<V, O>& a, std::int64_t first, std::int64_t last, std::int64_t slot_bytes) {
    diagonals_.clear();
    const std::int64_t entries = static_cast<std::int64_t>(a.row_ptr.data()[last] - a.row_ptr.data()[first]);
    const int most = packed_most_diagonals(entries, slot_bytes);
    if (most == 0) return false;
    for (std::int64_t i = first; i < last; ++i) {
      if (!add_row(a, i, static_cast<std::size_t>(most))) return false;
    }
    return true;
  }
  [[nodiscard]] std::span<const std::int64_t> all() const { return diagonals_; }

 private:
  /// False if the row's columns do not ascend, or if there are more than `most` diagonals.
  template <class V, offset O>
  bool add_row(const csr_view<V, O>& a, std::int64_t row, std::size_t most) {
    const auto begin = static_cast<std::int64_t>(a.row_ptr.data()[row]);
    const auto end = static_cast<std::int64_t>(a.row_ptr.data()[row + 1]);
    const std::int32_t* const col = a.col.data();
    const auto known = static_cast<std::int64_t>(diagonals_.size());
    if (end - begin == known && is_on_all(col + begin, row)) return true;
    std::size_t d = 0;
    for (std::int64_t k = begin; k < end; ++k) {
      if (k > begin && col[k] <= col[k - 1]) return false;
      const std::int64_t diagonal = col[k] - row;
      while (d < diagonals_.size() && diagonals_[d] < diagonal) ++d;
      if (d == diagonals_.size() || diagonals_[d] != diagonal) {
        if (diagonals_.size() == most) return false;
        diagonals_.insert(diagonals_.begin() + static_cast<std::ptrdiff_t>(d), diagonal);
      }
    }
    return true;
  }

  /// Whether a row with as many entries as diagonals has an entry on each.
  [[nodiscard]] bool is_on_all(const std::int32_t* col, std::int64_t row) const {
    std::int64_t different = 0;
    for (std::size_t d = 0; d < diagonals_.size(); ++d) different |= diagonals_[d] ^ (col[d] - row);
    return different == 0;
  }

  std::vector<std::int64_t> diagonals_;
};

/// Whether diagonal slices, if each value takes a byte, have at least half as many slots as the matrix has
/// entries. It is an estimate from 32 groups of 128 rows.
template <class V, offset O>
bool packed_is_on_diagonals(const csr_view<V, O>& a) {
  constexpr std::int64_t looked_at = 32;
  const std::int64_t groups = (a.rows + packed_diagonal_slice_rows - 1) / packed_diagonal_slice_rows;
  const std::int64_t samples = std::min(groups, looked_at);
  packed_diagonals diagonals;
  std::int64_t entries = 0;
  std::int64_t slots = 0;
  for (std::int64_t k = 0; k < samples; ++k) {
    const std::int64_t first = sampled_place(k, groups, samples) * packed_diagonal_slice_rows;
    const std::int64_t last = std::min(first + packed_diagonal_slice_rows, a.rows);
    entries += a.row_ptr.data()[last] - a.row_ptr.data()[first];
    if (diagonals.find(a, first, last, packed_slot_bytes_by_table))
      slots += static_cast<std::int64_t>(diagonals.all().size()) * packed_diagonal_slice_rows;
  }
  return 2 * slots >= entries;
}

/// Steps of a row that 1 << sharing lanes share.
GOSSAMER_HOST_DEVICE constexpr std::int64_t packed_steps_of(std::int64_t length, int sharing) {
  return (length + (std::int64_t{1} << sharing) - 1) >> sharing;
}

/// The entries of a lane: `count` of them from `first` on. Their stride is the number of lanes of the row.
struct packed_lane_share {
  std::int64_t first = 0;
  std::int64_t count = 0;
};
/// `first`: the row's first entry. row_part: the index of the row part, or -1 for the whole row.
GOSSAMER_HOST_DEVICE constexpr packed_lane_share packed_share_of_lane(std::int64_t first, std::int64_t length,
                                                                      std::int64_t row_part,
                                                                      std::int64_t longest_part, int sharing,
                                                                      int lane) {
  if (row_part >= 0) {
    first += row_part * longest_part;
    length = std::min(length - row_part * longest_part, longest_part);
  }
  const std::int64_t of_row = lane & ((1 << sharing) - 1);
  if (of_row >= length) return {};
  return {.first = first + of_row, .count = packed_steps_of(length - of_row, sharing)};
}

/// The rows of one slice.
struct packed_rows {
  std::array<std::int32_t, packed_lanes> row{};
  int count = 0;
  int sharing = 0;             ///< log2 of the lanes of a row
  bool listed = false;         ///< they are not consecutive
  bool is_coo_slice = false;   ///< up to 256 consecutive rows from row[0] on
  std::int64_t row_part = -1;  ///< the index of the row part in its cut row
  std::int64_t longest_part = packed_longest_part;
  /// For a diagonal slice: column minus row, ascending. Its rows are consecutive from row[0] on.
  std::span<const std::int64_t> diagonals{};

  template <class V, offset O>
  [[nodiscard]] packed_lane_share of_lane(const csr_view<V, O>& a, int lane) const {
    const int which = lane >> sharing;
    if (which >= count) return {};
    const std::int32_t r = row[static_cast<std::size_t>(which)];
    return packed_share_of_lane(static_cast<std::int64_t>(a.row_ptr.data()[r]), row_length(a, r), row_part,
                                longest_part, sharing, lane);
  }
};

/// log2 of the lanes that share a row, so that no lane has more than `longest_walk` entries, up to 32 lanes.
constexpr int packed_sharing(std::int64_t length, std::int64_t longest_walk) noexcept {
  int log2 = 0;
  while (log2 < 5 && length > longest_walk << log2) ++log2;
  return log2;
}

constexpr std::int64_t packed_windows_of(std::int64_t rows) {
  return (rows + packed_window - 1) / packed_window;
}

/// Cuts windows into slices.
template <value V, offset O>
class packed_windows {
 public:
  packed_windows(const csr_view<V, O>& a, const packed_code::scheme<V>& how)
      : a_(a), how_(how), order_(static_cast<std::size_t>(packed_window)) {}

  /// How a window is cut.
  struct way {
    bool takes_coo_slices = false;
    std::int64_t lane_cost = 0;  ///< in fiftieths of a byte, with short_rows = auto
    std::int64_t coo_cost = 0;
  };

  /// f(const packed_rows&) for each slice of the window, in order.
  template <class F>
  way for_each_slice(std::int64_t window, F&& f) {
    const std::int64_t first = window * packed_window;
    const std::int64_t last = std::min(a_.rows, first + packed_window);
    std::int64_t longest = 0;
    std::int64_t entries = 0;
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t length = row_length(a_, i);
      longest = std::max(longest, length);
      entries += length;
    }
    const int sharing = packed_sharing(longest, how_.longest_walk);
    packed_fill fill;
    const bool keeps_order =
        longest <= how_.longest_part && !is_sorted_better(first, last, sharing, entries, fill);
    const way of_window = way_of(first, last, entries, fill, keeps_order);
    if (of_window.takes_coo_slices)
      in_coo_slices(first, last, f);
    else if (keeps_order)
      in_order(first, last, sharing, longest, f);
    else
      sorted(first, last, f);
    return of_window;
  }

 private:
  [[nodiscard]] static packed_fill fill_in_order(const csr_view<V, O>& a, std::int64_t first,
                                                 std::int64_t last, int sharing) {
    packed_fill fill;
    const std::int64_t together = packed_lanes >> sharing;
    for (std::int64_t i = first; i < last; i += together) {
      std::int64_t longest = 0;
      for (std::int64_t k = i; k < std::min(last, i + together); ++k)
        longest = std::max(longest, row_length(a, k));
      fill.add(packed_steps_of(longest, sharing), packed_lanes);
    }
    return fill;
  }

  void add_listed(const packed_rows& s, packed_fill& fill) const {
    const std::int64_t length = s.row_part < 0 ? row_length(a_, s.row[0]) : how_.longest_part;
    fill.add(packed_steps_of(length, s.sharing), packed_lanes);
  }

  /// fill: that of the better order.
  bool is_sorted_better(std::int64_t first, std::int64_t last, int sharing, std::int64_t entries,
                        packed_fill& fill) {
    fill = fill_in_order(a_, first, last, sharing);
    const std::int64_t costs = packed_sorting_costs(last - first, entries, how_.slot_bytes);
    if ((fill.slots - entries) * how_.slot_bytes * packed_cost_of_a_byte <= costs) return false;
    packed_fill fill_sorted;
    sorted(first, last, [&](const packed_rows& s) { add_listed(s, fill_sorted); });
    if ((fill.slots - fill_sorted.slots) * how_.slot_bytes * packed_cost_of_a_byte <= costs) return false;
    fill = fill_sorted;
    return true;
  }

  way way_of(std::int64_t first, std::int64_t last, std::int64_t entries, packed_fill fill,
             bool keeps_order) {
    if (how_.short_rows != packed_short_rows::automatic)
      return {.takes_coo_slices = how_.short_rows == packed_short_rows::entries};
    if (!keeps_order && fill.slices == 0)  // sorting was not considered
      sorted(first, last, [&](const packed_rows& s) { add_listed(s, fill); });
    const std::int64_t lane_cost =
        fill.cost(how_.costs, how_.slot_bytes) +
        (keeps_order ? 0 : packed_sorting_costs(last - first, entries, how_.slot_bytes));
    packed_fill long_rows;
    std::int64_t coo_entries = 0;
    std::int64_t slices = 0;
    for_each_coo_slice(first, last, [&](const packed_rows& s) {
      if (!s.is_coo_slice) return add_listed(s, long_rows);
      coo_entries +=
          static_cast<std::int64_t>(a_.row_ptr.data()[s.row[0] + s.count] - a_.row_ptr.data()[s.row[0]]);
      ++slices;
    });
    const std::int64_t coo_cost =
        packed_cost_of_coo_slices(how_.costs, how_.slot_bytes, last - first, coo_entries, slices) +
        long_rows.cost(how_.costs, how_.slot_bytes);
    return {.takes_coo_slices = coo_cost < lane_cost, .lane_cost = lane_cost, .coo_cost = coo_cost};
  }

  template <class F>
  void in_order(std::int64_t first, std::int64_t last, int sharing, std::int64_t longest, F&& f) {
    const std::int64_t together = packed_lanes >> sharing;
    const bool looks_for_diagonals = sharing == 0 || longest <= packed_most_on_diagonals;
    for (std::int64_t i = first; i < last; i += together) {
      if (looks_for_diagonals && (i - first) % packed_diagonal_slice_rows == 0) {
        const std::int64_t end = std::min(last, i + packed_diagonal_slice_rows);
        if (diagonals_.find(a_, i, end, how_.slot_bytes)) {
          f(diagonal_slice_of(i, end));
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

  [[nodiscard]] packed_rows diagonal_slice_of(std::int64_t first, std::int64_t last) const {
    packed_rows s;
    s.row[0] = static_cast<std::int32_t>(first);
    s.count = static_cast<int>(last - first);
    s.diagonals = diagonals_.all();
    return s;
  }

  /// COO slices, diagonal slices where they suit, and lane slices for long rows.
  template <class F>
  void in_coo_slices(std::int64_t first, std::int64_t last, F&& f) {
    std::int64_t open = first;  // rows from here on are not in a slice yet
    std::int64_t end = first;
    for (std::int64_t i = first; i < last; i = end) {
      end = std::min(last, i + packed_diagonal_slice_rows);
      if (!diagonals_.find(a_, i, end, how_.slot_bytes)) continue;
      for_each_coo_slice(open, i, f);
      f(diagonal_slice_of(i, end));
      open = end;
    }
    for_each_coo_slice(open, last, f);
  }

  /// COO slices of rows [first, last). Rows that are too long for them come last, in lane slices.
  template <class F>
  void for_each_coo_slice(std::int64_t first, std::int64_t last, F&& f) {
    packed_rows open{.is_coo_slice = true};
    std::int64_t entries = 0;
    std::int64_t long_rows = 0;
    const auto close = [&] {
      if (open.count > 0) f(open);
      open.count = 0;
      entries = 0;
    };
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t length = row_length(a_, i);
      if (length > how_.entries_per_slice) {
        close();
        order_[static_cast<std::size_t>(long_rows++)] = static_cast<std::int32_t>(i);
        continue;
      }
      // An empty row after entry 256 would have the start 256, which is no byte.
      if (entries == how_.entries_per_slice || entries + length > how_.entries_per_slice ||
          open.count == packed_max_coo_entries)
        close();
      if (open.count == 0) open.row[0] = static_cast<std::int32_t>(i);
      ++open.count;
      entries += length;
    }
    close();
    std::stable_sort(order_.begin(), order_.begin() + long_rows,
                     [&](std::int32_t i, std::int32_t j) { return row_length(a_, i) > row_length(a_, j); });
    listed(long_rows, f);
  }

  template <class F>
  void sorted(std::int64_t first, std::int64_t last, F&& f) {
    order_by_length(a_, first, last, order_.data());
    listed(last - first, f);
  }

  /// Lane slices of the first rows of order_, and row parts of those that are cut.
  template <class F>
  void listed(std::int64_t rows, F&& f) {
    for (std::int64_t i = 0; i < rows;) {
      const std::int32_t row = order_[static_cast<std::size_t>(i)];
      const std::int64_t length = row_length(a_, row);
      if (length > how_.longest_part) {
        for (std::int64_t p = 0; p * how_.longest_part < length; ++p) {
          packed_rows s;
          s.row[0] = row;
          s.count = 1;
          s.sharing = 5;
          s.row_part = p;
          s.longest_part = how_.longest_part;
          f(s);
        }
        ++i;
        continue;
      }
      packed_rows s;
      s.sharing = packed_sharing(length, how_.longest_walk);
      s.listed = true;
      const int together = packed_lanes >> s.sharing;
      for (; i < rows && s.count < together; ++i, ++s.count) {
        const std::int32_t next = order_[static_cast<std::size_t>(i)];
        if (packed_sharing(row_length(a_, next), how_.longest_walk) != s.sharing) break;
        s.row[static_cast<std::size_t>(s.count)] = next;
      }
      f(s);
    }
  }

  csr_view<V, O> a_;
  const packed_code::scheme<V>& how_;
  std::vector<std::int32_t> order_;
  packed_diagonals diagonals_;
};

}  // namespace gossamer::inline v0::formats
