// SPDX-License-Identifier: BSD-3-Clause
// Square blocks along the main diagonal.
#pragma once

#include <cstdint>

namespace gossamer::inline v0 {

/// Rows of a block, at most: so that no column behind a block passes 2^32.
inline constexpr std::int64_t most_block_rows = std::int64_t{1} << 30;

/// The block that a row is in, where each has `size` rows and as many columns: Algorithm 4 of paper 004,
/// line 6. As printed the line has mod where only the quotient makes blocks, and leaves out each block's
/// first column.
class diagonal_block {
 public:
  constexpr diagonal_block(std::int64_t row, std::int64_t size) noexcept
      : first_(row - row % size), behind_(first_ + size) {}
  [[nodiscard]] constexpr bool has_column(std::int64_t col) const noexcept {
    return first_ <= col && col < behind_;
  }

 private:
  std::int64_t first_;
  std::int64_t behind_;
};

}  // namespace gossamer::inline v0
