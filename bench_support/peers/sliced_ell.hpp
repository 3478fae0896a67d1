// SPDX-License-Identifier: BSD-3-Clause
// cuSPARSE's sliced ELLPACK, made on host threads: slices of 32 rows, each padded to its longest row and
// stored column by column; the column of a padded slot is -1, its value 0. The last slice is padded to 32
// rows too.
#pragma once

#include <algorithm>

#include "bench_support/peers/peer.hpp"
#include "core/parallel.hpp"

namespace gossamer::bench_support::peers {

inline constexpr std::int64_t slice_rows = 32;

/// Where each slice begins, and after the last one the number of slots.
template <value V>
host_buffer<std::int64_t> slice_offsets(const matrix<V>& a) {
  const std::int64_t slices = (a.rows + slice_rows - 1) / slice_rows;
  host_buffer<std::int64_t> offset(static_cast<std::size_t>(slices) + 1);
  offset.data()[0] = 0;
  core::parallel_for(slices, core::default_grain / slice_rows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s) {
      std::int64_t width = 0;
      const std::int64_t last = std::min(a.rows, (s + 1) * slice_rows);
      for (std::int64_t i = s * slice_rows; i < last; ++i)
        width = std::max(width, a.row_begin(i + 1) - a.row_begin(i));
      offset.data()[s + 1] = width * slice_rows;
    }
  });
  for (std::size_t s = 1; s < offset.size(); ++s) offset[s] += offset[s - 1];
  return offset;
}

template <class I, value V>
struct sliced_ell {
  host_buffer<I> offset;
  host_buffer<I> col;
  host_buffer<V> val;
};

/// `offset` is slice_offsets(a); I holds the number of slots.
template <class I, value V>
sliced_ell<I, V> make_sliced_ell(const matrix<V>& a, const host_buffer<std::int64_t>& offset) {
  const std::size_t slots = static_cast<std::size_t>(offset[offset.size() - 1]);
  sliced_ell<I, V> to{host_buffer<I>(offset.size()), host_buffer<I>(slots), host_buffer<V>(slots)};
  for (std::size_t s = 0; s < offset.size(); ++s) to.offset[s] = static_cast<I>(offset[s]);
  const auto slices = static_cast<std::int64_t>(offset.size()) - 1;
  core::parallel_for(slices, core::default_grain / slice_rows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s) {
      const std::int64_t base = offset[static_cast<std::size_t>(s)];
      const std::int64_t width = (offset[static_cast<std::size_t>(s) + 1] - base) / slice_rows;
      for (std::int64_t r = 0; r < slice_rows; ++r) {
        const std::int64_t row = s * slice_rows + r;
        const std::int64_t first = row < a.rows ? a.row_begin(row) : 0;
        const std::int64_t length = row < a.rows ? a.row_begin(row + 1) - first : 0;
        for (std::int64_t k = 0; k < width; ++k) {
          const std::int64_t slot = base + k * slice_rows + r;
          const auto entry = static_cast<std::size_t>(first + k);
          to.col.data()[slot] = k < length ? static_cast<I>(a.col[entry]) : I{-1};
          to.val.data()[slot] = k < length ? a.val[entry] : V{0};
        }
      }
    }
  });
  return to;
}

}  // namespace gossamer::bench_support::peers
