// SPDX-License-Identifier: BSD-3-Clause
// How many entries a thread should get, from how uneven the rows are.
#include <bit>
#include <cmath>

#include "formats/papers/arg_csr/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

/// Paper 003, section 5: the more regular the rows, the larger; 32 was best for even rows, 1 for a circuit's.
/// A deviation of a fifth of the mean counts as even, one of the mean as a circuit's, and the exponent falls
/// between. Beside a much longer row, the others leave it half of a group's threads.
std::int64_t by_regularity(const row_statistics& s) {
  constexpr double most = 5;  // 2^5 = 32
  constexpr double even = 0.2;
  constexpr double much_longer = 16;
  if (s.nnz == 0) return 1;
  const double regular = std::clamp((1.0 - s.standard_deviation / s.mean) / (1.0 - even), 0.0, 1.0);
  const std::int64_t chunk = std::int64_t{1} << std::lround(most * regular);
  if (static_cast<double>(s.max) <= much_longer * s.mean) return chunk;
  const auto half = static_cast<std::uint64_t>(std::max(1.0, s.mean / 2));
  return std::min(chunk, static_cast<std::int64_t>(std::bit_floor(half)));
}

/// A device also needs blocks to hide its latency with: of larger chunks there are fewer. Measured on an H200
/// over 137 matrices (docs/notes/arg_csr.md): with 1600 blocks, 12 of 128 threads for each multiprocessor,
/// 0.98 of the best size's speed in the geometric mean and 0.82 at least; by regularity alone 0.75 and 0.33.
constexpr std::int64_t enough_groups = 1600;

std::int64_t automatic_chunk_size(const row_statistics& s, std::int64_t block, const exec::target& target) {
  const std::int64_t chunk = by_regularity(s);
  if (target.kind == device_set::cpu) return chunk;
  const std::int64_t leaves_enough = std::max<std::int64_t>(1, s.nnz / (block * enough_groups));
  return std::min(chunk,
                  static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(leaves_enough))));
}

}  // namespace

arg_csr::options arg_csr::resolve(options o, const row_statistics& s, const exec::target& target) {
  if (o.desired_chunk_size == 0) o.desired_chunk_size = automatic_chunk_size(s, o.block, target);
  if (o.block % group_lanes != 0)
    fail(errc::invalid_argument, "arg_csr: option block = \"{}\" is not a multiple of {}", o.block,
         group_lanes);
  return o;
}

std::vector<arg_csr::options> arg_csr::candidates(const row_statistics& s, const exec::target& target) {
  std::vector<options> all{{.desired_chunk_size = automatic_chunk_size(s, options{}.block, target)}};
  for (std::int64_t chunk = 1; chunk <= 64; chunk *= 2)
    if (chunk != all.front().desired_chunk_size) all.push_back({.desired_chunk_size = chunk});
  return all;
}

double arg_csr::expected_slots(const row_statistics& s, const options& o) {
  if (s.nnz == 0) return 0;
  const auto block = static_cast<double>(o.block);
  const auto rows = static_cast<double>(s.rows);
  const double group_rows =
      std::clamp(static_cast<double>(limits(o).entries) / s.mean + 1, 1.0, std::min(block, rows));
  // A thread a row: as long as the longest. Else each row's last chunk is half full.
  const double whole = usual_longest(s);
  const double shared = group_rows * s.mean / std::max(1.0, block - group_rows / 2);
  const double chunk = std::ceil(group_rows > 0.9 * block ? whole : std::min(whole, shared));
  const double of_the_longest = 2 * (static_cast<double>(s.max) - whole);
  return std::max(static_cast<double>(s.nnz), rows / group_rows * chunk * block) + of_the_longest;
}

}  // namespace gossamer::inline v0::formats
