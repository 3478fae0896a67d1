// SPDX-License-Identifier: BSD-3-Clause
// The header of one slice, which says how its columns and values are encoded: of the ways that are exact the
// one that takes the fewest bytes. What host and device have found out of a slice becomes a header by the
// same functions.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <limits>

#include "formats/packed/choose/values.hpp"
#include "formats/packed/choose/windows.hpp"

namespace gossamer::inline v0::formats {

namespace packed_code {

/// The lanes of a slice, and what its rows stand at.
template <class V, offset O>
struct lanes {
  std::array<std::int64_t, packed_lanes> first{};
  std::array<std::int64_t, packed_lanes> count{};
  std::array<std::int32_t, packed_lanes> row{};  ///< counted from the header's; 0 for parts
  std::int32_t header_row = 0;
  std::int64_t steps = 0;
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  int sharing = 0;
  int rows = 0;

  lanes(const csr_view<V, O>& a, const packed_rows& of) : sharing(of.sharing), rows(of.count) {
    header_row = of.listed ? static_cast<std::int32_t>(of.row[0] / packed_window * packed_window) : of.row[0];
    for (int l = 0; l < packed_lanes; ++l) {
      const auto at = static_cast<std::size_t>(l);
      const auto run = of.of_lane(a, l);
      first[at] = run.first;
      count[at] = run.count;
      const int which = l >> sharing;
      if (which < rows) row[at] = of.row[static_cast<std::size_t>(which)] - header_row;
      steps = std::max(steps, run.count);
      shortest = std::min(shortest, run.count);
    }
  }
  [[nodiscard]] std::int64_t entry(int lane, std::int64_t step) const {
    return first[static_cast<std::size_t>(lane)] + (step << sharing);
  }
};

/// Entries that follow each other in the matrix.
struct entry_run {
  std::int64_t first;
  std::int64_t count;
};

/// A lane's entries from step `from` on, of so many steps at most; `sharing` decides how far they are apart.
template <class V, offset O>
entry_run run_of_lane(const lanes<V, O>& of, int lane, std::int64_t from, std::int64_t steps) {
  return {.first = of.entry(lane, from),
          .count = std::clamp<std::int64_t>(of.count[static_cast<std::size_t>(lane)] - from, 0, steps)};
}
/// The same of all lanes of a row, side by side.
template <class V, offset O>
entry_run run_of_row(const lanes<V, O>& of, int row, std::int64_t from, std::int64_t steps) {
  entry_run run{.first = of.entry(row << of.sharing, from), .count = 0};
  for (int l = row << of.sharing; l < (row + 1) << of.sharing; ++l)
    run.count += run_of_lane(of, l, from, steps).count;
  return run;
}

/// How far apart the numbers of a step are at most, over all steps of a slice: its columns as they are,
/// counted from each lane's row, and counted from each lane's first, of which counts only whether any are
/// apart.
struct column_widths {
  std::int64_t plain = 0;
  std::int64_t from_row = 0;
  bool any_from_first = false;
  packed_delta_mask own{};  ///< which steps do not repeat numbers, whatever they are counted from
  bool may_elide = false;   ///< it was looked for
};

/// Whether steps of a slice in lanes may repeat numbers. The header of a part of a row has no bits to say so.
constexpr bool may_elide(const packed_slice& s) {
  return s.steps > 1 && s.steps <= packed_max_masked_steps && !s.is_part();
}

/// A slice repeats numbers where that takes so much of its bytes away: the others are read in fewer
/// instructions.
inline constexpr std::uint32_t elision_saves_one_of = 64;

/// The same header but that no step repeats numbers.
constexpr packed_slice without_elision(packed_slice s, std::uint32_t value_bytes, std::uint32_t& bytes) {
  s.bits &= ~(1u << 15);
  bytes = place_arrays(s, value_bytes);
  return s;
}

/// A header in lanes that says of its rows all it has to.
constexpr packed_slice header_of_lanes(std::int32_t row, std::int64_t steps, std::int64_t shortest, int rows,
                                       int sharing, bool listed, bool is_part) {
  packed_slice s;
  s.row = row;
  s.steps = static_cast<std::uint16_t>(steps);
  s.shortest = static_cast<std::uint16_t>(shortest);
  s.set_rows(rows, sharing, listed, is_part,
             steps - shortest > std::int64_t{std::numeric_limits<std::uint8_t>::max()}, false);
  return s;
}

/// The same with how columns and values are encoded: columns in what takes the fewest bytes.
constexpr packed_slice header_in_lanes(packed_slice s, const column_widths& widths, packed_values values,
                                       std::uint32_t value_bytes, std::uint32_t& bytes) {
  if (s.steps == 0) values = packed_values::of_step;
  s.set(columns_for(widths.plain), packed_starts::zero, values);
  bytes = place_arrays(s, value_bytes);
  if (s.steps == 0) return s;
  const auto consider = [&](std::int64_t widest, packed_starts from) {
    packed_slice other = s;
    other.set(columns_for(widest), from, values);
    const std::uint32_t bytes_of_other = place_arrays(other, value_bytes);
    if (other.columns() == packed_columns::four || bytes_of_other >= bytes) return;
    s = other;
    bytes = bytes_of_other;
  };
  if (!s.is_part()) consider(widths.from_row, packed_starts::row);
  if (!widths.any_from_first) consider(0, packed_starts::given);
  // Last, so that a matrix that turns out not to repeat any is coded as if it could not.
  if (!widths.may_elide || s.columns() == packed_columns::none || s.columns() == packed_columns::four)
    return s;
  packed_slice opened = s;
  place_columns(opened, packed_stored_deltas(widths.own));
  const std::uint32_t fewer = end_of_values(opened, value_bytes);
  if (fewer + bytes / elision_saves_one_of >= bytes) return s;
  s.set_delta_mask(widths.own);
  bytes = fewer;
  return s;
}

/// Steps that are looked at together, so that what is known of each stands in the first-level cache, and
/// lanes are read one after another.
inline constexpr std::int64_t steps_at_once = 256;

/// Least and greatest number of each step.
class step_ranges {
 public:
  explicit step_ranges(std::int64_t steps) : steps_(steps) {
    std::fill_n(least_.begin(), steps, std::numeric_limits<std::int32_t>::max());
    std::fill_n(greatest_.begin(), steps, std::numeric_limits<std::int32_t>::min());
  }
  /// The columns of a row that so many lanes share (as log2), less `start`: each step has as many of them as
  /// lanes.
  void add(const std::int32_t* col, std::int64_t count, int sharing, std::int32_t start) {
    if (sharing == 0) {
      for (std::int64_t j = 0; j < count; ++j) add_to(j, col[j] - start, col[j] - start);
      return;
    }
    const std::int64_t together = std::int64_t{1} << sharing;
    for (std::int64_t k = 0; k < count; k += together) {
      std::int32_t least = col[k];
      std::int32_t greatest = col[k];
      for (std::int64_t t = k + 1; t < std::min(count, k + together); ++t) {
        least = std::min(least, col[t]);
        greatest = std::max(greatest, col[t]);
      }
      add_to(k >> sharing, least - start, greatest - start);
    }
  }
  /// One number of a step.
  void add_to(std::int64_t step, std::int32_t least, std::int32_t greatest) {
    const auto at = static_cast<std::size_t>(step);
    least_[at] = std::min(least_[at], least);
    greatest_[at] = std::max(greatest_[at], greatest);
  }
  [[nodiscard]] const std::int32_t* least() const { return least_.data(); }
  [[nodiscard]] std::int64_t widest() const {
    std::int64_t widest = 0;
    for (std::int64_t j = 0; j < steps_; ++j) {
      const auto at = static_cast<std::size_t>(j);
      widest = std::max(widest, std::int64_t{greatest_[at]} - least_[at]);
    }
    return widest;
  }

 private:
  std::int64_t steps_;
  std::array<std::int32_t, steps_at_once> least_;
  std::array<std::int32_t, steps_at_once> greatest_;
};

/// How far apart the columns of a slice in lanes are.
template <class V, offset O>
column_widths widths_of_lanes(const csr_view<V, O>& a, const lanes<V, O>& of, bool is_part) {
  column_widths widths;
  const std::int32_t* const col = a.col.data();
  std::array<std::int32_t, steps_at_once> from_first;
  for (std::int64_t from = 0; from < of.steps; from += steps_at_once) {
    const std::int64_t steps = std::min(of.steps - from, steps_at_once);
    step_ranges plain(steps);
    step_ranges from_row(steps);
    for (int r = 0; r < of.rows; ++r) {
      const entry_run run = run_of_row(of, r, from, steps);
      if (run.count == 0) continue;
      plain.add(col + run.first, run.count, of.sharing, 0);
      if (!is_part)
        from_row.add(col + run.first, run.count, of.sharing,
                     of.row[static_cast<std::size_t>(r) << of.sharing]);
    }
    widths.plain = std::max(widths.plain, plain.widest());
    if (!is_part) widths.from_row = std::max(widths.from_row, from_row.widest());
    std::int64_t seen = 0;  // steps that from_first has a number of
    for (int l = 0; l < packed_lanes && !widths.any_from_first; ++l) {
      const entry_run run = run_of_lane(of, l, from, steps);
      if (run.count == 0) continue;
      const std::int32_t start = col[of.entry(l, 0)];
      const auto number = [&](std::int64_t j) { return col[run.first + (j << of.sharing)] - start; };
      std::int32_t different = 0;
      for (std::int64_t j = 0; j < std::min(seen, run.count); ++j)
        different |= from_first[static_cast<std::size_t>(j)] ^ number(j);
      for (; seen < run.count; ++seen) from_first[static_cast<std::size_t>(seen)] = number(seen);
      widths.any_from_first = different != 0;
    }
  }
  return widths;
}

/// Which steps of a slice in lanes, packed_max_masked_steps at most, store their deltas.
template <class V, offset O>
packed_delta_mask delta_mask_of_lanes(const csr_view<V, O>& a, const lanes<V, O>& of) {
  const std::int32_t* const col = a.col.data();
  packed_delta_mask own;
  own.add(0);
  std::array<std::int32_t, packed_max_masked_steps>
      further;  // than the step before, in the first lane that has both
  std::int64_t seen = 1;
  for (int l = 0; l < packed_lanes; ++l) {
    const std::int64_t count = of.count[static_cast<std::size_t>(l)];
    for (std::int64_t j = 1; j < count; ++j) {
      const std::int32_t distance = col[of.entry(l, j)] - col[of.entry(l, j - 1)];
      if (j < seen) {
        if (further[static_cast<std::size_t>(j)] != distance) own.add(j);
      } else {
        further[static_cast<std::size_t>(j)] = distance;
        seen = j + 1;
      }
    }
  }
  return own;
}

/// The way for the values of a slice in lanes.
template <value V, offset O>
packed_values values_of_lanes(const csr_view<V, O>& a, const lanes<V, O>& of, const packed_encoding<V>& how) {
  value_choice<V> values(how);
  const V* const val = a.val.data();
  std::array<bits_of_value<V>, steps_at_once> first_of_step;
  for (std::int64_t from = 0; from < of.steps; from += steps_at_once) {
    std::int64_t seen = 0;
    for (int l = 0; l < packed_lanes && !values.is_settled(); ++l) {
      const entry_run run = run_of_lane(of, l, from, std::min(of.steps - from, steps_at_once));
      for (std::int64_t j = 0; j < run.count; ++j)
        values.add(val[run.first + (j << of.sharing)], j >= seen, first_of_step[static_cast<std::size_t>(j)]);
      seen = std::max(seen, run.count);
    }
  }
  return values.best();
}

/// The entries of consecutive rows.
struct entry_range {
  std::int64_t first;
  std::int64_t last;

  template <class V, offset O>
  entry_range(const csr_view<V, O>& a, const packed_rows& rows)
      : first(static_cast<std::int64_t>(a.row_ptr.data()[rows.row[0]])),
        last(static_cast<std::int64_t>(a.row_ptr.data()[rows.row[0] + rows.count])) {}
  [[nodiscard]] std::int64_t size() const { return last - first; }
};

/// f(diagonal, entry) for each entry of row number r of rows on diagonals.
template <class V, offset O, class F>
void for_each_of_row_on_diagonals(const csr_view<V, O>& a, const packed_rows& rows, int r, F&& f) {
  const std::int64_t row = std::int64_t{rows.row[0]} + r;
  const auto begin = static_cast<std::int64_t>(a.row_ptr.data()[row]);
  const auto end = static_cast<std::int64_t>(a.row_ptr.data()[row + 1]);
  const auto diagonals = static_cast<std::int64_t>(rows.diagonals.size());
  if (end - begin == diagonals) {  // columns ascend, so that each diagonal has one
    for (std::int64_t d = 0; d < diagonals; ++d) f(static_cast<std::size_t>(d), begin + d);
    return;
  }
  const std::int64_t* const diagonal = rows.diagonals.data();
  const std::int32_t* const col = a.col.data();
  std::size_t d = 0;
  for (std::int64_t k = begin; k < end; ++k) {
    while (diagonal[d] != col[k] - row) ++d;
    f(d, k);
  }
}

/// Of so many entries of rows that follow each other from `row` on.
constexpr packed_slice header_on_diagonals(std::int32_t row, int rows, std::size_t diagonals,
                                           std::int64_t entries, packed_values values,
                                           std::uint32_t value_bytes, std::uint32_t& bytes) {
  packed_slice s;
  s.row = row;
  s.steps = static_cast<std::uint16_t>(diagonals);
  s.shortest = entries == std::int64_t{s.steps} * packed_rows_on_diagonals ? s.steps : std::uint16_t{0};
  s.set_rows(rows, 0, false, false, false, true);
  s.set(packed_columns::none, packed_starts::zero, values);
  bytes = place_arrays(s, value_bytes);
  return s;
}

template <value V, offset O>
packed_slice header_on_diagonals(const csr_view<V, O>& a, const packed_rows& rows,
                                 const packed_encoding<V>& how, std::uint32_t& bytes) {
  value_choice<V> values(how);
  std::array<bits_of_value<V>, packed_most_diagonals_at_all> first;
  std::bitset<packed_most_diagonals_at_all> seen;
  const V* const val = a.val.data();
  for (int r = 0; r < rows.count && !values.is_settled(); ++r)
    for_each_of_row_on_diagonals(a, rows, r, [&](std::size_t d, std::int64_t k) {
      values.add(val[k], !seen[d], first[d]);
      seen.set(d);
    });
  return header_on_diagonals(rows.row[0], rows.count, rows.diagonals.size(), entry_range(a, rows).size(),
                             values.best(), sizeof(V), bytes);
}

/// Of so many entries of consecutive rows, whose columns are `smallest` to `largest`. That all columns are
/// alike is too rare for code of its own.
constexpr packed_slice header_of_entries(std::int32_t row, int rows, std::int64_t entries,
                                         std::int32_t smallest, std::int32_t largest, packed_values values,
                                         std::uint32_t value_bytes, std::uint32_t& bytes) {
  packed_slice s;
  if (entries == 0) smallest = 0;
  const packed_columns columns = columns_for(std::int64_t{largest} - smallest);
  s.row = row;
  s.steps = s.shortest = static_cast<std::uint16_t>(entries);
  s.set_rows_of_entries(rows);
  s.set(columns == packed_columns::none ? packed_columns::one : columns, packed_starts::zero, values);
  s.bases = static_cast<std::uint32_t>(smallest);
  bytes = place_entries(s, value_bytes);
  return s;
}

template <value V, offset O>
packed_slice header_of_entries(const csr_view<V, O>& a, const packed_rows& rows,
                               const packed_encoding<V>& how, std::uint32_t& bytes) {
  const entry_range of(a, rows);
  std::int32_t smallest = std::numeric_limits<std::int32_t>::max();
  std::int32_t largest = 0;
  const std::int32_t* const col = a.col.data();
  for (std::int64_t k = of.first; k < of.last; ++k) {
    smallest = std::min(smallest, col[k]);
    largest = std::max(largest, col[k]);
  }
  value_choice<V> values(how);
  values.no_steps();
  for (std::int64_t k = of.first; k < of.last && !values.is_settled(); ++k) values.add(a.val.data()[k]);
  return header_of_entries(rows.row[0], rows.count, of.size(), smallest, largest, values.best(), sizeof(V),
                           bytes);
}

}  // namespace packed_code

/// A slice's header except for where its arrays begin among all.
template <value V, offset O>
packed_slice packed_header(const csr_view<V, O>& a, const packed_rows& rows, const packed_encoding<V>& how,
                           std::uint32_t& bytes) {
  if (rows.entries) return packed_code::header_of_entries(a, rows, how, bytes);
  if (!rows.diagonals.empty()) return packed_code::header_on_diagonals(a, rows, how, bytes);
  const packed_code::lanes<V, O> lanes(a, rows);
  const packed_slice s = packed_code::header_of_lanes(lanes.header_row, lanes.steps, lanes.shortest,
                                                      rows.count, rows.sharing, rows.listed, rows.part >= 0);
  packed_code::column_widths widths = packed_code::widths_of_lanes(a, lanes, rows.part >= 0);
  widths.may_elide = how.may_elide && packed_code::may_elide(s);
  if (widths.may_elide) widths.own = packed_code::delta_mask_of_lanes(a, lanes);
  return packed_code::header_in_lanes(s, widths, packed_code::values_of_lanes(a, lanes, how), sizeof(V),
                                      bytes);
}

}  // namespace gossamer::inline v0::formats
