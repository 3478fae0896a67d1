// SPDX-License-Identifier: BSD-3-Clause
// B2 by the place in the row order, which paper 000 leaves to later (section 8): Equation (3) of each group
// of neighbouring places.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/parallel.hpp"
#include "formats/brc/block_width.hpp"
#include "formats/common/row_order.hpp"

namespace gossamer::inline v0::formats {

/// A row's place is its position in its window, and the places of the window's first, second, next two, next
/// four, next eight ... blocks are groups; the windows' groups of one number are one group. So no block of
/// first segments has rows of two groups where all rows are sorted together, and where lengths fall by a
/// power of the place, all groups' longest rows are as many times as long as their shortest.
struct brc_places {
  std::int64_t window = 1;
  std::int64_t block_rows = 1;

  [[nodiscard]] std::size_t group(std::int64_t position) const noexcept {
    return static_cast<std::size_t>(
        std::bit_width(static_cast<std::uint64_t>(position % window / block_rows)));
  }
};
inline constexpr std::size_t most_brc_groups = 32;  ///< positions have 31 bits

/// The width of each group's segments, in entries: Equation (3) of its rows that have entries, but not below
/// `least`.
template <class V, offset O, class RowAt>
std::vector<std::int64_t> brc_widths_by_position(const csr_view<V, O>& a, RowAt&& row_at,
                                                 const brc_places& places, std::int64_t least) {
  struct tally {
    std::int64_t rows = 0, entries = 0, longest = 0;
    long double squares = 0;  // a row of 10^9 squared passes 2^63 within ten rows

    void add(const tally& other) noexcept {
      rows += other.rows;
      entries += other.entries;
      longest = std::max(longest, other.longest);
      squares += other.squares;
    }
  };
  using tallies = std::array<tally, most_brc_groups>;
  // Of a size that no number of threads changes, so that the sums of squares are rounded alike for each.
  constexpr std::int64_t part_rows = core::default_grain;
  const std::int64_t parts = (a.rows + part_rows - 1) / part_rows;
  std::vector<tallies> of_part(static_cast<std::size_t>(parts));
  core::parallel_for(parts, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t part = first; part < last; ++part) {
      tallies& mine = of_part[static_cast<std::size_t>(part)];
      const std::int64_t end = std::min(a.rows, (part + 1) * part_rows);
      for (std::int64_t position = part * part_rows; position < end; ++position) {
        const std::int64_t length = row_length(a, row_at(position));
        if (length == 0) continue;
        const auto one = static_cast<long double>(length);
        mine[places.group(position)].add(
            {.rows = 1, .entries = length, .longest = length, .squares = one * one});
      }
    }
  });
  std::vector<std::int64_t> width(most_brc_groups, least);
  for (std::size_t g = 0; g < most_brc_groups; ++g) {
    tally all;
    for (const tallies& part : of_part) all.add(part[g]);
    if (all.rows == 0) continue;
    const auto rows = static_cast<long double>(all.rows);
    const long double mean = static_cast<long double>(all.entries) / rows;
    const long double deviation = std::sqrt(std::max(0.0L, all.squares / rows - mean * mean));
    width[g] = std::max(
        least, brc_block_width(static_cast<double>(mean), static_cast<double>(deviation), all.longest));
  }
  return width;
}

}  // namespace gossamer::inline v0::formats
