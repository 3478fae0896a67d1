// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/generate/circuit.hpp"

#include <algorithm>

#include "bench_support/generate/choose_columns.hpp"

namespace gossamer::bench_support::generation {

circuit::circuit(const arguments& given)
    : pattern{given.dimension("rows", 1), given.dimension("rows", 1)},
      per_row_(given.whole("per_row", 1, 1000)),
      band_(given.dimension("band")),
      far_(static_cast<std::uint64_t>(given.real("far", 0, 1) * 0x1p32)),
      key_(key_of(given.seed(), purpose::columns)),
      choice_(key_of(given.seed(), purpose::row_choice)) {
  const std::int64_t nets = given.whole("nets", 0, 1000);
  heavy_ = given.text("heavy") == "auto" ? (rows + 4) / 5 : given.entries("heavy", cols);
  if (nets > rows) given.reject("nets", "is more than rows = " + std::to_string(rows));
  const permutation order(rows, key_of(given.seed(), purpose::row_order));
  for (std::int64_t k = 0; k < nets; ++k) nets_.push_back(order(k));
  std::sort(nets_.begin(), nets_.end());
}

bool circuit::is_net(std::int64_t row) const {
  return std::binary_search(nets_.begin(), nets_.end(), row);
}

circuit::row_shape circuit::shape_of(std::int64_t row) const {
  const std::uint64_t key = draw(choice_, row);
  const std::int64_t least = (per_row_ + 1) / 2;
  const std::int64_t length = least + below(draw(key, 0), per_row_ + per_row_ / 2 - least + 1);
  const std::int64_t width = std::min(2 * band_ + 1, cols);
  row_shape shape{.near = 1, .far = 0, .low = 0, .width = width};
  shape.low = std::clamp<std::int64_t>(row - band_, 0, cols - width);
  for (std::int64_t k = 1; k < length; ++k) {
    if ((draw(key, k) >> 32) < far_)
      ++shape.far;
    else
      ++shape.near;
  }
  // Far entries leave the nets' columns to the nets.
  const std::int64_t outside = cols - width - static_cast<std::int64_t>(nets_.size());
  shape.near = std::min(shape.near, width);
  shape.far = std::clamp<std::int64_t>(shape.far, 0, std::max<std::int64_t>(outside / 2, 0));
  return shape;
}

bool circuit::meets(std::int64_t row, std::int64_t net, const row_shape& shape) const {
  if (net >= shape.low && net < shape.low + shape.width) return false;
  return below(draw(draw(key_, net), row), rows) < heavy_;
}

std::int64_t circuit::row_length(std::int64_t row) const {
  if (is_net(row)) return heavy_;
  const row_shape shape = shape_of(row);
  std::int64_t length = shape.near + shape.far;
  for (const std::int64_t net : nets_) length += meets(row, net, shape);
  return length;
}

void circuit::fill_row(std::int64_t row, std::span<std::int32_t> columns) const {
  const std::uint64_t key = mix(draw(key_, row));
  if (is_net(row)) {
    choose_uniform(columns, cols, key);
    return;
  }
  const row_shape shape = shape_of(row);
  const auto near = columns.first(static_cast<std::size_t>(shape.near));
  near[0] = static_cast<std::int32_t>(row);
  choose_uniform(near.subspan(1), shape.width - 1, mix(key));
  for (std::int32_t& j : near.subspan(1)) {
    j += static_cast<std::int32_t>(shape.low);
    if (j >= row) ++j;
  }
  const auto far = columns.subspan(near.size(), static_cast<std::size_t>(shape.far));
  // At least half of the columns outside the window are no nets, so this ends soon.
  draw_distinct(far, INT64_MAX, [&](std::int64_t k) {
    for (std::int64_t again = 0;; ++again) {
      std::int64_t j = below(draw(draw(key, k), again), cols - shape.width);
      if (j >= shape.low) j += shape.width;
      if (!is_net(j)) return j;
    }
  });
  std::size_t at = near.size() + far.size();
  for (const std::int64_t net : nets_) {
    if (meets(row, net, shape)) columns[at++] = static_cast<std::int32_t>(net);
  }
  std::sort(columns.begin(), columns.end());
}

}  // namespace gossamer::bench_support::generation
