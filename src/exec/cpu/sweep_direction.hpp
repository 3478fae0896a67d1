// SPDX-License-Identifier: BSD-3-Clause
// The direction in which a thread goes through its units: where its share is somewhat more than its core's
// second-level cache holds, products go in alternating directions, so that each begins with what the one
// before it read last (docs/decisions/0020-sweeps.md).
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/parallel.hpp"

namespace gossamer::inline v0::exec {

/// Whether the second-level cache of a core is so much faster than what is behind it that reading part of a
/// share from it pays. On Intel's processors: one core of a Xeon read some 20 GB/s behind it and 70 to 95
/// from it; a Zen 4 reads as fast from the third level as from the second. GOSSAMER_SWEEPS = alternating, for
/// a share of any size, or forward says it instead of the processor's maker; throws invalid_argument where it
/// is neither of these nor auto.
enum class sweep_rule { forward, by_size, alternating };
sweep_rule detect_sweep_rule();

/// How many units a backward product takes at once, each piece of them forwards; 0 where every product goes
/// forwards. For `units` of `bytes` together, of which a kernel takes `together` at once where it can, over
/// so many threads, each on a core that has `core_cache` bytes.
constexpr std::int64_t backward_chunk(std::int64_t bytes, std::int64_t units, std::int64_t together,
                                      int threads, std::int64_t core_cache, sweep_rule rule) noexcept {
  // A share that fits is all there in any order; of a long one too little is to pay for beginning again at
  // each piece, where a prefetcher has to.
  constexpr std::int64_t piece_bytes = 128 << 10;
  constexpr std::int64_t fits = 2;  // in that part of the cache: two processors may share the core
  constexpr std::int64_t is_long = 8;
  if (rule == sweep_rule::forward || units == 0 || bytes == 0) return 0;
  const std::int64_t share = bytes / threads;
  if (rule == sweep_rule::by_size && (share < core_cache / fits || share > is_long * core_cache)) return 0;
  std::int64_t piece = units * piece_bytes / std::max(bytes, piece_bytes);
  // Small shares, which are to alternate anyway, would be one piece each.
  if (rule == sweep_rule::alternating) piece = std::min(piece, units / (std::int64_t{4} * threads));
  return std::max<std::int64_t>(1, piece / together) * together;
}

/// run(part) for parts of `units` that follow each other forwards, all at once where `piece` is 0, else
/// backwards.
template <class Run>
void sweep(core::range units, std::int64_t piece, Run&& run) {
  if (piece == 0) return run(units);
  for (std::int64_t end = units.end; end > units.begin;) {
    const std::int64_t begin = std::max(units.begin, end - piece);
    run(core::range{begin, end});
    end = begin;
  }
}

}  // namespace gossamer::inline v0::exec
