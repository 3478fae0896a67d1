// SPDX-License-Identifier: BSD-3-Clause
#include "core/first_touch.hpp"

#include <algorithm>
#include <cstdint>

#include "core/parallel.hpp"

namespace gossamer::inline v0::core {

void first_touch(std::span<std::byte> fresh) {
  constexpr std::uintptr_t page = 4096;
  if (fresh.size() < 2 * huge_page_bytes || default_threads() == 1) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(fresh.data());
  const std::uintptr_t end = begin + fresh.size();
  const std::uintptr_t first = begin / huge_page_bytes;
  const std::uintptr_t behind = (end - 1) / huge_page_bytes + 1;
  parallel_for(static_cast<std::int64_t>(behind - first), 1, [&](std::int64_t from, std::int64_t to) {
    const auto place = [&](std::int64_t number) {
      return (first + static_cast<std::uintptr_t>(number)) * huge_page_bytes;
    };
    const std::uintptr_t stop = std::min(end, place(to));
    for (std::uintptr_t at = std::max(begin, place(from)); at < stop; at += page - at % page)
      fresh[at - begin] = std::byte{0};
  });
}

}  // namespace gossamer::inline v0::core
