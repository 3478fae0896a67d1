// SPDX-License-Identifier: BSD-3-Clause
// Whether x in a GPU's shared memory pays, told by a sample of the columns. It is the same in host and device
// memory, and reads neither rows nor values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/host_device.hpp"
#include "formats/common/frequent_values.hpp"
#include "formats/common/kept_columns.hpp"

namespace gossamer::inline v0::formats {

/// What the sample has of an entry.
struct sampled_gather {
  std::int32_t column;
  /// Entries of its row in its panel, as far as ascending neighbours tell; 0: not counted.
  std::int16_t run;
  bool is_near;  ///< a neighbour's x is less than 32 bytes away
};

inline constexpr std::int64_t gather_samples = std::int64_t{1} << 15;
/// Runs are counted for one of so many.
inline constexpr std::int64_t gather_samples_per_run = 32;

/// Sample number k of a matrix of at least gather_samples entries. Panels are those of default_panel_kib.
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

/// What the samples tell.
struct gather_statistics {
  double repeated = 0;           ///< share of one half's columns that the other half has
  double entries_per_piece = 0;  ///< if x is cut into panels
  double near = 0;               ///< share of entries with a near neighbour
};
/// `mean_row`: mean length of the rows. Pieces are at most as long, though neighbours may be of several rows.
gather_statistics measure_gathers(std::span<const sampled_gather> samples, double mean_row);

/// The part of x to keep in shared memory, if that is faster than packed (docs/notes/cached_x.md). `cols`:
/// columns of the matrix.
std::optional<kept_columns> columns_to_cache(const gather_statistics& gathers, std::int64_t cols,
                                             std::size_t value_bytes);

/// The samples of columns in host memory, or in memory of the current device.
std::vector<sampled_gather> sample_columns(std::span<const std::int32_t> col, std::size_t value_bytes);
std::vector<sampled_gather> sample_columns_on_device(const std::int32_t* col, std::int64_t nnz,
                                                     std::size_t value_bytes);

}  // namespace gossamer::inline v0::formats
