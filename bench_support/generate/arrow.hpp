// SPDX-License-Identifier: BSD-3-Clause
// A matrix whose first rows and columns are full: a few rows hold most of the entries.
#pragma once

#include <array>
#include <numeric>

#include "bench_support/generate/arguments.hpp"
#include "bench_support/generate/pattern.hpp"

namespace gossamer::bench_support::generation {

class arrow final : public pattern {
 public:
  static constexpr std::string_view name = "arrow";
  static constexpr std::string_view help = "the first width rows, the first width columns and the diagonal";
  static constexpr std::array<generator_parameter, 2> parameters{{
      {"n", "", "number of rows and columns"},
      {"width", "1", "full rows, and full columns; at most n"},
  }};

  explicit arrow(const arguments& given)
      : pattern{given.dimension("n"), given.dimension("n")}, width_(given.dimension("width")) {
    if (width_ > rows) given.reject("width", "is more than n = " + std::to_string(rows));
  }

  [[nodiscard]] std::int64_t row_length(std::int64_t row) const override {
    return row < width_ ? cols : width_ + 1;
  }

  void fill_row(std::int64_t row, std::span<std::int32_t> columns) const override {
    std::iota(columns.begin(), columns.end(), 0);
    if (row >= width_) columns.back() = static_cast<std::int32_t>(row);
  }

 private:
  std::int64_t width_;
};

}  // namespace gossamer::bench_support::generation
