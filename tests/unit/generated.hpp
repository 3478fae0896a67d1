// SPDX-License-Identifier: BSD-3-Clause
// Generated matrices, checked for what holds for every generator, and their rows.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "gossamer/matrix.hpp"

namespace gossamer_test {

using generated = gossamer::csr_matrix<double>;

inline std::vector<std::int32_t> row(const generated& a, std::int64_t i) {
  return {a.col.data() + a.row_ptr[static_cast<std::size_t>(i)],
          a.col.data() + a.row_ptr[static_cast<std::size_t>(i) + 1]};
}

/// Generates, and checks what holds for every generator.
inline generated make(const std::string& specification) {
  generated a = gossamer::bench_support::generate<double>(specification);
  EXPECT_NO_THROW(gossamer::validate(a.view())) << specification;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    const auto columns = row(a, i);
    if (std::adjacent_find(columns.begin(), columns.end(), std::greater_equal<>()) == columns.end()) continue;
    ADD_FAILURE() << specification << ": columns of row " << i << " do not ascend";
    break;
  }
  return a;
}

/// Of the structure: values are not looked at.
inline void expect_symmetric(const std::string& specification) {
  const generated a = make(specification);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (const std::int32_t j : row(a, i)) {
      const auto back = row(a, j);
      ASSERT_TRUE(std::binary_search(back.begin(), back.end(), static_cast<std::int32_t>(i)))
          << specification << " " << i << " " << j;
    }
  }
}

inline std::vector<std::vector<std::int32_t>> all_rows(const std::string& specification) {
  const generated a = make(specification);
  std::vector<std::vector<std::int32_t>> result;
  for (std::int64_t i = 0; i < a.rows; ++i) result.push_back(row(a, i));
  return result;
}

}  // namespace gossamer_test
