// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/generate/power_law.hpp"

#include <limits>

#include "bench_support/generate/choose_columns.hpp"

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

double rank_exponent(const arguments& given) {
  return 1 / (given.real("exponent", 1.1, 10) - 1);
}

}  // namespace

power_law::power_law(const arguments& given)
    : pattern{given.dimension("rows"), given.dimension("cols")},
      rounding_(key_of(given.seed(), purpose::row_choice)),
      key_(key_of(given.seed(), purpose::columns)),
      row_order_(rows, key_of(given.seed(), purpose::row_order)),
      column_order_(cols, key_of(given.seed(), purpose::column_order)),
      row_steps_(rows, rank_exponent(given)),
      column_steps_(cols, rank_exponent(given)),
      popularity_(column_steps_) {
  const std::int64_t most = given.entries("max", cols);
  const double mean = given.real("mean", 0, static_cast<double>(most));
  const std::int64_t least = mean >= 1 ? 1 : 0;
  const double scale = find_scale(row_steps_, rows, mean, least, most);
  lengths_.reserve(row_steps_.all().size());
  for (const zipf_steps::step& s : row_steps_.all())
    lengths_.push_back(length_of(scale, s.height, least, most));
}

std::int64_t power_law::row_length(std::int64_t row) const {
  const std::int64_t length = lengths_[row_steps_.index_of(row_order_(row))];
  // Up or down by chance, so that the mean survives the rounding; a whole number stays.
  const auto chance = static_cast<std::int64_t>(draw(rounding_, row) >> (64 - length_fraction_bits));
  return (length + chance) >> length_fraction_bits;
}

void power_law::fill_row(std::int64_t row, std::span<std::int32_t> columns) const {
  const auto count = static_cast<std::int64_t>(columns.size());
  const std::uint64_t key = draw(key_, row);
  // A row that wants a good part of all columns, or more than the popular ones, would draw the same few
  // forever.
  if (cols / 8 >= count) {
    const std::size_t have = draw_distinct(
        columns, 4 * count + 64, [&](std::int64_t k) { return column_order_(popularity_(draw(key, k))); });
    if (have == columns.size()) return;
  }
  choose_uniform(columns, cols, key);
}

}  // namespace gossamer::bench_support::generation
