// SPDX-License-Identifier: BSD-3-Clause
// The tuning constants of the cost model. Each class of devices has one table of them, such as hopper.hpp,
// which scripts/write-constants writes from the record of the same name, hopper.json
// (docs/notes/tuning.md).
#pragma once

namespace gossamer::inline v0::formats {

/// Start-up times of a product on a CPU: from the call to the first pass, and of each further pass.
struct start_times {
  double first_seconds;
  double next_seconds;
};

/// Times of the instructions of a product on one CPU core, in addition to the time of moving bytes.
struct core_work {
  double slot_ns;  ///< for each value that is multiplied
  double row_ns;   ///< for each row
  /// For each entry, multiplied by row_statistics::spread. It is larger for formats that are slower on
  /// scattered columns.
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
  /// The time to move a byte, relative to moving it at the bandwidth of the cache. It applies to all bytes.
  double time_ratio_in_cache;
  /// Added to time_ratio_in_cache for the bytes that exceed the cache. The sum of both is at least the ratio
  /// of the cache's bandwidth to the copy bandwidth of memory.
  double added_time_ratio_in_memory;
  /// The time of the whole device for each entry, multiplied by row_statistics::spread. If a kernel gathers x
  /// one entry at a time, it is at least 5.3 ps: 32 bytes at the bandwidth of the cache.
  double gather_ps;
};

}  // namespace gossamer::inline v0::formats
