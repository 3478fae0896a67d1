// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/generate/rmat.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "bench_support/generate/choose_columns.hpp"

namespace gossamer::bench_support::generation {
namespace {

constexpr std::int64_t most_factor = 1 << 20;  // so that a mean times 2^12 stays below 2^63
constexpr std::uint64_t one = std::uint64_t{1} << 32;

std::uint64_t fixed(double chance) {
  return static_cast<std::uint64_t>(chance * 0x1p32);
}

/// The integer square root.
std::int64_t root_of(std::uint64_t x) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 31; bit != 0; bit >>= 1) {
    if ((root | bit) * (root | bit) <= x) root |= bit;
  }
  return static_cast<std::int64_t>(root);
}

/// About binomial(n, chance / 2^32), from the numbers that start at key.
std::int64_t binomial(std::int64_t n, std::uint64_t chance, std::uint64_t key) {
  constexpr std::int64_t few = 64;
  if (n <= few) {
    std::int64_t hits = 0;
    for (std::int64_t k = 0; k < n; ++k) hits += (draw(key, k) >> 32) < chance;
    return hits;
  }
  // The mean plus a normal deviate: of 64 fair bits 32 are set, with a deviation of 4, smoothed over a
  // sixteenth of it. Times 2^12, then rounded.
  const auto count = static_cast<std::uint64_t>(n);
  const auto mean = static_cast<std::int64_t>((uint128{count} * chance) >> 20);
  const auto variance =
      static_cast<std::uint64_t>((uint128{count} * chance * (one - chance)) >> 56);  // * 2^8
  const std::uint64_t bits = draw(key, 0);
  const std::int64_t deviate =
      std::int64_t{64} * (std::popcount(bits) - 32) + below(draw(key, 1), 64) - 32;  // * 2^8
  const std::int64_t result = (mean + root_of(variance) * deviate + (1 << 11)) >> 12;
  return std::clamp<std::int64_t>(result, 0, n);
}

}  // namespace

rmat::rmat(const arguments& given)
    : pattern{std::int64_t{1} << given.whole("scale", 0, 30), std::int64_t{1} << given.whole("scale", 0, 30)},
      scale_(static_cast<int>(given.whole("scale", 0, 30))),
      edges_(given.whole("edge_factor", 0, std::min(rows, most_factor)) << scale_),
      split_key_(key_of(given.seed(), purpose::row_choice)),
      key_(key_of(given.seed(), purpose::columns)) {
  const std::uint64_t a = fixed(given.real("a", 0, 1));
  const std::uint64_t b = fixed(given.real("b", 0, 1));
  const std::uint64_t c = fixed(given.real("c", 0, 1));
  if (a + b + c > one) given.reject("c", "makes a + b + c more than 1");
  const std::uint64_t d = one - a - b - c;
  upper_ = a + b;
  right_ = {upper_ == 0 ? 0 : (b << 32) / upper_, upper_ == one ? 0 : (d << 32) / (c + d)};
}

/// Of the edges in a half of the rows (number `half` of its level), those in the upper quarter.
std::int64_t rmat::upper_share(std::int64_t edges, int level, std::int64_t half) const {
  return binomial(edges, upper_, draw(draw(split_key_, level), half));
}

std::int64_t rmat::row_length(std::int64_t row) const {
  std::int64_t edges = edges_;
  for (int level = 0; level < scale_ && edges > 0; ++level) {
    const std::int64_t upper = upper_share(edges, level, row >> (scale_ - level));
    edges = (row >> (scale_ - level - 1) & 1) == 0 ? upper : edges - upper;
  }
  return std::min(edges, cols);
}

std::int64_t rmat::draw_column(std::int64_t row, std::uint64_t key) const {
  std::int64_t column = 0;
  for (int level = 0; level < scale_; level += 2) {
    // Two bits of the column from one number: 32 bits each.
    const std::uint64_t bits = draw(key, level);
    for (int step = 0; step < 2 && level + step < scale_; ++step) {
      const auto lower = static_cast<std::size_t>(row >> (scale_ - level - step - 1) & 1);
      const std::uint64_t chance = step == 0 ? bits >> 32 : bits & 0xffff'ffff;
      column = 2 * column + (chance < right_[lower]);
    }
  }
  return column;
}

void rmat::fill_row(std::int64_t row, std::span<std::int32_t> columns) const {
  const std::uint64_t key = draw(key_, row);
  const auto wanted = static_cast<std::int64_t>(columns.size());
  // A row that wants more columns than its chances favour would draw the same ones forever.
  const std::int64_t most = 32 * wanted + 256;
  const auto next = [&](std::int64_t k) { return draw_column(row, draw(key, k)); };
  if (wanted <= cols / 4096) {
    if (draw_distinct(columns, most, next) == columns.size()) return;
  }
  // A bit a column costs less than sorting a long row again and again.
  std::vector<std::uint64_t> taken(static_cast<std::size_t>(cols / 64 + 1), 0);
  /// Whether the column is new.
  const auto take = [&](std::int64_t j) {
    std::uint64_t& word = taken[static_cast<std::size_t>(j / 64)];
    const std::uint64_t before = word;
    word |= std::uint64_t{1} << (j % 64);
    return word != before;
  };
  std::int64_t have = 0;
  for (std::int64_t k = 0; k < most && have < wanted; ++k) have += take(next(k));
  for (std::int64_t j = 0; have < wanted; ++j) have += take(j);
  std::int32_t* out = columns.data();
  for (std::size_t w = 0; w < taken.size(); ++w) {
    for (std::uint64_t word = taken[w]; word != 0; word &= word - 1)
      *out++ = static_cast<std::int32_t>(64 * w + static_cast<std::size_t>(std::countr_zero(word)));
  }
}

}  // namespace gossamer::bench_support::generation
