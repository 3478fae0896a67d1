// SPDX-License-Identifier: BSD-3-Clause
// A sample of the columns of a matrix, from which "auto" predicts whether cached_x is faster than packed on a
// GPU. It is the same for columns in host and in device memory. Row offsets and values are not read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/host_device.hpp"
#include "formats/common/frequent_values.hpp"
#include "formats/common/kept_columns.hpp"

namespace gossamer::inline v0::formats {

/// A sampled entry.
struct sampled_gather {
  std::int32_t column;
  /// The length of the ascending run of columns around the entry, within its panel: an estimate of the
  /// entries of its row in this panel. 0: not counted.
  std::int16_t run;
  bool is_near;  ///< a neighbour's x is less than 32 bytes away
};

inline constexpr std::int64_t gather_samples = std::int64_t{1} << 15;
/// Runs are counted for every 32nd sample.
inline constexpr std::int64_t gather_samples_per_run = 32;

/// Sample k, 0 <= k < gather_samples, of a matrix with `nnz` entries, at least gather_samples. A panel is
/// default_panel_kib of x. Indices may have any value.
GOSSAMER_HOST_DEVICE constexpr sampled_gather gather_sample(const std::int32_t* col, std::int64_t nnz,
                                                            std::int64_t value_bytes, std::int64_t k) {
  constexpr int farthest = 64;
  const std::int64_t near = 32 / value_bytes;
  const std::int64_t width = (default_panel_kib << 10) / value_bytes;
  const std::int64_t at = sampled_place(k, nnz, gather_samples);
  sampled_gather sample{.column = col[at], .run = 0, .is_near = false};
  if (k % gather_samples_per_run != 0) return sample;
  const std::int64_t panel = col[at] / width;
  int before = 0;
  while (before < farthest && before < at && col[at - before - 1] < col[at - before] &&
         col[at - before - 1] / width == panel)
    ++before;
  int after = 0;
  while (after < farthest && after + 1 < nnz - at && col[at + after + 1] > col[at + after] &&
         col[at + after + 1] / width == panel)
    ++after;
  sample.run = static_cast<std::int16_t>(before + after + 1);
  sample.is_near =
      (before > 0 && col[at] - col[at - 1] < near) || (after > 0 && col[at + 1] - col[at] < near);
  return sample;
}

/// Properties of the matrix, estimated from a sample.
struct gather_statistics {
  /// Share of the odd samples whose column is also that of an even sample.
  double repeated = 0;
  double entries_per_piece = 0;  ///< mean number of entries of a row in a panel in which it has any
  double near = 0;               ///< share of entries with is_near, among those whose run is counted
};
/// `mean_row` is the mean length of the rows. It bounds entries_per_piece, since a run may cross the end of a
/// row.
gather_statistics measure_gathers(std::span<const sampled_gather> samples, double mean_row);

/// The part of x that cached_x should keep in shared memory. Empty if packed is predicted to be faster.
/// `cols` is the number of columns of the matrix. With p, the value of `repeated` for equally frequent
/// columns, the rule for `frequent` is repeated >= p + (1 - p) / 5 (docs/guides/choosing.md,
/// docs/notes/cached_x.md).
std::optional<kept_columns> columns_to_cache(const gather_statistics& gathers, std::int64_t cols,
                                             std::size_t value_bytes);

/// Samples `col`, in host memory or in memory of the current device. It has at least gather_samples elements.
/// Both return gather_samples samples and are synchronous.
std::vector<sampled_gather> sample_columns(std::span<const std::int32_t> col, std::size_t value_bytes);
std::vector<sampled_gather> sample_columns_on_device(const std::int32_t* col, std::int64_t nnz,
                                                     std::size_t value_bytes);

}  // namespace gossamer::inline v0::formats
