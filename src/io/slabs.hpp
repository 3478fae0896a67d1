// SPDX-License-Identifier: BSD-3-Clause
// Memory for what many threads parse: large blocks, so that threads seldom meet in the allocator, given back
// by all threads, since one would need as long for it as all of them need for some of the parsing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>

#include "core/parallel.hpp"
#include "gossamer/memory.hpp"

namespace gossamer::inline v0::io {

template <class T>
class slabs {
 public:
  /// `expected`: elements in all, roughly; `threads` take from it.
  slabs(std::int64_t expected, int threads) {
    // glibc never maps a block of its own below this, and always above; untouched memory costs nothing.
    constexpr std::size_t largest = (std::size_t{33} << 20) / sizeof(T);
    const auto share =
        static_cast<std::size_t>(std::max<std::int64_t>(expected, 0)) / static_cast<std::size_t>(threads);
    slab_ = std::min(share, largest);
  }
  slabs(const slabs&) = delete;
  slabs& operator=(const slabs&) = delete;

  /// One thread's hand in the store; elements that it takes last as long as the store.
  class taker {
   public:
    explicit taker(slabs& store) : store_(store) {}
    std::span<T> take(std::size_t count) {
      if (count > rest_.size()) rest_ = store_.add(std::max(count, store_.slab_));
      const std::span<T> taken = rest_.first(count);
      rest_ = rest_.subspan(count);
      return taken;
    }

   private:
    slabs& store_;
    std::span<T> rest_;
  };

  void release(int threads) {
    core::parallel_for(
        static_cast<std::int64_t>(blocks_.size()), 1,
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t k = begin; k < end; ++k) blocks_[static_cast<std::size_t>(k)] = {};
        },
        threads);
    blocks_.clear();
  }

 private:
  std::span<T> add(std::size_t count) {
    host_buffer<T> block(count);
    const std::lock_guard lock(mutex_);
    return blocks_.emplace_back(std::move(block)).span();
  }

  std::size_t slab_;
  std::mutex mutex_;
  std::deque<host_buffer<T>> blocks_;
};

}  // namespace gossamer::inline v0::io
