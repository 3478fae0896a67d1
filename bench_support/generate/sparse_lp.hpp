// SPDX-License-Identifier: BSD-3-Clause
// Constraint matrices of sparse linear programs: linking rows, a staircase of blocks, and slack columns.
#pragma once

#include <array>

#include "bench_support/generate/arguments.hpp"
#include "bench_support/generate/pattern.hpp"

namespace gossamer::bench_support::generation {

/// [L I; B I]: `linking` long rows L over all structural columns, and blocks B on the diagonal. The rows of a
/// block may also have columns of the block before: a staircase, as in problems of several periods. Each
/// inequality has one slack column, after the structural columns. Inequalities are spread evenly.
class sparse_lp final : public pattern {
 public:
  static constexpr std::string_view name = "sparse_lp";
  static constexpr std::string_view help =
      "the constraint matrix of a linear program: a few long linking rows, then a staircase of sparse "
      "blocks, "
      "and slack columns";
  static constexpr std::array<generator_parameter, 8> parameters{{
      {"rows", "", "number of constraints"},
      {"cols", "auto", "number of columns, slacks included; auto: twice the rows"},
      {"per_row", "5",
       "mean entries of a block's row, without its slack; lengths start at 1 and fall exponentially"},
      {"blocks", "auto", "number of blocks; auto: one for every 1,000 rows that are not linking rows"},
      {"staircase", "0.2", "the share of a row's entries that lie in the block before, 0 to 1"},
      {"linking", "8", "linking rows, which come first"},
      {"heavy", "auto", "entries in each linking row; auto: a tenth of the structural columns"},
      {"slack", "0.5", "the share of rows that are inequalities, each with a slack column, 0 to 1"},
  }};

  explicit sparse_lp(const arguments& given);

  [[nodiscard]] std::int64_t row_length(std::int64_t row) const override;
  void fill_row(std::int64_t row, std::span<std::int32_t> columns) const override;

 private:
  struct row_shape {
    std::int64_t block;
    std::int64_t before, inside;  ///< entries in the block before, and in the row's own
  };
  [[nodiscard]] row_shape shape_of(std::int64_t row) const;
  [[nodiscard]] std::int64_t first_column(std::int64_t block) const { return block * structural_ / blocks_; }
  [[nodiscard]] std::int64_t block_width(std::int64_t block) const {
    return first_column(block + 1) - first_column(block);
  }
  /// Slacks of the rows before this one.
  [[nodiscard]] std::int64_t slacks_before(std::int64_t row) const { return row * slacks_ / rows; }
  [[nodiscard]] bool has_slack(std::int64_t row) const { return slacks_before(row + 1) > slacks_before(row); }

  std::int64_t slacks_;
  std::int64_t structural_;  ///< columns that are no slacks
  std::int64_t linking_ = 0;
  std::int64_t heavy_ = 0;
  std::int64_t blocks_ = 1;
  std::int64_t scale_;       ///< of lengths, times 2^20
  std::uint64_t staircase_;  ///< times 2^53
  std::uint64_t choice_;
  std::uint64_t key_;
};

}  // namespace gossamer::bench_support::generation
