// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/generate/specification.hpp"

#include "bench_support/generate/generate.hpp"
#include "core/fail.hpp"

namespace gossamer::bench_support {
namespace {

constexpr std::string_view spaces = " \t\r\n";

std::string_view trim(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(spaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

// Not <cctype>: that depends on the locale.
constexpr bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

std::size_t identifier_length(std::string_view text) noexcept {
  if (text.empty() || !is_letter(text.front())) return 0;
  std::size_t n = 1;
  while (n < text.size() && (is_letter(text[n]) || is_digit(text[n]))) ++n;
  return n;
}

/// The position of the first `c` outside parentheses, or npos.
std::size_t find_outside(std::string_view text, char c) noexcept {
  std::int64_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == c && depth == 0) return i;
    depth += text[i] == '(';
    depth -= text[i] == ')';
  }
  return std::string_view::npos;
}

bool balanced(std::string_view text) noexcept {
  std::int64_t depth = 0;
  for (const char c : text) {
    depth += c == '(';
    depth -= c == ')';
    if (depth < 0) return false;
  }
  return depth == 0;
}

}  // namespace

bool is_specification(std::string_view text) noexcept {
  text = trim(text);
  const std::size_t n = identifier_length(text);
  if (n == 0 || n >= text.size() || text[n] != '(' || text.back() != ')') return false;
  // The last parenthesis closes the first one, so "a(1)(2)" is a file. A missing one inside is let through:
  // that is a mistyped specification, and generate says so.
  return find_outside(text.substr(n + 1, text.size() - n - 2), ')') == std::string_view::npos;
}

namespace generation {

specification parse(std::string_view text) {
  if (!is_specification(text))
    fail(errc::invalid_argument, "generate: \"{}\" is not of the form NAME(key=value, ...)", text);
  text = trim(text);
  const std::size_t n = identifier_length(text);
  specification result{.name = text.substr(0, n), .assignments = {}};
  std::string_view rest = trim(text.substr(n + 1, text.size() - n - 2));
  if (!balanced(rest))
    fail(errc::invalid_argument, "generate: {}: the parentheses of \"{}\" do not match", result.name, text);
  if (rest.empty()) return result;
  for (;;) {
    const std::size_t comma = find_outside(rest, ',');
    const std::string_view item = trim(rest.substr(0, comma));
    const std::size_t equals = find_outside(item, '=');
    if (item.empty()) {
      fail(errc::invalid_argument, "generate: {}: nothing stands before or after a comma in \"{}\"",
           result.name, text);
    }
    if (equals == std::string_view::npos) {
      if (!result.assignments.empty())
        fail(errc::invalid_argument, "generate: {}: \"{}\" is not of the form key=value", result.name, item);
      result.assignments.push_back({.key = {}, .value = item});
    } else {
      const std::string_view key = trim(item.substr(0, equals));
      if (identifier_length(key) != key.size() || key.empty())
        fail(errc::invalid_argument, "generate: {}: \"{}\" has no parameter name before \"=\"", result.name,
             item);
      result.assignments.push_back({.key = key, .value = trim(item.substr(equals + 1))});
    }
    if (comma == std::string_view::npos) return result;
    rest = rest.substr(comma + 1);
  }
}

}  // namespace generation
}  // namespace gossamer::bench_support
