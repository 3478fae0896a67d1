// SPDX-License-Identifier: BSD-3-Clause
// A full matrix in sparse form.
#pragma once

#include <array>
#include <numeric>

#include "bench_support/generate/arguments.hpp"
#include "bench_support/generate/pattern.hpp"

namespace gossamer::bench_support::generation {

class dense final : public pattern {
 public:
  static constexpr std::string_view name = "dense";
  static constexpr std::string_view help = "every position has an entry";
  static constexpr std::array<generator_parameter, 2> parameters{{
      {"rows", "", "number of rows"},
      {"cols", "rows", "number of columns"},
  }};

  explicit dense(const arguments& given) : pattern{given.dimension("rows"), given.dimension("cols")} {}

  [[nodiscard]] std::int64_t row_length(std::int64_t) const override { return cols; }

  void fill_row(std::int64_t, std::span<std::int32_t> columns) const override {
    std::iota(columns.begin(), columns.end(), 0);
  }
};

}  // namespace gossamer::bench_support::generation
