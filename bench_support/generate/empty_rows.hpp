// SPDX-License-Identifier: BSD-3-Clause
// Rows of one length among rows without an entry.
#pragma once

#include <array>

#include "bench_support/generate/arguments.hpp"
#include "bench_support/generate/choose_columns.hpp"
#include "bench_support/generate/pattern.hpp"

namespace gossamer::bench_support::generation {

class empty_rows final : public pattern {
 public:
  static constexpr std::string_view name = "empty_rows";
  static constexpr std::string_view help =
      "uniform with empty rows among its rows: every N-th one, or a random fraction of all";
  static constexpr std::array<generator_parameter, 5> parameters{{
      {"rows", "", "number of rows"},
      {"cols", "rows", "number of columns"},
      {"every", "2", "rows every - 1, 2 every - 1, ... are empty (1: all)"},
      {"fraction", "none", "instead of every: each row is empty with this probability, 0 to 1"},
      {"per_row", "8", "entries in each row that is not empty"},
  }};

  explicit empty_rows(const arguments& given)
      : pattern{given.dimension("rows"), given.dimension("cols")},
        every_(given.whole("every", 1, max_dimension)),
        per_row_(given.entries("per_row", cols)),
        choice_(key_of(given.seed(), purpose::row_choice)),
        key_(key_of(given.seed(), purpose::columns)) {
    if (given.text("fraction") == "none") return;
    if (given.is_given("every")) given.reject("fraction", "does not go together with every");
    by_chance_ = true;
    threshold_ = static_cast<std::uint64_t>(given.real("fraction", 0, 1) * 0x1p53);
  }

  [[nodiscard]] std::int64_t row_length(std::int64_t row) const override {
    const bool empty = by_chance_ ? draw(choice_, row) >> 11 < threshold_ : (row + 1) % every_ == 0;
    return empty ? 0 : per_row_;
  }

  void fill_row(std::int64_t row, std::span<std::int32_t> columns) const override {
    if (!columns.empty()) choose_uniform(columns, cols, draw(key_, row));
  }

 private:
  std::int64_t every_;
  std::int64_t per_row_;
  std::uint64_t choice_;
  std::uint64_t key_;
  std::uint64_t threshold_ = 0;  ///< of 53 random bits
  bool by_chance_ = false;
};

}  // namespace gossamer::bench_support::generation
