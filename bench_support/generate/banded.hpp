// SPDX-License-Identifier: BSD-3-Clause
// A full band around the diagonal.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>

#include "bench_support/generate/arguments.hpp"
#include "bench_support/generate/pattern.hpp"

namespace gossamer::bench_support::generation {

class banded final : public pattern {
 public:
  static constexpr std::string_view name = "banded";
  static constexpr std::string_view help =
      "the diagonal and every position within lower below or upper above it";
  static constexpr std::array<generator_parameter, 3> parameters{{
      {"n", "", "number of rows and columns"},
      {"lower", "1", "diagonals below the main one"},
      {"upper", "lower", "diagonals above the main one"},
  }};

  explicit banded(const arguments& given)
      : pattern{given.dimension("n"), given.dimension("n")},
        lower_(given.dimension("lower")),
        upper_(given.dimension("upper")) {}

  [[nodiscard]] std::int64_t row_length(std::int64_t row) const override {
    return std::min(row + upper_, cols - 1) - first(row) + 1;
  }

  void fill_row(std::int64_t row, std::span<std::int32_t> columns) const override {
    std::iota(columns.begin(), columns.end(), static_cast<std::int32_t>(first(row)));
  }

 private:
  [[nodiscard]] std::int64_t first(std::int64_t row) const { return std::max<std::int64_t>(row - lower_, 0); }

  std::int64_t lower_;
  std::int64_t upper_;
};

}  // namespace gossamer::bench_support::generation
