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

/// The options and the table that the encoding of a slice depends on.
template <value V>
struct packed_encoding {
  const value_index<V>* table;
  std::uint32_t together;  ///< packed_together_on_device, or 1
  bool bf16 = false;       ///< values of 2 bytes are bf16, not f16
  bool whole = false;      ///< values are never encoded
  bool may_elide = false;  ///< steps may elide their deltas
  [[nodiscard]] const short_float& half() const { return packed_half_kind(bf16); }
  [[nodiscard]] bool on_device() const { return together != 1; }
};

namespace packed_code {

/// Whether f32 represents v exactly, as a normal number or a zero. It tests the bits of v, so the result is
/// independent of the thread's rounding mode and flush-to-zero mode, and equal on a device.
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

/// Properties that all values of a slice share.
struct value_facts {
  int furthest = 0;  ///< the largest index into the table; -1 if a value is not in it
  bool finite = true;
  bool constant = true;
  bool of_step = true;
  bool half = true;
  bool narrow = true;

  /// The encoding of the fewest bytes. If some value is not finite it is `full`: in other encodings a hole
  /// may have a value of the matrix, which a device multiplies by zero.
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
  /// Those of values that are not encoded, whatever they are.
  [[nodiscard]] GOSSAMER_HOST_DEVICE static constexpr value_facts of_whole_values() {
    return {
        .furthest = -1, .finite = false, .constant = false, .of_step = false, .half = false, .narrow = false};
  }
  /// True if only `full` remains possible, whatever values follow.
  [[nodiscard]] GOSSAMER_HOST_DEVICE constexpr bool is_settled() const {
    return furthest < 0 && !constant && !of_step && !half && !narrow;
  }
};

/// Finds the encoding for the values that are added, at least one. Each distinct value of the table is tested
/// once, since values repeat.
template <value V>
class value_choice {
 public:
  using pattern = bits_of_value<V>;

  explicit value_choice(const packed_encoding<V>& how)
      : how_(how), facts_(how.whole ? value_facts::of_whole_values() : value_facts{}) {}

  /// A value of a step. first_of_step is the first value of that step; is_first: v is that one.
  void add(V v, bool is_first, pattern& first_of_step) {
    if (facts_.of_step) {
      const auto bits = std::bit_cast<pattern>(v);
      if (is_first) first_of_step = bits;
      facts_.of_step = bits == first_of_step;
    }
    add(v);
  }
  /// A value of a slice without steps, or with one entry in each step.
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
  std::bitset<value_index<V>::most> learned_;  ///< indices into the table
  pattern one_{};
  bool any_ = false;
};

}  // namespace packed_code

}  // namespace gossamer::inline v0::formats
