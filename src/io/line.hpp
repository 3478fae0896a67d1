// SPDX-License-Identifier: BSD-3-Clause
// One line of a body: the parser that the parallel readers and the search for the first error share.
#pragma once

#include <fast_float/fast_float.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "gossamer/types.hpp"
#include "io/header.hpp"
#include "io/text.hpp"

namespace gossamer::inline v0::io {

enum class field { real, integer, pattern };
enum class symmetry { general, symmetric, skew };

/// What the lines of a body must keep to.
struct body_rules {
  bool array = false;
  io::field field = io::field::real;
  io::symmetry symmetry = io::symmetry::general;
  std::int64_t rows = 0;
  std::int64_t cols = 0;

  explicit body_rules(const parsed_header& header)
      : array(header.is_array()),
        field(header.words.field == "real"      ? io::field::real
              : header.words.field == "integer" ? io::field::integer
                                                : io::field::pattern),
        symmetry(header.is_symmetric() ? io::symmetry::symmetric
                 : header.is_skew()    ? io::symmetry::skew
                                       : io::symmetry::general),
        rows(header.words.rows),
        cols(header.words.cols) {}
};

/// What is wrong with a line.
enum class fault {
  none,
  bad_row,  ///< missing, no integer, or outside the matrix: the message looks again at the word
  bad_column,
  bad_value,
  value_out_of_range,
  diagonal,
  trailing,
};

enum class line_kind { entry, nothing, wrong };

template <value V>
struct entry {
  std::int32_t row;
  std::int32_t col;
  V val;
};

/// Reads lines one after the other. After `wrong`, `at` is the word that is wrong.
template <value V, field Field, bool Array>
class line_parser {
 public:
  explicit line_parser(const body_rules& rules)
      : rows_(static_cast<std::uint64_t>(rules.rows)),
        cols_(static_cast<std::uint64_t>(rules.cols)),
        skew_(rules.symmetry == symmetry::skew) {}

  fault what = fault::none;
  const char* at = nullptr;

  /// Moves p behind the line's newline, or to `end`.
  line_kind parse(const char*& p, const char* end, entry<V>& out) {
    p = skip_spaces(p, end);
    if (p == end) return line_kind::nothing;
    if (*p == '\n') {
      ++p;
      return line_kind::nothing;
    }
    if (*p == '%') {
      if (skip_comment(p, end)) ++p;
      return line_kind::nothing;
    }
    if constexpr (!Array) {
      const char* const first = p;
      if (!parse_index(p, end, rows_, out.row)) return wrong(fault::bad_row, first);
      p = skip_spaces(p, end);
      const char* const second = p;
      if (!parse_index(p, end, cols_, out.col)) return wrong(fault::bad_column, second);
      p = skip_spaces(p, end);
    }
    if constexpr (Field == field::pattern) {
      out.val = 1;
    } else {
      const char* const word = p;
      const fault f = Field == field::real ? parse_real(p, end, out.val) : parse_integer(p, end, out.val);
      if (f != fault::none) return wrong(f, word);
      if constexpr (!Array) {
        if (skew_ && out.row == out.col && out.val != 0) return wrong(fault::diagonal, word);
      }
      p = skip_spaces(p, end);
    }
    if (p == end) return line_kind::entry;
    if (*p != '\n') {
      if (*p != '%') return wrong(fault::trailing, p);
      if (!skip_comment(p, end)) return line_kind::entry;
    }
    ++p;
    return line_kind::entry;
  }

 private:
  line_kind wrong(fault f, const char* word) noexcept {
    what = f;
    at = word;
    return line_kind::wrong;
  }

  /// To the line's end; returns whether there is a newline.
  static bool skip_comment(const char*& p, const char* end) noexcept {
    while (p != end && *p != '\n') ++p;
    return p != end;
  }

  static bool ends_word(const char* p, const char* end) noexcept {
    return p == end || *p == '\n' || is_space(*p);
  }

  static constexpr unsigned digit(char c) noexcept { return static_cast<unsigned char>(c) - unsigned{'0'}; }

  static bool parse_index(const char*& p, const char* end, std::uint64_t limit, std::int32_t& out) noexcept {
    if (p != end && *p == '+') ++p;
    const char* const first = p;
    std::uint64_t number = 0;
    // 2^32 can be overstepped by one more digit only, so the sum never wraps.
    while (p != end && digit(*p) < 10 && number <= max_dimension) number = 10 * number + digit(*p++);
    // A missing number leaves 0, which wraps to more than any limit.
    if (number - 1 >= limit || p == first || !ends_word(p, end)) return false;
    out = static_cast<std::int32_t>(number - 1);
    return true;
  }

  /// Whole numbers, as graphs and stencils have them, need no decimal arithmetic: one conversion rounds once.
  static bool parse_short_integer(const char*& p, const char* end, V& out) noexcept {
    const bool negative = p != end && *p == '-';
    const char* const first = p + (negative ? 1 : 0);
    const char* q = first;
    std::int64_t number = 0;
    while (q != end && digit(*q) < 10 && q - first < 18) number = 10 * number + digit(*q++);
    if (q == first || !ends_word(q, end)) return false;
    const auto magnitude = static_cast<V>(number);
    out = negative ? -magnitude : magnitude;
    p = q;
    return true;
  }

  static fault parse_real(const char*& p, const char* end, V& out) {
    const char* const word = p;
    if (p != end && *p == '+' && end - p > 1 && p[1] != '-') ++p;
    const char* const number = p;
    if (parse_short_integer(p, end, out)) return fault::none;
    p = fast_float::from_chars(p, end, out).ptr;
    if (p == number) return fault::bad_value;
    if (!ends_word(p, end)) {
      if ((*p | 0x20) != 'd') return fault::bad_value;
      p = word;
      return parse_fortran(p, end, out);
    }
    return check_range(number, out);
  }

  /// Infinity is a value where it is written as such, and a decimal too large for V is not infinity.
  static fault check_range(const char* number, V value) noexcept {
    if (!std::isinf(value)) return fault::none;
    const char c = *number == '-' ? number[1] : *number;
    return digit(c) < 10 || c == '.' ? fault::value_out_of_range : fault::none;
  }

  /// 1.5D+03, as Fortran writes double precision.
  static fault parse_fortran(const char*& p, const char* end, V& out) {
    const char* const last = skip_word(p, end);
    std::string copy(*p == '+' ? p + 1 : p, last);
    const std::size_t mark = copy.find_first_of("dD");
    if (copy.find_first_not_of("+-.0123456789") != mark) return fault::bad_value;
    copy[mark] = 'e';
    const auto result = fast_float::from_chars(copy.data(), copy.data() + copy.size(), out);
    if (result.ptr != copy.data() + copy.size()) return fault::bad_value;
    p = last;
    return check_range(copy.data(), out);
  }

  /// 2.0 is a whole number.
  static bool pass_zero_fraction(const char*& p, const char* end) noexcept {
    if (*p++ != '.') return false;
    while (p != end && *p == '0') ++p;
    return ends_word(p, end);
  }

  static fault parse_integer(const char*& p, const char* end, V& out) {
    const char* const word = p;
    const bool negative = p != end && *p == '-';
    if (negative || (p != end && *p == '+')) ++p;
    const char* const first = p;
    std::uint64_t number = 0;
    while (p != end && digit(*p) < 10) {
      number = 10 * number + digit(*p);  // may wrap; then the number is read again below
      ++p;
    }
    if (p == first) return fault::bad_value;
    const auto digits = p - first;
    if (!ends_word(p, end) && !pass_zero_fraction(p, end)) return fault::bad_value;
    if (digits <= 18) {
      const auto magnitude = static_cast<V>(static_cast<std::int64_t>(number));
      out = negative ? -magnitude : magnitude;
      return fault::none;
    }
    const char* again = word;
    return parse_real(again, end, out);
  }

  std::uint64_t rows_;
  std::uint64_t cols_;
  bool skew_;
};

/// Calls body.template operator()<field, array>() for the file's kind.
template <class Body>
decltype(auto) with_kind(const body_rules& rules, Body&& body) {
  if (rules.array) {
    return rules.field == field::real ? body.template operator()<field::real, true>()
                                      : body.template operator()<field::integer, true>();
  }
  switch (rules.field) {
    case field::real:
      return body.template operator()<field::real, false>();
    case field::integer:
      return body.template operator()<field::integer, false>();
    case field::pattern:
      break;
  }
  return body.template operator()<field::pattern, false>();
}

}  // namespace gossamer::inline v0::io
