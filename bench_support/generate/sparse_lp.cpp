// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/generate/sparse_lp.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "bench_support/generate/choose_columns.hpp"

namespace gossamer::bench_support::generation {
namespace {

constexpr int entry_fraction_bits = 20;

std::int64_t columns_of(const arguments& given, std::int64_t rows) {
  if (given.text("cols") != "auto") return given.dimension("cols");
  given.check_dimension("2 * rows", 2 * rows);
  return 2 * rows;
}

/// A number at least 0 of mean 1.5, times 2^20. The chance of [k, k + 1) is 2^-(k + 1).
std::int64_t exponential(std::uint64_t bits) {
  const int zeros = std::countl_zero(bits);
  const std::uint64_t rest = zeros < 63 ? bits << (zeros + 1) : 0;
  return (std::int64_t{zeros} << entry_fraction_bits) +
         static_cast<std::int64_t>(rest >> (64 - entry_fraction_bits));
}

}  // namespace

sparse_lp::sparse_lp(const arguments& given)
    : pattern{given.dimension("rows", 1), columns_of(given, given.dimension("rows", 1))},
      slacks_(static_cast<std::int64_t>(given.real("slack", 0, 1) * static_cast<double>(rows))),
      structural_(cols - slacks_),
      scale_(static_cast<std::int64_t>((given.real("per_row", 1, 10'000) - 1) * (0x1p20 / 1.5))),
      staircase_(static_cast<std::uint64_t>(given.real("staircase", 0, 1) * 0x1p53)),
      choice_(key_of(given.seed(), purpose::row_choice)),
      key_(key_of(given.seed(), purpose::columns)) {
  if (structural_ < 1)
    given.reject("cols", "is not more than the " + std::to_string(slacks_) + " slack columns");
  linking_ = given.whole("linking", 0, max_dimension);
  if (linking_ > rows) given.reject("linking", "is more than rows = " + std::to_string(rows));
  const bool tenth = given.text("heavy") == "auto";
  heavy_ = tenth ? (structural_ + 9) / 10 : given.whole("heavy", 0, max_dimension);
  const std::string among = std::to_string(structural_) + " structural columns";
  if (heavy_ > structural_) given.reject("heavy", "is more than the " + among);
  const std::int64_t automatic = std::clamp<std::int64_t>((rows - linking_ + 999) / 1000, 1, structural_);
  blocks_ = given.text("blocks") == "auto" ? automatic : given.whole("blocks", 1, max_dimension);
  if (blocks_ > structural_) given.reject("blocks", "is more than the " + among);
}

sparse_lp::row_shape sparse_lp::shape_of(std::int64_t row) const {
  const std::uint64_t key = draw(choice_, row);
  const std::int64_t block = (row - linking_) * blocks_ / (rows - linking_);
  const std::int64_t own = block_width(block);
  const std::int64_t other = block > 0 ? block_width(block - 1) : 0;
  // Rounded up or down at random, so that the mean survives.
  const std::int64_t fraction = (scale_ * exponential(draw(key, 0))) >> entry_fraction_bits;
  const auto chance = static_cast<std::int64_t>(draw(key, 1) >> (64 - entry_fraction_bits));
  const std::int64_t length = std::min(1 + ((fraction + chance) >> entry_fraction_bits), own + other);
  row_shape shape{.block = block, .before = 0, .inside = 0};
  if (other > 0) {
    for (std::int64_t k = 0; k < length; ++k) shape.before += (draw(key, k + 2) >> 11) < staircase_;
  }
  shape.before = std::clamp(shape.before, length - std::min(length, own), other);
  shape.inside = length - shape.before;
  return shape;
}

std::int64_t sparse_lp::row_length(std::int64_t row) const {
  const std::int64_t slack = has_slack(row) ? 1 : 0;
  if (row < linking_) return heavy_ + slack;
  const row_shape shape = shape_of(row);
  return shape.before + shape.inside + slack;
}

void sparse_lp::fill_row(std::int64_t row, std::span<std::int32_t> columns) const {
  const std::uint64_t key = draw(key_, row);
  if (has_slack(row)) {
    columns.back() = static_cast<std::int32_t>(structural_ + slacks_before(row));
    columns = columns.first(columns.size() - 1);
  }
  if (row < linking_) {
    choose_uniform(columns, structural_, key);
    return;
  }
  const row_shape shape = shape_of(row);
  const auto choose = [](std::span<std::int32_t> part, std::int64_t first, std::int64_t width,
                         std::uint64_t part_key) {
    choose_uniform(part, width, part_key);
    for (std::int32_t& j : part) j += static_cast<std::int32_t>(first);
  };
  const auto before = columns.first(static_cast<std::size_t>(shape.before));
  if (!before.empty())
    choose(before, first_column(shape.block - 1), block_width(shape.block - 1), draw(key, 0));
  choose(columns.subspan(before.size()), first_column(shape.block), block_width(shape.block), draw(key, 1));
}

}  // namespace gossamer::bench_support::generation
