// SPDX-License-Identifier: BSD-3-Clause
// Whether rows are sorted, and how many threads a row gets.
#include <bit>

#include "formats/sliced_ell/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

/// Sorting costs the reading of row_perm, scattered writes of y and some of what neighbouring rows share of x. Lengths that vary by
/// less than this part of their mean, as at the edges of a grid, leave less padding than that.
constexpr double even_enough = 0.25;
/// Y of a window stays in one multiprocessor's L1 and near in x, and its 32 slices leave little padding in all but the first.
constexpr std::int64_t usual_window = 1024;

std::int64_t automatic_sort_window(const row_statistics& s) {
  return s.standard_deviation > even_enough * s.mean ? usual_window : 1;
}

/// A device hides its latency with this many warps that each have eight slots under way.
constexpr std::int64_t enough_warps = 8192;
/// Columns that a thread should keep, for what adding the sums through shared memory costs: where warps are short, and elsewhere.
/// Measured on an H200 (docs/formats/sliced_ell.md): rows of 81 gain 2 to 3 % from four warps in large matrices, rows of 27 nothing.
constexpr double least_columns = 8;
constexpr double long_enough = 20;

std::int64_t automatic_threads_per_row(const row_statistics& s, std::int64_t most) {
  const std::int64_t warps = (s.rows + 31) / 32;
  std::int64_t threads = 1;
  while (threads < most && s.mean >= (warps * threads < enough_warps ? least_columns : long_enough) * 2 *
                                         static_cast<double>(threads))
    threads *= 2;
  return threads;
}

bool is_power_of_two(std::int64_t n) {
  return std::has_single_bit(static_cast<std::uint64_t>(n));
}

}  // namespace

sliced_ell::options sliced_ell::resolve(options o, const row_statistics& s, const exec::target& target) {
  if (!is_power_of_two(o.slice_rows))
    fail(errc::invalid_argument, "sliced_ell: option slice_rows = \"{}\" is not a power of two",
         o.slice_rows);
  if (o.sort_window == 0) o.sort_window = automatic_sort_window(s);
  if (o.sort_window != 1 && o.sort_window % o.slice_rows != 0)
    fail(errc::invalid_argument,
         "sliced_ell: option sort_window = \"{}\" is neither 1 nor a multiple of slice_rows = {}",
         o.sort_window, o.slice_rows);
  if (target.kind == device_set::cpu) {
    o.threads_per_row = 1;
    return o;
  }
  if (o.threads_per_row == 0) o.threads_per_row = automatic_threads_per_row(s, 16);
  if (!is_power_of_two(o.threads_per_row))
    fail(errc::invalid_argument, "sliced_ell: option threads_per_row = \"{}\" is not a power of two",
         o.threads_per_row);
  return o;
}

std::vector<sliced_ell::options> sliced_ell::candidates(const row_statistics& s, const exec::target& target) {
  std::vector<options> all;
  std::vector<std::int64_t> windows{1};
  if (s.min != s.max) windows = {1, usual_window, 16 * usual_window};
  const bool on_cuda = target.kind == device_set::cuda;
  const std::int64_t middle = on_cuda ? automatic_threads_per_row(s, 16) : 1;
  for (const std::int64_t window : windows) {
    for (const std::int64_t threads : {middle / 2, middle, middle * 2}) {
      if (on_cuda ? threads >= 1 && threads <= 16 : threads == middle)
        all.push_back({.sort_window = window, .threads_per_row = threads});
    }
  }
  return all;
}

}  // namespace gossamer::inline v0::formats
