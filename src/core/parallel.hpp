// SPDX-License-Identifier: BSD-3-Clause
// The only door to threads: everything that runs on several cores goes through these functions.
//
// fork(): OpenMP keeps a thread pool for each thread that opens parallel regions. In a child process GNU's
// OpenMP waits forever for the pool's threads, which fork() does not copy. So a thread that calls fork() in a
// process of several threads opens regions of one thread in the child. Threads started in the child, and
// children of a single-threaded process, use full teams (core/fork.hpp).
//
// Floating-point environment: all threads of a region use the caller's rounding mode, denormal flushing and
// trap mask, and restore their own at its end. Exception flags that worker threads raise are discarded.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

#include "core/function_ref.hpp"
#include "gossamer/export.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::inline v0::core {

/// How many threads `threads = 0` means: OpenMP's maximum, so OMP_NUM_THREADS and CPU affinity count; or what
/// a thread_limit says.
GOSSAMER_API int default_threads() noexcept;

using gossamer::thread_limit;

/// No region has more threads than this, whatever is asked: 4 a processor, at least 64.
GOSSAMER_API int most_threads() noexcept;

/// How many threads a region is to have that asks for so many, 0: for default_threads(). 1 after fork(), see
/// above.
GOSSAMER_API int team_size(int threads) noexcept;

/// Runs body(thread, team) once on each of at most `threads` threads (0 = default_threads()) and waits. The
/// team may be smaller than asked, so divide by `team`. The first exception, by thread number, is thrown to
/// the caller.
GOSSAMER_API void parallel(int threads, function_ref<void(int thread, int team)> body);

/// A body by value, and how it is called.
struct copied_body {
  std::array<std::uint64_t, 7> words;
  void (*call)(const std::uint64_t* words, int thread, int team);
};
GOSSAMER_API void parallel(int threads, const copied_body& body);

/// parallel() with a body that each thread gets a copy of as it begins. All fetch what the calling thread has
/// just written, each line of it behind the others; what a reference in the body leads to they would wait for
/// once more.
template <class Body>
requires(std::is_trivially_copyable_v<Body> && sizeof(Body) <= sizeof(copied_body::words) &&
         alignof(Body) <= alignof(std::uint64_t)) void parallel_by_copy(int threads, const Body& body) {
  copied_body copied{};
  std::memcpy(copied.words.data(), &body, sizeof(Body));
  copied.call = [](const std::uint64_t* words, int thread, int team) {
    alignas(Body) std::array<std::byte, sizeof(Body)> own;
    std::memcpy(own.data(), words, sizeof(Body));
    (*std::launder(reinterpret_cast<const Body*>(own.data())))(thread, team);
  };
  parallel(threads, copied);
}

struct range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// The part of [0, size) that thread `thread` of `team` works on: contiguous, lengths differ by at most one.
constexpr range share(std::int64_t size, int thread, int team) noexcept {
  const std::int64_t quotient = size / team;
  const std::int64_t rest = size % team;
  const std::int64_t begin = quotient * thread + std::min<std::int64_t>(thread, rest);
  return {begin, begin + quotient + (thread < rest ? 1 : 0)};
}

/// The same of [0, size) where item i takes cost[i + 1] - cost[i] and cost[0] is 0: each boundary is the one
/// nearest to equal shares.
inline range share_by_cost(const std::int64_t* cost, std::int64_t size, int thread, int team) noexcept {
  const auto boundary = [&](int t) -> std::int64_t {
    if (t == team) return size;
    const std::int64_t before = cost[size] / team * t + cost[size] % team * t / team;
    const std::int64_t above = std::lower_bound(cost, cost + size, before) - cost;
    return above > 0 && before - cost[above - 1] < cost[above] - before ? above - 1 : above;
  };
  return {boundary(thread), boundary(thread + 1)};
}

/// body(begin, end) over [0, size), cut into one part a thread; on the calling thread alone where size <=
/// grain.
template <class Body>
void parallel_for(std::int64_t size, std::int64_t grain, Body&& body, int threads = 0) {
  if (size <= 0) return;
  if (size <= grain) {
    body(std::int64_t{0}, size);
    return;
  }
  parallel(threads, [&](int thread, int team) {
    const range r = share(size, thread, team);
    if (r.begin < r.end) body(r.begin, r.end);
  });
}

/// body(i) for 0 <= i < size, each once, a few neighbours at a time by whichever thread is free next: where
/// some take longer than others, or some threads are slower. Where one throws, the items that its thread
/// still had are not done, those of other threads are; of several exceptions any one is thrown.
template <class Body>
void parallel_for_dynamic(std::int64_t size, Body&& body, int threads = 0) {
  constexpr std::int64_t max_chunk = 16;
  constexpr std::int64_t chunks_per_thread = 64;  // of each thread, where there are so many items
  if (size <= 0) return;
  const std::int64_t together =
      std::clamp<std::int64_t>(size / (chunks_per_thread * team_size(threads)), 1, max_chunk);
  std::atomic<std::int64_t> next{0};
  // Also where there are fewer items than threads: GNU's OpenMP ends the threads that a smaller team has no
  // place for, and starts others later.
  parallel(size == 1 ? 1 : threads, [&](int, int) {
    for (std::int64_t i = 0; (i = next.fetch_add(together, std::memory_order_relaxed)) < size;)
      for (const std::int64_t end = std::min(size, i + together); i < end; ++i) body(i);
  });
}

/// Where a loop is too short to pay for waking threads (some microseconds).
inline constexpr std::int64_t default_grain = 1 << 14;

}  // namespace gossamer::inline v0::core
