// SPDX-License-Identifier: BSD-3-Clause
// Whether rows are sorted, and how many threads a row gets.

#include "formats/common/warps_a_row.hpp"
#include "formats/sliced_ell/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

/// What sorting costs, in slots: for each row, the reading of row_perm and the scattered writing of y; for
/// each entry, some of what neighbouring rows share of x. The edges of a grid leave less padding than that.
constexpr double cost_of_a_row = 1;
constexpr double cost_of_an_entry = 0.02;
/// Y of a window stays in one multiprocessor's L1 and near in x, and its 32 slices leave little padding in
/// all but the first.
constexpr std::int64_t usual_window = 1024;

std::int64_t automatic_sort_window(const row_statistics& s) {
  const auto padding = static_cast<double>(s.sliced_slots - s.nnz);
  const double cost =
      cost_of_a_row * static_cast<double>(s.rows) + cost_of_an_entry * static_cast<double>(s.nnz);
  return padding > cost ? usual_window : 1;
}

constexpr std::int64_t most_threads = 16;

std::int64_t threads_of_a_row(const row_statistics& s) {
  return warps_a_row(static_cast<double>(s.rows), s.mean, most_threads);
}

}  // namespace

sliced_ell::options sliced_ell::resolve(options o, const row_statistics& s, const exec::target& target) {
  require_power_of_two(name, "slice_rows", o.slice_rows);
  if (o.sort_window == 0) o.sort_window = automatic_sort_window(s);
  if (o.sort_window != 1 && o.sort_window % o.slice_rows != 0)
    fail(errc::invalid_argument,
         "sliced_ell: option sort_window = \"{}\" is neither 1 nor a multiple of slice_rows = {}",
         o.sort_window, o.slice_rows);
  if (target.kind == device_set::cpu) {
    o.threads_per_row = 1;
    return o;
  }
  if (o.threads_per_row == 0) o.threads_per_row = threads_of_a_row(s);
  require_power_of_two(name, "threads_per_row", o.threads_per_row);
  return o;
}

std::vector<sliced_ell::options> sliced_ell::candidates(const row_statistics& s, const exec::target& target) {
  std::vector<options> all;
  std::vector<std::int64_t> windows{1};
  if (s.min != s.max) windows = {1, usual_window, 16 * usual_window};
  const bool on_cuda = target.kind == device_set::cuda;
  const std::int64_t middle = on_cuda ? threads_of_a_row(s) : 1;
  for (const std::int64_t window : windows) {
    for (const std::int64_t threads : {middle / 2, middle, middle * 2}) {
      if (on_cuda ? threads >= 1 && threads <= most_threads : threads == middle)
        all.push_back({.sort_window = window, .threads_per_row = threads});
    }
  }
  return all;
}

}  // namespace gossamer::inline v0::formats
