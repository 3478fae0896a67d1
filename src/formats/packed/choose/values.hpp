// SPDX-License-Identifier: BSD-3-Clause
// Which encoding takes the fewest bytes for the columns, and for the values, of one slice.
#pragma once

#include <algorithm>
#include <bit>
#include <bitset>
#include <cmath>
#include <limits>

#include "formats/common/frequent_values.hpp"
#include "formats/packed/layout.hpp"

namespace gossamer::inline v0::formats {

/// What encoding depends on besides the slice.
template <value V>
struct packed_encoding {
  const value_index<V>* table;
  std::uint32_t together;  ///< packed_together_on_device, or 1
  bool bf16 = false;       ///< values of 2 bytes are bf16, not f16
  bool may_elide = false;  ///< steps may repeat numbers
  [[nodiscard]] const short_float& half() const { return packed_half_kind(bf16); }
  [[nodiscard]] bool on_device() const { return together != 1; }
};

namespace packed_code {

/// Whether v is a number that f32 has, and no denormal one there: by its bits, so that neither the thread's
/// rounding nor its treatment of denormals counts, and a device decides alike.
constexpr bool is_narrow(double v) {
  const auto bits = std::bit_cast<std::uint64_t>(v);
  constexpr std::uint64_t dropped = (std::uint64_t{1} << 29) - 1;
  const auto exponent = static_cast<int>(bits >> 52 & 0x7ffu) - 1023;
  return (bits & dropped) == 0 && ((exponent >= -126 && exponent <= 127) || (bits << 1) == 0);
}
constexpr bool is_narrow(float) {
  return false;  // nothing is saved
}

constexpr packed_columns columns_for(std::int64_t largest) noexcept {
  if (largest == 0) return packed_columns::none;
  if (largest <= std::numeric_limits<std::uint8_t>::max()) return packed_columns::one;
  return largest <= std::numeric_limits<std::uint16_t>::max() ? packed_columns::two : packed_columns::four;
}

/// What some values have in common.
struct value_facts {
  int furthest = 0;  ///< in the table; -1: not all are there
  bool finite = true;
  bool constant = true;
  bool of_step = true;
  bool half = true;
  bool narrow = true;

  /// The way that takes the fewest bytes. Those in which a hole holds something other than zero are for
  /// finite values, so that on a device what it holds, times zero, is zero.
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr packed_values best(bool on_device) const {
    constexpr int nibble = 16;
    if (!finite) return packed_values::full;
    if (constant) return packed_values::constant;
    if (of_step) return packed_values::of_step;
    if (furthest >= 0 && furthest < nibble && on_device) return packed_values::table4;
    if (furthest >= 0) return packed_values::table8;
    if (half) return packed_values::half;
    return narrow ? packed_values::narrow : packed_values::full;
  }
  /// Whatever else is added, nothing will hold them but `full`.
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr bool is_settled() const {
    return furthest < 0 && !constant && !of_step && !half && !narrow;
  }
};

/// Which of the ways values may be stored in hold all that were added. At least one has to be. What a value
/// is, beside where it stands, is asked once for each different one that the table has: few values come again
/// and again.
template <value V>
class value_choice {
 public:
  using pattern = bits_of_value<V>;

  explicit value_choice(const packed_encoding<V>& how) : how_(how) {}

  /// A value of a step; first_of_step is the first one of it, which is_first says this is.
  void add(V v, bool is_first, pattern& first_of_step) {
    if (facts_.of_step) {
      const auto bits = std::bit_cast<pattern>(v);
      if (is_first) first_of_step = bits;
      facts_.of_step = bits == first_of_step;
    }
    add(v);
  }
  /// A value where there are no steps, or each has one entry.
  void add(V v) {
    const auto bits = std::bit_cast<pattern>(v);
    if (facts_.constant && any_ && bits == one_) return;
    if (!any_) one_ = bits;
    facts_.constant = !any_;
    any_ = true;
    learn(v);
  }
  void no_steps() { facts_.of_step = false; }

  [[nodiscard]] bool is_settled() const { return facts_.is_settled(); }
  [[nodiscard]] packed_values best() const { return facts_.best(how_.on_device()); }

 private:
  void learn(V v) {
    if (facts_.furthest >= 0) {
      const int place = how_.table->find(v);
      if (place >= 0) {
        if (learned_[static_cast<std::size_t>(place)]) return;
        learned_.set(static_cast<std::size_t>(place));
      }
      facts_.furthest = place < 0 ? -1 : std::max(facts_.furthest, place);
    }
    facts_.finite = facts_.finite && std::isfinite(v);
    facts_.half = facts_.half && is_exactly(v, how_.half());
    facts_.narrow = facts_.narrow && is_narrow(v);
  }

  const packed_encoding<V>& how_;
  value_facts facts_;
  std::bitset<value_index<V>::most> learned_;  ///< places in the table
  pattern one_{};
  bool any_ = false;
};

}  // namespace packed_code

}  // namespace gossamer::inline v0::formats
