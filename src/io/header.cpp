// SPDX-License-Identifier: BSD-3-Clause
#include "io/header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "io/known_kinds.hpp"
#include "io/text.hpp"

namespace gossamer::inline v0::io {
namespace {

constexpr std::string_view utf8_mark = "\xef\xbb\xbf";

struct word {
  std::string_view text;  ///< empty where the line has no more words
  place at;
};

class header_reader {
 public:
  header_reader(text_source& source, std::string_view name, content wanted)
      : source_(source), name_(name), wanted_(wanted) {}

  parsed_header read() {
    read_banner();
    read_sizes();
    header_.lines = line_;
    return header_;
  }

 private:
  bool next_line() {
    const text_block block = source_.next(1, storage_);
    ++line_;
    text_ = block.text;
    const auto after = static_cast<std::int64_t>(text_.size()) + 1;
    if (!block.defect.empty()) fail_at(errc::parse_error, name_, {line_, after}, "{}", block.defect);
    if (block.at_end()) return false;
    if (text_.ends_with('\n')) text_.remove_suffix(1);
    position_ = 0;
    return true;
  }

  /// The line's next word, which a comment is too.
  word next_text() {
    constexpr std::string_view spaces = " \t\r\v\f";
    const std::size_t first = std::min(text_.find_first_not_of(spaces, position_), text_.size());
    const std::size_t last = std::min(text_.find_first_of(spaces, first), text_.size());
    position_ = last;
    return {text_.substr(first, last - first), {line_, static_cast<std::int64_t>(first) + 1}};
  }

  /// A comment ends the line.
  word next_word() {
    word w = next_text();
    if (w.text.starts_with('%')) {
      w.text = {};
      position_ = text_.size();
    }
    return w;
  }

  template <class... Args>
  [[noreturn]] void reject(const word& w, fmt::format_string<Args...> text, Args&&... args) const {
    fail_at(errc::parse_error, name_, w.at, text, std::forward<Args>(args)...);
  }

  static std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
  }

  /// The banner's next word in lower case, which must be there.
  std::string banner_word(word& w, std::string_view what, std::string_view choices) {
    w = next_word();
    if (w.text.empty()) reject(w, "the banner ends before the {}: expected {}", what, choices);
    return lower(w.text);
  }

  void refuse_complex(const word& w) const {
    fail_at(errc::unsupported, name_, w.at,
            "{} matrices are not supported: only real, integer and pattern are", lower(w.text));
  }

  /// Files of other kinds may have no line ends, so this comes before the first line.
  void refuse_other_kinds() {
    const text_block start = source_.next(known_kind_bytes, storage_);
    const std::string_view kind = known_kind(start.text);
    if (!kind.empty()) fail_at(errc::unsupported, name_, {1, 1}, "{}", kind);
    source_.rewind();
  }

  void read_banner() {
    refuse_other_kinds();
    if (!next_line()) fail_at(errc::parse_error, name_, {1, 1}, "the file is empty");
    if (text_.starts_with(utf8_mark)) position_ = utf8_mark.size();
    const word first = next_text();
    const std::string banner = lower(first.text);
    if (banner.empty()) reject(first, "the first line is blank: expected the banner '%%MatrixMarket'");
    if (banner != "%%matrixmarket" && banner != "%matrixmarket")
      reject(first, "expected the banner '%%MatrixMarket', not {}", quoted(first.text));
    const std::size_t lone_return = text_.find('\r');
    lone_returns_ = lone_return < text_.size() - 1;
    matrix_market_header& words = header_.words;

    word w;
    if (banner_word(w, "object", "'matrix'") != "matrix")
      reject(w, "unknown object {}: expected 'matrix'", quoted(w.text));

    words.format = banner_word(w, "format", "'coordinate' or 'array'");
    if (words.format != "coordinate" && words.format != "array")
      reject(w, "unknown format {}: expected 'coordinate' or 'array'", quoted(w.text));

    constexpr std::string_view fields = "'real', 'integer' or 'pattern'";
    words.field = banner_word(w, "field", fields);
    if (words.field == "complex") refuse_complex(w);
    if (words.field == "double") words.field = "real";
    if (words.field == "unsigned-integer") words.field = "integer";
    if (words.field != "real" && words.field != "integer" && words.field != "pattern")
      reject(w, "unknown field {}: expected {}", quoted(w.text), fields);
    if (words.field == "pattern" && header_.is_array())
      reject(w, "an array file cannot be a pattern: it would hold nothing");

    w = next_word();
    words.symmetry = w.text.empty() ? "general" : lower(w.text);      // many writers leave it out
    if (words.symmetry == "hermitian") words.symmetry = "symmetric";  // what it means without complex values
    if (!header_.is_general() && !header_.is_symmetric() && !header_.is_skew())
      reject(w, "unknown symmetry {}: expected 'general', 'symmetric' or 'skew-symmetric'", quoted(w.text));
    if (header_.is_skew() && words.field == "pattern")
      reject(w, "a pattern cannot be skew-symmetric: it has no signs");
  }

  std::int64_t read_count(word& w, std::string_view what) {
    w = next_word();
    if (w.text.empty()) reject(w, "the size line ends before the number of {}", what);
    const bool negative = w.text.front() == '-';
    const std::string_view digits = w.text.substr(negative || w.text.front() == '+' ? 1 : 0);
    if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos)
      reject(w, "the number of {} is not an integer: {}", what, quoted(w.text));
    if (negative && digits.find_first_not_of('0') != digits.npos)
      reject(w, "the number of {} is negative: {}", what, quoted(w.text));
    std::int64_t count = 0;
    for (const char c : digits) {
      const std::int64_t digit = c - '0';
      if (count > (std::numeric_limits<std::int64_t>::max() - digit) / 10)
        reject(w, "the number of {} does not fit in 64 bits: {}", what, quoted(w.text));
      count = 10 * count + digit;
    }
    return count;
  }

  std::int64_t read_dimension(word& w, std::string_view what) {
    const std::int64_t count = read_count(w, what);
    if (count > max_dimension)
      fail_at(errc::unsupported, name_, w.at, "{} {}: more than 2^31 - 1 are not supported", count, what);
    return count;
  }

  bool skip_to_size_line() {
    while (next_line()) {
      const word w = next_word();
      position_ = 0;
      if (!w.text.empty()) return true;
    }
    return false;
  }

  void read_sizes() {
    if (!skip_to_size_line())
      fail_at(errc::parse_error, name_, {line_, 1}, "the file ends before the size line{}",
              lone_returns_ ? ": lines end in CR (old Mac OS); convert them with tr '\\r' '\\n'" : "");
    matrix_market_header& words = header_.words;
    word w;
    words.rows = read_dimension(w, "rows");
    words.cols = read_dimension(w, "columns");
    if (!header_.is_general() && words.rows != words.cols)
      reject(w, "a {} matrix must be square, not {} x {}", words.symmetry, words.rows, words.cols);
    if (wanted_ == content::vector && words.rows != 1 && words.cols != 1)
      reject(w, "a vector has one row or one column, not {} x {}", words.rows, words.cols);
    words.entries = header_.is_array() ? array_entries() : read_count(w, "entries");
    w = next_word();
    if (!w.text.empty()) reject(w, "unexpected {} after the sizes", quoted(w.text));
  }

  /// Both dimensions are below 2^31, so no product here leaves 64 bits.
  [[nodiscard]] std::int64_t array_entries() const noexcept {
    const std::int64_t n = header_.words.rows;
    if (header_.is_symmetric()) return n * (n + 1) / 2;
    if (header_.is_skew()) return n * (n - 1) / 2;
    return n * header_.words.cols;
  }

  text_source& source_;
  std::string_view name_;
  content wanted_;
  std::vector<char> storage_;
  std::string_view text_;
  std::size_t position_ = 0;
  std::int64_t line_ = 0;
  bool lone_returns_ = false;  ///< the banner's line goes on behind a carriage return
  parsed_header header_;
};

}  // namespace

parsed_header read_header(text_source& source, std::string_view name, content wanted) {
  return header_reader(source, name, wanted).read();
}

}  // namespace gossamer::inline v0::io
