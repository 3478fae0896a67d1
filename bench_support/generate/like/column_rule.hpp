// SPDX-License-Identifier: BSD-3-Clause
// Where a stand-in's rows, whose lengths are given, have their columns: one rule a kind of matrix.
#pragma once

#include <cstdint>
#include <span>

namespace gossamer::bench_support::generation {

class column_rule {
 public:
  column_rule() = default;
  column_rule(const column_rule&) = delete;
  column_rule& operator=(const column_rule&) = delete;
  virtual ~column_rule() = default;

  /// Columns ascend and are distinct, for any row and any number of them up to the number of columns.
  virtual void fill(std::int64_t row, std::span<std::int32_t> columns) const = 0;
};

}  // namespace gossamer::bench_support::generation
