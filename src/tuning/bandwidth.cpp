// SPDX-License-Identifier: BSD-3-Clause
#include "tuning/bandwidth.hpp"

#include <algorithm>

namespace gossamer::inline v0::tuning {
namespace {

// In the records of bench/results two threads copy 30 GB/s on a Zen 4, 33 on a Xeon and 39 to 73 on a Zen 5,
// 16 on a Xeon 100 to 205.
constexpr double of_a_thread = 13;
constexpr double of_all_threads = 150;
constexpr double caches_over_memory = 8;

struct capability_bandwidth {
  int capability;
  double gbs;
};
// Between what an H200 was measured to copy (4300) and what an H100's data sheet lets expect; of older ones
// the sheets alone.
constexpr capability_bandwidth of_devices[] = {{90, 3500}, {80, 1400}, {0, 750}};

}  // namespace

double nominal_bandwidth_gbs(const machine_description& machine, std::int64_t bytes) {
  if (machine.kind == device_set::cpu) {
    const double memory = std::min(of_a_thread * machine.threads, of_all_threads);
    return bytes <= machine.cache_bytes ? memory * caches_over_memory : memory;
  }
  return std::find_if(
             std::begin(of_devices), std::end(of_devices),
             [&](const capability_bandwidth& each) { return each.capability <= machine.compute_capability; })
      ->gbs;
}

}  // namespace gossamer::inline v0::tuning
