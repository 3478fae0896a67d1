// SPDX-License-Identifier: BSD-3-Clause
// Stand-ins for the papers' matrices: the published sizes and row lengths, and columns as their class has
// them.
#pragma once

#include <array>
#include <memory>

#include "bench_support/generate/arguments.hpp"
#include "bench_support/generate/pattern.hpp"

namespace gossamer::bench_support::generation {

class like final : public pattern {
 public:
  static constexpr std::string_view name = "like";
  static constexpr std::string_view help =
      "a stand-in for a matrix of the papers, by its name: the published size and row lengths, columns as "
      "its "
      "class has them (gossamer generate --list-matrices)";
  static constexpr std::array<generator_parameter, 1> parameters{{
      {"name", "", "the matrix's name in the SuiteSparse collection, or a paper's name for it"},
  }};

  explicit like(const arguments& given);

  [[nodiscard]] std::int64_t row_length(std::int64_t row) const override { return made_->row_length(row); }
  void fill_row(std::int64_t row, std::span<std::int32_t> columns) const override {
    made_->fill_row(row, columns);
  }

 private:
  explicit like(std::unique_ptr<const pattern> made)
      : pattern{made->rows, made->cols}, made_(std::move(made)) {}

  std::unique_ptr<const pattern> made_;
};

}  // namespace gossamer::bench_support::generation
