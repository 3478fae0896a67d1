// SPDX-License-Identifier: BSD-3-Clause
// Rows in order of length.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/parallel.hpp"

namespace gossamer::inline v0::partition {

/// All rows into row[0] ...: the shortest first, rows of one length ascending. The result does not depend on
/// the number of threads.
template <class O>
void order_shortest_first(std::span<const O> row_ptr, std::int32_t* row) {
  const auto rows = static_cast<std::int64_t>(row_ptr.size()) - 1;
  // Longer rows are few, or have so many entries that sorting them is nothing beside reading those.
  constexpr std::int64_t most_counted = 4095;
  constexpr std::int64_t rows_of_a_segment = 1 << 14;
  const auto length_of = [&](std::int64_t i) {
    return static_cast<std::int64_t>(row_ptr.data()[i + 1] - row_ptr.data()[i]);
  };
  const auto key_of = [&](std::int64_t i) {
    return static_cast<std::size_t>(std::min(length_of(i), most_counted + 1));
  };
  const std::int64_t segments =
      std::clamp<std::int64_t>(rows / rows_of_a_segment, 1, std::max(1, core::default_threads()));
  std::vector<std::vector<std::int64_t>> next(static_cast<std::size_t>(segments));
  const auto for_each_segment = [&](auto&& body) {
    core::parallel_for(segments, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t s = begin; s < end; ++s)
        body(next[static_cast<std::size_t>(s)], rows * s / segments, rows * (s + 1) / segments);
    });
  };
  for_each_segment([&](std::vector<std::int64_t>& count, std::int64_t begin, std::int64_t end) {
    count.assign(static_cast<std::size_t>(most_counted) + 2, 0);
    for (std::int64_t i = begin; i < end; ++i) ++count[key_of(i)];
  });
  std::int64_t at = 0;
  std::int64_t counted = 0;
  for (std::size_t key = 0; key < static_cast<std::size_t>(most_counted) + 2; ++key) {
    counted = at;
    for (auto& count : next) at += std::exchange(count[key], at);
  }
  for_each_segment([&](std::vector<std::int64_t>& place, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) row[place[key_of(i)]++] = static_cast<std::int32_t>(i);
  });
  std::stable_sort(row + counted, row + rows,
                   [&](std::int32_t i, std::int32_t j) { return length_of(i) < length_of(j); });
}

}  // namespace gossamer::inline v0::partition
