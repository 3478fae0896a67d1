// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/generate/power_law.hpp"

#include "bench_support/generate/choose_columns.hpp"

namespace gossamer::bench_support::generation {

power_law::power_law(const arguments& given)
    : pattern{given.dimension("rows"), given.dimension("cols")},
      sorted_(given.whole("sorted", 0, 1) == 1),
      rounding_(key_of(given.seed(), purpose::row_choice)),
      key_(key_of(given.seed(), purpose::columns)),
      row_order_(rows, key_of(given.seed(), purpose::row_order)),
      column_order_(cols, key_of(given.seed(), purpose::column_order)),
      column_steps_(cols, rank_exponent(given, "exponent")),
      popularity_(column_steps_),
      lengths_(power_law_lengths::of(given, rows, cols, "exponent")) {}

std::int64_t power_law::row_length(std::int64_t row) const {
  return lengths_(sorted_ ? rows - 1 - row : row_order_(row), draw(rounding_, row));
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
