// SPDX-License-Identifier: BSD-3-Clause
// Options that are `auto`: the lanes that share a row, and the warps that share a slice.
#include <bit>

#include "formats/common/warps_a_row.hpp"
#include "formats/packed/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

constexpr std::int64_t most_warps = packed_code::packed_most_warps;

/// The longest walk grows with the matrix, since the longest lane of a small matrix ends last. It is at least
/// twice the mean row length, up to a limit, so that lanes do not share rows of ordinary length.
std::int64_t automatic_walk(const row_statistics& s) {
  constexpr std::int64_t least = 32;
  constexpr std::int64_t entries_of_a_step = 1 << 18;
  constexpr std::int64_t most_of_the_mean = 160;
  constexpr std::int64_t most = 512;
  const std::int64_t by_time = least + s.nnz / entries_of_a_step;
  const std::int64_t by_mean = std::min(static_cast<std::int64_t>(2 * s.mean), most_of_the_mean);
  return std::min(std::max(by_time, by_mean), most);
}

/// On a device the lanes process a small matrix in one iteration of eight steps, so a walk of 8 entries waits
/// for memory once.
std::int64_t automatic_walk(const row_statistics& s, const exec::target& target) {
  constexpr std::int64_t at_once = 8;
  // With many scattered columns lanes wait for x, so longer walks are faster. But if rows are short, most of
  // them are in COO slices, and the few long ones end last (docs/notes/packed-constants.md).
  constexpr std::int64_t many = packed_entries_at_once / 2;
  constexpr double scattered = 0.5;
  constexpr double short_rows = 8;
  constexpr std::int64_t of_scattered = 64;
  if (target.kind == device_set::cpu || s.nnz > packed_entries_at_once) return automatic_walk(s);
  return s.nnz > many && s.spread > scattered && s.mean > short_rows ? of_scattered : at_once;
}

/// If a row is cut, its row parts should end with the other slices. So row parts are shorter in small
/// matrices (docs/notes/packed-small-matrices.md).
std::int64_t automatic_part(const row_statistics& s) {
  constexpr std::int64_t least = 1024;
  constexpr std::int64_t parts_at_once = 400;
  if (s.max <= packed_longest_part) return packed_longest_part;
  const auto share = static_cast<std::uint64_t>(s.nnz / parts_at_once);
  return std::clamp(static_cast<std::int64_t>(std::bit_floor(share)), least, packed_longest_part);
}

std::int64_t automatic_warps(const row_statistics& s, std::int64_t walk, std::int64_t part) {
  const double most_lanes = static_cast<double>(s.rows) * packed_lanes;
  const double lanes = std::min(most_lanes, std::max(static_cast<double>(s.rows),
                                                     static_cast<double>(s.nnz) / static_cast<double>(walk)));
  // Steps for each warp. Dense rows are faster with four warps than with eight
  // (docs/notes/packed-small-matrices.md).
  constexpr double usual_columns = 24;
  // A third of the warps that an H200 holds at once.
  constexpr double few_warps = 1400;
  std::int64_t warps = warps_a_row(lanes, static_cast<double>(s.nnz) / std::max(lanes, 1.0), most_warps,
                                   {.few_warps = few_warps, .usual_columns = usual_columns});
  // So many slices occupy the device with one warp each, which has no sums of other warps to wait for
  // (docs/notes/packed-constants.md).
  constexpr double slices_for_all_warps = 16'000;
  if (lanes / packed_lanes >= slices_for_all_warps) warps = 1;
  // The longest row should end when about half of the other entries are processed. With scattered columns a
  // step is assumed to take twice as long (docs/notes/packed-constants.md).
  constexpr double scattered = 0.5;
  constexpr std::int64_t least_steps = 8;
  const std::int64_t entries_of_a_step = s.spread > scattered ? 1 << 16 : 1 << 15;
  const std::int64_t longest = std::min(s.max, part) / packed_lanes;
  while (warps < most_warps && longest > (least_steps + s.nnz / entries_of_a_step) * warps) warps *= 2;
  // If row lengths differ much, two warps balance the load of a slice. With many slices, dynamic scheduling
  // balances the load (docs/notes/packed-constants.md).
  constexpr double many_slices = 10'000;
  constexpr std::int64_t large = 1 << 20;
  // Webs, whose rows share neighbouring x, are slower with two warps.
  if (warps == 1 && s.nnz > large && s.spread > scattered && s.standard_deviation > s.mean &&
      lanes / packed_lanes < many_slices)
    warps = 2;
  // Slightly more warps than an H200 holds at once would need a second wave for the last ones. Four warps a
  // slice, with the longest slices first, balance that (docs/notes/packed-launch.md).
  constexpr double at_once = 132 * 32;
  constexpr double little_more = 1.5;
  const double all = lanes / packed_lanes * 2;
  if (warps == 2 && all > at_once && all < little_more * at_once) warps = 4;
  // Four warps process a row part of 1024 or 2048 entries in two or four iterations.
  if (part < packed_longest_part) warps = std::max<std::int64_t>(warps, 4);
  return warps;
}

}  // namespace

packed::options packed::resolve(options o, const row_statistics& s, const exec::target& target) {
  if (o.values == packed_value_storage::whole && o.precision != packed_precision::full)
    fail(errc::invalid_argument, "{}: values = whole with a precision that rounds them", name);
  if (o.values == packed_value_storage::automatic) o.values = packed_value_storage::encoded;
  if (o.longest_walk == 0) o.longest_walk = automatic_walk(s, target);
  if (target.kind == device_set::cpu) {
    o.warps_per_slice = 1;
    o.longest_part = packed_longest_part;
    o.entries_per_slice = packed_max_coo_entries;
    o.warps_on_diagonals = packed_diagonal_warps::fixed;
    o.values = packed_value_storage::encoded;
    return o;
  }
  if (o.longest_part == 0) o.longest_part = automatic_part(s);
  if (o.entries_per_slice == 0) o.entries_per_slice = packed_max_coo_entries;
  if (o.warps_on_diagonals == packed_diagonal_warps::automatic)
    o.warps_on_diagonals =
        o.warps_per_slice == 0 ? packed_diagonal_warps::scaled : packed_diagonal_warps::fixed;
  if (o.warps_per_slice == 0)
    o.warps_per_slice = o.warps_on_diagonals == packed_diagonal_warps::by_rows
                            ? 1
                            : automatic_warps(s, o.longest_walk, o.longest_part);
  require_power_of_two(name, "warps_per_slice", o.warps_per_slice);
  return o;
}

std::vector<packed::options> packed::candidates(const row_statistics& s, const exec::target& target) {
  const std::int64_t walk = automatic_walk(s, target);
  std::vector<options> all{{.longest_walk = walk}};
  if (walk > 8) all.push_back({.longest_walk = walk / 4});
  for (const packed_short_rows way : {packed_short_rows::padded, packed_short_rows::entries})
    all.push_back({.longest_walk = walk, .short_rows = way});
  if (target.kind == device_set::cpu) return all;
  // Smaller COO slices are faster for some small graphs and slower for others (docs/notes/packed.md).
  constexpr std::int64_t fewer_entries = 128;
  constexpr double short_rows = 32;  // longer rows are rarely in COO slices
  if (s.nnz <= packed_entries_at_once && s.mean <= short_rows)
    all.push_back({.longest_walk = walk, .entries_per_slice = fewer_entries});
  const std::int64_t middle = automatic_warps(s, walk, automatic_part(s));
  for (options& each : all) {
    each.warps_per_slice = middle;
    each.warps_on_diagonals = packed_diagonal_warps::scaled;
  }
  if (middle > 1) all.push_back({.longest_walk = walk, .warps_per_slice = middle / 2});
  if (middle < most_warps) all.push_back({.longest_walk = walk, .warps_per_slice = middle * 2});
  return all;
}

}  // namespace gossamer::inline v0::formats
