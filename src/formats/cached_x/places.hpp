// SPDX-License-Identifier: BSD-3-Clause
// The slots of the entries of a matrix that is sorted by panels of columns, and the choice of frequent
// columns.
#pragma once

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "formats/cached_x/storage.hpp"
#include "formats/common/sampled_entries.hpp"
#include "gossamer/matrix.hpp"

namespace gossamer::inline v0::formats {

constexpr std::int64_t cached_x_chunks_of(std::int64_t entries) {
  return (entries + cached_x_chunk - 1) / cached_x_chunk;
}

/// Sorts the entries by panel, and keeps their order within a panel. It is a parallel counting sort: blocks
/// of rows count their entries of each panel, and a prefix sum gives each block its first slot in each panel.
class cached_x_panel_places {
 public:
  template <class V, offset O>
  cached_x_panel_places(const csr_view<V, O>& a, std::int64_t width)
      : width_(width),
        panels_((a.cols + width - 1) / width),
        rows_of_block_(block_rows(a.rows, a.nnz(), panels_)),
        blocks_((a.rows + rows_of_block_ - 1) / rows_of_block_),
        next_(static_cast<std::size_t>(blocks_ * panels_)),
        panel_chunk_(static_cast<std::size_t>(panels_) + 1) {
    core::parallel_for_dynamic(blocks_, [&](std::int64_t b) {
      std::int64_t* const count = next_.data() + b * panels_;
      for (std::int64_t k = first_entry(a, b); k < first_entry(a, b + 1); ++k)
        ++count[a.col.data()[k] / width_];
    });
    std::int64_t chunk = 0;
    for (std::int64_t panel = 0; panel < panels_; ++panel) {
      panel_chunk_[static_cast<std::size_t>(panel)] = static_cast<std::int32_t>(chunk);
      std::int64_t at = chunk * cached_x_chunk;
      for (std::int64_t b = 0; b < blocks_; ++b) {
        std::int64_t& next = next_[static_cast<std::size_t>(b * panels_ + panel)];
        at += std::exchange(next, at);
      }
      chunk = cached_x_chunks_of(at);
    }
    panel_chunk_.back() = static_cast<std::int32_t>(chunk);
  }

  /// The first chunk of each panel, then the number of chunks: panels + 1 elements.
  [[nodiscard]] const std::vector<std::int32_t>& panel_chunk() const { return panel_chunk_; }

  /// Calls place(entry, row, slot, column relative to its panel) for each entry, in parallel. May be called
  /// once only, since it advances the counters.
  template <class V, offset O, class Place>
  void for_each(const csr_view<V, O>& a, Place&& place) {
    core::parallel_for_dynamic(panels_ == 0 ? 0 : blocks_, [&](std::int64_t b) {
      std::int64_t* const next = next_.data() + b * panels_;
      for (std::int64_t i = b * rows_of_block_; i < std::min(a.rows, (b + 1) * rows_of_block_); ++i)
        for (std::int64_t k = a.row_ptr.data()[i]; k < a.row_ptr.data()[i + 1]; ++k) {
          const std::int64_t panel = a.col.data()[k] / width_;
          place(k, i, next[panel]++, a.col.data()[k] - panel * width_);
        }
    });
  }

 private:
  /// Rows of a block. There are at most 256 blocks, and at most one counter for 16 entries.
  static std::int64_t block_rows(std::int64_t rows, std::int64_t nnz, std::int64_t panels) {
    constexpr std::int64_t most_blocks = 256;
    const std::int64_t blocks =
        std::clamp<std::int64_t>(nnz / (16 * std::max<std::int64_t>(1, panels)), 1, most_blocks);
    return std::max<std::int64_t>(1, (rows + blocks - 1) / blocks);
  }
  template <class V, offset O>
  std::int64_t first_entry(const csr_view<V, O>& a, std::int64_t block) const {
    return a.row_ptr.data()[std::min(a.rows, block * rows_of_block_)];
  }

  std::int64_t width_;
  std::int64_t panels_;
  std::int64_t rows_of_block_;
  std::int64_t blocks_;
  std::vector<std::int64_t> next_;  ///< blocks x panels: the slot of the next entry
  std::vector<std::int32_t> panel_chunk_;
};

/// Whether the entries of each row are in the order of panels. Sorting by panel then keeps their order.
template <class V, offset O>
bool is_in_panel_order(const csr_view<V, O>& a, std::int64_t width) {
  std::atomic<bool> in_order{true};
  core::parallel_for(a.rows, 1024, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      for (std::int64_t k = a.row_ptr.data()[i] + 1; k < a.row_ptr.data()[i + 1]; ++k)
        if (a.col.data()[k] < a.col.data()[k - 1] && a.col.data()[k] / width < a.col.data()[k - 1] / width) {
          in_order = false;
          return;
        }
  });
  return in_order;
}

/// The number of pieces for each entry, estimated from a sample. It is the mean of 1 / length over the
/// sampled entries, where length is the number of neighbouring entries of the same row and panel. Boundaries
/// of chunks are not counted.
template <class V, offset O>
double sampled_pieces_per_entry(const csr_view<V, O>& a, std::int64_t width) {
  constexpr std::int64_t far_enough = cached_x_chunk / 2;
  double sum = 0;
  std::int64_t samples = 0;
  for_sampled_places(a.nnz(), [&](std::int64_t at) {
    const std::int64_t row = row_of_entry(a, at);
    const std::int64_t panel = a.col.data()[at] / width;
    std::int64_t first = at;
    std::int64_t last = at + 1;
    while (first > a.row_ptr.data()[row] && at - first < far_enough &&
           a.col.data()[first - 1] / width == panel)
      --first;
    while (last < a.row_ptr.data()[row + 1] && last - at < far_enough && a.col.data()[last] / width == panel)
      ++last;
    sum += 1 / static_cast<double>(last - first);
    ++samples;
  });
  return sum / static_cast<double>(std::max<std::int64_t>(1, samples));
}

/// The `most` columns with the most entries, in ascending order. Empty columns are left out. Of columns with
/// equally many entries, the first are taken.
template <class V, offset O>
std::vector<std::int32_t> most_frequent_columns(const csr_view<V, O>& a, std::int64_t most) {
  std::vector<std::int32_t> count(static_cast<std::size_t>(a.cols));
  core::parallel_for(a.nnz(), core::default_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k)
      std::atomic_ref<std::int32_t>(count[static_cast<std::size_t>(a.col.data()[k])])
          .fetch_add(1, std::memory_order_relaxed);
  });
  const auto times = [&](std::int32_t column) { return count[static_cast<std::size_t>(column)]; };
  std::vector<std::int32_t> columns(static_cast<std::size_t>(a.cols));
  std::iota(columns.begin(), columns.end(), 0);
  std::erase_if(columns, [&](std::int32_t column) { return times(column) == 0; });
  if (const auto kept = static_cast<std::size_t>(most); columns.size() > kept) {
    std::nth_element(columns.begin(), columns.begin() + most, columns.end(),
                     [&](std::int32_t one, std::int32_t other) {
                       return times(one) != times(other) ? times(one) > times(other) : one < other;
                     });
    columns.resize(kept);
    std::sort(columns.begin(), columns.end());
  }
  return columns;
}

}  // namespace gossamer::inline v0::formats
