// SPDX-License-Identifier: BSD-3-Clause
// The units of a pass over threads that may be unequally fast: processors can share a core, or be taken by
// other programs, and then equal shares keep all of them waiting for one.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "core/parallel.hpp"

namespace gossamer::inline v0::exec {

/// Numbers of threads; none where from > to.
struct thread_counts {
  int from = 1;
  int to = 0;
  [[nodiscard]] constexpr bool any() const noexcept { return from <= to; }
  [[nodiscard]] constexpr bool has(int threads) const noexcept { return from <= threads && threads <= to; }
};

/// Each thread begins with its own share and, when it is done, takes over what others have not begun. Every
/// unit is taken once; by which thread depends on timing. For one pass at a time.
class work_stealing_units {
 public:
  static constexpr int most_threads = 64;

  /// The number of the pass that begins, for take(). Called before its threads begin.
  std::uint32_t begin() noexcept {
    done_.store(0, std::memory_order_relaxed);
    if (++pass_ == 0) ++pass_;  // what cursors hold that no pass has used
    return pass_;
  }

  /// Calls run(units) until there are none left that no thread has begun. Called by each thread of a team of
  /// at most most_threads; share(t) are the units that thread t begins with, at most 2³² - 1. Backwards: each
  /// share's last units are taken first.
  template <class Share, class Run>
  void take(std::uint32_t pass, int thread, int team, bool backwards, Share&& share, Run&& run) {
    const auto all_of = [&](int owner, std::int64_t least) {
      const core::range units = share(owner);
      for (;;) {
        const core::range taken = claim(pass, owner, units, least);
        if (taken.begin == taken.end) return;
        const std::int64_t ends = units.begin + units.end;
        run(backwards ? core::range{ends - taken.end, ends - taken.begin} : taken);
      }
    };
    all_of(thread, 1);
    const std::uint64_t me = std::uint64_t{1} << thread;
    std::uint64_t done = done_.fetch_or(me, std::memory_order_relaxed) | me;
    for (int k = 1; k < team; ++k) {
      const int other = (thread + k) % team;
      // The last unit is left to its owner: it is begun before another core has it.
      if ((done >> other & 1) == 0) all_of(other, 2);
    }
  }

 private:
  /// A line each, so that a thread that nobody helps has its own to itself.
  struct alignas(64) cursor {
    std::atomic<std::uint64_t> next{0};  ///< pass << 32 | the next unit
  };

  /// Half of what is left of the owner's units where that is at least `least`, so that a slow thread holds
  /// few; else none.
  core::range claim(std::uint32_t pass, int owner, core::range units, std::int64_t least) noexcept {
    std::atomic<std::uint64_t>& next = cursors_[static_cast<std::size_t>(owner)].next;
    std::uint64_t seen = next.load(std::memory_order_relaxed);
    for (;;) {
      const std::int64_t first =
          seen >> 32 == pass ? static_cast<std::int64_t>(seen & 0xffffffffu) : units.begin;
      const std::int64_t left = units.end - first;
      if (left < least) return {};
      const std::int64_t end = first + (left + 1) / 2;
      if (next.compare_exchange_weak(seen, std::uint64_t{pass} << 32 | static_cast<std::uint64_t>(end),
                                     std::memory_order_relaxed))
        return {first, end};
    }
  }

  std::array<cursor, most_threads> cursors_;
  alignas(64) std::atomic<std::uint64_t> done_{0};  ///< a bit for each thread without units of its own left
  alignas(64) std::uint32_t pass_ = 0;
};

/// Kernels prefetch for a storage of this many bytes throughout, whatever part of it a thread has taken.
inline constexpr std::int64_t long_bytes = std::int64_t{16} << 20;

/// Of how many threads it pays to have the units of any pass taken over, where the storage has so many bytes:
/// looking for units of others takes microseconds, and a share of a megabyte tens.
constexpr thread_counts work_stealing_threads(std::int64_t bytes) noexcept {
  constexpr std::int64_t worth_it = 1 << 20;
  if (bytes < long_bytes) return {};
  return {
      .from = 2,
      .to = static_cast<int>(std::min<std::int64_t>(bytes / worth_it, work_stealing_units::most_threads))};
}

}  // namespace gossamer::inline v0::exec
