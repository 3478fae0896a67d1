// SPDX-License-Identifier: BSD-3-Clause
// Description of a storage format: name, source, devices, options.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gossamer/resource.hpp"
#include "gossamer/types.hpp"

namespace gossamer::inline v0 {

struct option_choice {
  std::string_view name;
  std::string_view help;
  device_set devices = device_set::both;
};

/// An option is either one of `choices` or a whole number from `min` to `max`.
struct option_info {
  std::string_view name;
  std::string_view help;
  device_set devices = device_set::both;
  std::span<const option_choice> choices;  ///< empty for a number
  std::int64_t min = 0;
  std::int64_t max = 0;
  bool has_auto = false;        ///< "auto" is accepted: chosen from the matrix and the resource
  bool has_unbounded = false;   ///< "unbounded" is accepted: no bound at all
  bool has_published = false;   ///< "published" is accepted: the paper's own rule, where auto has another
  bool is_limit = false;        ///< says which matrices are refused, nothing about how others are stored
  std::int64_t test_value = 0;  ///< a setting that tests take in addition to min and max; 0: none
  std::string default_text;
};

/// Properties that a conversion to a format and back preserves, in addition to the entries.
struct kept {
  bool order = true;           ///< the order of entries within a row
  bool explicit_zeros = true;  ///< stored zeros
  bool duplicates = true;      ///< entries of one row and column stay apart
};

struct format_info {
  std::string_view name;
  std::string_view source;  ///< the paper and section, or the common name in the literature
  std::string_view help;
  device_set devices = device_set::none;
  kept keeps;
  /// Devices on which plan::update_values encodes all values again (plan::reencodes). With an option that
  /// rounds values, or asks for encoded ones, it does so on all.
  device_set reencodes = device_set::none;
  std::vector<option_info> options;
};

/// Option names and values as text, for example {{"kernel", "balanced"}}.
using option_texts = std::vector<std::pair<std::string, std::string>>;

/// A format and how it is to store a matrix.
struct format_setting {
  std::string format;    ///< a name from list_formats()
  option_texts options;  ///< of that format
  bool operator==(const format_setting&) const = default;
};

/// Rounding error introduced by reduced-precision storage (`precision` of packed). Infinities and NaNs are
/// not counted.
struct rounding_error {
  std::string_view to;       ///< the type that stored values have: "f32", "f16" or "bf16"; "several" in parts
  std::int64_t changed = 0;  ///< values that are stored as others
  std::int64_t to_zero = 0;  ///< of these, values that are stored as zero
  double largest_relative = 0;  ///< the largest |a - stored| / |a|; 1 where one is stored as zero
  double largest_absolute = 0;  ///< the largest |a - stored|
  /// The largest sum of |a - stored| over a row. Times the largest |x_j|, it bounds the error in an element
  /// of A x. Rounding in the product adds to it.
  double largest_row_sum = 0;

  /// Adds the errors of other rows, rounded to the same type.
  void add(const rounding_error& other) noexcept {
    changed += other.changed;
    to_zero += other.to_zero;
    if (other.largest_relative > largest_relative) largest_relative = other.largest_relative;
    if (other.largest_absolute > largest_absolute) largest_absolute = other.largest_absolute;
    if (other.largest_row_sum > largest_row_sum) largest_row_sum = other.largest_row_sum;
  }
};

}  // namespace gossamer::inline v0
