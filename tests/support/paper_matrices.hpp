// SPDX-License-Identifier: BSD-3-Clause
// Matrices that papers print.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/matrix.hpp"

namespace gossamer::testing_support {

/// Paper 000, Equation (1), with A ... J = 1 ... 10:
///   0 1 0 2 0 0
///   0 0 3 0 4 0
///   5 6 7 0 8 9
///   0 0 0 10 0 0
struct paper_000 {
  std::vector<std::int32_t> row_ptr{0, 2, 4, 9, 10};
  std::vector<std::int32_t> col{1, 3, 2, 4, 0, 1, 2, 4, 5, 3};
  std::vector<double> val{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  [[nodiscard]] csr_view<double, std::int32_t> view() const {
    return {.rows = 4, .cols = 6, .row_ptr = row_ptr, .col = col, .val = val};
  }
};

}  // namespace gossamer::testing_support
