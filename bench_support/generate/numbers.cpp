// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/generate/numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace gossamer::bench_support::generation {
namespace {

std::string_view take_digits(std::string_view& text) noexcept {
  std::size_t n = 0;
  while (n < text.size() && text[n] >= '0' && text[n] <= '9') ++n;
  const std::string_view digits = text.substr(0, n);
  text.remove_prefix(n);
  return digits;
}

bool take(std::string_view& text, char c) noexcept {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

/// The power of ten that the rest of the text stands for, or -1 where it is no exponent and no suffix.
int take_exponent(std::string_view text) noexcept {
  if (text.empty()) return 0;
  if (text == "k") return 3;
  if (text == "M") return 6;
  if (text == "G") return 9;
  if (!take(text, 'e') && !take(text, 'E')) return -1;
  take(text, '+');
  const std::string_view digits = take_digits(text);
  if (digits.empty() || digits.size() > 4 || !text.empty()) return -1;
  int exponent = 0;
  for (const char c : digits) exponent = exponent * 10 + (c - '0');
  return exponent;
}

}  // namespace

whole_number parse_whole(std::string_view text) noexcept {
  constexpr std::int64_t limit = std::numeric_limits<std::int64_t>::max();
  const bool negative = take(text, '-');
  const std::string_view before = take_digits(text);
  std::string_view after;
  if (before.empty()) return {};
  if (take(text, '.')) {
    after = take_digits(text);
    if (after.empty()) return {};
  }
  while (!after.empty() && after.back() == '0') after.remove_suffix(1);
  int exponent = take_exponent(text);
  if (exponent < static_cast<int>(std::min<std::size_t>(after.size(), 10'000))) return {};
  exponent -= static_cast<int>(after.size());
  std::int64_t value = 0;
  const auto append = [&](int digit) {
    if (value > (limit - digit) / 10) return false;
    value = value * 10 + digit;
    return true;
  };
  for (const std::string_view digits : {before, after}) {
    for (const char c : digits) {
      if (!append(c - '0')) return {.status = number_status::too_large};
    }
  }
  for (; exponent > 0 && value != 0; --exponent) {
    if (!append(0)) return {.status = number_status::too_large};
  }
  return {.status = number_status::ok, .value = negative ? -value : value};
}

std::optional<double> parse_real(std::string_view text) noexcept {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace gossamer::bench_support::generation
