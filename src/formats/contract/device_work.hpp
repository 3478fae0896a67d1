// SPDX-License-Identifier: BSD-3-Clause
// Time of a product on a GPU: start-up, moving bytes, gathering x and the longest lane.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "formats/contract/constants/hopper.hpp"
#include "gossamer/statistics.hpp"

namespace gossamer::inline v0::formats {

/// A format's kernel, and what of its time depends on the options and the matrix.
struct device_work {
  device_kernel kernel = hopper::defaults;
  double usual_steps = 8;    ///< of a lane, for rows that few exceed
  double longest_steps = 0;  ///< of the longest lane, or of work that overlaps with moving bytes
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
  constexpr device_capacity device = hopper::capacity;
  const device_kernel& k = w.kernel;
  const auto nnz = static_cast<double>(s.nnz);
  const double slower = device.copy_gb_per_second / bandwidth_gbs;
  const double moving = (k.time_ratio_in_cache * bytes +
                         k.added_time_ratio_in_memory * slower * std::max(0.0, bytes - device.cache_bytes)) /
                            device.cache_bytes_per_second +
                        nnz * s.spread * k.gather_ps * 1e-12;
  const double longest = w.longest_steps * k.longest_step_ns * 1e-9;
  const double waiting = k.start_us + k.full_device_us * std::min(1.0, nnz / device.entries_to_fill_device) +
                         (w.long_rows ? k.long_rows_us : 0);
  const double walking =
      w.usual_steps *
      (k.usual_step_ns + k.gather_step_ns * std::min(1.0, s.spread / device.scattered_spread));
  // Between the larger of both and their sum: lanes that are done leave the device to others.
  return waiting * 1e-6 + walking * 1e-9 + std::cbrt(std::pow(longest, 3) + std::pow(moving, 3));
}

}  // namespace gossamer::inline v0::formats
