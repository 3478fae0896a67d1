// SPDX-License-Identifier: BSD-3-Clause
// One entry in each row, on the diagonal.
#pragma once

#include <array>

#include "bench_support/generate/arguments.hpp"
#include "bench_support/generate/pattern.hpp"

namespace gossamer::bench_support::generation {

class diagonal final : public pattern {
 public:
  static constexpr std::string_view name = "diagonal";
  static constexpr std::string_view help = "the diagonal alone";
  static constexpr std::array<generator_parameter, 1> parameters{{
      {"n", "", "number of rows and columns"},
  }};

  explicit diagonal(const arguments& given) : pattern{given.dimension("n"), given.dimension("n")} {}

  [[nodiscard]] std::int64_t row_length(std::int64_t) const override { return 1; }

  void fill_row(std::int64_t row, std::span<std::int32_t> columns) const override {
    columns[0] = static_cast<std::int32_t>(row);
  }
};

}  // namespace gossamer::bench_support::generation
