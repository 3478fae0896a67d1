// SPDX-License-Identifier: BSD-3-Clause
#include "formats/common/gather_sample.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"

namespace gossamer::inline v0::formats {
namespace {

/// Columns, by open addressing.
class column_set {
 public:
  void add(std::int32_t column) { slot_of(column) = column; }
  [[nodiscard]] bool has(std::int32_t column) { return slot_of(column) == column; }

 private:
  static constexpr std::size_t slots = 4 * gather_samples / 2;
  std::int32_t& slot_of(std::int32_t column) {
    std::size_t at = avalanched(static_cast<std::uint64_t>(column)) % slots;
    while (slot_[at] != none && slot_[at] != column) at = (at + 1) % slots;
    return slot_[at];
  }
  static constexpr std::int32_t none = -1;
  std::vector<std::int32_t> slot_ = std::vector<std::int32_t>(slots, none);
};

}  // namespace

std::vector<sampled_gather> sample_columns(std::span<const std::int32_t> col, std::size_t value_bytes) {
  std::vector<sampled_gather> samples(static_cast<std::size_t>(gather_samples));
  core::parallel_for(gather_samples, 1024, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k)
      samples[static_cast<std::size_t>(k)] = gather_sample(col.data(), static_cast<std::int64_t>(col.size()),
                                                           static_cast<std::int64_t>(value_bytes), k);
  });
  return samples;
}

gather_statistics measure_gathers(std::span<const sampled_gather> samples, double mean_row) {
  gather_statistics found;
  column_set even;
  for (std::size_t k = 0; k < samples.size(); k += 2) even.add(samples[k].column);
  double odd = 0;
  double repeated = 0;
  for (std::size_t k = 1; k < samples.size(); k += 2) {
    odd += 1;
    repeated += even.has(samples[k].column) ? 1 : 0;
  }
  double runs = 0;
  double pieces = 0;
  double near = 0;
  for (const sampled_gather& sample : samples) {
    if (sample.run == 0) continue;
    runs += 1;
    pieces += 1.0 / sample.run;
    near += sample.is_near ? 1 : 0;
  }
  if (odd > 0) found.repeated = repeated / odd;
  if (runs > 0) {
    found.entries_per_piece = std::min(runs / pieces, mean_row);
    found.near = near / runs;
  }
  return found;
}

std::optional<kept_columns> columns_to_cache(const gather_statistics& gathers, std::int64_t cols,
                                             std::size_t value_bytes) {
  constexpr double long_pieces = 12;
  constexpr double few_near = 0.5;
  constexpr double often = 0.2;
  // The L1 caches hold much of a smaller x.
  constexpr double least_bytes_of_x = 384 << 10;
  if (gathers.near > few_near ||
      static_cast<double>(cols) * static_cast<double>(value_bytes) < least_bytes_of_x)
    return {};
  if (gathers.entries_per_piece >= long_pieces) return kept_columns::panels;
  // The expected value of `repeated` if all columns are equally frequent.
  const double by_chance = 1 - std::exp(-static_cast<double>(gather_samples) / 2 / static_cast<double>(cols));
  if (gathers.repeated >= by_chance + often * (1 - by_chance)) return kept_columns::frequent;
  return {};
}

}  // namespace gossamer::inline v0::formats
