// SPDX-License-Identifier: BSD-3-Clause
// What a product on a GPU takes beside moving bytes: starting, waiting for the longest lane, gathering x.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "gossamer/statistics.hpp"

namespace gossamer::inline v0::formats {

/// Of one format's kernel with some options, for one matrix; fitted to the times of an H200 (docs/tuning.md).
struct device_work {
  double start_us = 3;   ///< of a product of nothing: the launch, and one load that waits for another
  double fill_us = 0.3;  ///< more once there is work for the whole device, in proportion where there is less
  double long_us = 1;    ///< where a row is `long_rows`: adding up its parts, or one lane going through it
  double walk_ns = 0;    ///< each step of a usual lane
  double gather_step_ns = 0;  ///< the same where its x is scattered, more
  /// Each of the longest steps: of the longest lane, while all others may long be done, or of what else goes
  /// on beside moving
  double step_ns = 0;
  double cached = 1;  ///< times the time in which the second-level cache would move all bytes
  /// Times that in which it would move those that it has no room for; not so little that both together are
  /// more than a copy has
  double memory = 0.5;
  /// Of the device, each entry times row_statistics::spread: 32 bytes at the cache's bandwidth are 5.3, and
  /// where x is gathered it is no less
  double jump_ps = 5.4;
  double usual_steps = 8;
  double longest_steps = 0;
  bool long_rows = false;
};

/// From here on a row counts as long where the options do not say it.
inline constexpr std::int64_t long_row = 2048;

/// The length that few rows exceed.
inline double usual_length(const row_statistics& s) {
  return std::min(static_cast<double>(s.max), s.mean + 2 * s.standard_deviation);
}

/// A product that moves so many bytes of A, x and y, at so many GB/s of copy bandwidth.
inline double device_seconds(const device_work& w, const row_statistics& s, double bytes,
                             double bandwidth_gbs) {
  constexpr double cache_bytes = 45e6;
  constexpr double cache_bandwidth = 6e12;
  constexpr double fitted_gbs = 4200;  // the copy bandwidth of the device that the constants were fitted on
  constexpr double entries_that_fill = 250e3;
  constexpr double scattered = 0.25;  // spread from which on every lane reads a part of x of its own
  const auto nnz = static_cast<double>(s.nnz);
  const double slower = fitted_gbs / bandwidth_gbs;
  const double moving =
      (w.cached * bytes + w.memory * slower * std::max(0.0, bytes - cache_bytes)) / cache_bandwidth +
      nnz * s.spread * w.jump_ps * 1e-12;
  const double longest = w.longest_steps * w.step_ns * 1e-9;
  const double waiting =
      w.start_us + w.fill_us * std::min(1.0, nnz / entries_that_fill) + (w.long_rows ? w.long_us : 0);
  const double walking = w.usual_steps * (w.walk_ns + w.gather_step_ns * std::min(1.0, s.spread / scattered));
  // Between the larger of both and their sum: lanes that are done leave the device to others.
  return waiting * 1e-6 + walking * 1e-9 + std::cbrt(std::pow(longest, 3) + std::pow(moving, 3));
}

}  // namespace gossamer::inline v0::formats
