// SPDX-License-Identifier: BSD-3-Clause
// One very long row among short ones: what breaks a kernel that gives each row to one thread.
#pragma once

#include <array>

#include "bench_support/generate/arguments.hpp"
#include "bench_support/generate/choose_columns.hpp"
#include "bench_support/generate/pattern.hpp"

namespace gossamer::bench_support::generation {

class heavy_row final : public pattern {
 public:
  static constexpr std::string_view name = "heavy_row";
  static constexpr std::string_view help = "uniform with one row of `heavy` entries";
  static constexpr std::array<generator_parameter, 5> parameters{{
      {"rows", "", "number of rows"},
      {"cols", "rows", "number of columns"},
      {"per_row", "8", "entries in each other row"},
      {"heavy", "1000000", "entries in the heavy row, at most cols"},
      {"at", "middle", "the heavy row's number, from 0; middle: rows / 2"},
  }};

  explicit heavy_row(const arguments& given)
      : pattern{given.dimension("rows", 1), given.dimension("cols")},
        per_row_(given.entries("per_row", cols)),
        heavy_(given.entries("heavy", cols)),
        at_(given.text("at") == "middle" ? rows / 2 : given.whole("at", 0, rows - 1)),
        key_(key_of(given.seed(), purpose::columns)) {}

  [[nodiscard]] std::int64_t row_length(std::int64_t row) const override {
    return row == at_ ? heavy_ : per_row_;
  }

  void fill_row(std::int64_t row, std::span<std::int32_t> columns) const override {
    choose_uniform(columns, cols, draw(key_, row));
  }

 private:
  std::int64_t per_row_;
  std::int64_t heavy_;
  std::int64_t at_;
  std::uint64_t key_;
};

}  // namespace gossamer::bench_support::generation
