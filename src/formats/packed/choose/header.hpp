// SPDX-License-Identifier: BSD-3-Clause
// The header of one slice. It states how columns and values are encoded: of all exact encodings, the one of
// the fewest bytes. Host and device share the functions that turn the properties of a slice into a header.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <limits>

#include "formats/packed/choose/values.hpp"
#include "formats/packed/choose/windows.hpp"

namespace gossamer::inline v0::formats {

namespace packed_code {

/// The entries of each lane of a lane slice, and the rows.
template <class V, offset O>
struct lanes {
  std::array<std::int64_t, packed_lanes> first{};
  std::array<std::int64_t, packed_lanes> count{};
  std::array<std::int32_t, packed_lanes> row{};  ///< relative to the header's row; 0 for row parts
  std::int32_t header_row = 0;
  std::int64_t steps = 0;
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  int sharing = 0;
  int rows = 0;

  lanes(const csr_view<V, O>& a, const packed_rows& of) : sharing(of.sharing), rows(of.count) {
    header_row = of.listed ? static_cast<std::int32_t>(of.row[0] / packed_window * packed_window) : of.row[0];
    for (int l = 0; l < packed_lanes; ++l) {
      const auto at = static_cast<std::size_t>(l);
      const auto share = of.of_lane(a, l);
      first[at] = share.first;
      count[at] = share.count;
      const int which = l >> sharing;
      if (which < rows) row[at] = of.row[static_cast<std::size_t>(which)] - header_row;
      steps = std::max(steps, share.count);
      shortest = std::min(shortest, share.count);
    }
  }
  [[nodiscard]] std::int64_t entry(int lane, std::int64_t step) const {
    return first[static_cast<std::size_t>(lane)] + (step << sharing);
  }
};

/// Consecutive entries of the matrix.
struct entry_span {
  std::int64_t first;
  std::int64_t count;
};

/// A lane's entries in steps [from, from + steps). Their stride is 1 << sharing.
template <class V, offset O>
entry_span span_of_lane(const lanes<V, O>& of, int lane, std::int64_t from, std::int64_t steps) {
  return {.first = of.entry(lane, from),
          .count = std::clamp<std::int64_t>(of.count[static_cast<std::size_t>(lane)] - from, 0, steps)};
}
/// The same for all lanes of a row. They are contiguous.
template <class V, offset O>
entry_span span_of_row(const lanes<V, O>& of, int row, std::int64_t from, std::int64_t steps) {
  entry_span span{.first = of.entry(row << of.sharing, from), .count = 0};
  for (int l = row << of.sharing; l < (row + 1) << of.sharing; ++l)
    span.count += span_of_lane(of, l, from, steps).count;
  return span;
}

/// The largest delta of a lane slice, for each kind of start: zero, the lane's row, and the lane's first
/// column. For the lane's first column it holds only whether any delta is nonzero.
struct column_widths {
  std::int64_t plain = 0;
  std::int64_t from_row = 0;
  bool any_from_first = false;
  packed_delta_mask mask{};  ///< the steps that store their deltas, for any starts
  bool may_elide = false;    ///< `mask` was determined
};

/// Whether a lane slice may elide deltas. The header of a row part has no room for the mask.
constexpr bool may_elide(const packed_slice& s) {
  return s.steps > 1 && s.steps <= packed_max_masked_steps && !s.is_row_part();
}

/// A slice elides deltas if that saves at least this share of its bytes. Otherwise all deltas are stored,
/// which takes fewer instructions to read.
inline constexpr std::uint32_t elision_saves_one_of = 64;

/// The header of the same slice if all deltas are stored.
constexpr packed_slice without_elision(packed_slice s, std::uint32_t value_bytes, std::uint32_t& bytes) {
  s.bits &= ~(1u << 15);
  bytes = place_arrays(s, value_bytes);
  return s;
}

/// The header of a lane slice with its rows and steps, without its encodings.
constexpr packed_slice header_of_lane_rows(std::int32_t row, std::int64_t steps, std::int64_t shortest,
                                           int rows, int sharing, bool listed, bool is_row_part) {
  packed_slice s;
  s.row = row;
  s.steps = static_cast<std::uint16_t>(steps);
  s.shortest = static_cast<std::uint16_t>(shortest);
  s.set_rows(rows, sharing, listed, is_row_part,
             steps - shortest > std::int64_t{std::numeric_limits<std::uint8_t>::max()}, false);
  return s;
}

/// The same header with its encodings. The columns take the fewest bytes.
constexpr packed_slice header_of_lane_slice(packed_slice s, const column_widths& widths, packed_values values,
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
  if (!s.is_row_part()) consider(widths.from_row, packed_starts::row);
  if (!widths.any_from_first) consider(0, packed_starts::given);
  // Last, so that a matrix that elides nothing has the encodings of one that may not elide deltas.
  if (!widths.may_elide || s.columns() == packed_columns::none || s.columns() == packed_columns::four)
    return s;
  packed_slice opened = s;
  place_columns(opened, packed_stored_deltas(widths.mask));
  const std::uint32_t fewer = end_of_values(opened, value_bytes);
  if (fewer + bytes / elision_saves_one_of >= bytes) return s;
  s.set_delta_mask(widths.mask);
  bytes = fewer;
  return s;
}

/// Steps that are processed together. Their properties stay in the first-level cache while lanes are read one
/// after another.
inline constexpr std::int64_t steps_at_once = 256;

/// The smallest and largest column of each step, relative to the starts.
class step_ranges {
 public:
  explicit step_ranges(std::int64_t steps) : steps_(steps) {
    std::fill_n(least_.begin(), steps, std::numeric_limits<std::int32_t>::max());
    std::fill_n(greatest_.begin(), steps, std::numeric_limits<std::int32_t>::min());
  }
  /// The columns of a row that 1 << sharing lanes share, less `start`. Each step has one column of each lane.
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
  /// The smallest and largest column of some lanes in a step.
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

/// The largest deltas of a lane slice.
template <class V, offset O>
column_widths widths_of_lanes(const csr_view<V, O>& a, const lanes<V, O>& of, bool is_row_part) {
  column_widths widths;
  const std::int32_t* const col = a.col.data();
  std::array<std::int32_t, steps_at_once> from_first;
  for (std::int64_t from = 0; from < of.steps; from += steps_at_once) {
    const std::int64_t steps = std::min(of.steps - from, steps_at_once);
    step_ranges plain(steps);
    step_ranges from_row(steps);
    for (int r = 0; r < of.rows; ++r) {
      const entry_span span = span_of_row(of, r, from, steps);
      if (span.count == 0) continue;
      plain.add(col + span.first, span.count, of.sharing, 0);
      if (!is_row_part)
        from_row.add(col + span.first, span.count, of.sharing,
                     of.row[static_cast<std::size_t>(r) << of.sharing]);
    }
    widths.plain = std::max(widths.plain, plain.widest());
    if (!is_row_part) widths.from_row = std::max(widths.from_row, from_row.widest());
    std::int64_t seen = 0;  // steps whose column is in from_first
    for (int l = 0; l < packed_lanes && !widths.any_from_first; ++l) {
      const entry_span span = span_of_lane(of, l, from, steps);
      if (span.count == 0) continue;
      const std::int32_t start = col[of.entry(l, 0)];
      const auto offset = [&](std::int64_t j) { return col[span.first + (j << of.sharing)] - start; };
      std::int32_t different = 0;
      for (std::int64_t j = 0; j < std::min(seen, span.count); ++j)
        different |= from_first[static_cast<std::size_t>(j)] ^ offset(j);
      for (; seen < span.count; ++seen) from_first[static_cast<std::size_t>(seen)] = offset(seen);
      widths.any_from_first = different != 0;
    }
  }
  return widths;
}

/// Which steps of a lane slice, at most packed_max_masked_steps, store their deltas.
template <class V, offset O>
packed_delta_mask delta_mask_of_lanes(const csr_view<V, O>& a, const lanes<V, O>& of) {
  const std::int32_t* const col = a.col.data();
  packed_delta_mask mask;
  mask.add(0);
  // The distance from the column of the previous step, in the first lane that has both.
  std::array<std::int32_t, packed_max_masked_steps> distances;
  std::int64_t seen = 1;
  for (int l = 0; l < packed_lanes; ++l) {
    const std::int64_t count = of.count[static_cast<std::size_t>(l)];
    for (std::int64_t j = 1; j < count; ++j) {
      const std::int32_t distance = col[of.entry(l, j)] - col[of.entry(l, j - 1)];
      if (j < seen) {
        if (distances[static_cast<std::size_t>(j)] != distance) mask.add(j);
      } else {
        distances[static_cast<std::size_t>(j)] = distance;
        seen = j + 1;
      }
    }
  }
  return mask;
}

/// The encoding for the values of a lane slice.
template <value V, offset O>
packed_values values_of_lanes(const csr_view<V, O>& a, const lanes<V, O>& of, const packed_encoding<V>& how) {
  value_choice<V> values(how);
  const V* const val = a.val.data();
  std::array<bits_of_value<V>, steps_at_once> first_of_step;
  for (std::int64_t from = 0; from < of.steps; from += steps_at_once) {
    std::int64_t seen = 0;
    for (int l = 0; l < packed_lanes && !values.is_settled(); ++l) {
      const entry_span span = span_of_lane(of, l, from, std::min(of.steps - from, steps_at_once));
      for (std::int64_t j = 0; j < span.count; ++j)
        values.add(val[span.first + (j << of.sharing)], j >= seen,
                   first_of_step[static_cast<std::size_t>(j)]);
      seen = std::max(seen, span.count);
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

/// f(diagonal, entry) for each entry of row r of a diagonal slice.
template <class V, offset O, class F>
void for_each_diagonal_entry(const csr_view<V, O>& a, const packed_rows& rows, int r, F&& f) {
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

/// The header of a diagonal slice with `entries` entries in `rows` rows from `row` on.
constexpr packed_slice header_of_diagonal_slice(std::int32_t row, int rows, std::size_t diagonals,
                                                std::int64_t entries, packed_values values,
                                                std::uint32_t value_bytes, std::uint32_t& bytes) {
  packed_slice s;
  s.row = row;
  s.steps = static_cast<std::uint16_t>(diagonals);
  s.shortest = entries == std::int64_t{s.steps} * packed_diagonal_slice_rows ? s.steps : std::uint16_t{0};
  s.set_rows(rows, 0, false, false, false, true);
  s.set(packed_columns::none, packed_starts::zero, values);
  bytes = place_arrays(s, value_bytes);
  return s;
}

template <value V, offset O>
packed_slice header_of_diagonal_slice(const csr_view<V, O>& a, const packed_rows& rows,
                                      const packed_encoding<V>& how, std::uint32_t& bytes) {
  value_choice<V> values(how);
  std::array<bits_of_value<V>, packed_most_diagonals_at_all> first;
  std::bitset<packed_most_diagonals_at_all> seen;
  const V* const val = a.val.data();
  for (int r = 0; r < rows.count && !values.is_settled(); ++r)
    for_each_diagonal_entry(a, rows, r, [&](std::size_t d, std::int64_t k) {
      values.add(val[k], !seen[d], first[d]);
      seen.set(d);
    });
  return header_of_diagonal_slice(rows.row[0], rows.count, rows.diagonals.size(), entry_range(a, rows).size(),
                                  values.best(), sizeof(V), bytes);
}

/// The header of a COO slice with columns from `smallest` to `largest`. Equal columns are too rare for an
/// encoding of 0 bytes.
constexpr packed_slice header_of_coo_slice(std::int32_t row, int rows, std::int64_t entries,
                                           std::int32_t smallest, std::int32_t largest, packed_values values,
                                           std::uint32_t value_bytes, std::uint32_t& bytes) {
  packed_slice s;
  if (entries == 0) smallest = 0;
  const packed_columns columns = columns_for(std::int64_t{largest} - smallest);
  s.row = row;
  s.steps = s.shortest = static_cast<std::uint16_t>(entries);
  s.set_coo_rows(rows);
  s.set(columns == packed_columns::none ? packed_columns::one : columns, packed_starts::zero, values);
  s.bases = static_cast<std::uint32_t>(smallest);
  bytes = place_coo_arrays(s, value_bytes);
  return s;
}

template <value V, offset O>
packed_slice header_of_coo_slice(const csr_view<V, O>& a, const packed_rows& rows,
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
  return header_of_coo_slice(rows.row[0], rows.count, of.size(), smallest, largest, values.best(), sizeof(V),
                             bytes);
}

}  // namespace packed_code

/// A slice's header, except for `at`.
template <value V, offset O>
packed_slice packed_header(const csr_view<V, O>& a, const packed_rows& rows, const packed_encoding<V>& how,
                           std::uint32_t& bytes) {
  if (rows.is_coo_slice) return packed_code::header_of_coo_slice(a, rows, how, bytes);
  if (!rows.diagonals.empty()) return packed_code::header_of_diagonal_slice(a, rows, how, bytes);
  const packed_code::lanes<V, O> lanes(a, rows);
  const packed_slice s =
      packed_code::header_of_lane_rows(lanes.header_row, lanes.steps, lanes.shortest, rows.count,
                                       rows.sharing, rows.listed, rows.row_part >= 0);
  packed_code::column_widths widths = packed_code::widths_of_lanes(a, lanes, rows.row_part >= 0);
  widths.may_elide = how.may_elide && packed_code::may_elide(s);
  if (widths.may_elide) widths.mask = packed_code::delta_mask_of_lanes(a, lanes);
  return packed_code::header_of_lane_slice(s, widths, packed_code::values_of_lanes(a, lanes, how), sizeof(V),
                                           bytes);
}

}  // namespace gossamer::inline v0::formats
