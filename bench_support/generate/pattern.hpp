// SPDX-License-Identifier: BSD-3-Clause
// Where a generated matrix has its entries: all that a generator states.
#pragma once

#include <cstdint>
#include <span>

namespace gossamer::bench_support::generation {

/// Both functions are called from many threads, for rows in any order; row_length more than once a row.
///
/// A generator is a class that derives from it and has
///   static constexpr std::string_view name, help;
///   static constexpr std::array<generator_parameter, N> parameters;   its own; seed and values are added
///   explicit NAME(const arguments&);                                  throws where values do not go together
/// Call the constructor with braces: these read parameters from left to right, so that every compiler names
/// the same bad one first.
class pattern {
 public:
  pattern(std::int64_t row_count, std::int64_t column_count) : rows(row_count), cols(column_count) {}
  pattern(const pattern&) = delete;
  pattern& operator=(const pattern&) = delete;
  virtual ~pattern() = default;

  const std::int64_t rows;
  const std::int64_t cols;

  [[nodiscard]] virtual std::int64_t row_length(std::int64_t row) const = 0;
  /// Writes the row's columns, ascending and distinct; columns.size() is row_length(row).
  virtual void fill_row(std::int64_t row, std::span<std::int32_t> columns) const = 0;
};

}  // namespace gossamer::bench_support::generation
