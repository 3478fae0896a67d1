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

/// Instructions of one CPU core for a product, in nanoseconds, in addition to moving bytes.
struct core_work {
  double slot_ns;  ///< for each value that is multiplied
  double row_ns;
  /// For each entry times row_statistics::spread: 1 if no two entries share a part of x. Formats differ only
  /// if they lose more on scattered columns.
  double jump_ns;
  bool pads;  ///< padding is multiplied too
};

/// Properties of a GPU that all its kernels share.
struct device_capacity {
  double cache_bytes;        ///< of the second-level cache
  double cache_bandwidth;    ///< of the second-level cache, bytes per second
  double copy_gbs;           ///< copy bandwidth
  double entries_that_fill;  ///< a matrix of so many entries has work for the whole device
  double scattered_spread;   ///< from this row_statistics::spread on, each lane reads its own part of x
};

/// Times of one GPU kernel. device_seconds() adds them up.
struct device_kernel {
  double start_us;        ///< of an empty product: the launch, and one load that waits for another
  double fill_us;         ///< in addition, if there is work for the whole device; else in proportion
  double long_us;         ///< in addition, for device_work::long_rows: summing parts, or one lane per row
  double walk_ns;         ///< each of device_work::usual_steps
  double gather_step_ns;  ///< in addition, each of device_work::usual_steps if its x is scattered
  double step_ns;         ///< each of device_work::longest_steps
  double cached;          ///< times the time in which the second-level cache would move all bytes
  /// Times the time in which the second-level cache would move the bytes that exceed it. Together with
  /// `cached`, at least the time of a copy.
  double memory;
  /// Of the whole device, each entry times row_statistics::spread. 32 bytes at the cache's bandwidth take
  /// 5.3, which is the least where x is gathered.
  double jump_ps;
};

}  // namespace gossamer::inline v0::formats
