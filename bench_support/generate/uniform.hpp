// SPDX-License-Identifier: BSD-3-Clause
// Rows of one length with columns anywhere: the worst case for the cache, the best for the balance.
#pragma once

#include <array>

#include "bench_support/generate/arguments.hpp"
#include "bench_support/generate/choose_columns.hpp"
#include "bench_support/generate/pattern.hpp"

namespace gossamer::bench_support::generation {

class uniform final : public pattern {
 public:
  static constexpr std::string_view name = "uniform";
  static constexpr std::string_view help = "every row has per_row entries in columns chosen at random";
  static constexpr std::array<generator_parameter, 3> parameters{{
      {"rows", "", "number of rows"},
      {"cols", "rows", "number of columns"},
      {"per_row", "16", "entries in each row"},
  }};

  explicit uniform(const arguments& given)
      : pattern{given.dimension("rows"), given.dimension("cols")},
        per_row_(given.entries("per_row", cols)),
        key_(key_of(given.seed(), purpose::columns)) {}

  [[nodiscard]] std::int64_t row_length(std::int64_t) const override { return per_row_; }

  void fill_row(std::int64_t row, std::span<std::int32_t> columns) const override {
    choose_uniform(columns, cols, draw(key_, row));
  }

 private:
  std::int64_t per_row_;
  std::uint64_t key_;
};

}  // namespace gossamer::bench_support::generation
