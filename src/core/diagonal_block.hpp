// SPDX-License-Identifier: BSD-3-Clause
// Square blocks along the main diagonal.
#pragma once

#include <cstdint>

namespace gossamer::inline v0 {

/// Whether an entry stands in one of the blocks of that many rows and columns: Algorithm 4 of paper 004, line 6. As printed the line has mod
/// where only the quotient makes blocks, and leaves out each block's first column.
constexpr bool in_diagonal_block(std::int64_t row, std::int64_t col, std::int64_t block) noexcept {
  return row / block == col / block;
}

}  // namespace gossamer::inline v0
