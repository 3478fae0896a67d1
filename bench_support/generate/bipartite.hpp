// SPDX-License-Identifier: BSD-3-Clause
// Bipartite graphs, such as users and the items that they rate: power-law degrees on both sides.
#pragma once

#include <array>

#include "bench_support/generate/arguments.hpp"
#include "bench_support/generate/pattern.hpp"
#include "bench_support/generate/power_law_lengths.hpp"
#include "bench_support/generate/zipf.hpp"

namespace gossamer::bench_support::generation {

/// The biadjacency matrix: row i has the neighbours of vertex i of one side. Both sides are in random order.
/// power_law has one exponent for both sides. Here each side has one, and long rows keep to popular columns.
class bipartite final : public pattern {
 public:
  static constexpr std::string_view name = "bipartite";
  static constexpr std::string_view help =
      "the biadjacency matrix of a bipartite graph (such as users and items): power-law degrees on both "
      "sides, columns "
      "drawn by popularity";
  static constexpr std::array<generator_parameter, 6> parameters{{
      {"rows", "", "number of rows, the vertices of one side"},
      {"cols", "rows", "number of columns, the vertices of the other side"},
      {"mean", "8", "mean degree of a row, met to within rounding; at most max"},
      {"row_exponent", "2.5", "the number of rows of degree k falls as k^-row_exponent; 1.1 to 10"},
      {"col_exponent", "2.1", "the same of the columns"},
      {"max", "cols", "the largest degree of a row, at most cols"},
  }};

  explicit bipartite(const arguments& given);

  [[nodiscard]] std::int64_t row_length(std::int64_t row) const override;
  void fill_row(std::int64_t row, std::span<std::int32_t> columns) const override;

 private:
  std::uint64_t rounding_;
  std::uint64_t key_;
  permutation row_order_;
  permutation column_order_;
  power_law_lengths degrees_;
  zipf_steps column_steps_;
  zipf_draw popularity_;
};

}  // namespace gossamer::bench_support::generation
