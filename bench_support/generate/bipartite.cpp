// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/generate/bipartite.hpp"

#include <algorithm>

#include "bench_support/generate/choose_columns.hpp"

namespace gossamer::bench_support::generation {

bipartite::bipartite(const arguments& given)
    : pattern{given.dimension("rows"), given.dimension("cols")},
      rounding_(key_of(given.seed(), purpose::row_choice)),
      key_(key_of(given.seed(), purpose::columns)),
      row_order_(rows, key_of(given.seed(), purpose::row_order)),
      column_order_(cols, key_of(given.seed(), purpose::column_order)),
      degrees_(power_law_lengths::of(given, rows, cols, "row_exponent")),
      column_steps_(cols, rank_exponent(given, "col_exponent")),
      popularity_(column_steps_) {}

std::int64_t bipartite::row_length(std::int64_t row) const {
  return degrees_(row_order_(row), draw(rounding_, row));
}

void bipartite::fill_row(std::int64_t row, std::span<std::int32_t> columns) const {
  const std::uint64_t key = draw(key_, row);
  const std::int64_t most = 8 * static_cast<std::int64_t>(columns.size()) + 64;
  std::size_t have =
      draw_distinct(columns, most, [&](std::int64_t k) { return column_order_(popularity_(draw(key, k))); });
  if (have == columns.size()) return;
  // A long row has nearly all popular columns: it takes the most popular ones of the rest.
  const auto drawn = columns.first(have);
  for (std::int64_t rank = 0; have < columns.size(); ++rank) {
    const auto j = static_cast<std::int32_t>(column_order_(rank));
    if (!std::binary_search(drawn.begin(), drawn.end(), j)) columns[have++] = j;
  }
  std::sort(columns.begin(), columns.end());
}

}  // namespace gossamer::bench_support::generation
