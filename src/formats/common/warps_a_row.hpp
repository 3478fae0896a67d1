// SPDX-License-Identifier: BSD-3-Clause
// How many warps share 32 rows of a padded table on a device: each takes every n-th column.
#pragma once

#include <cstdint>
#include <string_view>

#include "formats/contract/option_fields.hpp"

namespace gossamer::inline v0::formats {

/// The option; see warps_a_row().
constexpr number_field warps_a_row_field(std::string_view help) {
  return {.name = "threads_per_row",
          .help = help,
          .min = 1,
          .max = 16,
          .has_auto = true,
          .devices = device_set::cuda};
}

struct warp_shares {
  double few_warps = 1024;    ///< fewer than that leave the device idle
  double usual_columns = 20;  ///< that a thread keeps where there are enough warps
};

/// A power of two, at most `most`, for `rows` rows (or segments) of so many columns in the mean.
///
/// What sharing costs is the adding of sums through shared memory, and warps that stand idle in short rows.
/// On an H200 a thread that keeps 20 columns or more was within 2 % of the fastest, of rows cut by Equation
/// (3) (docs/notes/brc-widths.md). That 8 are enough where there are too few warps for the device is a guess,
/// which small matrices depend on (bcsstk16, tri_nsjac, lp_osa_30, rail582) and no search confirmed.
constexpr std::int64_t warps_a_row(double rows, double columns, std::int64_t most,
                                   const warp_shares& of = {}) noexcept {
  constexpr double least_columns = 8;
  std::int64_t warps = 1;
  while (warps < most) {
    const auto now = static_cast<double>(warps);
    const double keeps = rows / 32 * now < of.few_warps ? least_columns : of.usual_columns;
    if (columns < keeps * 2 * now) break;
    warps *= 2;
  }
  return warps;
}

}  // namespace gossamer::inline v0::formats
