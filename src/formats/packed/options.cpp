// SPDX-License-Identifier: BSD-3-Clause
// How many lanes share a row, and how many warps a slice.
#include <bit>

#include "formats/packed/format.hpp"
#include "formats/warps_a_row.hpp"

namespace gossamer::inline v0::formats {
namespace {

constexpr std::int64_t most_warps = 8;

/// A lane that has so many more entries than the others is what is waited for at the end: few in a small matrix, more in one that takes
/// long anyway; twice the mean, since rows of about that length are all there is then.
std::int64_t automatic_walk(const row_statistics& s) {
  constexpr std::int64_t least = 32;
  constexpr std::int64_t entries_of_a_step = 1 << 18;
  constexpr std::int64_t most_of_the_mean = 160;
  constexpr std::int64_t most = 512;
  const std::int64_t by_time = least + s.nnz / entries_of_a_step;
  const std::int64_t by_mean = std::min(static_cast<std::int64_t>(2 * s.mean), most_of_the_mean);
  return std::min(std::max(by_time, by_mean), most);
}

std::int64_t automatic_warps(const row_statistics& s, std::int64_t walk) {
  const double lanes =
      std::max(static_cast<double>(s.rows), static_cast<double>(s.nnz) / static_cast<double>(walk));
  return warps_a_row(lanes, static_cast<double>(s.nnz) / std::max(lanes, 1.0), most_warps);
}

}  // namespace

packed::options packed::resolve(options o, const row_statistics& s, const exec::target& target) {
  if (o.longest_walk == 0) o.longest_walk = automatic_walk(s);
  if (target.kind == device_set::cpu) {
    o.warps_per_slice = 1;
    return o;
  }
  if (o.warps_per_slice == 0) o.warps_per_slice = automatic_warps(s, o.longest_walk);
  if (!std::has_single_bit(static_cast<std::uint64_t>(o.warps_per_slice)))
    fail(errc::invalid_argument, "packed: option warps_per_slice = \"{}\" is not a power of two",
         o.warps_per_slice);
  return o;
}

std::vector<packed::options> packed::candidates(const row_statistics& s, const exec::target& target) {
  const std::int64_t walk = automatic_walk(s);
  std::vector<options> all{{.longest_walk = walk}};
  if (walk > 8) all.push_back({.longest_walk = walk / 4});
  if (target.kind == device_set::cpu) return all;
  const std::int64_t middle = automatic_warps(s, walk);
  for (options& each : all) each.warps_per_slice = middle;
  if (middle > 1) all.push_back({.longest_walk = walk, .warps_per_slice = middle / 2});
  if (middle < most_warps) all.push_back({.longest_walk = walk, .warps_per_slice = middle * 2});
  return all;
}

}  // namespace gossamer::inline v0::formats
