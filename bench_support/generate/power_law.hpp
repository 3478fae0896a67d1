// SPDX-License-Identifier: BSD-3-Clause
// Graph-like matrices: a few rows are very long, and a few columns are in very many rows.
#pragma once

#include <array>

#include "bench_support/generate/arguments.hpp"
#include "bench_support/generate/pattern.hpp"
#include "bench_support/generate/power_law_lengths.hpp"
#include "bench_support/generate/zipf.hpp"

namespace gossamer::bench_support::generation {

/// Rows have random ranks, or ascending lengths. The columns of a row are drawn by popularity.
class power_law final : public pattern {
 public:
  static constexpr std::string_view name = "power_law";
  static constexpr std::string_view help =
      "row lengths and column popularity follow a power law; rows have at least one entry where mean >= 1";
  static constexpr std::array<generator_parameter, 6> parameters{{
      {"rows", "", "number of rows"},
      {"cols", "rows", "number of columns"},
      {"mean", "", "mean number of entries in a row, met to within rounding; at most max"},
      {"exponent", "2.1", "the number of rows of length k falls as k^-exponent; 1.1 to 10"},
      {"max", "cols", "the longest row allowed, at most cols"},
      {"sorted", "0", "1: rows by ascending length, up to the rounding of a length; 0: at random"},
  }};

  explicit power_law(const arguments& given);

  [[nodiscard]] std::int64_t row_length(std::int64_t row) const override;
  void fill_row(std::int64_t row, std::span<std::int32_t> columns) const override;

 private:
  bool sorted_;
  std::uint64_t rounding_;
  std::uint64_t key_;
  permutation row_order_;
  permutation column_order_;
  zipf_steps column_steps_;
  zipf_draw popularity_;
  power_law_lengths lengths_;
};

}  // namespace gossamer::bench_support::generation
