// SPDX-License-Identifier: BSD-3-Clause
#include "io/first_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "io/line.hpp"
#include "io/text.hpp"

namespace gossamer::inline v0::io {
namespace {

/// An entry off the diagonal, filed under the unordered pair of its indices.
struct pair_entry {
  std::int64_t high;
  std::int64_t low;
  bool upper;
  place at;
};

struct twice_given {
  const pair_entry* second = nullptr;  ///< the first line that repeats an entry of the other triangle
  place first;
};

/// Sorts the entries by pair and looks for pairs with both triangles.
twice_given find_both_triangles(std::vector<pair_entry>& entries) {
  std::sort(entries.begin(), entries.end(), [](const pair_entry& a, const pair_entry& b) {
    return std::tie(a.high, a.low, a.upper, a.at.line) < std::tie(b.high, b.low, b.upper, b.at.line);
  });
  twice_given found;
  for (std::size_t k = 0, lower = 0; k < entries.size(); ++k) {
    const pair_entry& e = entries[k];
    const bool new_pair = k == 0 || e.high != entries[k - 1].high || e.low != entries[k - 1].low;
    if (new_pair) lower = k;
    // Only the first of the upper ones matters; it stands right after the last of the lower ones.
    if (!e.upper || entries[lower].upper || entries[k - 1].upper) continue;
    const pair_entry& other = entries[lower];
    const bool this_first = e.at.line < other.at.line;
    const pair_entry& second = this_first ? other : e;
    if (found.second == nullptr || second.at.line < found.second->at.line)
      found = {&second, this_first ? e.at : other.at};
  }
  return found;
}

std::string describe_index(std::string_view word, std::string_view what, std::int64_t count) {
  if (word.empty()) return fmt::format("the {} index is missing", what);
  const bool negative = word.front() == '-';
  const std::string_view digits = word.substr(negative || word.front() == '+' ? 1 : 0);
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos)
    return fmt::format("the {} index is not an integer: {}", what, quoted(word));
  if (negative || digits.find_first_not_of('0') == digits.npos)
    return fmt::format("the {} index {} is less than 1", what, quoted(word));
  return fmt::format("the {} index {} is past the last {}, {}", what, quoted(word), what, count);
}

std::string describe(fault what, std::string_view word, const body_rules& rules, std::string_view value) {
  switch (what) {
    case fault::bad_row:
      return describe_index(word, "row", rules.rows);
    case fault::bad_column:
      return describe_index(word, "column", rules.cols);
    case fault::bad_value:
      if (word.empty()) return "the value is missing";
      return fmt::format("the value is not {}: {}", rules.field == field::integer ? "an integer" : "a number",
                         quoted(word));
    case fault::value_out_of_range:
      return fmt::format("the value is out of range for {}: {}", value, quoted(word));
    case fault::diagonal:
      return fmt::format("the diagonal of a skew-symmetric matrix must be zero: {}", quoted(word));
    case fault::trailing:
      return fmt::format("unexpected {} after the {}", quoted(word),
                         rules.array ? "value: an array file has one on a line"
                         : rules.field == field::pattern
                             ? "entry: the banner promises a pattern, without values"
                             : "entry");
    case fault::none:
      break;
  }
  return "unknown fault";
}

template <class V, field Field, bool Array>
class body_checker {
 public:
  body_checker(const parsed_header& header, std::string_view name)
      : header_(header), rules_(header), name_(name), parser_(rules_) {}

  void check(text_source& source) {
    source.rewind();
    std::vector<char> storage;
    for (std::int64_t k = 0; k < header_.lines; ++k) source.next(1, storage);
    line_ = header_.lines + 1;
    end_ = {line_, 1};
    for (;;) {
      const text_block block = source.next(max_chunk_bytes, storage);
      if (block.at_end()) break;
      std::string_view lines = block.text;
      // A line that breaks off is no evidence of anything but that.
      if (!block.defect.empty()) lines = lines.substr(0, lines.rfind('\n') + 1);
      check_lines(lines);
      end_ = {line_, column_at_end(block.text)};
      if (!block.defect.empty()) reject(end_, "{}", block.defect);
    }
    if (entries_ < header_.words.entries)
      reject(end_, "fewer entries than promised: {} of {}", entries_, header_.words.entries);
    check_triangles();
  }

 private:
  static std::int64_t column_at_end(std::string_view text) {
    return static_cast<std::int64_t>(text.size() - (text.rfind('\n') + 1)) + 1;
  }

  template <class... Args>
  [[noreturn]] void reject(place at, fmt::format_string<Args...> text, Args&&... args) {
    check_triangles();  // what it finds stands before this place
    fail_at(errc::parse_error, name_, at, text, std::forward<Args>(args)...);
  }

  void check_lines(std::string_view text) {
    const char* p = text.data();
    const char* const end = p + text.size();
    while (p != end) {
      const char* const begin = p;
      entry<V> e{};
      const line_kind kind = parser_.parse(p, end, e);
      const char* const first = skip_spaces(begin, end);
      const place at{line_, first - begin + 1};
      if (kind != line_kind::nothing && entries_ == header_.words.entries)
        reject(at, "more entries than promised: {}{}", header_.words.entries,
               !Array || rules_.symmetry == symmetry::general ? ""
               : rules_.symmetry == symmetry::symmetric       ? " (a symmetric array has one triangle)"
                                                              : " (a skew-symmetric array has no diagonal)");
      if (kind == line_kind::wrong) {
        const std::string_view word(parser_.at,
                                    static_cast<std::size_t>(skip_word(parser_.at, end) - parser_.at));
        reject({line_, parser_.at - begin + 1}, "{}", describe(parser_.what, word, rules_, value_name<V>()));
      }
      if (kind == line_kind::entry) {
        ++entries_;
        if (!Array && rules_.symmetry != symmetry::general && e.row != e.col) {
          pairs_.push_back({.high = std::max(e.row, e.col),
                            .low = std::min(e.row, e.col),
                            .upper = e.row < e.col,
                            .at = at});
        }
      }
      if (p[-1] == '\n') ++line_;
    }
  }

  void check_triangles() {
    const twice_given twice = find_both_triangles(pairs_);
    if (twice.second == nullptr) return;
    const std::int64_t row = (twice.second->upper ? twice.second->low : twice.second->high) + 1;
    const std::int64_t col = (twice.second->upper ? twice.second->high : twice.second->low) + 1;
    fail_at(errc::parse_error, name_, twice.second->at,
            "entry ({}, {}) of a {} matrix is given in both triangles: line {} has ({}, {})", row, col,
            header_.words.symmetry, twice.first.line, col, row);
  }

  const parsed_header& header_;
  body_rules rules_;
  std::string_view name_;
  line_parser<V, Field, Array> parser_;
  std::int64_t line_ = 1;
  std::int64_t entries_ = 0;
  place end_;
  std::vector<pair_entry> pairs_;
};

}  // namespace

template <class V>
void throw_first_error(text_source& source, const parsed_header& header, std::string_view name) {
  with_kind(body_rules(header),
            [&]<field Field, bool Array>() { body_checker<V, Field, Array>(header, name).check(source); });
}

template void throw_first_error<float>(text_source&, const parsed_header&, std::string_view);
template void throw_first_error<double>(text_source&, const parsed_header&, std::string_view);

}  // namespace gossamer::inline v0::io
