// SPDX-License-Identifier: BSD-3-Clause
// Which diagonals a matrix has, found in one parallel pass over the entries with a bit for each diagonal that
// there could be, and a node for each that is there more than once.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "formats/common/sampled_entries.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/memory.hpp"

namespace gossamer::inline v0::formats {

/// Diagonal d holds the entries of columns row + d. Where rows have entries of one column several times,
/// their diagonal is there as many times as the row that has most of them needs.
class diagonal_set {
 public:
  /// Gives up copies once they alone are more than `most`, so that a matrix of many duplicates, which is then
  /// refused, does not take memory for each of them.
  template <class V, offset O>
  explicit diagonal_set(const csr_view<V, O>& a,
                        std::int64_t most = std::numeric_limits<std::int64_t>::max());

  /// Where it gave up: at least so many, and more than `most`.
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] bool gave_up() const { return gave_up_; }
  /// count() offsets, ascending. Not where it gave up.
  [[nodiscard]] host_buffer<std::int32_t> list() const;

 private:
  static constexpr std::int64_t bits = 64;

  /// By how much that made it larger.
  static std::int64_t raise(std::int64_t& number, std::int64_t least) {
    const std::int64_t by = std::max<std::int64_t>(0, least - number);
    number += by;
    return by;
  }

  std::int64_t rows_ = 0;
  std::int64_t count_ = 0;
  bool gave_up_ = false;
  std::vector<std::uint64_t> present_;             ///< bit d + rows - 1
  std::map<std::int64_t, std::int64_t> repeated_;  ///< bit -> copies beside the first
};

template <class V, offset O>
diagonal_set::diagonal_set(const csr_view<V, O>& a, std::int64_t most) : rows_(a.rows) {
  if (a.nnz() == 0) return;
  const std::int64_t words = (a.rows + a.cols - 1 + bits - 1) / bits;
  present_.resize(static_cast<std::size_t>(words));  // no part of a plan's memory
  std::uint64_t* const present = present_.data();
  // Copies are as many as the row that has most needs: a thread has no more of them than there are in all, so
  // whether they are too many does not depend on the threads.
  std::atomic<bool> too_many = false;
  std::int64_t all_copies = 0;
  std::mutex merging;
  core::parallel_for(a.rows, 1024, [&](std::int64_t first_row, std::int64_t last_row) {
    std::vector<std::int32_t> sorted;
    std::map<std::int64_t, std::int64_t> repeated;
    std::int64_t copies_here = 0;
    for (std::int64_t i = first_row; i < last_row; ++i) {
      const auto first = static_cast<std::int64_t>(a.row_ptr.data()[i]);
      const auto last = static_cast<std::int64_t>(a.row_ptr.data()[i + 1]);
      bool ascending = true;
      for (std::int64_t k = first; k < last; ++k) {
        ascending = ascending && (k == first || a.col.data()[k] > a.col.data()[k - 1]);
        const std::int64_t bit = a.col.data()[k] - i + a.rows - 1;
        const std::uint64_t mask = std::uint64_t{1} << (bit % bits);
        std::atomic_ref<std::uint64_t> word(present[bit / bits]);
        // Nearly always it is there already, and reading does not take the line away from other cores.
        if ((word.load(std::memory_order_relaxed) & mask) == 0)
          word.fetch_or(mask, std::memory_order_relaxed);
      }
      if (ascending || too_many.load(std::memory_order_relaxed)) continue;
      sorted.assign(a.col.data() + first, a.col.data() + last);
      std::sort(sorted.begin(), sorted.end());
      for (auto from = sorted.begin(); from != sorted.end();) {
        const auto to = std::upper_bound(from, sorted.end(), *from);
        if (to - from > 1) {
          copies_here += raise(repeated[*from - i + a.rows - 1], to - from - 1);
          if (copies_here > most) {
            too_many.store(true, std::memory_order_relaxed);
            break;
          }
        }
        from = to;
      }
    }
    const std::lock_guard lock(merging);
    for (const auto& [bit, copies] : repeated) {
      if (too_many.load(std::memory_order_relaxed)) break;
      all_copies += raise(repeated_[bit], copies);
      if (all_copies > most) too_many.store(true, std::memory_order_relaxed);
    }
  });
  gave_up_ = too_many.load(std::memory_order_relaxed);
  if (gave_up_) repeated_.clear();
  for (std::int64_t w = 0; w < words; ++w) count_ += std::popcount(present[w]);
  count_ += gave_up_ ? most + 1 : all_copies;
}

inline host_buffer<std::int32_t> diagonal_set::list() const {
  host_buffer<std::int32_t> offsets(static_cast<std::size_t>(count_));
  std::int32_t* to = offsets.data();
  for (std::size_t w = 0; w < present_.size(); ++w) {
    for (std::uint64_t left = present_[w]; left != 0; left &= left - 1) {
      const std::int64_t bit = static_cast<std::int64_t>(w) * bits + std::countr_zero(left);
      const auto found = repeated_.find(bit);
      const std::int64_t copies = 1 + (found == repeated_.end() ? 0 : found->second);
      to = std::fill_n(to, copies, static_cast<std::int32_t>(bit - rows_ + 1));
    }
  }
  return offsets;
}

/// On how many diagonals entries of a sample are, of those that `takes(row, column)`. A matrix has as many at
/// least.
template <class V, offset O, class Takes>
std::int64_t sampled_diagonals(const csr_view<V, O>& a, Takes&& takes) {
  std::vector<std::int64_t> found;
  for_sampled_entries(a, [&](std::int64_t row, std::int64_t col) {
    if (takes(row, col)) found.push_back(col - row);
  });
  std::sort(found.begin(), found.end());
  return std::unique(found.begin(), found.end()) - found.begin();
}

}  // namespace gossamer::inline v0::formats
