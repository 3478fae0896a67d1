// SPDX-License-Identifier: BSD-3-Clause
// The tuning constants of the cost model. Each class of devices has one table of them, such as hopper.hpp,
// which scripts/write-constants writes from the record of the same name, hopper.json (docs/tuning.md).
#pragma once

namespace gossamer::inline v0::formats {

/// Start-up times of a product on a CPU: from the call to the first pass, and of each further pass.
struct start_times {
  double first_seconds;
  double next_seconds;
};

/// Instructions of one CPU core for a product, in addition to moving bytes.
struct core_work {
  double slot_ns;  ///< each value that is multiplied
  double row_ns;   ///< each row
  /// Each entry times row_statistics::spread, which is 1 if no two entries share a part of x. Formats differ
  /// only if they lose more on scattered columns.
  double gather_ns;
  bool counts_padding;  ///< padding is multiplied too and counts as slots
};

/// Properties of a GPU that all its kernels share. The cache is the second-level cache.
struct device_capacity {
  double cache_bytes;
  double cache_bytes_per_second;  ///< bandwidth of the cache
  double copy_gb_per_second;      ///< copy bandwidth of memory
  double entries_to_fill_device;  ///< a matrix with that many entries has work for the whole device
  double scattered_spread;        ///< from this row_statistics::spread on, each lane reads its own part of x
};

/// Times of one GPU kernel. device_seconds() adds them up.
struct device_kernel {
  double start_us;         ///< an empty product: the launch, and one load that waits for another
  double full_device_us;   ///< added if the matrix fills the device; in proportion if it does not
  double long_rows_us;     ///< added for device_work::long_rows: summing parts, or one lane per row
  double usual_step_ns;    ///< each of device_work::usual_steps
  double gather_step_ns;   ///< added for each of device_work::usual_steps if its x is scattered
  double longest_step_ns;  ///< each of device_work::longest_steps
  /// Time to move all bytes, relative to moving them at the bandwidth of the cache.
  double time_ratio_in_cache;
  /// Time added for the bytes that exceed the cache, in the same unit. The sum of both ratios is at least the
  /// time of a copy in memory.
  double added_time_ratio_in_memory;
  /// Each entry times row_statistics::spread, as a time of the whole device. Where x is gathered, it is at
  /// least 5.3: 32 bytes at the bandwidth of the cache.
  double gather_ps;
};

}  // namespace gossamer::inline v0::formats
