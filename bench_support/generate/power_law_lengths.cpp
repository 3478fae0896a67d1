// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/generate/power_law_lengths.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace gossamer::bench_support::generation {
namespace {

constexpr int length_fraction_bits = 20;  // of a length

/// scale * height, within [least, most], times 2^20. Rounds down, in a conversion: no sum that could be
/// fused.
std::int64_t length_of(double scale, double height, std::int64_t least, std::int64_t most) {
  const double length = scale * height;
  if (length >= static_cast<double>(most)) return most << length_fraction_bits;
  return std::max(static_cast<std::int64_t>(length * 0x1p20), least << length_fraction_bits);
}

/// The largest scale whose lengths add up to no more than mean * rows. The sum is exact, in whole numbers.
double find_scale(const zipf_steps& steps, std::int64_t rows, double mean, std::int64_t least,
                  std::int64_t most) {
  const uint128 target =
      uint128{static_cast<std::uint64_t>(mean * 0x1p20)} * static_cast<std::uint64_t>(rows);
  const auto total = [&](double scale) {
    uint128 sum = 0;
    for (const zipf_steps::step& s : steps.all())
      sum += uint128{static_cast<std::uint64_t>(s.count)} *
             static_cast<std::uint64_t>(length_of(scale, s.height, least, most));
    return sum;
  };
  // Positive doubles are ordered as their bits are.
  std::uint64_t low = 0;
  std::uint64_t high = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::max());
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (total(std::bit_cast<double>(middle)) <= target)
      low = middle;
    else
      high = middle - 1;
  }
  return std::bit_cast<double>(low);
}

}  // namespace

power_law_lengths::power_law_lengths(std::int64_t rows, double exponent, double mean, std::int64_t most)
    : steps_(rows, exponent) {
  const std::int64_t least = mean >= 1 ? 1 : 0;
  const double scale = find_scale(steps_, rows, mean, least, most);
  lengths_.reserve(steps_.all().size());
  for (const zipf_steps::step& s : steps_.all()) lengths_.push_back(length_of(scale, s.height, least, most));
}

power_law_lengths power_law_lengths::of(const arguments& given, std::int64_t rows, std::int64_t cols,
                                        std::string_view exponent) {
  const std::int64_t most = given.entries("max", cols);
  const double mean = given.real("mean", 0, static_cast<double>(most));
  return {rows, rank_exponent(given, exponent), mean, most};
}

std::int64_t power_law_lengths::operator()(std::int64_t rank, std::uint64_t bits) const {
  const auto chance = static_cast<std::int64_t>(bits >> (64 - length_fraction_bits));
  return (lengths_[steps_.index_of(rank)] + chance) >> length_fraction_bits;
}

double rank_exponent(const arguments& given, std::string_view parameter) {
  return 1 / (given.real(parameter, 1.1, 10) - 1);
}

}  // namespace gossamer::bench_support::generation
