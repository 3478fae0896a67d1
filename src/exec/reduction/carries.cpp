// SPDX-License-Identifier: BSD-3-Clause
#include "exec/reduction/carries.hpp"

#include "core/parallel.hpp"

namespace gossamer::inline v0::exec {
namespace {

/// body(run, blocks) for each run of more than one block.
template <class Body>
void for_each_long_run(const carry_view& carries, Body&& body) {
  for (std::int64_t r = 0; r < carries.runs; ++r) {
    const std::int64_t length = carries.last[r] - carries.first[r];
    if (length > combine_block) body(r, (length + combine_block - 1) / combine_block);
  }
}

/// A thread takes blocks, of however many runs. Nothing is allocated: a block's sum replaces its first slot.
template <class S>
void combine_long_runs(const carry_view& carries, sum_t<S>* slots, const product<S>& p, int threads) {
  std::int64_t all_blocks = 0;
  for_each_long_run(carries, [&](std::int64_t, std::int64_t blocks) { all_blocks += blocks; });
  core::parallel_for(
      all_blocks, 1,
      [&](std::int64_t begin, std::int64_t end) {
        std::int64_t before = 0;  // blocks of the long runs before r
        for_each_long_run(carries, [&](std::int64_t r, std::int64_t blocks) {
          const std::int64_t last_block = std::min(blocks, end - before);
          for (std::int64_t b = std::max<std::int64_t>(0, begin - before); b < last_block; ++b) {
            const std::int64_t first = carries.first[r] + b * combine_block;
            const std::int64_t last = std::min(carries.last[r], first + combine_block);
            sum_t<S> sum{0};
            for (std::int64_t s = first; s < last; ++s) sum += slots[s];
            slots[first] = sum;
          }
          before += blocks;
        });
      },
      threads);
  for_each_long_run(carries, [&](std::int64_t r, std::int64_t blocks) {
    sum_t<S> sum{0};
    for (std::int64_t b = 0; b < blocks; ++b) sum += slots[carries.first[r] + b * combine_block];
    p.finish_row(carries.row[r], sum);
  });
}

}  // namespace

template <class S>
void combine(const carry_view& carries, sum_t<S>* slots, const product<S>& p, int threads) {
  // A run is one row's and rows are disjoint, so runs may be cut over threads as they come.
  constexpr std::int64_t grain = 4096;
  core::parallel_for(
      carries.runs, grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) {
          if (carries.last[r] - carries.first[r] > combine_block) continue;
          sum_t<S> sum{0};
          for (std::int64_t s = carries.first[r]; s < carries.last[r]; ++s) sum += slots[s];
          p.finish_row(carries.row[r], sum);
        }
      },
      threads);
  if (carries.longest > combine_block) combine_long_runs(carries, slots, p, threads);
}

#define GOSSAMER_INSTANCE(S) template void combine(const carry_view&, sum_t<S>*, const product<S>&, int);
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_INSTANCE)
GOSSAMER_FOR_EACH_PACKS(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::exec
