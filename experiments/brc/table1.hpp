// SPDX-License-Identifier: BSD-3-Clause
// Table 1 from the matrices that are available, next to the printed one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/brc/printed.hpp"
#include "experiments/rows.hpp"

namespace gossamer::experiments::brc {

struct table1_line {
  std::string matrix;
  const printed_matrix* printed = nullptr;  ///< null: the paper does not have it
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  double mean = 0;
  double sd = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::optional<std::int64_t> b2;     ///< nothing where there is no such format
  std::optional<std::int64_t> hyb_k;  ///< the same
  std::vector<std::string> differs;   ///< columns whose printed number is another
  bool stand_in = false;
};

std::vector<table1_line> table1_lines(const rows& all);

}  // namespace gossamer::experiments::brc
