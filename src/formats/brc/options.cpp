// SPDX-License-Identifier: BSD-3-Clause
// Block sizes by the paper's model, and how many threads share the work of a block.
#include <bit>
#include <set>
#include <tuple>

#include "formats/brc/format.hpp"
#include "formats/warps_a_row.hpp"

namespace gossamer::inline v0::formats {
namespace {

/// A warp's rows (paper 000, section 3.3); on a CPU four AVX-512 vectors of doubles, so that four gathers are under way.
constexpr std::int64_t usual_block_rows = 32;

/// The widest vector of doubles. Blocks of two or eight such vectors were slower than of one or four (docs/formats/brc.md).
constexpr std::int64_t one_vector = 8;

bool is_power_of_two(std::int64_t n) {
  return std::has_single_bit(static_cast<std::uint64_t>(n));
}

/// Segments, when rows are cut at that width: each row has one, and every width entries beyond that another.
double expected_items(const row_statistics& s, std::int64_t width) {
  const double cut = s.max > width ? static_cast<double>(s.nnz) / static_cast<double>(width) : 0;
  return std::max(static_cast<double>(s.rows - s.empty), cut);
}

constexpr std::int64_t most_threads = 16;
constexpr std::int64_t most_coarsening = 8;

/// On an H200 a thread that kept more columns than these was slower than two with half of them, as long as each had that many in the mean
/// (docs/formats/brc.md).
constexpr std::int64_t most_columns = 48;
constexpr double least_columns = 10;

std::int64_t automatic_threads_per_row(const row_statistics& s, std::int64_t width) {
  const double items = expected_items(s, width);
  const double columns = items > 0 ? static_cast<double>(s.nnz) / items : 0;
  std::int64_t threads = warps_a_row(items, columns, most_threads);
  const std::int64_t longest = std::min(width, s.max);
  while (threads < most_threads && longest > most_columns * threads &&
         columns >= least_columns * 2 * static_cast<double>(threads))
    threads *= 2;
  return threads;
}

std::int64_t published_block_width(const row_statistics& s) {
  return brc_block_width(s.mean, s.standard_deviation, s.max);
}

/// What a segment has at most.
std::int64_t widest_segment(const brc::options& o) {
  return o.widths == brc_widths::by_position ? std::max(o.block_width, brc_widest_block) : o.block_width;
}

/// Rows stay whole where no thread becomes long by that: there is nothing to combine then, which costs more than a wider block. Only where
/// all rows are sorted together, since the longest of each small window would pad its block; and another way to cut rows was asked for to
/// cut some.
std::int64_t automatic_block_width(const brc::options& o, const row_statistics& s) {
  const bool sorted = o.sort_window == 0 || o.sort_window >= s.rows;
  if (o.widths != brc_widths::fixed || !sorted) return published_block_width(s);
  const std::int64_t whole = std::max<std::int64_t>(1, s.max);
  const std::int64_t threads =
      o.threads_per_row > 0 ? o.threads_per_row : automatic_threads_per_row(s, whole);
  return whole <= most_columns * threads ? whole : published_block_width(s);
}

/// Algorithm 1 coarsens where the deviation exceeds the mean, by a factor that the paper does not give. On an H200 each factor above one was
/// slower on such matrices (docs/formats/brc.md): what a thread has to do one after the other is then lost to a device of so many.
constexpr std::int64_t measured_coarsening = 1;

}  // namespace

brc::options brc::resolve(options o, const row_statistics& s, const exec::target& target) {
  if (o.block_rows == 0) o.block_rows = usual_block_rows;
  const bool on_cuda = target.kind == device_set::cuda;
  if (o.block_width == 0 && on_cuda) o.block_width = automatic_block_width(o, s);
  if (o.block_width == 0 || o.block_width == published_number) o.block_width = published_block_width(s);
  if (o.sort_window == 0) o.sort_window = std::max<std::int64_t>(1, s.rows);
  if (!on_cuda) {
    o.coarsening = 1;
    o.threads_per_row = 1;
    return o;
  }
  if (o.threads_per_row == 0) o.threads_per_row = automatic_threads_per_row(s, widest_segment(o));
  if (o.coarsening == 0) o.coarsening = measured_coarsening;
  if (!is_power_of_two(o.threads_per_row))
    fail(errc::invalid_argument, "brc: option threads_per_row = \"{}\" is not a power of two",
         o.threads_per_row);
  if (!is_power_of_two(o.coarsening))
    fail(errc::invalid_argument, "brc: option coarsening = \"{}\" is not a power of two", o.coarsening);
  return o;
}

/// On a GPU the paper's bounded search: 24 settings, of which one is the model's, as long as the rows are long enough to be cut in three
/// ways. On a CPU also blocks of one vector, and windows that leave neighbours together.
std::vector<brc::options> brc::candidates(const row_statistics& s, const exec::target& target) {
  const bool on_cuda = target.kind == device_set::cuda;
  const options model = resolve({}, s, target);
  const std::int64_t longest = std::max<std::int64_t>(1, s.max);
  std::vector<std::int64_t> widths;
  constexpr std::size_t different_widths = 3;
  for (const std::int64_t width :
       {model.block_width, published_block_width(s), 2 * model.block_width, model.block_width / 2,
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
      for (const std::int64_t rows : {usual_block_rows, one_vector}) {
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
    if (walk.first < 1 || walk.first > most_threads || walk.second > most_coarsening) continue;
    if (walks.size() < different_walks && std::find(walks.begin(), walks.end(), walk) == walks.end())
      walks.push_back(walk);
  }
  for (const std::int64_t rows : {usual_block_rows, 4 * usual_block_rows}) {
    for (const std::int64_t width : widths) {
      for (const auto& [of_threads, of_coarsening] : walks)
        add({.block_rows = rows,
             .block_width = width,
             .coarsening = of_coarsening,
             .threads_per_row = of_threads});
    }
  }
  return all;
}

}  // namespace gossamer::inline v0::formats
