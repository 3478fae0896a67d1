// SPDX-License-Identifier: BSD-3-Clause
// All slices of a matrix with their headers, which measuring determines and building writes; or an estimate
// from a sample of windows. Most windows are cut and encoded by one thread, while their rows are in its
// cache. The slices of large windows are scheduled dynamically over all threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "formats/common/frequent_values.hpp"
#include "formats/common/row_groups.hpp"
#include "formats/packed/choose/header.hpp"

namespace gossamer::inline v0::formats::packed_code {

struct slice_plan {
  packed_rows rows;
  packed_slice header;
  std::uint32_t bytes = 0;
  std::uint32_t saved_bytes = 0;  ///< by elided deltas
};

struct window_plan {
  // Slices refer to `diagonals`. Moving a window keeps these references valid, copying would not.
  window_plan() = default;
  window_plan(const window_plan&) = delete;
  window_plan& operator=(const window_plan&) = delete;
  window_plan(window_plan&&) noexcept = default;
  window_plan& operator=(window_plan&&) noexcept = default;
  ~window_plan() = default;

  std::vector<slice_plan> slices;
  std::vector<std::int64_t> diagonals;  ///< of all diagonal slices; their rows refer to it
  bool takes_coo_slices = false;        ///< its rows were cut into COO slices, except long ones
  std::int64_t lane_cost = 0;           ///< of the ways that were compared; else 0
  std::int64_t coo_cost = 0;
  amounts all;

  void add_up() {
    all = {};
    all.cost = takes_coo_slices ? coo_cost : lane_cost;
    all.lane_cost = lane_cost;
    all.coo_cost = coo_cost;
    for (const slice_plan& each : slices) {
      all.table_slices += each.header.uses_table() ? 1 : 0;
      all.half_slices += each.header.values() == packed_values::half ? 1 : 0;
      ++(each.rows.is_coo_slice ? all.coo_slices : all.lane_slices);
      if (each.header.is_diagonal_slice()) {
        ++all.diagonal_slices;
        all.diagonal_steps += each.header.steps;
      }
      all.pieces += each.bytes / packed_piece;
      all.saved_pieces += each.saved_bytes / packed_piece;
      all.row_parts += each.rows.row_part >= 0 ? 1 : 0;
      all.cut_rows += each.rows.row_part == 0 ? 1 : 0;
    }
  }
};

/// The rows and entries of windows. A window is long if its weight is much of a thread's share: the other
/// threads would wait for it.
template <class V, offset O>
class window_weights {
 public:
  explicit window_weights(const csr_view<V, O>& a)
      : a_(a),
        windows_(packed_windows_of(a.rows)),
        alone_(a.nnz() + a.rows < core::default_grain),
        long_weight_((a.nnz() + a.rows) / (parts_of_a_share * core::default_threads())) {}

  /// body(window) for each window that is not long, on all threads.
  template <class Body>
  void for_each(Body&& body) const {
    core::parallel_for_dynamic(
        windows_,
        [&](std::int64_t w) {
          if (!is_long(w)) body(w);
        },
        alone_ ? 1 : 0);
  }
  /// All rows and entries.
  [[nodiscard]] std::int64_t weight() const { return weight_before(windows_); }
  /// The window with row or entry number `place`, and the weight of that window.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> window_at(std::int64_t place) const {
    const std::int64_t w =
        first_at_or_after(windows_, place + 1, [&](std::int64_t i) { return weight_before(i); }) - 1;
    return {w, weight_before(w + 1) - weight_before(w)};
  }
  [[nodiscard]] std::vector<std::int64_t> long_ones() const {
    std::vector<std::int64_t> found;
    for (std::int64_t w = 0; w < windows_; ++w)
      if (is_long(w)) found.push_back(w);
    return found;
  }

 private:
  static constexpr std::int64_t parts_of_a_share = 8;

  /// Rows and entries before a window.
  [[nodiscard]] std::int64_t weight_before(std::int64_t w) const {
    const std::int64_t row = std::min(a_.rows, w * packed_window);
    return row + static_cast<std::int64_t>(a_.row_ptr.data()[row]);
  }
  [[nodiscard]] bool is_long(std::int64_t w) const {
    return !alone_ && weight_before(w + 1) - weight_before(w) > long_weight_;
  }

  const csr_view<V, O>& a_;
  std::int64_t windows_;
  bool alone_;  ///< too little work for more than one thread
  std::int64_t long_weight_;
};

template <value V, offset O>
void cut_window(const csr_view<V, O>& a, const scheme<V>& how, std::int64_t w, window_plan& window) {
  packed_windows<V, O> cut(a, how);
  window.slices.clear();
  window.diagonals.clear();
  const auto way = cut.for_each_slice(w, [&](const packed_rows& rows) {
    window.slices.push_back({.rows = rows, .header = {}});
    window.diagonals.insert(window.diagonals.end(), rows.diagonals.begin(), rows.diagonals.end());
  });
  window.takes_coo_slices = way.takes_coo_slices;
  window.lane_cost = way.lane_cost;
  window.coo_cost = way.coo_cost;
  std::size_t before = 0;
  for (slice_plan& each : window.slices) {
    const std::size_t size = each.rows.diagonals.size();
    each.rows.diagonals = std::span(std::as_const(window.diagonals)).subspan(before, size);
    before += size;
  }
}

template <value V, offset O>
void plan_slice(const csr_view<V, O>& a, const scheme<V>& how, slice_plan& slice) {
  slice.header = packed_header(a, slice.rows, how.encoding, slice.bytes);
  if (!slice.header.elides_deltas()) return;
  std::uint32_t without = 0;
  without_elision(slice.header, sizeof(V), without);
  slice.saved_bytes = without - slice.bytes;
}

template <value V, offset O>
void plan_window(const csr_view<V, O>& a, const scheme<V>& how, std::int64_t w, window_plan& window) {
  cut_window(a, how, w, window);
  for (slice_plan& each : window.slices) plan_slice(a, how, each);
  window.add_up();
}

/// Plans long windows, or those of a sample. Several threads cut windows, and slices are scheduled
/// dynamically. window(i): the number of window i, and a pointer to its plan.
template <value V, offset O, class Window>
void plan_shared_windows(const csr_view<V, O>& a, const scheme<V>& how, std::int64_t size, Window&& window) {
  core::parallel_for_dynamic(size, [&](std::int64_t i) {
    const auto [number, place] = window(i);
    cut_window(a, how, number, *place);
  });
  std::vector<slice_plan*> slices;
  for (std::int64_t i = 0; i < size; ++i)
    for (slice_plan& each : window(i).second->slices) slices.push_back(&each);
  core::parallel_for_dynamic(static_cast<std::int64_t>(slices.size()), [&](std::int64_t i) {
    plan_slice(a, how, *slices[static_cast<std::size_t>(i)]);
  });
  for (std::int64_t i = 0; i < size; ++i) window(i).second->add_up();
}

template <value V, offset O>
std::vector<window_plan> plan_windows(const csr_view<V, O>& a, const scheme<V>& how) {
  std::vector<window_plan> all(static_cast<std::size_t>(packed_windows_of(a.rows)));
  const window_weights<V, O> weights(a);
  const std::vector<std::int64_t> long_ones = weights.long_ones();
  if (long_ones.size() < all.size())
    weights.for_each([&](std::int64_t w) {
      window_plan window;  // avoids false sharing between neighbours in `all`
      plan_window(a, how, w, window);
      all[static_cast<std::size_t>(w)] = std::move(window);
    });
  plan_shared_windows(a, how, static_cast<std::int64_t>(long_ones.size()), [&](std::int64_t i) {
    const std::int64_t w = long_ones[static_cast<std::size_t>(i)];
    return std::pair(w, &all[static_cast<std::size_t>(w)]);
  });
  return all;
}

/// Windows of a sample. Its accuracy: docs/decisions/0021-estimates.md.
inline constexpr std::int64_t sampled_windows = 32;

/// False if the sample would be half of the matrix, or if encoding all of it takes a few milliseconds.
template <value V, offset O>
bool is_worth_sampling(const csr_view<V, O>& a) {
  constexpr std::int64_t least_weight = std::int64_t{1} << 19;
  return a.nnz() > 0 && a.rows + a.nnz() >= least_weight && packed_windows_of(a.rows) > 2 * sampled_windows;
}

/// An estimate of the counts of all windows, from sampled_windows of them. Rows and entries are divided into
/// equal shares, and a random position in each share selects its window. A large window is selected with
/// higher probability, and counts less.
template <value V, offset O>
amounts amounts_by_sample(const csr_view<V, O>& a, const scheme<V>& how) {
  const window_weights<V, O> weights(a);
  const std::int64_t weight = weights.weight();
  std::vector<std::pair<std::int64_t, double>>
      chosen;  // a window, and the number of windows that it represents
  for (std::int64_t i = 0; i < sampled_windows; ++i) {
    const auto [window, its_weight] = weights.window_at(sampled_place(i, weight, sampled_windows));
    const double times = static_cast<double>(weight) / static_cast<double>(sampled_windows * its_weight);
    if (!chosen.empty() && chosen.back().first == window)
      chosen.back().second += times;
    else
      chosen.emplace_back(window, times);
  }
  std::vector<window_plan> windows(chosen.size());
  plan_shared_windows(a, how, static_cast<std::int64_t>(chosen.size()), [&](std::int64_t i) {
    const auto n = static_cast<std::size_t>(i);
    return std::pair(chosen[n].first, &windows[n]);
  });
  amounts all;
  for (const auto member : amounts::members) {
    double sum = 0;
    for (std::size_t i = 0; i < windows.size(); ++i)
      sum += chosen[i].second * static_cast<double>(windows[i].all.*member);
    all.*member = std::llround(sum);
  }
  return all;
}

/// The sums of the counts before each window, and after the last.
inline std::vector<amounts> amounts_before(const std::vector<window_plan>& windows) {
  std::vector<amounts> before;
  before.reserve(windows.size() + 1);
  amounts sum;
  for (const window_plan& each : windows) {
    before.push_back(sum);
    sum.add(each.all);
  }
  before.push_back(sum);
  return before;
}

/// A matrix that is cut, with the headers of its slices. Their arrays are not written yet.
template <value V>
struct matrix_plan {
  scheme<V> how;
  std::vector<window_plan> windows;
  std::vector<amounts> before;

  /// Options: those of packed.
  template <offset O, class Options>
  matrix_plan(const csr_view<V, O>& a, value_table<V> frequent, const Options& o, bool on_device)
      : how(std::move(frequent), o, on_device, a.rows, a.nnz()),
        windows(plan_windows(a, how)),
        before(amounts_before(windows)) {
    if (on_device && may_drop_coo_slices(how.short_rows, all().lane_slices, all().coo_slices, how.costs))
      try_without_coo_slices(a);
    else if (on_device && may_drop_lane_slices(how.short_rows, all().lane_slices, all().coo_slices,
                                               all().row_parts, a.nnz()))
      try_without_lane_slices(a);
    if (const packed_short_rows kind = only_kind(how.short_rows, all(), a.nnz());
        on_device && kind != packed_short_rows::automatic)
      try_one_kind(a, kind);
    if (all().saved_pieces > 0 && !elides_deltas(o, a.nnz())) store_all_deltas();
  }

  /// An estimate: the counts that amounts_of(how) returns, without slices, so build() cannot use it. It does
  /// not consider cutting the matrix again without COO slices or without lane slices.
  template <class Options, class Amounts>
  matrix_plan(std::int64_t rows, std::int64_t entries, value_table<V> frequent, const Options& o,
              bool on_device, Amounts&& amounts_of)
      : how(std::move(frequent), o, on_device, rows, entries), before{amounts_of(how)} {
    amounts& sum = before.back();
    if (!elides_deltas(o, entries)) sum.pieces += std::exchange(sum.saved_pieces, 0);
  }

  [[nodiscard]] const amounts& all() const { return before.back(); }

 private:
  template <class Options>
  [[nodiscard]] bool elides_deltas(const Options& o, std::int64_t entries) const {
    return may_elide_deltas(all().coo_slices, all().row_parts) &&
           saves_enough_by_elision(o.elided_deltas, entries, all().pieces, all().saved_pieces);
  }
  void store_all_deltas() {
    core::parallel_for(static_cast<std::int64_t>(windows.size()), 64,
                       [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t w = begin; w < end; ++w) {
                           window_plan& window = windows[static_cast<std::size_t>(w)];
                           if (window.all.saved_pieces == 0) continue;
                           for (slice_plan& each : window.slices) {
                             if (each.saved_bytes == 0) continue;
                             each.header = without_elision(each.header, sizeof(V), each.bytes);
                             each.saved_bytes = 0;
                           }
                           window.add_up();
                         }
                       });
    before = amounts_before(windows);
  }
  /// Plans of the windows for which wanted() is true, cut with the option short_rows = way.
  template <offset O, class Wanted>
  std::vector<std::pair<std::int64_t, window_plan>> cut_another_way(const csr_view<V, O>& a,
                                                                    packed_short_rows way, Wanted&& wanted) {
    std::vector<std::pair<std::int64_t, window_plan>> others;
    for (std::size_t w = 0; w < windows.size(); ++w)
      if (wanted(windows[w])) others.emplace_back(static_cast<std::int64_t>(w), window_plan());
    const packed_short_rows before_it = std::exchange(how.short_rows, way);
    plan_shared_windows(a, how, static_cast<std::int64_t>(others.size()), [&](std::int64_t i) {
      auto& [number, window] = others[static_cast<std::size_t>(i)];
      return std::pair(number, &window);
    });
    how.short_rows = before_it;
    return others;
  }
  void take(std::vector<std::pair<std::int64_t, window_plan>>&& others) {
    for (auto& [number, window] : others) windows[static_cast<std::size_t>(number)] = std::move(window);
    before = amounts_before(windows);
  }
  /// Cuts all windows again.
  template <offset O>
  void try_one_kind(const csr_view<V, O>& a, packed_short_rows kind) {
    auto others = cut_another_way(a, kind, [](const window_plan&) { return true; });
    amounts sum;
    for (const auto& other : others) sum.add(other.second.all);
    if (has_only(kind, sum)) take(std::move(others));
  }
  /// Cuts the windows with COO slices again.
  template <offset O>
  void try_without_coo_slices(const csr_view<V, O>& a) {
    auto padded = cut_another_way(a, packed_short_rows::padded,
                                  [](const window_plan& window) { return window.takes_coo_slices; });
    std::int64_t lane_slices = all().lane_slices;
    for (const auto& [number, window] : padded)
      lane_slices += window.all.lane_slices - windows[static_cast<std::size_t>(number)].all.lane_slices;
    if (drops_coo_slices(lane_slices, all().lane_slices, all().coo_slices)) take(std::move(padded));
  }
  /// Cuts the windows with lane slices again.
  template <offset O>
  void try_without_lane_slices(const csr_view<V, O>& a) {
    auto entries = cut_another_way(a, packed_short_rows::entries,
                                   [](const window_plan& window) { return window.all.lane_slices > 0; });
    const bool all_are = std::all_of(entries.begin(), entries.end(),
                                     [](const auto& each) { return each.second.all.lane_slices == 0; });
    if (all_are) take(std::move(entries));
  }
};

}  // namespace gossamer::inline v0::formats::packed_code
