// SPDX-License-Identifier: BSD-3-Clause
// How rows are cut into the segments that blocks hold: segment v of a row stands in vertical block v.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gossamer::inline v0::formats {

enum class brc_widths : std::int32_t { fixed, growing, even, by_position };

struct brc_segment {
  std::int64_t first = 0;  ///< entry of the row
  std::int64_t length = 0;
};

/// Every width is at least 1; the largest 64-bit number is one too.
struct brc_cut {
  brc_widths widths = brc_widths::fixed;
  /// Of a segment, at most; growing: of a row's first segment; by_position: of those of a group of rows, the
  /// least of which an option says.
  std::int64_t width = 1;

  [[nodiscard]] constexpr brc_cut with(std::int64_t other_width) const noexcept {
    return {.widths = widths, .width = other_width};
  }

  /// Segments of a row of that length; none of an empty row.
  [[nodiscard]] constexpr std::int64_t segments(std::int64_t length) const noexcept {
    if (length <= width) return length > 0 ? 1 : 0;
    if (widths != brc_widths::growing) return length / width + (length % width != 0 ? 1 : 0);
    // Segment v has width 2^v entries, so n of them reach width (2^n - 1).
    std::int64_t n = 1;
    for (std::int64_t left = length - width, next = width; left > 0; ++n) {
      next = next > left / 2 ? left : 2 * next;
      left -= next;
    }
    return n;
  }

  /// Segment v of it, v < segments(length); of an empty row always an empty one.
  [[nodiscard]] constexpr brc_segment segment(std::int64_t length, std::int64_t v) const noexcept {
    if (length <= width) return {0, length};
    if (widths == brc_widths::even) {
      const std::int64_t n = segments(length);
      const std::int64_t longer = length % n;  // the first ones have an entry more
      return {v * (length / n) + std::min(v, longer), length / n + (v < longer ? 1 : 0)};
    }
    if (widths != brc_widths::growing) return {v * width, std::min(width, length - v * width)};
    const std::int64_t first = width * ((std::int64_t{1} << v) - 1);
    return {first, std::min(width << v, length - first)};
  }
};

}  // namespace gossamer::inline v0::formats
