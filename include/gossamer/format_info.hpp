// SPDX-License-Identifier: BSD-3-Clause
// Descriptions of storage formats: name, source, devices and options.
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

/// One word that an option accepts.
struct option_choice {
  std::string_view name;                  ///< the word
  std::string_view help;                  ///< what it means
  device_set devices = device_set::both;  ///< resources on which the word is accepted
};

/// An option of a format. Its value is either one of `choices` or an integer from `min` to `max`.
struct option_info {
  std::string_view name;                   ///< name of the option
  std::string_view help;                   ///< what it does
  device_set devices = device_set::both;   ///< resources on which it exists
  std::span<const option_choice> choices;  ///< the accepted words; empty if the value is a number
  std::int64_t min = 0;                    ///< smallest accepted number
  std::int64_t max = 0;                    ///< largest accepted number
  bool has_auto = false;        ///< "auto" is accepted: the format chooses by the matrix and the resource
  bool has_unbounded = false;   ///< "unbounded" is accepted: there is no limit
  bool has_published = false;   ///< "published" is accepted: the paper's rule, which is not that of "auto"
  bool is_limit = false;        ///< the option only determines which matrices the format refuses
  std::int64_t test_value = 0;  ///< for variants(): a value to test, in addition to min and max; 0: none
  std::string default_text;     ///< default value as text
};

/// Properties that a conversion to a format and back to CSR preserves. Rows, columns and values are always
/// preserved, unless an option rounds values.
struct kept {
  bool order = true;           ///< the order of entries within a row
  bool explicit_zeros = true;  ///< stored zeros
  bool duplicates = true;      ///< duplicate entries stay separate
};

/// A storage format.
struct format_info {
  std::string_view name;                  ///< name of the format, for inspect_options::format
  std::string_view source;                ///< paper and section, or the common name in the literature
  std::string_view help;                  ///< one line about the format
  device_set devices = device_set::none;  ///< resources on which it runs
  kept keeps;                             ///< what a conversion preserves
  /// Resources on which plan::update_values() encodes all values again (see plan::reencodes()). On other
  /// resources, an option that rounds or encodes values may cause the same.
  device_set reencodes = device_set::none;
  std::vector<option_info> options;  ///< the format's options
};

/// Options of a format: pairs of an option's name and its value, both as text. An example is {{"kernel",
/// "balanced"}}. find_format() lists the options of a format.
using option_texts = std::vector<std::pair<std::string, std::string>>;

/// A format with its options.
struct format_setting {
  std::string format;    ///< a name from list_formats()
  option_texts options;  ///< options of that format
  /// Whether format and options are equal.
  bool operator==(const format_setting&) const = default;
};

/// Rounding error introduced by reduced-precision storage (option `precision` of packed). Infinities and NaNs
/// are not counted.
struct rounding_error {
  std::string_view to;          ///< "f32", "f16" or "bf16"; "several" if the parts of a hybrid plan differ
  std::int64_t changed = 0;     ///< number of values that rounding changed
  std::int64_t to_zero = 0;     ///< number of nonzero values that were rounded to zero
  double largest_relative = 0;  ///< largest |a - stored| / |a|; 1 if a value was rounded to zero
  double largest_absolute = 0;  ///< largest |a - stored|
  /// Largest sum of |a - stored| over a row. This sum times the largest |x_j| bounds the error that rounded
  /// storage causes in an element of A x. The product itself adds its own rounding errors.
  double largest_row_sum = 0;

  /// Adds the rounding error of other rows with the same type of stored values.
  void add(const rounding_error& other) noexcept {
    changed += other.changed;
    to_zero += other.to_zero;
    if (other.largest_relative > largest_relative) largest_relative = other.largest_relative;
    if (other.largest_absolute > largest_absolute) largest_absolute = other.largest_absolute;
    if (other.largest_row_sum > largest_row_sum) largest_row_sum = other.largest_row_sum;
  }
};

}  // namespace gossamer::inline v0
