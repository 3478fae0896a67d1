// SPDX-License-Identifier: BSD-3-Clause
#include "plans/placement.hpp"

#include <algorithm>
#include <numeric>

namespace gossamer::inline v0::plans {

placement place(std::span<const std::int64_t> bytes, std::int64_t limit) {
  placement result{.on_host = std::vector<bool>(bytes.size(), false)};
  std::vector<std::size_t> by_size(bytes.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](std::size_t i, std::size_t j) { return bytes[i] < bytes[j]; });
  std::int64_t over = std::accumulate(bytes.begin(), bytes.end(), -limit);
  while (over > 0 && !by_size.empty()) {
    const auto enough =
        std::find_if(by_size.begin(), by_size.end(), [&](std::size_t i) { return bytes[i] >= over; });
    const auto leaves = enough != by_size.end() ? enough : by_size.end() - 1;
    over -= bytes[*leaves];
    result.on_host[*leaves] = true;
    by_size.erase(leaves);
  }
  return result;
}

std::int64_t automatic_limit(std::int64_t free_bytes, std::int64_t vector_bytes) noexcept {
  constexpr std::int64_t share = 16;
  return std::max<std::int64_t>(0, free_bytes - free_bytes / share - vector_bytes);
}

}  // namespace gossamer::inline v0::plans
