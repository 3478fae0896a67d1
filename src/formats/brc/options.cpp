// SPDX-License-Identifier: BSD-3-Clause
// Block sizes by the paper's model, and how many threads share the work of a block.
#include <algorithm>
#include <cmath>

#include "formats/brc/format.hpp"
#include "formats/common/warps_a_row.hpp"

namespace gossamer::inline v0::formats {
namespace {

/// Segments, when rows are cut at that width: each row has one, and every width entries beyond that another.
double expected_items(const row_statistics& s, std::int64_t width) {
  const double cut = s.max > width ? static_cast<double>(s.nnz) / static_cast<double>(width) : 0;
  return std::max(static_cast<double>(s.rows - s.empty), cut);
}

/// On an H200 a thread that kept more columns than these was slower than two with half of them, as long as
/// each had that many in the mean (docs/notes/brc-widths.md).
constexpr std::int64_t most_columns = 48;
constexpr double least_columns = 10;

std::int64_t automatic_threads_per_row(const row_statistics& s, std::int64_t width) {
  // Below so many warps of the device a thread may keep fewer columns. With 1024 like(dense2) had eight
  // threads a row, and was slower than with four.
  constexpr double few_warps = 512;
  const double items = expected_items(s, width);
  const double columns = items > 0 ? static_cast<double>(s.nnz) / items : 0;
  std::int64_t threads = warps_a_row(items, columns, brc_most_threads, {.few_warps = few_warps});
  const std::int64_t longest = std::min(width, s.max);
  while (threads < brc_most_threads && longest > most_columns * threads &&
         columns >= least_columns * 2 * static_cast<double>(threads))
    threads *= 2;
  return threads;
}

/// Whole rows, the longest of which are several times the mean but leave no thread long: fewer columns a
/// thread suit them than rows of about one length, since a few long rows are what the device waits for
/// (docs/notes/brc-widths.md).
std::int64_t threads_of_whole_rows(const row_statistics& s) {
  constexpr double uneven = 3.5;
  constexpr std::int64_t most_columns_of_uneven = 24;
  constexpr double least_columns_of_uneven = 2;
  std::int64_t threads = automatic_threads_per_row(s, std::max<std::int64_t>(1, s.max));
  const double mean =
      static_cast<double>(s.nnz) / static_cast<double>(std::max<std::int64_t>(1, s.rows - s.empty));
  if (s.max > most_columns * threads || static_cast<double>(s.max) <= uneven * mean) return threads;
  while (threads < brc_most_threads && s.max > most_columns_of_uneven * threads &&
         mean >= least_columns_of_uneven * 2 * static_cast<double>(threads))
    threads *= 2;
  return threads;
}

/// What a segment has at most.
std::int64_t widest_segment(const brc::options& o) {
  return o.widths == brc_widths::by_position ? std::max(o.block_width, brc_widest_block) : o.block_width;
}

/// Equation (3) as it suits an H200, whose threads ask for eight columns at once (multiply_strided() in
/// exec/cuda/kernel/strided_row.cuh): whole batches of them for each thread, no more than eight, and two at
/// least where there is one thread a row. The cap is lower than the paper's, whose device had a tenth of the
/// threads to keep busy. Measured in docs/notes/brc-widths.md.
std::int64_t batched_block_width(const brc::options& o, const row_statistics& s) {
  constexpr std::int64_t widest = 128;
  constexpr std::int64_t batch = 8;
  const std::int64_t by_equation =
      brc_block_width(s.mean, s.standard_deviation, s.max, brc_width_factor, widest);
  const std::int64_t threads =
      o.threads_per_row > 0 ? o.threads_per_row : automatic_threads_per_row(s, by_equation);
  const std::int64_t batches = std::clamp((by_equation + batch * threads - 1) / (batch * threads),
                                          std::int64_t{threads > 1 ? 1 : 2}, std::int64_t{8});
  return std::clamp<std::int64_t>(s.max, 1, batches * batch * threads);
}

/// Rows stay whole where no thread becomes long by that: there is nothing to combine then, which costs more
/// than a wider block. Only where all rows are sorted together, since the longest of each small window would
/// pad its block; and another way to cut rows was asked for to cut some.
std::int64_t automatic_block_width(const brc::options& o, const row_statistics& s) {
  const bool sorted = o.sort_window == 0 || o.sort_window >= s.rows;
  if (o.widths != brc_widths::fixed || !sorted) return brc_block_width(s);
  const std::int64_t whole = std::max<std::int64_t>(1, s.max);
  const std::int64_t threads =
      o.threads_per_row > 0 ? o.threads_per_row : automatic_threads_per_row(s, whole);
  return whole <= most_columns * threads ? whole : batched_block_width(o, s);
}

/// Where rows are cut, sorting all of them together gives up more of x and y's locality than it saves of
/// padding. Whole rows have their longest to pad to, and of few rows x and y are near in any order
/// (docs/notes/brc-widths.md). Rows without entries make no window full.
std::int64_t window_of_cut_rows(const row_statistics& s) {
  constexpr std::int64_t window = 4096;
  constexpr std::int64_t least_windows = 32;
  return s.rows - s.empty >= least_windows * window ? window : std::max<std::int64_t>(1, s.rows);
}

/// Algorithm 1 coarsens where the deviation exceeds the mean, by a factor that the paper does not give. On an
/// H200 each factor above one was slower on such matrices (docs/notes/brc-widths.md): what a thread has to do
/// one after the other is then lost to a device of so many.
constexpr std::int64_t measured_coarsening = 1;

}  // namespace

brc::options brc::resolve(options o, const row_statistics& s, const exec::target& target) {
  if (o.block_rows == 0) o.block_rows = brc_block_rows;
  const bool on_cuda = target.kind == device_set::cuda;
  if (o.block_width == 0 && on_cuda) {
    const bool in_windows = o.sort_window == 0 && o.widths == brc_widths::fixed;
    o.block_width = automatic_block_width(o, s);
    if (in_windows && o.block_width < s.max) o.sort_window = window_of_cut_rows(s);
  }
  if (o.block_width == 0 || o.block_width == published_number) o.block_width = brc_block_width(s);
  if (o.sort_window == 0) o.sort_window = std::max<std::int64_t>(1, s.rows);
  if (!on_cuda) {
    o.coarsening = 1;
    o.threads_per_row = 1;
    return o;
  }
  if (o.threads_per_row == 0)
    o.threads_per_row =
        o.block_width >= s.max ? threads_of_whole_rows(s) : automatic_threads_per_row(s, widest_segment(o));
  if (o.coarsening == 0) o.coarsening = measured_coarsening;
  require_power_of_two(name, "threads_per_row", o.threads_per_row);
  require_power_of_two(name, "coarsening", o.coarsening);
  return o;
}

}  // namespace gossamer::inline v0::formats
