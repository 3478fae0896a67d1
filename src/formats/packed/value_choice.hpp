// SPDX-License-Identifier: BSD-3-Clause
// Which way of coding takes the fewest bytes for the columns, and for the values, of one slice.
#pragma once

#include <bit>
#include <cmath>
#include <limits>

#include "formats/frequent_values.hpp"
#include "formats/packed/half.hpp"
#include "formats/packed/windows.hpp"

namespace gossamer::inline v0::formats {

/// To what values are rounded before they are coded.
enum class packed_precision : std::int32_t { full, f32, f16, bf16 };

/// What coding depends on beside the slice.
template <value V>
struct packed_coding {
  const value_index<V>* table;
  std::uint32_t together;  ///< packed_together_on_device, or 1
  bool bf16 = false;       ///< values of 2 bytes are bf16, not f16
  [[nodiscard]] const short_float& half() const { return packed_half_kind(bf16); }
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

/// Which of the ways values may be stored in hold all that were added. At least one has to be.
template <value V>
class value_choice {
 public:
  explicit value_choice(const packed_coding<V>& how) : how_(how) {}

  void begin_step() { seen_in_step_ = false; }
  void add(V v) { add(v, seen_in_step_, of_this_step_); }
  /// first_of_step: the bits of the step's first value, seen: whether there was one before.
  void add(V v, bool& seen, bits_of_value<V>& first_of_step) {
    if (full_) return;
    const auto bits = std::bit_cast<bits_of_value<V>>(v);
    if (!any_) one_ = bits;
    if (!seen) first_of_step = bits;
    any_ = true;
    seen = true;
    finite_ = finite_ && std::isfinite(v);
    constant_ = constant_ && bits == one_;
    of_step_ = of_step_ && bits == first_of_step;
    half_ = half_ && is_exactly(v, how_.half());
    narrow_ = narrow_ && is_narrow(v);
    if (furthest_ >= 0) {
      const int place = how_.table->find(v);
      furthest_ = place < 0 ? -1 : std::max(furthest_, place);
    }
    full_ = furthest_ < 0 && !constant_ && !of_step_ && !half_ && !narrow_;
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
    if (half_) return packed_values::half;
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
  bool half_ = true;
  bool narrow_ = true;
  bool full_ = false;  ///< whatever else is added
};

}  // namespace packed_code

}  // namespace gossamer::inline v0::formats
