// SPDX-License-Identifier: BSD-3-Clause
// The settings that are worth timing, of which the model's is one.
#include <algorithm>
#include <utility>

#include "formats/brc/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

/// The widest vector of doubles. Blocks of two or eight such vectors were slower than of one or four
/// (docs/notes/brc-cpu.md).
constexpr std::int64_t one_vector = 8;

constexpr std::int64_t most_coarsening = 8;

}  // namespace

/// On a GPU the paper's bounded search: 24 settings, of which one is the model's, as long as the rows are
/// long enough to be cut in three ways. On a CPU also blocks of one vector, and windows that leave neighbours
/// together.
std::vector<brc::options> brc::candidates(const row_statistics& s, const exec::target& target) {
  const bool on_cuda = target.kind == device_set::cuda;
  const options model = resolve({}, s, target);
  const std::int64_t longest = std::max<std::int64_t>(1, s.max);
  std::vector<std::int64_t> widths;
  constexpr std::size_t different_widths = 3;
  for (const std::int64_t width :
       {model.block_width, brc_block_width(s), 2 * model.block_width, model.block_width / 2,
        4 * model.block_width, model.block_width / 4, model.block_width / 2 + 1}) {
    const std::int64_t one = std::clamp<std::int64_t>(width, 1, longest);
    if (widths.size() < different_widths && std::find(widths.begin(), widths.end(), one) == widths.end())
      widths.push_back(one);
  }
  std::vector<options> all;
  const auto add = [&](const options& o) {
    const option_texts texts = texts_of(resolve(o, s, target), target.kind);
    for (const options& each : all)
      if (texts_of(resolve(each, s, target), target.kind) == texts) return;
    all.push_back(o);
  };
  if (!on_cuda) {
    for (const std::int64_t window : {model.sort_window, std::int64_t{1024}}) {
      for (const std::int64_t rows : {brc_block_rows, one_vector}) {
        for (const std::int64_t width : widths)
          add({.block_rows = rows, .block_width = width, .sort_window = std::min(window, model.sort_window)});
      }
    }
    return all;
  }
  using threads_and_coarsening = std::pair<std::int64_t, std::int64_t>;
  std::vector<threads_and_coarsening> walks;
  constexpr std::size_t different_walks = 4;
  const std::int64_t threads = model.threads_per_row;
  for (const threads_and_coarsening& walk : {threads_and_coarsening{threads, model.coarsening},
                                             {1, 1},
                                             {1, 2},
                                             {2 * threads, 1},
                                             {threads / 2, 1},
                                             {1, 4},
                                             {2, 1}}) {
    if (walk.first < 1 || walk.first > brc_most_threads || walk.second > most_coarsening) continue;
    if (walks.size() < different_walks && std::find(walks.begin(), walks.end(), walk) == walks.end())
      walks.push_back(walk);
  }
  for (const std::int64_t rows : {brc_block_rows, 4 * brc_block_rows}) {
    for (const std::int64_t width : widths) {
      for (const auto& [of_threads, of_coarsening] : walks)
        add({.block_rows = rows,
             .block_width = width,
             .sort_window = model.sort_window,
             .coarsening = of_coarsening,
             .threads_per_row = of_threads});
    }
  }
  return all;
}

}  // namespace gossamer::inline v0::formats
