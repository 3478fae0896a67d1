// SPDX-License-Identifier: BSD-3-Clause
#include "tune/bandwidth.hpp"

#include <algorithm>

#include "exec/target.hpp"
#include "gossamer/measure.hpp"

namespace gossamer::inline v0::tuning {
namespace {

// Two threads of a Zen 4 copy 28 GB/s, 16 of a Sapphire Rapids about 200.
constexpr double of_a_thread = 13;
constexpr double of_all_threads = 200;
constexpr double caches_over_memory = 8;

struct capability_bandwidth {
  int capability;
  double gbs;
};
// H100: 3.0 TB/s of 3.35, H200: 4.3 of 4.8; A100: 1.4 of 1.6 to 2.0; V100: 0.8.
constexpr capability_bandwidth of_devices[] = {{90, 3500}, {80, 1400}, {0, 750}};

}  // namespace

double nominal_bandwidth_gbs(const resource& where, std::int64_t bytes) {
  if (const auto* host = std::get_if<cpu>(&where)) {
    const double memory = std::min(of_a_thread * thread_count(*host), of_all_threads);
    return bytes <= last_level_cache_bytes(where) ? memory * caches_over_memory : memory;
  }
  const int capability = exec::planned_target_of(where).compute_capability;
  return std::find_if(std::begin(of_devices), std::end(of_devices),
                      [&](const capability_bandwidth& each) { return each.capability <= capability; })
      ->gbs;
}

}  // namespace gossamer::inline v0::tuning
