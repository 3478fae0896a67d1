// SPDX-License-Identifier: BSD-3-Clause
// Columns as linear programs have them: long rows over many more columns, in clusters that rows near each
// other share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "bench_support/generate/choose_columns.hpp"
#include "bench_support/generate/like/column_rule.hpp"

namespace gossamer::bench_support::generation {

/// Columns are cut into tiles of 16. A row takes 8 consecutive columns in each of the tiles that it picks
/// from a window around a tile that a block of rows has in common.
class tiles final : public column_rule {
 public:
  tiles(std::int64_t cols, std::uint64_t key) : cols_(cols), key_(key) {}

  void fill(std::int64_t row, std::span<std::int32_t> columns) const override {
    const auto length = static_cast<std::int64_t>(columns.size());
    const std::int64_t count = cols_ / tile;
    const std::int64_t wanted = (length + used - 1) / used;
    if (length > cols_ / 4 || wanted > count) {
      choose_uniform(columns, cols_, draw(key_, row));
      return;
    }
    const std::int64_t window = std::min(std::max(2 * wanted, count / 16), count);
    const std::int64_t middle = below(draw(key_, -1 - row / block), count);
    const std::int64_t start = std::clamp<std::int64_t>(middle - window / 2, 0, count - window);
    // The tiles' numbers stand in the first columns; written from the last one on, none is lost before it is
    // read.
    choose_uniform(columns.first(static_cast<std::size_t>(wanted)), window, draw(key_, row));
    for (std::int64_t t = wanted - 1; t >= 0; --t) {
      const std::int64_t chosen = start + columns[static_cast<std::size_t>(t)];
      const std::int64_t shift = below(mix(key_ ^ static_cast<std::uint64_t>(chosen)), tile - used + 1);
      const std::int64_t end = std::min((t + 1) * used, length);
      for (std::int64_t k = t * used; k < end; ++k)
        columns[static_cast<std::size_t>(k)] =
            static_cast<std::int32_t>(chosen * tile + shift + k - t * used);
    }
  }

 private:
  static constexpr std::int64_t tile = 16;
  static constexpr std::int64_t used = 8;
  static constexpr std::int64_t block = 64;  ///< rows

  std::int64_t cols_;
  std::uint64_t key_;
};

}  // namespace gossamer::bench_support::generation
