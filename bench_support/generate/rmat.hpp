// SPDX-License-Identifier: BSD-3-Clause
// R-MAT graphs: edges fall into the quadrants of the matrix, of a quadrant, and so on, with given chances.
#pragma once

#include <array>

#include "bench_support/generate/arguments.hpp"
#include "bench_support/generate/pattern.hpp"
#include "bench_support/generate/random.hpp"

namespace gossamer::bench_support::generation {

/// Row by row, so that no edge list is kept: the edges are split top-down over halves of the rows (a binomial
/// draw a half), and a row's columns are drawn bit by bit, each bit with the chance that its row's bit leaves
/// it. An edge that its row has already is drawn again, so the entries are edge_factor * 2^scale (except for
/// rows that would be more than full).
class rmat final : public pattern {
 public:
  static constexpr std::string_view name = "rmat";
  static constexpr std::string_view help =
      "an R-MAT graph on 2^scale vertices: the quadrants have the chances a, b (upper), c and 1 - a - b - c "
      "(lower)";
  static constexpr std::array<generator_parameter, 5> parameters{{
      {"scale", "", "log2 of the number of rows, 0 to 30"},
      {"edge_factor", "16", "entries per row on average; an edge that a row has already is drawn again"},
      {"a", "0.57", "chance of the upper left quadrant"},
      {"b", "0.19", "chance of the upper right quadrant"},
      {"c", "0.19", "chance of the lower left quadrant"},
  }};

  explicit rmat(const arguments& given);

  [[nodiscard]] std::int64_t row_length(std::int64_t row) const override;
  void fill_row(std::int64_t row, std::span<std::int32_t> columns) const override;

 private:
  [[nodiscard]] std::int64_t draw_column(std::int64_t row, std::uint64_t key) const;
  [[nodiscard]] std::int64_t upper_share(std::int64_t edges, int level, std::int64_t half) const;

  int scale_;
  std::int64_t edges_;
  std::uint64_t split_key_;
  std::uint64_t key_;
  // Chances times 2^32.
  std::uint64_t upper_;                 ///< a + b
  std::array<std::uint64_t, 2> right_;  ///< b / (a + b) for rows in the upper half, d / (c + d) for the lower
};

}  // namespace gossamer::bench_support::generation
