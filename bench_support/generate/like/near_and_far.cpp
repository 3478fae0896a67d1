// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/generate/like/near_and_far.hpp"

#include <algorithm>

#include "bench_support/generate/choose_columns.hpp"

namespace gossamer::bench_support::generation {

near_and_far::near_and_far(std::int64_t rows, std::int64_t cols, const near_and_far_shape& shape,
                           std::uint64_t key, std::uint64_t order_key)
    : rows_(rows),
      cols_(cols),
      shape_(shape),
      key_(key),
      order_(cols, order_key),
      ranks_(cols, 1),
      popularity_(ranks_) {}

void near_and_far::fill(std::int64_t row, std::span<std::int32_t> columns) const {
  const auto length = static_cast<std::int64_t>(columns.size());
  const std::uint64_t key = draw(key_, row);
  if (length > cols_ / 8) {
    choose_uniform(columns, cols_, key);
    return;
  }
  // Rounded by chance, so that the share survives in rows of five entries.
  const std::int64_t far = (length * shape_.far_percent + below(draw(key, -1), 100)) / 100;
  const std::int64_t near = std::max<std::int64_t>(length - far, 1);
  // A long row's window is nearly full, as a page's list of its neighbours or a bus's of its wires is.
  const std::int64_t width = std::min(std::max(2 * shape_.half_window + 1, near + near / 4), cols_);
  const std::int64_t diagonal = row * cols_ / rows_;
  const std::int64_t low = std::clamp<std::int64_t>(diagonal - width / 2, 0, cols_ - width);
  const std::int64_t outside = cols_ - width;
  if (outside < 2 * (length - near)) {  // a matrix of a few columns
    choose_uniform(columns, cols_, key);
    return;
  }

  const std::span<std::int32_t> inner = columns.first(static_cast<std::size_t>(near));
  inner[0] = static_cast<std::int32_t>(diagonal);
  choose_uniform(inner.subspan(1), width - 1, mix(key));
  for (std::int32_t& j : inner.subspan(1)) {
    j += static_cast<std::int32_t>(low);
    if (j >= diagonal) ++j;
  }
  // Numbers of the columns outside the window, so that none meets a near one.
  const std::span<std::int32_t> outer = columns.subspan(static_cast<std::size_t>(near));
  const auto next = [&](std::int64_t k) {
    const std::uint64_t bits = draw(key, k);
    if (below(mix(bits), 2) < shape_.popular_half) {
      const std::int64_t j = order_(popularity_(bits));
      if (j < low) return j;
      if (j >= low + width) return j - width;
    }
    return below(bits, outside);
  };
  const std::size_t have = draw_distinct(outer, 4 * static_cast<std::int64_t>(outer.size()) + 64, next);
  if (have < outer.size()) choose_uniform(outer, outside, key);
  for (std::int32_t& j : outer) {
    if (j >= low) j += static_cast<std::int32_t>(width);
  }
  std::sort(columns.begin(), columns.end());
}

}  // namespace gossamer::bench_support::generation
