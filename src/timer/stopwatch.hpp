// SPDX-License-Identifier: BSD-3-Clause
// How long calls take on one resource: by the host's clock, or by two events of a stream.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "gossamer/timer.hpp"

namespace gossamer::inline v0::timer {

using host_clock = std::chrono::steady_clock;

inline double seconds_since(host_clock::time_point begin) {
  return std::chrono::duration<double>(host_clock::now() - begin).count();
}

class stopwatch {
 public:
  stopwatch() = default;
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;
  virtual ~stopwatch() = default;

  /// Untimed.
  virtual void run(const product_call& product, std::int64_t calls) = 0;
  /// Of all the calls together, after whatever ran before.
  virtual double time(const product_call& product, std::int64_t calls) = 0;
  /// Of one call after the caches were emptied.
  virtual double time_cold(const product_call& product) = 0;
  /// From one call to its end as the host sees it.
  virtual double time_from_host(const product_call& product) = 0;
  /// Samples so far in which the host's launching may show.
  [[nodiscard]] virtual std::int64_t exposed() const noexcept { return 0; }
};

/// `flush_bytes` is what time_cold goes over; taken when it is first used.
std::unique_ptr<stopwatch> make_stopwatch(const resource& where, std::int64_t flush_bytes);

}  // namespace gossamer::inline v0::timer
