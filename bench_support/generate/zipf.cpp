// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/generate/zipf.hpp"

#include <algorithm>
#include <cmath>

namespace gossamer::bench_support::generation {
namespace {

constexpr int fraction_bits = 40;

/// log2(x) for x >= 1, times 2^40: bit by bit, by squaring.
std::int64_t log2_fixed(double x) {
  std::int64_t result = 0;
  while (x >= 2) {
    x *= 0.5;
    ++result;
  }
  for (int bit = 0; bit < fraction_bits; ++bit) {
    x *= x;
    result *= 2;
    if (x >= 2) {
      x *= 0.5;
      ++result;
    }
  }
  return result;
}

/// 2^-(y / 2^40) for y >= 0.
double exp2_of_minus(std::int64_t y) {
  double result = 1;
  for (std::int64_t whole = y >> fraction_bits; whole > 0; --whole) result *= 0.5;
  double root = 0.5;
  for (int bit = fraction_bits - 1; bit >= 0; --bit) {
    root = std::sqrt(root);
    if ((y >> bit & 1) != 0) result *= root;
  }
  return result;
}

}  // namespace

double negative_power(double x, double s) {
  return exp2_of_minus(static_cast<std::int64_t>(static_cast<double>(log2_fixed(x)) * s));
}

zipf_steps::zipf_steps(std::int64_t size, double s) {
  std::int64_t first = 0;
  while (first < size) {
    const int octave =
        std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(first + 1))) - 8);
    const std::int64_t count = std::min(std::int64_t{1} << octave, size - first);
    const double middle = 0.5 * static_cast<double>(2 * first + count + 1);
    steps_.push_back({.first = first, .count = count, .height = negative_power(middle, s)});
    first += count;
  }
}

std::size_t zipf_steps::index_of(std::int64_t rank) const noexcept {
  const auto number = static_cast<std::uint64_t>(rank + 1);
  const int octave = std::max(0, static_cast<int>(std::bit_width(number)) - 8);
  // Steps of octave 0 are the numbers 1 ... 255; each later octave has the numbers 128 ... 255 times
  // 2^octave.
  return static_cast<std::size_t>(octave) * 128 + static_cast<std::size_t>(number >> octave) - 1;
}

zipf_draw::zipf_draw(const zipf_steps& steps) : steps_(steps) {
  // Heights are at most 1 and counts add up to less than 2^31, so the sum stays below 2^61.
  std::int64_t sum = 0;
  ends_.reserve(steps.all().size());
  for (const zipf_steps::step& s : steps.all()) {
    sum += static_cast<std::int64_t>(s.height * static_cast<double>(s.count) * 0x1p30);
    ends_.push_back(sum);
  }
}

std::int64_t zipf_draw::operator()(std::uint64_t bits) const noexcept {
  const std::int64_t at = below(bits, ends_.back());
  const auto end = std::upper_bound(ends_.begin(), ends_.end(), at);
  const zipf_steps::step& s = steps_.all()[static_cast<std::size_t>(end - ends_.begin())];
  return s.first + below(mix(bits), s.count);
}

}  // namespace gossamer::bench_support::generation
