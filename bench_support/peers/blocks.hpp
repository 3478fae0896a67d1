// SPDX-License-Identifier: BSD-3-Clause
// Square blocks for cuSPARSE's BSR, found from the pattern and made on host threads. Entries that stand twice
// are added up.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "bench_support/peers/peer.hpp"
#include "core/parallel.hpp"

namespace gossamer::bench_support::peers {

inline constexpr int smallest_block = 2;
inline constexpr int largest_block = 6;
/// Slots a nonzero, above which blocks are not worth asking for.
inline constexpr double most_fill = 1.3;

/// Calls f(block_row, columns of its blocks in rising order) for the block rows of [begin, end).
template <value V, class F>
void for_each_block_row(const matrix<V>& a, int size, std::int64_t begin, std::int64_t end, F&& f) {
  std::vector<std::int32_t> columns;
  for (std::int64_t b = begin; b < end; ++b) {
    columns.clear();
    for (std::int64_t k = a.row_begin(b * size); k < a.row_begin((b + 1) * size); ++k) {
      const std::int32_t column = a.col[static_cast<std::size_t>(k)] / size;
      if (columns.empty() || columns.back() != column) columns.push_back(column);
    }
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    f(b, columns);
  }
}

/// Blocks of that size which hold a nonzero; any number over `limit` where there are more.
template <value V>
std::int64_t count_blocks(const matrix<V>& a, int size, std::int64_t limit) {
  constexpr std::int64_t step = 256;
  std::atomic<std::int64_t> blocks{0};
  core::parallel_for(a.rows / size, step, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end && blocks.load(std::memory_order_relaxed) <= limit; b += step) {
      std::int64_t here = 0;
      for_each_block_row(a, size, b, std::min(end, b + step), [&](std::int64_t, const auto& columns) {
        here += static_cast<std::int64_t>(columns.size());
      });
      blocks.fetch_add(here, std::memory_order_relaxed);
    }
  });
  return blocks.load();
}

struct block_choice {
  int size = 0;  ///< 0: none fits
  std::int64_t blocks = 0;
  double fill = 0;  ///< slots a nonzero
};

/// Of the sizes that divide rows and columns and fill at most most_fill, the one that takes least memory.
template <value V>
block_choice choose_blocks(const matrix<V>& a) {
  block_choice best;
  double least = 0;
  for (int size = smallest_block; size <= largest_block; ++size) {
    if (a.rows % size != 0 || a.cols % size != 0) continue;
    const auto nnz = static_cast<double>(a.nnz());
    const std::int64_t limit = static_cast<std::int64_t>(most_fill * nnz) / (std::int64_t{size} * size);
    const std::int64_t blocks = count_blocks(a, size, limit);
    if (blocks > limit) continue;
    const double bytes =
        static_cast<double>(blocks) * static_cast<double>(size * size * static_cast<int>(sizeof(V)) + 4);
    if (best.size != 0 && bytes >= least) continue;
    least = bytes;
    best = {size, blocks, static_cast<double>(blocks * size * size) / nnz};
  }
  return best;
}

template <class I, value V>
struct blocks {
  host_buffer<I> row_ptr;  ///< one a block row, and the end
  host_buffer<I> col;
  host_buffer<V> val;  ///< block after block, each row by row
};

/// I holds the number of blocks.
template <class I, value V>
blocks<I, V> make_blocks(const matrix<V>& a, const block_choice& choice) {
  const int size = choice.size;
  const std::int64_t block_rows = a.rows / size;
  const auto slots = static_cast<std::size_t>(choice.blocks * size * size);
  blocks<I, V> to{host_buffer<I>(static_cast<std::size_t>(block_rows) + 1),
                  host_buffer<I>(static_cast<std::size_t>(choice.blocks)), host_buffer<V>(slots)};
  to.row_ptr[0] = 0;
  core::parallel_for(block_rows, 256, [&](std::int64_t begin, std::int64_t end) {
    for_each_block_row(a, size, begin, end, [&](std::int64_t b, const auto& columns) {
      to.row_ptr.data()[b + 1] = static_cast<I>(columns.size());
    });
  });
  for (std::size_t b = 1; b < to.row_ptr.size(); ++b) to.row_ptr[b] += to.row_ptr[b - 1];
  core::parallel_for(block_rows, 256, [&](std::int64_t begin, std::int64_t end) {
    for_each_block_row(a, size, begin, end, [&](std::int64_t b, const auto& columns) {
      const std::int64_t first = to.row_ptr.data()[b];
      const std::int64_t area = std::int64_t{size} * size;
      std::fill_n(to.val.data() + first * area, static_cast<std::int64_t>(columns.size()) * area, V{0});
      for (std::size_t c = 0; c < columns.size(); ++c)
        to.col.data()[first + static_cast<std::int64_t>(c)] = columns[c];
      for (std::int64_t i = b * size; i < (b + 1) * size; ++i) {
        for (std::int64_t k = a.row_begin(i); k < a.row_begin(i + 1); ++k) {
          const std::int32_t column = a.col[static_cast<std::size_t>(k)];
          const auto at = std::lower_bound(columns.begin(), columns.end(), column / size) - columns.begin();
          to.val.data()[(first + at) * area + (i - b * size) * size + column % size] +=
              a.val[static_cast<std::size_t>(k)];
        }
      }
    });
  });
  return to;
}

}  // namespace gossamer::bench_support::peers
