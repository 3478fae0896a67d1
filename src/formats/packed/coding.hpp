// SPDX-License-Identifier: BSD-3-Clause
// Which way the columns and values of one slice are coded in: of those that are exact the one that takes the fewest bytes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "formats/frequent_values.hpp"
#include "formats/packed/windows.hpp"

namespace gossamer::inline v0::formats {

/// What coding depends on beside the slice.
template <value V>
struct packed_coding {
  const value_index<V>* table;
  std::uint32_t together;  ///< packed_together_on_device, or 1
  [[nodiscard]] bool on_device() const { return together != 1; }
};

namespace packed_code {

inline bool is_narrow(double v) {
  if (v > std::numeric_limits<float>::max() || v < std::numeric_limits<float>::lowest()) return false;
  return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<float>(v))) ==
         std::bit_cast<std::uint64_t>(v);
}
inline bool is_narrow(float) {
  return false;  // nothing is saved
}

constexpr packed_columns columns_for(std::int64_t largest) noexcept {
  if (largest == 0) return packed_columns::none;
  if (largest <= std::numeric_limits<std::uint8_t>::max()) return packed_columns::one;
  return largest <= std::numeric_limits<std::uint16_t>::max() ? packed_columns::two : packed_columns::four;
}

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

  lanes(const csr_view<V, O>& a, const packed_rows& rows) : sharing(rows.sharing) {
    header_row =
        rows.listed ? static_cast<std::int32_t>(rows.row[0] / packed_window * packed_window) : rows.row[0];
    for (int l = 0; l < packed_lanes; ++l) {
      const auto at = static_cast<std::size_t>(l);
      const auto of = rows.of_lane(a, l);
      first[at] = of.first;
      count[at] = of.count;
      const int which = l >> rows.sharing;
      if (which < rows.count) row[at] = rows.row[static_cast<std::size_t>(which)] - header_row;
      steps = std::max(steps, of.count);
      shortest = std::min(shortest, of.count);
    }
  }
  [[nodiscard]] std::int64_t entry(int lane, std::int64_t step) const {
    return first[static_cast<std::size_t>(lane)] + (step << sharing);
  }
  [[nodiscard]] bool has(int lane, std::int64_t step) const {
    return step < count[static_cast<std::size_t>(lane)];
  }
};

/// What numbers of one step differ by at most, over all steps.
struct column_range {
  std::int64_t widest = 0;
  std::int64_t smallest = 0;
  std::int64_t largest = 0;
  bool open = false;

  void begin_step() { open = false; }
  void add(std::int64_t number) {
    smallest = open ? std::min(smallest, number) : number;
    largest = open ? std::max(largest, number) : number;
    open = true;
  }
  void end_step() {
    if (open) widest = std::max(widest, largest - smallest);
  }
};

/// Which of the ways values may be stored in hold all that were added. At least one has to be.
template <value V>
class value_choice {
 public:
  explicit value_choice(const packed_coding<V>& how) : how_(how) {}

  void begin_step() { seen_in_step_ = false; }
  void add(V v) { add(v, seen_in_step_, of_this_step_); }
  /// first_of_step: the bits of the step's first value, seen: whether there was one before.
  void add(V v, bool& seen, bits_of_value<V>& first_of_step) {
    const auto bits = std::bit_cast<bits_of_value<V>>(v);
    if (!any_) one_ = bits;
    if (!seen) first_of_step = bits;
    any_ = true;
    seen = true;
    finite_ = finite_ && std::isfinite(v);
    constant_ = constant_ && bits == one_;
    of_step_ = of_step_ && bits == first_of_step;
    narrow_ = narrow_ && is_narrow(v);
    if (furthest_ < 0) return;
    const int place = how_.table->find(v);
    furthest_ = place < 0 ? -1 : std::max(furthest_, place);
  }
  /// The one that takes the fewest bytes. Those in which a hole holds something other than zero are for finite values, so that on a device what
  /// it holds, times zero, is zero.
  [[nodiscard]] packed_values best() const {
    constexpr int nibble = 16;
    if (!finite_) return narrow_ ? packed_values::narrow : packed_values::full;
    if (constant_) return packed_values::constant;
    if (of_step_) return packed_values::of_step;
    if (furthest_ >= 0 && furthest_ < nibble && how_.on_device()) return packed_values::table4;
    if (furthest_ >= 0) return packed_values::table8;
    return narrow_ ? packed_values::narrow : packed_values::full;
  }

 private:
  const packed_coding<V>& how_;
  bits_of_value<V> one_{};
  bits_of_value<V> of_this_step_{};
  int furthest_ = 0;  ///< in the table; -1: not all are there
  bool any_ = false;
  bool seen_in_step_ = false;
  bool finite_ = true;
  bool constant_ = true;
  bool of_step_ = true;
  bool narrow_ = true;
};

/// f(row, diagonal, entry) for each entry of rows on diagonals.
template <class V, offset O, class F>
void for_each_on_diagonals(const csr_view<V, O>& a, const packed_rows& rows, F&& f) {
  for (int r = 0; r < rows.count; ++r) {
    const std::int64_t i = rows.row[0] + r;
    std::size_t d = 0;
    for (auto k = static_cast<std::int64_t>(a.row_ptr.data()[i]);
         k < static_cast<std::int64_t>(a.row_ptr.data()[i + 1]); ++k) {
      while (rows.diagonals[d] != a.col.data()[k] - i) ++d;
      f(r, d, k);
    }
  }
}

template <value V, offset O>
packed_slice header_on_diagonals(const csr_view<V, O>& a, const packed_rows& rows,
                                 const packed_coding<V>& how) {
  packed_slice s;
  s.row = rows.row[0];
  s.steps = static_cast<std::uint16_t>(rows.diagonals.size());
  value_choice<V> values(how);
  std::vector<bits_of_value<V>> first(rows.diagonals.size());
  std::vector<char> seen(rows.diagonals.size());
  std::size_t entries = 0;
  for_each_on_diagonals(a, rows, [&](int, std::size_t d, std::int64_t k) {
    bool was = seen[d] != 0;
    values.add(a.val.data()[k], was, first[d]);
    seen[d] = 1;
    ++entries;
  });
  s.shortest = entries == rows.diagonals.size() * packed_rows_on_diagonals ? s.steps : std::uint16_t{0};
  s.set_rows(rows.count, 0, false, false, false, true);
  s.set(packed_columns::none, packed_starts::zero, values.best());
  return s;
}

}  // namespace packed_code

/// A slice's header but for where its arrays begin among all.
template <value V, offset O>
packed_slice packed_header(const csr_view<V, O>& a, const packed_rows& rows, const packed_coding<V>& how,
                           std::uint32_t& bytes) {
  if (!rows.diagonals.empty()) {
    packed_slice s = packed_code::header_on_diagonals(a, rows, how);
    bytes = place_arrays(s, sizeof(V));
    return s;
  }
  const packed_code::lanes<V, O> lanes(a, rows);
  packed_slice s;
  s.row = lanes.header_row;
  s.steps = static_cast<std::uint16_t>(lanes.steps);
  s.shortest = static_cast<std::uint16_t>(lanes.shortest);
  s.set_rows(rows.count, rows.sharing, rows.listed, rows.part >= 0,
             lanes.steps - lanes.shortest > std::numeric_limits<std::uint8_t>::max(), false);
  if (lanes.steps == 0) {
    s.set(packed_columns::none, packed_starts::zero, packed_values::of_step);
    bytes = place_arrays(s, sizeof(V));
    return s;
  }
  packed_code::column_range plain;
  packed_code::column_range from_row;
  packed_code::column_range from_first;
  packed_code::value_choice<V> values(how);
  for (std::int64_t j = 0; j < lanes.steps; ++j) {
    plain.begin_step();
    from_row.begin_step();
    from_first.begin_step();
    values.begin_step();
    for (int l = 0; l < packed_lanes; ++l) {
      if (!lanes.has(l, j)) continue;
      const std::int64_t k = lanes.entry(l, j);
      const std::int64_t col = a.col.data()[k];
      plain.add(col);
      from_row.add(col - lanes.row[static_cast<std::size_t>(l)]);
      from_first.add(col - a.col.data()[lanes.entry(l, 0)]);
      values.add(a.val.data()[k]);
    }
    plain.end_step();
    from_row.end_step();
    from_first.end_step();
  }
  s.set(packed_code::columns_for(plain.widest), packed_starts::zero, values.best());
  bytes = place_arrays(s, sizeof(V));
  const auto consider = [&](const packed_code::column_range& range, packed_starts from) {
    packed_slice other = s;
    other.set(packed_code::columns_for(range.widest), from, values.best());
    const std::uint32_t bytes_of_other = place_arrays(other, sizeof(V));
    if (other.columns() == packed_columns::four || bytes_of_other >= bytes) return;
    s = other;
    bytes = bytes_of_other;
  };
  if (rows.part < 0) consider(from_row, packed_starts::row);
  if (from_first.widest == 0) consider(from_first, packed_starts::given);
  return s;
}

}  // namespace gossamer::inline v0::formats
